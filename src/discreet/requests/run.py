"""The one place where data, budget and randomness meet.

public facts and n → certificate → domain check → charge → count → law → draw → seal → show

Everything that can be refused is refused before the charge, from public facts. The promise names two exceptions, which
are assertions about the data: that a CSV file is well-formed, and without `other` that every value is one of the
declared categories. A refusal says neither what broke them nor how often. After the charge nothing is refunded: a
request that fails later is drawn again under the same charge, and one that was sealed is shown again as it was. Errors
after the data was read have texts that no count can change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from discreet.arithmetic.numbers import whole
from discreet.counting import CsvFormat, Declaration, Progress, Table, engine_for, open_source, shown, strays_error
from discreet.errors import DiscreetError, InvalidInput, SourceError
from discreet.ledger import Charge, Ledger
from discreet.posteriors.space import Counts
from discreet.receipts import Bundle, Receipt, read_sealed
from discreet.requests.charge import affordable, charged, opened
from discreet.requests.prepare import Plan, Prepared, PreparedColumns, PreparedGroups, prepare
from discreet.requests.question import Question, shared

__all__ = [
    "STEPS",
    "Prepared",
    "PreparedColumns",
    "PreparedGroups",
    "Question",
    "prepare",
    "prepare_counts",
    "release",
    "release_columns",
    "release_counts",
]

T = TypeVar("T")

STEPS = ("prepared", "checked", "charged", "counted", "drawn", "sealed")


def reached(step: str) -> None:
    """Called after each of `STEPS`. It does nothing; the tests put a kill or an exception in its place."""


@dataclass(frozen=True, slots=True)
class Job:
    """Where the rows are, and what pays."""

    source: object
    ledger: Ledger | None
    dataset: str | None
    request_id: str | None
    engine: str
    form: CsvFormat
    confirm: Callable[[Any], bool] | None
    progress: Progress | None


def release(
    source: object,
    *,
    column: str,
    categories: Sequence[str],
    epsilon: object,
    ledger: Ledger | str | Path | None,
    dataset: str | None = None,
    prior: object = None,
    mechanism: str = "geometric",
    n: object = None,
    other: str | None = None,
    id_column: str | None = None,
    by: str | None = None,
    groups: Sequence[str] = (),
    other_group: str | None = None,
    group_public: bool = False,
    engine: str | None = None,
    form: CsvFormat | None = None,
    request_id: str | None = None,
    calibrated: bool = False,
    confirm: Callable[[Any], bool] | None = None,
    progress: Progress | None = None,
    **options: object,
) -> Receipt:
    """Release a posterior from a table, charge it, and keep the receipt. `ledger=None` says that nothing is charged.

    With `by` and `groups`, one cross table is released, at the price of one release; `group_public` declares that
    everyone may know who is in which group, and protects the answers alone.

    >>> import pandas as pd
    >>> votes = pd.DataFrame({"vote": ["Clinton"] * 60 + ["Dole"] * 40, "sex": ["f", "m"] * 50})
    >>> receipt = release(votes, column="vote", categories=["Clinton", "Dole"], epsilon=1, ledger=None)
    >>> sum(receipt.output), receipt.document["epsilon_exact"]
    (100, '1')
    >>> asked = {"column": "vote", "categories": ["Clinton", "Dole"], "by": "sex", "groups": ["f", "m"]}
    >>> receipt = release(votes, **asked, epsilon=1, ledger=None)
    >>> sum(receipt.output), list(receipt.posteriors)
    (100, ['f', 'm'])
    """
    question = Question(
        column, categories, other=other, by=by, groups=groups, other_group=other_group, group_public=group_public,
        prior=prior, mechanism=mechanism, calibrated=calibrated, epsilon=epsilon, **options,
    )  # fmt: skip
    job = _job(source, ledger, dataset, request_id, engine, form, confirm, progress)
    found = _done(job, [question.declaration(id_column)], [question.terms(epsilon)], n, together=False)
    assert isinstance(found, Receipt), "a request for one column seals one receipt"
    return found


def release_columns(
    source: object,
    questions: Sequence[Question],
    *,
    ledger: Ledger | str | Path | None,
    epsilon: object = None,
    dataset: str | None = None,
    n: object = None,
    id_column: str | None = None,
    engine: str | None = None,
    form: CsvFormat | None = None,
    request_id: str | None = None,
    confirm: Callable[[Any], bool] | None = None,
    progress: Progress | None = None,
) -> Bundle:
    """Release several columns of a table in one request: one charge for all of them, which are sealed together.

    Every question says its own `epsilon`, or `epsilon` here is the price of all, shared equally.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"vote": ["Clinton"] * 60 + ["Dole"] * 40, "sex": ["f", "m"] * 50})
    >>> asked = [Question("vote", ["Clinton", "Dole"]), Question("sex", ["f", "m"])]
    >>> bundle = release_columns(table, asked, epsilon=1, ledger=None)
    >>> bundle.columns, [part.document["epsilon_exact"] for part in bundle.parts], bundle.document["epsilon_exact"]
    (('vote', 'sex'), ['1/2', '1/2'], '1')
    """
    terms = [question.terms(share) for question, share in zip(questions, shared(questions, epsilon), strict=True)]
    job = _job(source, ledger, dataset, request_id, engine, form, confirm, progress)
    found = _done(job, [question.declaration(id_column) for question in questions], terms, n, together=True)
    assert isinstance(found, Bundle), "a request for several columns seals one bundle"
    return found


def _job(
    source: object,
    ledger: Ledger | str | Path | None,
    dataset: str | None,
    request_id: str | None,
    engine: str | None,
    form: CsvFormat | None,
    confirm: Callable[[Any], bool] | None,
    progress: Progress | None,
) -> Job:
    book = opened(ledger, dataset, request_id)
    return Job(source, book, dataset, request_id, engine_for(source, engine), form or CsvFormat(), confirm, progress)


def _done(
    job: Job, declarations: list[Declaration], terms: list[dict[str, Any]], n: object, *, together: bool
) -> Receipt | Bundle:
    """The steps, from public facts to what was sealed."""
    asked = _asked_sizes(n)
    with ExitStack() as stack:
        tables = [
            stack.enter_context(
                open_source(job.source, declaration, engine=job.engine, form=job.form, progress=job.progress)
            )
            for declaration in declarations
        ]
        facts: dict[str, Any] = {
            "source": shown(job.source),
            "dataset": job.dataset,
            "engine": job.engine,
            "form": job.form,
        }
        sizes = [_sizes(table, asked, public=own["group_public"]) for table, own in zip(tables, terms, strict=True)]
        if len({size if isinstance(size, int) else sum(size) for size in sizes}) > 1:
            raise _changed()
        parts = tuple(
            prepare(declaration, size, **own, **facts)
            for declaration, size, own in zip(declarations, sizes, terms, strict=True)
        )
        prepared = PreparedColumns(parts) if together else parts[0]
        prepared.check()
        sealed = affordable(job.ledger, job.dataset, prepared, job.request_id)
        if sealed is not None:
            return sealed
        reached("prepared")
        if job.confirm is not None and not job.confirm(prepared):
            raise InvalidInput("the release was not confirmed", hint="nothing was charged and nothing was drawn")
        _require_no_strays(declarations, tables)
        reached("checked")
        charge = charged(job.ledger, job.dataset, prepared, job.request_id)
        if charge is not None and charge.outcome is not None:
            return read_sealed(charge.outcome)
        return _finished(lambda: _sealed(job, tables, parts, prepared, charge), charge)


def release_counts(
    counts: object,
    *,
    epsilon: object,
    categories: Sequence[str] | None = None,
    prior: object = None,
    n: object = None,
    mechanism: str = "geometric",
    calibrated: bool = False,
    accept_no_guarantee: bool = False,
    **options: object,
) -> Receipt:
    """The same from counts in hand: no table, no ledger, nothing charged."""
    prepared, checked = prepare_counts(
        counts, epsilon=epsilon, categories=categories, prior=prior, n=n, mechanism=mechanism, calibrated=calibrated,
        options=options,
    )  # fmt: skip
    released = _finished(
        lambda: prepared.mechanism.release(checked, accept_no_guarantee=accept_no_guarantee), charge=None
    )
    return Receipt(prepared.document(released))


def prepare_counts(
    counts: object,
    *,
    epsilon: object,
    categories: Sequence[str] | None,
    prior: object,
    n: object,
    mechanism: str,
    calibrated: bool,
    options: dict[str, object],
) -> tuple[Prepared, Counts]:
    """What is public about a release of counts in hand, and the counts, checked."""
    values = list(counts) if not isinstance(counts, str) and hasattr(counts, "__iter__") else [counts]
    names = [str(i) for i in range(1, len(values) + 1)] if categories is None else list(categories)
    if len(names) != len(values):
        raise InvalidInput(
            f"categories must be {len(values)} names", hint="give one for each count", parameter="categories"
        )
    size = sum(whole(value, "a count") for value in values) if n is None else n
    declaration = Declaration("counts in hand", names)
    prepared = prepare(
        declaration, whole(size, "n", minimum=1), epsilon=epsilon, prior=prior, mechanism=mechanism,
        calibrated=calibrated, source="counts in hand", dataset=None, engine="none", form=CsvFormat(), options=options,
    )  # fmt: skip
    assert isinstance(prepared, Prepared), "counts in hand have no groups"
    return prepared, prepared.mechanism.space.counts(values)


def _asked_sizes(n: object) -> int | tuple[int, ...] | None:
    """n as it is asked for: None, one for all records, or one for each public group."""
    if n is None:
        return None
    if isinstance(n, Sequence) and not isinstance(n, str | bytes):
        return tuple(whole(size, "n") for size in n)
    return whole(n, "n", minimum=1)


def _sizes(table: Table, asked: int | tuple[int, ...] | None, *, public: bool) -> int | tuple[int, ...]:
    """n: the number of records, or of each public group. It does not change between neighbours, and is published."""
    if not public:
        found: int | tuple[int, ...] = table.count_rows()
        total = found
    else:
        found = table.count_groups()
        total = sum(found)
    if asked is not None and asked not in (found, total):
        raise InvalidInput("the table does not have n records", hint="leave `n` out, or give the true number")
    if total == 0:
        raise InvalidInput("the table has no records", hint="give one with at least one")
    return found


def _require_no_strays(declarations: list[Declaration], tables: Sequence[Table]) -> None:
    """The domain check: of several columns, not even which is said."""
    pairs = zip(declarations, tables, strict=True)
    found = [declaration for declaration, table in pairs if declaration.asserts and table.count_strays()]
    if found and len(declarations) > 1:
        raise InvalidInput("a column has values outside what is declared", hint="look with discreet check")
    if found:
        raise strays_error(found[0])


def _sealed(
    job: Job,
    tables: Sequence[Table],
    parts: tuple[Prepared | PreparedGroups, ...],
    prepared: Plan,
    charge: Charge | None,
) -> Receipt | Bundle:
    """Count, draw once from the law of the counts, and seal what was drawn before anyone sees it."""
    reached("charged")
    try:
        counts = [table.count_categories() for table in tables]
    except InvalidInput:  # strays that were not there when the declaration was checked
        raise _changed() from None
    reached("counted")
    if not all(part.fits(own) for part, own in zip(parts, counts, strict=True)):
        raise _changed()
    drawn: list[Any] = [part.release(own) for part, own in zip(parts, counts, strict=True)]
    reached("drawn")
    if isinstance(prepared, PreparedColumns):
        receipt: Receipt | Bundle = Bundle(prepared.document(drawn, charge))
    else:
        receipt = Receipt(prepared.document(drawn[0], charge))
    if job.ledger is not None and charge is not None:
        job.ledger.seal(charge.request_id, receipt.to_json())
    reached("sealed")
    return receipt


def _finished(work: Callable[[], T], charge: Charge | None) -> T:
    """The result of what follows the charge. A failure is told in words without data, and how to go on without paying.

    What an exception of others says could carry a count: it is kept nowhere, not even as a cause.
    """
    again = "" if charge is None else f"repeat it with request id {charge.request_id}: nothing more is charged"
    try:
        return work()
    except DiscreetError as failure:
        kind, message, hint = type(failure), failure.message, failure.hint
    except Exception:  # noqa: BLE001 - raised below, outside of this handler, so that nothing is chained to it
        kind, message, hint = DiscreetError, "the release failed after the data was read", ""
    raise kind(message, hint="; ".join(part for part in (hint, again) if part) or "try again")


def _changed() -> SourceError:
    return SourceError("the table changed while it was read", hint="let nobody write to it meanwhile")
