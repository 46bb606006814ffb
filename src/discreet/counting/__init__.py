"""Rows to counts. The rule that all engines share is written down in `discreet.counting.rule`.

>>> import pandas as pd
>>> votes = pd.DataFrame({"vote": ["Clinton", "Dole", "Clinton", "Perot"]})
>>> declaration = Declaration("vote", ["Clinton", "Dole"], other="someone else")
>>> tally = count_records(votes, declaration)
>>> tally.n, tally.counts  # counts never show themselves
(4, <counts>)
>>> list(tally.counts)
[2, 1, 1]
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from discreet.counting.csv_records import MALFORMED_HINT, name_malformed_line
from discreet.counting.declaration import Declaration, Filter, Filters
from discreet.counting.engines import Progress
from discreet.counting.inspection import Inspection, inspect_table
from discreet.counting.sources import CsvFormat, Files, MemoryFile, Named, engine_for, find_source, public_name
from discreet.counting.table import InspectableTable, Table, Tally, strays_error
from discreet.errors import SourceError, require_packages
from discreet.typing import Label

__all__ = [
    "CsvFormat",
    "Declaration",
    "Filter",
    "Filters",
    "Inspection",
    "MemoryFile",
    "Progress",
    "Table",
    "Tally",
    "check",
    "count_records",
    "engine_for",
    "inspect_source",
    "open_source",
    "public_name",
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
    ...     list(table.count_records().counts)
    [1, 2]
    """
    engine, form = engine_for(source, engine), form.for_source(source)
    place = find_source(source) if engine == "duckdb" and isinstance(source, Named) else None
    if declaration.id_column is not None or not isinstance(place, Files) or place.kind != "csv":
        return _open_engine(engine, source, declaration, form, progress)
    require_packages("reading tables", "workflow", "pyarrow", error=SourceError)
    from discreet.counting.csv_table import open_csv

    _forbid_core_files()
    return nullcontext(open_csv(place, declaration, form))


def _open_engine(
    engine: str, source: object, declaration: Declaration, form: CsvFormat, progress: Progress | None = None
) -> AbstractContextManager[InspectableTable]:
    """Every engine is imported when it is needed, and where it is missing that is said."""
    _forbid_core_files()
    if engine == "spark":
        require_packages("counting on Spark", "spark", "pyspark", error=SourceError)
        with warnings.catch_warnings(action="ignore"):  # of versions of pandas, which is not used here
            from discreet.counting.spark import open_spark

        return open_spark(source, declaration, progress=progress)
    if engine == "ibis":
        require_packages("counting in databases", "ibis", "ibis", error=SourceError)
        from discreet.counting.databases import open_database

        return open_database(source, declaration)
    require_packages("reading tables", "workflow", "duckdb", "pyarrow", error=SourceError)
    from discreet.counting.duck import open_duck

    return open_duck(source, declaration, form=form, progress=progress)


def _forbid_core_files() -> None:
    try:
        import resource
    except ImportError:  # not a Unix
        return
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))


def count_records(
    source: object,
    declaration: Declaration,
    *,
    engine: str | None = None,
    form: CsvFormat = CSV,
    progress: Progress | None = None,
) -> Tally:
    """All that a release asks of the rows, in one pass."""
    with open_source(source, declaration, engine=engine, form=form, progress=progress) as table:
        return table.count_records()


def inspect_source(
    source: object, declaration: Declaration, *, engine: str | None = None, form: CsvFormat = CSV
) -> Inspection:
    """What a curator may want to know before a release. It speaks of the true data and is never for publication."""
    form = form.for_source(source)
    try:
        with _open_engine(engine_for(source, engine), source, declaration, form) as table:
            return inspect_table(table)
    except SourceError as error:
        if error.hint == MALFORMED_HINT and isinstance(source, Named):
            place = find_source(source)
            assert isinstance(place, Files), "only files are CSV"
            name_malformed_line(place, form)
        raise


def check(
    source: object,
    *,
    column: str,
    categories: Sequence[Label],
    other: str | None = None,
    missing: str | None = None,
    id_column: str | None = None,
    by: str | None = None,
    groups: Sequence[Label] = (),
    other_group: str | None = None,
    filters: Filters = (),
    engine: str | None = None,
    form: CsvFormat = CSV,
) -> Inspection:
    """Does the data fit the declaration? For the curator's eyes, in the words of `release`; never for publication.

    With `filters`, like `{"region": ["north", "south"]}`, it is about the rows that they select.

    >>> import pandas as pd
    >>> votes = pd.DataFrame({"vote": ["Clinton", "Dole", "Perot"]})
    >>> check(votes, column="vote", categories=["Clinton", "Dole"])
    <Inspection: it does not fit; not publishable: speaks of the true data>
    """
    declaration = Declaration(
        column, categories, other, id_column, by=by, groups=groups, other_group=other_group, missing=missing,
        filters=filters,
    )  # fmt: skip
    return inspect_source(source, declaration, engine=engine, form=form)
