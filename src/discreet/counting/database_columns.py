"""The counting rule in Ibis' expressions: from a column's type and the categories to the code of each row.

A database compares texts by a collation that may take A for a, or drop blanks at the end. So a text is turned into the
hexadecimal digits of its UTF-8 bytes (of their SHA-256 where a database offers nothing else), and digits are equal or
not by any collation. No category is part of a statement but as digits, hexadecimal or decimal ones, which no quoting
could get wrong. Before a row is read, the database shows on texts of our own that its digits are right; one that gets
them wrong is refused.
"""

from __future__ import annotations

import hashlib
import operator
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import ibis
import ibis.expr.datatypes as types
import ibis.expr.operations as operations

from discreet.counting.comparisons import ANY_DECIMAL, FLOATS, Match
from discreet.counting.declaration import Declaration, strides_of
from discreet.counting.table import attempt
from discreet.errors import SourceError, TooLarge

PROBES = ("", "a", "A", "a ", " a", "á", "a\u0301", "ß", "日本語", "🙂", "x" * 300)
"""Texts that collations, character sets and functions that trim get wrong."""

SMALL = 64
"""Up to this many categories are compared one by one; beyond, a join finds them."""

WHOLE = {"int8": "TINYINT", "int16": "SMALLINT", "int32": "INTEGER", "int64": "BIGINT"}
KINDS = {
    **WHOLE,
    **{f"u{name}": f"U{kind}" for name, kind in WHOLE.items()},
    "string": "VARCHAR",
    "boolean": "BOOLEAN",
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "binary": "BLOB",
}
"""Types of Ibis, as `comparisons` calls them."""

OTHER_IDS = "OTHER"
"""A type that can tell people apart by equality, and cannot be counted."""

UNKNOWN = "UNKNOWN"


def type_of(dtype: Any) -> str:
    """A type of Ibis, as `comparisons` calls it.

    >>> import ibis
    >>> [type_of(ibis.dtype(name)) for name in ("string", "uint8", "float32", "decimal(10, 2)", "date", "json")]
    ['VARCHAR', 'UTINYINT', 'FLOAT', 'DECIMAL(10,2)', 'OTHER', 'UNKNOWN']
    """
    if dtype.is_decimal() and dtype.precision is not None and dtype.scale is not None:
        return f"DECIMAL({dtype.precision},{dtype.scale})"
    if dtype.is_date() or dtype.is_timestamp() or dtype.is_uuid():
        return OTHER_IDS
    return KINDS.get(type(dtype).__name__.lower(), UNKNOWN)


def read_column(column: Any, kind: str, backend: str) -> Any:
    """The column as the rule sees it: a text as the digits of its bytes, and NaN as NULL."""
    if kind == "VARCHAR":
        return hex_digits(column, backend)
    if kind == "BOOLEAN":
        return hex_digits(ibis.cases((column, "true"), (~column, "false")), backend)
    if kind in FLOATS and backend != "sqlite":  # which stores NULL for NaN, and has no name for it
        return ibis.cases((~column.isnan(), column.cast("float64")))  # every single is a double
    if kind == ANY_DECIMAL:
        return column.nullif(ibis.literal("nan").cast("decimal"))  # PostgreSQL takes a NaN to be equal to itself
    return column


def identity(column: Any, kind: str, backend: str) -> Any:
    """What is equal for rows of one person, and NULL without an id; None for a type that can tell nobody apart."""
    value = read_column(column, kind, backend)
    if kind == "VARCHAR":
        return value.nullif(digits_of(b"", backend))
    if kind == "BLOB":
        return value.nullif(b"")
    return None if kind == UNKNOWN else value


def with_codes(rows: Any, declaration: Declaration, matches: tuple[Match, ...], backend: str) -> Any:
    """The rows with the `code` of their cells: see `sql_table`."""
    for match in matches:
        rows = with_places(rows, match, f"{match.column}_place", backend)
    parts = []
    for i, stride in enumerate(strides_of(declaration)):
        each = declaration.compared[i]
        outside = len(each.texts)
        if each.missing is not None:  # an empty text is one of the texts that are looked up
            outside = ibis.cases((rows[f"c{i}"].isnull(), outside - 1), else_=outside)
        parts.append(rows[f"c{i}_place"].fill_null(outside) * stride)
    return rows.mutate(code=reduce(operator.add, parts))


def with_places(rows: Any, match: Match, place: str, backend: str) -> Any:
    """The rows with the `place` of a column's value, NULL outside."""
    texts = [digits_of(value, backend) if isinstance(value, bytes) else str(value) for value in match.values]
    if not texts:
        return rows.mutate(**{place: ibis.null("int64")})
    pairs = list(zip(match.places, texts, strict=True))
    if len(texts) <= SMALL:
        branches = [(rows[match.column] == as_type(text, match, backend), at) for at, text in pairs]
        return rows.mutate(**{place: ibis.cases(*branches).cast("int64")})
    if backend == "sqlite":  # it has no lists
        raise TooLarge(f"this database cannot look up more than {SMALL} categories", hint="merge rare ones into other")
    joined = ibis.literal(",".join(f"{at}:{text}" for at, text in pairs))
    table = joined.split(",").unnest().name("pair").as_table()
    parts = table.pair.split(":")
    value = f"{place}_value"
    table = table.select(**{value: as_type(parts[1], match, backend), place: parts[0].cast("int64")})
    return rows.left_join(table, rows[match.column] == table[value]).drop(value)


def as_type(text: Any, match: Match, backend: str) -> Any:
    """Digits as the column is compared with: a text's stay digits, a number's become the number.

    A number is cast from text and not written, because Ibis rounds the decimals that it writes.
    """
    digits = ibis.literal(text) if isinstance(text, str) else text
    if match.type == "BLOB":
        return digits
    if match.type in FLOATS:
        return digits.cast("float64")
    if match.type.startswith("DECIMAL"):
        return digits.cast("decimal" if backend == "postgres" else match.type.lower())
    return digits.cast(next(name for name, kind in KINDS.items() if kind == match.type))


def require_floats(connection: Any, match: Match, name: str) -> None:
    """Refuse a database that reads the digits of a float as another one."""
    if match.type in FLOATS and match.values:
        error = SourceError(f"the database of {name} reads some floats wrongly", hint="export the table to Parquet")
        literals = {f"f{i}": as_type(str(value), match, connection.name) for i, value in enumerate(match.values)}
        require_answer(connection, literals, match.values, error)


def digits_of(text: bytes, backend: str) -> str:
    """The digits that a text is compared by.

    >>> digits_of(b"ab", "postgres"), digits_of(b"ab", "another")[:12]
    ('6162', 'fb8e20fc2e4c')
    """
    return text.hex() if backend in RECIPES else hashlib.sha256(text).hexdigest()


def hex_digits(text: Any, backend: str) -> Any:
    """The expression for the digits of a text of this backend, in small letters."""
    recipe = RECIPES.get(backend)
    return text.hexdigest("sha256").lower() if recipe is None else recipe(text)


def require_digits(connection: Any, name: str) -> None:
    """Refuse a database whose digits are not those of our own texts."""
    digits = {f"p{i}": hex_digits(ibis.literal(text), connection.name) for i, text in enumerate(PROBES)}
    expected = [digits_of(text.encode(), connection.name) for text in PROBES]
    error = SourceError(f"the database of {name} cannot compare texts exactly", hint="export the table to Parquet")
    require_answer(connection, digits, expected, error)


def require_answer(
    connection: Any, expressions: Mapping[str, Any], expected: Sequence[object], error: SourceError
) -> None:
    """Refuse a database that answers expressions of our own otherwise than we do, or not at all."""
    table = ibis.literal(1).name("one").as_table()
    [answer] = attempt(lambda: fetch_rows(connection, table.select(**expressions)), error)
    if list(answer) != list(expected):
        raise error


def fetch_rows(connection: Any, answer: Any) -> list[tuple[Any, ...]]:
    """The rows of a small answer."""
    with warnings.catch_warnings(action="ignore"):  # of what pandas will drop, which is not used here
        return [tuple(row.values()) for row in connection.to_pyarrow(answer).to_pylist()]


def as_text(value: Any) -> Any:
    """The database's own text of a value: in PostgreSQL a char(n) without its padding, an enum as its label.

    Always a cast in the statement: Ibis leaves out one of what it takes for a text already.
    """
    return operations.Cast(value, types.string).to_expr()


def _builtin(call: Callable[..., None], name: str, takes: tuple[type | None, ...], gives: type) -> Any:
    """A function of the database, as Ibis calls it; a parameter without a type takes anything."""
    return ibis.udf.scalar.builtin(call, name=name, signature=(takes, gives))


_hex = _builtin(lambda value: None, "hex", (None,), str)
_encode = _builtin(lambda value: None, "encode", (str,), bytes)
_convert_to = _builtin(lambda value, encoding: None, "convert_to", (None, str), bytes)
_encode_as = _builtin(lambda value, form: None, "encode", (bytes, str), str)

RECIPES: dict[str, Callable[[Any], Any]] = {
    "postgres": lambda value: _encode_as(_convert_to(as_text(value), "UTF8"), "hex"),
    "duckdb": lambda value: _hex(_encode(value)).lower(),
    "sqlite": lambda value: value.isnull().ifelse(None, _hex(value).lower()),  # or it takes NULL for an empty text
}
"""How a database shows the digits of a text."""
