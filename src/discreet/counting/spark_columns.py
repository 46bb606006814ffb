"""The counting rule in Spark's expressions: from a column's type and the categories to the code of each row.

Texts are compared as bytes, because a column may carry a collation that takes A for a. No category is ever part of a
statement: each travels as a literal of hexadecimal or decimal digits, which workers turn back into bytes or numbers.
"""

from __future__ import annotations

import json
import re
from typing import Any

from pyspark.sql import functions as f

from discreet.counting import category_codes
from discreet.counting.category_codes import Match
from discreet.counting.cross_sql import Crossing

TYPES = {
    "boolean": "BOOLEAN",
    "void": '"NULL"',
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
}
"""Spark's types, as `matching` calls them."""

OTHER_IDS = {"date": "DATE", "timestamp": "TIMESTAMP", "timestamp_ntz": "TIMESTAMP", "binary": "BLOB"}
"""Types that can tell people apart, and cannot be counted."""

TEXT = re.compile(r"string( collate \w+)?|(var)?char\(\d+\)", re.IGNORECASE)

PADDED = "__CHAR_VARCHAR_TYPE_STRING"
"""Where Spark notes that a text is a char(n), which it pads with blanks when it is read."""


def type_of(field: Any) -> str:
    """The type of a field of a schema, as `matching` calls it; what it does not know, as Spark calls it."""
    kind = str(field.dataType.simpleString())
    if TEXT.fullmatch(kind):
        return "VARCHAR"
    return TYPES.get(kind) or OTHER_IDS.get(kind) or kind.upper()


def read_column(field: Any, name: str) -> Any:
    """The column as the rule sees it: a text as its bytes, and a char(n) without the blanks that pad it."""
    column, kind = f.col(name), type_of(field)
    if kind == "VARCHAR":
        declared = field.metadata.get(PADDED) or field.dataType.simpleString()
        bare = f.rtrim(column) if str(declared).lower().startswith("char") else column
        return bare.cast("binary")
    return column.cast("string").cast("binary") if kind in {"BOOLEAN", '"NULL"'} else column


def identity(field: Any, column: Any) -> Any:
    """What is equal for rows of one person, and NULL without an id; None for a type that can tell nobody apart."""
    kind = type_of(field)
    if kind in {"VARCHAR", "BLOB", '"NULL"'}:
        return f.nullif(column, f.unhex(f.lit("")))
    if kind in {"FLOAT", "DOUBLE"}:
        return f.when(~f.isnan(column), column)
    return column if kind in {*TYPES.values(), *OTHER_IDS.values()} or kind.startswith("DECIMAL") else None


def coded(rows: Any, match: Match | Crossing) -> Any:
    """The rows with a column `code`, which `match.place` understands."""
    if isinstance(match, Match):
        return matched(rows, match, "c0", "code")
    both = matched(matched(rows, match.groups, "c1", "held_code"), match.answers, "c0", "answer_code")
    width = len(match.answers.wanted) + 1
    held = f.coalesce(f.col("held_code"), f.lit(len(match.groups.wanted) + 1))
    answer = f.coalesce(f.col("answer_code"), f.lit(width))
    return both.withColumn("code", (held - 1) * width + answer - 1)


def matched(rows: Any, match: Match, column: str, code: str) -> Any:
    """The index in `wanted` from 1, NULL outside: by comparing where they are few, by a broadcast join beyond."""
    texts = [wanted.hex() if isinstance(wanted, bytes) else str(wanted) for wanted in match.wanted]
    if not texts:
        return rows.withColumn(code, f.lit(None).cast("int"))
    if len(texts) <= category_codes.SMALL:
        found = f.when(f.lit(False), f.lit(0))
        for place, text in enumerate(texts, start=1):
            found = found.when(f.col(column) == _typed(f.lit(text), match), f.lit(place))
        return rows.withColumn(code, found)
    listed = rows.sparkSession.range(1).select(f.posexplode(f.from_json(f.lit(json.dumps(texts)), "array<string>")))
    listed = listed.select(_typed(f.col("col"), match).alias(f"{code}_wanted"), (f.col("pos") + 1).alias(code))
    return rows.join(f.broadcast(listed), f.col(column) == f.col(f"{code}_wanted"), "left").drop(f"{code}_wanted")


def missing(column: str, match: Match) -> Any:
    """The condition under which a row has no value at all."""
    absent = f.col(column).isNull()
    return absent | f.isnan(f.col(column)) if match.type in category_codes.FLOATS else absent


def _typed(text: Any, match: Match) -> Any:
    """Digits as the bytes or the number that the column is compared with."""
    if match.type == "BLOB":
        return f.unhex(text)
    # A single-precision literal is written as the double it is equal to, digit for digit.
    return text.cast("double").cast("float") if match.type == "FLOAT" else text.cast(match.type)
