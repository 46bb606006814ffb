"""The counting rule in Ibis' expressions: from a column's type and the categories to the code of each row.

No category is part of a statement but as digits: hexadecimal ones for a text, decimal ones for a number.
"""

from __future__ import annotations

from typing import Any

import ibis

from discreet.counting import category_codes
from discreet.counting.base import Declaration, attempt, numeric_places
from discreet.counting.category_codes import Match
from discreet.counting.cross_sql import Crossing
from discreet.counting.database_texts import ask, digits_of, hexed
from discreet.errors import SourceError, TooLarge

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
"""Types of Ibis, as `matching` calls them."""

ANY_DECIMAL = "DECIMAL"
"""A numeric column without a declared scale: it holds whatever has an end."""

OTHER_IDS = "OTHER"
"""A type that can tell people apart by equality, and cannot be counted."""

UNKNOWN = "UNKNOWN"


def type_of(dtype: Any) -> str:
    """A type of Ibis, as `matching` calls it.

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


def missing(column: Any, match: Match, backend: str) -> Any:
    """The condition under which a row has no value at all."""
    if match.type in {"FLOAT", "DOUBLE"}:
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
    if kind in {"FLOAT", "DOUBLE"}:
        return ibis.cases((~is_nan(read, backend), read))
    if kind == ANY_DECIMAL:
        return read.nullif(ibis.literal("nan").cast("decimal"))  # PostgreSQL takes a NaN to be equal to itself
    return None if kind == UNKNOWN else read


def coded(rows: Any, match: Match | Crossing, backend: str) -> Any:
    """The rows with a column `code`, which `match.place` understands."""
    if isinstance(match, Match):
        return matched(rows, match, "c0", "code", backend)
    grouped = matched(rows, match.groups, "c1", "held_code", backend)
    both = matched(grouped, match.answers, "c0", "answer_code", backend)
    width = len(match.answers.wanted) + 1
    held = ibis.coalesce(both.held_code, len(match.groups.wanted) + 1)
    answer = ibis.coalesce(both.answer_code, width)
    return both.mutate(code=(held - 1) * width + answer - 1)


def matched(rows: Any, match: Match, column: str, code: str, backend: str) -> Any:
    """The index in `wanted` from 1, NULL outside: by comparing where they are few, by a join beyond."""
    texts = [digits_of(wanted, backend) if isinstance(wanted, bytes) else str(wanted) for wanted in match.wanted]
    if not texts:
        return rows.mutate(**{code: ibis.null("int64")})
    if len(texts) <= category_codes.SMALL:
        branches = [(rows[column] == typed(text, match, backend), place) for place, text in enumerate(texts, start=1)]
        return rows.mutate(**{code: ibis.cases(*branches).cast("int64")})
    if backend == "sqlite":  # it has no lists
        raise TooLarge(
            f"this database cannot look up more than {category_codes.SMALL} categories",
            hint="merge rare ones into other",
        )
    pairs = ",".join(f"{place}:{text}" for place, text in enumerate(texts, start=1))
    listed = ibis.literal(pairs).split(",").unnest().name("pair").as_table()
    cut = listed.pair.split(":")
    listed = listed.select(**{f"{code}_wanted": typed(cut[1], match, backend), code: cut[0].cast("int64")})
    return rows.left_join(listed, rows[column] == listed[f"{code}_wanted"]).drop(f"{code}_wanted")


def typed(text: Any, match: Match, backend: str) -> Any:
    """Digits as the column is compared with: a text's stay digits, a number's become the number.

    A number is cast from text and not written, because Ibis rounds the decimals that it writes.
    """
    digits = ibis.literal(text) if isinstance(text, str) else text
    if match.type == "BLOB":
        return digits
    if match.type in {"FLOAT", "DOUBLE"}:
        return digits.cast("float64")
    if match.type.startswith("DECIMAL"):
        return digits.cast("decimal" if backend == "postgres" else match.type.lower())
    return digits.cast(next(name for name, kind in KINDS.items() if kind == match.type))


def require_floats(connection: Any, match: Match, name: str) -> None:
    """Refuse a database that reads the digits of a float as another one."""
    if match.type not in {"FLOAT", "DOUBLE"} or not match.wanted:
        return
    error = SourceError(f"the database of {name} reads some floats wrongly", hint="export the table to Parquet")
    literals = {f"f{i}": typed(str(wanted), match, connection.name) for i, wanted in enumerate(match.wanted)}
    one = ibis.literal(1).name("one").as_table()
    [found] = attempt(lambda: ask(connection, one.select(**literals)), error)
    if found != match.wanted:
        raise error
