"""SQL for the counting rule: from a column's type and the declared categories to the place of each row's category.

No category ever becomes part of a statement: they travel as one bound list for each column. Columns are `c0`, the one
to count, then that of the groups if there is one, then the id if there is one.
"""

# ruff: noqa: S608 - statements are put together from fixed texts and quoted names of the schema; values are bound

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.arithmetic.numbers import exact
from discreet.counting.base import Declaration, numeric_places
from discreet.errors import InvalidInput

SMALL = 64
"""Up to this many categories a list is searched; beyond, a hash join finds them."""

OUTSIDE = "2147483647"
"""Comes after every place, so that the least place of a person's rows is a category if there is one."""

TEXT = "TEXT"
"""A text that is handed over as its bytes, which need not be UTF-8."""

TEXTS = re.compile(r'TEXT|VARCHAR|ENUM\(.*\)|BOOLEAN|"NULL"', re.DOTALL)
FLOATS = {"FLOAT", "DOUBLE"}
BITS = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64, "HUGEINT": 128}
DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")


@dataclass(frozen=True, slots=True)
class Match:
    """How a column of one type is compared."""

    value: str
    """The column that is compared, as `read_column` reads it."""
    type: str
    """Its SQL type."""
    wanted: tuple[str | bytes | float, ...]
    """What it is compared with, in the order of the declaration."""
    places: tuple[int, ...]
    """The place in the declaration of each of these."""
    missing: str
    """The SQL condition under which a row has no value at all."""
    name: str = "wanted"
    """What the list of `wanted` is bound as."""

    @property
    def bound(self) -> dict[str, Any]:
        """What the queries bind."""
        return {self.name: list(self.wanted)}

    def codes(self, rows: str, value: str | None = None, code: str = "code") -> str:
        """A query for `code`, the index in `wanted` from 1 (NULL outside), beside the columns of the rows."""
        compared, wanted = value or self.value, f"${self.name}::{self.type}[]"
        if len(self.wanted) <= SMALL:
            # One function of one column: DuckDB then looks at each entry of a dictionary once, and not at each row.
            return f"(SELECT list_position({wanted}, {compared}) AS {code}, * FROM {rows})"
        listed = f"(SELECT unnest({wanted}) AS w, unnest(range(1, {len(self.wanted) + 1})) AS {code})"
        return f"(SELECT listed.{code}, r.* FROM {rows} r LEFT JOIN {listed} listed ON {compared} = listed.w)"

    def tallies(self, rows: str) -> str:
        """A query for `code` and `often`: each distinct value is counted first, and then looked at once.

        As fast as the engine can be, where the values are few; where they are many, it takes memory for all of them.
        """
        values = f"(SELECT {self.value} AS value, count(*) AS often FROM {rows} GROUP BY value)"
        return f"(SELECT code, sum(often)::BIGINT AS often FROM {self.codes(values, 'value')} GROUP BY code)"

    def place(self, code: int | None) -> int | None:
        """The place of the category with this code, None for outside."""
        return self.places[code - 1] if code is not None and code <= len(self.places) else None


def match_column(declaration: Declaration, sql_type: str, column: str = "c0", name: str = "wanted") -> Match:
    """The comparison for a column of this type; refused if it holds neither text nor numbers.

    >>> match_column(Declaration("floor", ["1", "2.5", "attic"]), "SMALLINT").wanted
    ('1',)
    """
    if TEXTS.fullmatch(sql_type):
        wanted = tuple(category.encode() for category in declaration.categories)
        return Match(column, "BLOB", wanted, tuple(range(len(wanted))), f"{column} IS NULL", name)
    holds = _held_by(sql_type)
    if holds is None:
        raise InvalidInput(
            f"column {declaration.column!r} holds neither text nor numbers", hint="make a text column of it first"
        )
    numbers = numeric_places(declaration)
    if not numbers:
        raise InvalidInput(
            f"column {declaration.column!r} is numeric, and no category is a number", hint="name numbers"
        )
    found = {place: held for number, place in numbers.items() if (held := holds(number)) is not None}
    places = tuple(sorted(found))
    missing = f"{column} IS NULL OR isnan({column})" if sql_type in FLOATS else f"{column} IS NULL"
    return Match(column, sql_type, tuple(found[place] for place in places), places, missing, name)


def read_column(sql_type: str, column: str) -> str:
    """The SQL expression for what is compared: a text is its bytes.

    In them no collation takes A for a, as that of a column of a DuckDB file may.
    """
    return f"encode(CAST({column} AS VARCHAR))" if TEXTS.fullmatch(sql_type) and sql_type != TEXT else column


def identity(sql_type: str, column: str = "c1") -> str:
    """The SQL expression that is equal for rows of one person, and NULL without an id."""
    if TEXTS.fullmatch(sql_type) or sql_type == "BLOB":
        return f"nullif({column}, ''::BLOB)"
    return f"CASE WHEN isnan({column}) THEN NULL ELSE {column} END" if sql_type in FLOATS else column


def _held_by(sql_type: str) -> Callable[[Fraction], str | float | None] | None:
    """The function that writes a number as a numeric type holds it, or says None if no value means that number."""
    if sql_type == "DOUBLE":
        return _as_double
    if sql_type == "FLOAT":
        return _as_single
    unsigned = sql_type.removeprefix("U") if sql_type != "UUID" else ""
    if unsigned in BITS:
        bits, signed = BITS[unsigned], unsigned == sql_type
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        return lambda number: _as_decimal(number, 0, low, high)
    if decimal := DECIMAL.fullmatch(sql_type):
        width, scale = int(decimal[1]), int(decimal[2])
        return lambda number: _as_decimal(number, scale, 1 - 10**width, 10**width - 1)
    return None


def _as_decimal(number: Fraction, scale: int, low: int, high: int) -> str | None:
    """The digits of number · 10^scale, with the point put back: exact, or nothing."""
    shifted = number * 10**scale
    if shifted.denominator != 1 or not low <= shifted.numerator <= high:
        return None
    digits = f"{abs(shifted.numerator):0{scale + 1}d}"
    sign = "-" if number < 0 else ""
    return f"{sign}{digits[: len(digits) - scale]}.{digits[len(digits) - scale :]}" if scale else f"{sign}{digits}"


def _as_double(number: Fraction) -> float | None:
    value = float(number)
    return value if exact(value, "a category") == number else None


def _as_single(number: Fraction) -> float | None:
    with np.errstate(over="ignore"):
        near = np.float32(float(number))
        # The way over a double may round twice, and so end next to the float that prints as this number.
        around = (near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf)))
    fitting = (value for value in around if np.isfinite(value) and exact(value, "a category") == number)
    return next((float(value) for value in fitting), None)
