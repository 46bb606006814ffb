"""Rows to counts. The rule that all engines share is written down in `discreet.counting.base`.

>>> import pandas as pd
>>> votes = pd.DataFrame({"vote": ["Clinton", "Dole", "Clinton", "Perot"]})
>>> declaration = Declaration("vote", ["Clinton", "Dole"], other="someone else")
>>> count_rows(votes, declaration)
4
>>> counts = count_categories(votes, declaration)
>>> counts  # counts never show themselves
<counts>
>>> list(counts)
[2, 1, 1]
"""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from pathlib import Path

from discreet.counting.addresses import engine_for, shown
from discreet.counting.base import Declaration, Progress, strays_error
from discreet.counting.csv_records import LOOK, name_malformed_line
from discreet.counting.inspection import Inspection, inspect_table
from discreet.counting.sources import CsvFormat, DuckFile, Files, find_source
from discreet.counting.table import InspectableTable, Table, Tally
from discreet.errors import SourceError
from discreet.posteriors.space import Counts

__all__ = [
    "CsvFormat",
    "Declaration",
    "Inspection",
    "Progress",
    "Table",
    "Tally",
    "count_categories",
    "count_rows",
    "count_strays",
    "engine_for",
    "inspect_source",
    "open_source",
    "shown",
    "strays_error",
]

CSV = CsvFormat()


def open_source(
    source: object,
    declaration: Declaration,
    *,
    engine: str | None = None,
    form: CsvFormat = CSV,
    progress: Progress | None = None,
) -> AbstractContextManager[Table]:
    """Open a table once, to count in it several times. The engine follows from the source, if none is named.

    From then on a crash of this process, or of one that it starts, leaves no core file: it would hold rows and counts.

    >>> import pandas as pd
    >>> with open_source(pd.DataFrame({"v": ["a", "b", "b"]}), Declaration("v", ["a", "b"])) as table:
    ...     table.count_rows(), table.count_strays(), list(table.count_categories())
    (3, False, [1, 2])
    """
    chosen = engine_for(source, engine)
    _forbid_core_files()
    if chosen == "spark":
        return _open_spark(source, declaration, progress)
    if chosen == "ibis":
        return _open_database(source, declaration)
    place = find_source(source) if isinstance(source, str | Path) else None
    if declaration.id_column is None and isinstance(place, Files) and place.kind == "csv":
        return _open_csv(place, declaration, form)
    return _open_duck(source, place, declaration, form, progress)


def _open_csv(files: Files, declaration: Declaration, form: CsvFormat) -> AbstractContextManager[Table]:
    _require("pyarrow", "reading tables", "workflow")
    from discreet.counting.csv_table import open_csv

    return nullcontext(open_csv(files, declaration, form))


def _open_duck(
    source: object,
    place: Files | DuckFile | None,
    declaration: Declaration,
    form: CsvFormat,
    progress: Progress | None = None,
) -> AbstractContextManager[InspectableTable]:
    for package in ("duckdb", "pyarrow"):
        _require(package, "reading tables", "workflow")
    from discreet.counting.duck import open_duck

    return open_duck(source, place, declaration, form=form, progress=progress)


def _open_database(source: object, declaration: Declaration) -> AbstractContextManager[InspectableTable]:
    _require("ibis", "counting in databases", "ibis")
    from discreet.counting.databases import open_database

    return open_database(source, declaration)


def _open_spark(
    source: object, declaration: Declaration, progress: Progress | None = None
) -> AbstractContextManager[InspectableTable]:
    _require("pyspark", "counting on Spark", "spark")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of versions of pandas, which is not used here
        from discreet.counting.spark import open_spark

    return open_spark(source, declaration, progress=progress)


def _require(package: str, what: str, extra: str) -> None:
    if find_spec(package) is None:
        raise SourceError(f"{what} needs {package}", hint=f"pip install 'discreet[{extra}]'")


def _forbid_core_files() -> None:
    try:
        import resource
    except ImportError:  # not a Unix
        return
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))


def count_rows(source: object, declaration: Declaration, *, form: CsvFormat = CSV) -> int:
    """n: the number of rows, or with an id column of distinct ids."""
    with open_source(source, declaration, form=form) as table:
        return table.count_rows()


def count_strays(source: object, declaration: Declaration, *, form: CsvFormat = CSV) -> bool:
    """Whether any record is outside, with no other to take it: this one bit, and never which or how many."""
    with open_source(source, declaration, form=form) as table:
        return table.count_strays()


def count_categories(
    source: object, declaration: Declaration, *, form: CsvFormat = CSV, progress: Progress | None = None
) -> Counts:
    """The counts in the order of `Declaration.labels`, in one pass; refused if there are strays and no other."""
    with open_source(source, declaration, form=form, progress=progress) as table:
        return table.count_categories()


def inspect_source(
    source: object, declaration: Declaration, *, engine: str | None = None, form: CsvFormat = CSV
) -> Inspection:
    """What a curator may want to know before a release. It speaks of the true data and is never for publication."""
    chosen = engine_for(source, engine)
    _forbid_core_files()
    if chosen == "spark":
        opened = _open_spark(source, declaration)
    elif chosen == "ibis":
        opened = _open_database(source, declaration)
    else:
        place = find_source(source) if isinstance(source, str | Path) else None
        opened = _open_duck(source, place, declaration, form)
    try:
        with opened as table:
            return inspect_table(table)
    except SourceError as error:
        if error.hint == LOOK:
            assert isinstance(place, Files), "only files are CSV"
            name_malformed_line(place, form)
        raise
