"""The counting rule in Ibis' expressions: from a column's type and the categories to the code of each row.

No category is part of a statement but as digits: hexadecimal ones for a text, decimal ones for a number.
"""

from __future__ import annotations

from typing import Any

import ibis

from discreet.counting.base import Declaration, numeric_places
from discreet.counting.comparisons import FLOATS, Match
from discreet.counting.database_texts import digits_of, hexed, require_answer
from discreet.errors import SourceError, TooLarge

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

ANY_DECIMAL = "DECIMAL"
"""A numeric column without a declared scale: it holds whatever has an end."""

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


def wide_enough(kind: str, declaration: Declaration) -> str:
    """The type that holds all categories with an end, for a column that holds any number.

    >>> wide_enough("DECIMAL", Declaration("v", ["2.50", "1/3", "1e3"]))
    'DECIMAL(5,1)'
    """
    if kind != ANY_DECIMAL:
        return kind
    whole, scale = 1, 0
    for number in numeric_places(declaration):
        ends, rest = 0, number.denominator
        while rest % 2 == 0 or rest % 5 == 0:  # each place after the point takes away a 2, a 5, or one of each
            rest //= 10 if rest % 10 == 0 else 2 if rest % 2 == 0 else 5
            ends += 1
        if rest == 1:
            whole, scale = max(whole, len(str(abs(int(number))))), max(scale, ends)
    return f"DECIMAL({whole + scale},{scale})"


def read_column(column: Any, kind: str, backend: str) -> Any:
    """The column as the rule sees it: a text as the digits of its bytes."""
    if kind == "VARCHAR":
        return hexed(column, backend)
    if kind == "BOOLEAN":
        return hexed(ibis.cases((column, "true"), (~column, "false")), backend)
    return column.cast("float64") if kind == "FLOAT" else column  # every single is a double


def is_nan(column: Any, backend: str) -> Any:
    """Whether a float is NaN. SQLite stores NULL in its place, and has no name for it."""
    return ibis.literal(False) if backend == "sqlite" else column.isnan()


def missing(rows: Any, match: Match, backend: str) -> Any:
    """The condition under which a row has no value at all."""
    column = rows[match.column]
    if match.type in FLOATS:
        return column.isnull() | is_nan(column, backend)
    if match.type.startswith("DECIMAL"):
        return column.isnull() | (column.cast("string") == ibis.literal("NaN"))
    return column.isnull()


def identity(column: Any, kind: str, backend: str) -> Any:
    """What is equal for rows of one person, and NULL without an id; None for a type that can tell nobody apart."""
    read = read_column(column, kind, backend)
    if kind == "VARCHAR":
        return read.nullif(digits_of(b"", backend))
    if kind == "BLOB":
        return read.nullif(b"")
    if kind in FLOATS:
        return ibis.cases((~is_nan(read, backend), read))
    if kind == ANY_DECIMAL:
        return read.nullif(ibis.literal("nan").cast("decimal"))  # PostgreSQL takes a NaN to be equal to itself
    return None if kind == UNKNOWN else read


def coded(rows: Any, declaration: Declaration, matches: tuple[Match, ...], backend: str) -> Any:
    """The rows with the `code` of their cells: see `sql_table`."""
    for match in matches:
        rows = placed(rows, match, f"{match.column}_place", backend)
    groups, answers = declaration.shape
    code = rows.c0_place.fill_null(answers - 1)
    if len(matches) > 1:
        code += rows.c1_place.fill_null(groups - 1) * answers
    return rows.mutate(code=code)


def placed(rows: Any, match: Match, place: str, backend: str) -> Any:
    """The rows with the `place` of a column's value, NULL outside."""
    texts = [digits_of(wanted, backend) if isinstance(wanted, bytes) else str(wanted) for wanted in match.wanted]
    if not texts:
        return rows.mutate(**{place: ibis.null("int64")})
    pairs = list(zip(match.places, texts, strict=True))
    if len(texts) <= SMALL:
        branches = [(rows[match.column] == typed(text, match, backend), at) for at, text in pairs]
        return rows.mutate(**{place: ibis.cases(*branches).cast("int64")})
    if backend == "sqlite":  # it has no lists
        raise TooLarge(f"this database cannot look up more than {SMALL} categories", hint="merge rare ones into other")
    joined = ibis.literal(",".join(f"{at}:{text}" for at, text in pairs))
    listed = joined.split(",").unnest().name("pair").as_table()
    cut = listed.pair.split(":")
    listed = listed.select(**{f"{place}_wanted": typed(cut[1], match, backend), place: cut[0].cast("int64")})
    return rows.left_join(listed, rows[match.column] == listed[f"{place}_wanted"]).drop(f"{place}_wanted")


def typed(text: Any, match: Match, backend: str) -> Any:
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
    if match.type in FLOATS and match.wanted:
        error = SourceError(f"the database of {name} reads some floats wrongly", hint="export the table to Parquet")
        literals = {f"f{i}": typed(str(wanted), match, connection.name) for i, wanted in enumerate(match.wanted)}
        require_answer(connection, literals, match.wanted, error)
