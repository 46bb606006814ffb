"""Margins of crossed columns beside everybody who publishes them: error, coverage and width."""

from __future__ import annotations

from bench.rows import QUICK, Answer, Effort, question


@question("tables", alone=True)
def ask(effort: Effort) -> Answer:
    """Margins of crossed columns, beside others.

    ANES96 as statsmodels ships it: vote, party identification and education. `bench.tables` says how it is measured,
    and reads other files; `bench.table_rivals` has every rival and its readers.
    """
    import statsmodels.api as sm  # needed by this question alone, as is what the rivals need

    from bench import tables

    data = sm.datasets.anes96.load_pandas().data
    columns = {name: data[column].astype(int).tolist() for name, column in ANES96.items()}
    quick = effort is QUICK
    return Answer(
        [], tables.compare(columns, 3 if quick else tables.REPETITIONS, 2 if quick else tables.SLOW_REPETITIONS)
    )


ANES96 = {"vote": "vote", "party": "PID", "education": "educ"}
