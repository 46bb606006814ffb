"""Counting in databases through Ibis: the database judges its rows, and only k numbers travel.

A source that is named by its address is opened for reading only where the database can, and on PostgreSQL in one
snapshot, so that n, the check of strays and the counts speak of the same rows. An Ibis expression is counted on its own
connection, as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import ibis

from discreet.counting import postgres
from discreet.counting.addresses import DatabasePlace, find_database
from discreet.counting.base import Declaration, attempt, missing_column, unreadable, useless_id
from discreet.counting.comparisons import Match, match_columns
from discreet.counting.database_columns import (
    UNKNOWN,
    coded,
    identity,
    missing,
    placed,
    read_column,
    require_floats,
    type_of,
    wide_enough,
)
from discreet.counting.database_texts import as_text, ask, require_digits
from discreet.counting.inspection import EXAMPLES, LONGEST
from discreet.counting.table import InspectableTable, Oddities
from discreet.errors import SourceError

SQLITE = ("query_only = ON", "temp_store = MEMORY")
"""SQLite would sort ids in files of the temporary directory."""


@dataclass(frozen=True, slots=True)
class DatabaseTable(InspectableTable):
    """An opened source, for one declaration: the `Table` of Ibis."""

    name: str
    declaration: Declaration
    matches: tuple[Match, ...]
    rows: Any
    """A table expression with columns c0 and with groups c1, t0 and t1 for the texts of the values, and `person` if
    there are ids."""
    connection: Any

    def count_places(self) -> list[tuple[int, int]]:
        """The code of each place, and how many records are there."""
        codes = coded(self.rows, self.declaration, self.matches, self.connection.name)
        if self.declaration.id_column is not None:
            codes = codes.group_by("person").aggregate(code=codes.code.min())
        found = self.fetch(codes.group_by("code").aggregate(often=codes.count()))
        return [(int(code), int(often)) for code, often in found]

    def count_oddities(self) -> Oddities:
        """How many rows there are, and how many of them are odd: for the curator's eyes."""
        rows = self.rows
        odd = {"missing": missing(rows, self.matches[0], self.connection.name), "empty": rows.t0 == ""}
        if self.declaration.id_column is not None:
            odd["nameless"] = rows.person.isnull()
        counted = {what: rows.count(where=condition) for what, condition in odd.items()}
        [found] = self.fetch(rows.aggregate(found=rows.count(), **counted))
        return Oddities(*found)

    def count_stray_values(self, *, groups: bool) -> list[tuple[str, int]]:
        """The most frequent values outside the categories, or the groups: for the curator's eyes."""
        match, backend = self.matches[int(groups)], self.connection.name
        rows = placed(self.rows, match, "place", backend)
        text = rows.t1 if groups else rows.t0
        outside = rows.filter(rows.place.isnull(), ~missing(rows, match, backend), text != "")
        values = outside.group_by(stray=text.left(LONGEST)).aggregate(often=outside.count())
        found = self.fetch(values.order_by(ibis.desc("often"), "stray").limit(EXAMPLES))
        return [(str(stray), int(often)) for stray, often in found]

    def fetch(self, answer: Any) -> list[tuple[Any, ...]]:
        """The rows of an answer; whatever the database says when it fails is dropped, because it may quote rows."""
        return attempt(lambda: ask(self.connection, answer), unreadable(self.name))


@contextmanager
def open_database(source: object, declaration: Declaration) -> Iterator[DatabaseTable]:
    """Open a table by its address, or an Ibis expression."""
    if not isinstance(source, str | Path):
        error = SourceError(f"a {type(source).__name__} is no table here", hint="give a table expression of Ibis")
        connection = attempt(lambda: _backend(source), error)
        yield _opened("the ibis table", connection, source, declaration)
        return
    place = find_database(source)
    with _connected(place) as connection:
        yield _opened(place.name, connection, attempt(lambda: _table(connection, place), _unknown(place)), declaration)


@contextmanager
def _connected(place: DatabasePlace) -> Iterator[Any]:
    known = {backend.name for backend in ibis.util.backend_entry_points()} | {"postgresql"}
    if place.scheme not in known:  # Ibis would fetch a page of the web
        raise SourceError(
            f"{place.scheme}:// is no kind of source here",
            hint="give a file or glob, duckdb://file.db/table, a database that Ibis knows, or spark://host:7077/table",
        )
    if place.scheme == "sqlite" and not Path(place.url.removeprefix("sqlite://")).is_file():
        raise SourceError("there is no such SQLite file", hint="check the name")  # it would be made, and be empty
    error = SourceError(
        f"the database of {place.name} cannot be reached",
        hint="check the address, the user and the password, and that what Ibis needs for its kind is installed",
    )
    connection = attempt(lambda: ibis.connect(place.url), error)
    try:
        if connection.name == "postgres":
            attempt(lambda: postgres.begin_snapshot(connection), error)
        elif connection.name == "sqlite":
            for pragma in SQLITE:
                attempt(partial(connection.raw_sql, f"PRAGMA {pragma}"), error)
        yield connection
    finally:
        with suppress(Exception):  # what it says of a connection that is gone helps nobody
            connection.disconnect()


def _backend(source: Any) -> Any:
    if not isinstance(source, ibis.expr.types.Table):
        raise TypeError
    return source.get_backend()


def _table(connection: Any, place: DatabasePlace) -> Any:
    if connection.name == "postgres":
        return postgres.find_table(connection, place.table)
    if place.table not in connection.list_tables():
        raise _unknown(place)
    return connection.table(place.table)


def _opened(name: str, connection: Any, table: Any, declaration: Declaration) -> DatabaseTable:
    for column in declaration.columns:
        if column not in table.columns:
            raise missing_column(column, name)
    require_digits(connection, name)
    chosen = table.select(**{f"c{i}": table[column] for i, column in enumerate(declaration.columns)})
    kinds = attempt(lambda: _kinds(connection, chosen), unreadable(name))
    held = [wide_enough(kinds[0], declaration)]
    if declaration.grouping is not None:
        held.append(wide_enough(kinds[1], declaration.grouping))
    matches = match_columns(declaration, held)
    for match in matches:
        require_floats(connection, match, name)
    backend = connection.name
    read = {f"c{i}": read_column(chosen[f"c{i}"], kinds[i], backend) for i in range(len(held))}
    read |= {f"t{i}": as_text(chosen[f"c{i}"]) for i in range(len(held))}
    if declaration.id_column is not None:
        person = identity(chosen[f"c{len(held)}"], kinds[-1], backend)
        if person is None:
            raise useless_id(declaration)
        read["person"] = person
    return DatabaseTable(name, declaration, matches, chosen.select(**read), connection)


def _kinds(connection: Any, chosen: Any) -> list[str]:
    """The types of the columns. Ibis takes some of PostgreSQL's for others, so that one is asked itself."""
    dtypes = chosen.schema().types
    kinds = [type_of(dtype) for dtype in dtypes]
    if connection.name == "postgres":
        told = postgres.types_of(connection, chosen)
        # What Ibis knows and nobody can count, like JSON, it gives out as text.
        known = [kind != UNKNOWN or t.is_unknown() or t.is_decimal() for kind, t in zip(kinds, dtypes, strict=True)]
        return [kind if right else UNKNOWN for kind, right in zip(told, known, strict=True)]
    if connection.name == "sqlite":  # its decimals are floats, whatever they are called
        return [UNKNOWN if kind.startswith("DECIMAL") else kind for kind in kinds]
    return kinds


def _unknown(place: DatabasePlace) -> SourceError:
    return SourceError(f"{place.name} names no one table", hint="write it like schema.table, and check the spelling")
