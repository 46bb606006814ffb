"""What a column is compared with: from its type and the declared categories to values of that type.

Engines look a row's value up in `values`; the place beside it is that of its category in the declaration. Columns are
`c0`, the one to count, then that of the groups if there is one, then those of the filters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.arithmetic.numbers import exact
from discreet.counting.declaration import Declaration, Filter
from discreet.counting.rule import numeric_places
from discreet.errors import InvalidInput

TEXT = "TEXT"
"""A text that is handed over as its bytes, which need not be UTF-8."""

TEXTS = re.compile(r'TEXT|VARCHAR|ENUM\(.*\)|BOOLEAN|"NULL"', re.DOTALL)
FLOATS = {"FLOAT", "DOUBLE"}
BITS = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64, "HUGEINT": 128}
ANY_DECIMAL = "DECIMAL"
"""A numeric column without a declared scale: it holds whatever has an end."""

DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")


@dataclass(frozen=True, slots=True)
class Match:
    """How a column of one type is compared."""

    column: str
    type: str
    """Its SQL type; a text is compared as its bytes."""
    values: tuple[str | bytes | float, ...]
    """What it is compared with: no two are equal."""
    places: tuple[int, ...]
    """The place in the declaration of each of these."""


def match_columns(declaration: Declaration, types: list[str]) -> tuple[Match, ...]:
    """The comparisons for columns of these types, in the order of `Declaration.columns`; ids are not compared.

    >>> declaration = Declaration("vote", ["Clinton", "Dole"], by="floor", groups=["attic", "2.5", "1"])
    >>> [(match.values, match.places) for match in match_columns(declaration, ["VARCHAR", "SMALLINT"])]
    [((b'Clinton', b'Dole'), (0, 1)), (('1',), (2,))]
    """
    return tuple(_match(each, types[i], f"c{i}") for i, each in enumerate(declaration.compared))


def _match(declaration: Declaration | Filter, sql_type: str, column: str) -> Match:
    """The comparison for a column of this type; refused if it holds neither text nor numbers."""
    if TEXTS.fullmatch(sql_type):
        values = tuple(text.encode() for text in declaration.texts)
        return Match(column, "BLOB", values, tuple(range(len(values))))
    write = _number_writer(sql_type)
    if write is None:
        raise InvalidInput(
            f"column {declaration.column!r} holds neither text nor numbers", hint="make a text column of it first"
        )
    numbers = numeric_places(declaration)
    if not numbers:
        raise InvalidInput(
            f"column {declaration.column!r} is numeric, and no name declared for it is a number", hint="name numbers"
        )
    texts = {place: text for number, place in numbers.items() if (text := write(number)) is not None}
    return Match(column, sql_type, tuple(texts.values()), tuple(texts))


def _number_writer(sql_type: str) -> Callable[[Fraction], str | float | None] | None:
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
    if sql_type == ANY_DECIMAL:
        return _as_any_decimal
    if decimal := DECIMAL.fullmatch(sql_type):
        width, scale = int(decimal[1]), int(decimal[2])
        return lambda number: _as_decimal(number, scale, 1 - 10**width, 10**width - 1)
    return None


def _as_decimal(number: Fraction, scale: int, low: float, high: float) -> str | None:
    """The digits of number · 10^scale, with the point put back: exact, or nothing."""
    shifted = number * 10**scale
    if shifted.denominator != 1 or not low <= shifted.numerator <= high:
        return None
    digits = f"{abs(shifted.numerator):0{scale + 1}d}"
    sign = "-" if number < 0 else ""
    return f"{sign}{digits[: len(digits) - scale]}.{digits[len(digits) - scale :]}" if scale else f"{sign}{digits}"


def _as_any_decimal(number: Fraction) -> str | None:
    """The same with as many digits as the number has, if they end."""
    scales = range(number.denominator.bit_length())
    scale = next((scale for scale in scales if (number * 10**scale).denominator == 1), 0)
    return _as_decimal(number, scale, -math.inf, math.inf)


def _as_double(number: Fraction) -> float | None:
    value = float(number)
    return value if exact(value, "a category") == number else None


def _as_single(number: Fraction) -> float | None:
    with np.errstate(over="ignore"):
        near = np.float32(float(number))
        # The way over a double may round twice, and so end next to the float that prints as this number.
        around = (near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf)))
    equal = (value for value in around if np.isfinite(value) and exact(value, "a category") == number)
    return next((float(value) for value in equal), None)
