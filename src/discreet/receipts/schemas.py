"""The schemas of receipts: which keys a document has, and how strictly its text is read."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from discreet.errors import InvalidInput, TooLarge

FIRST_SCHEMA, SCHEMA, PRIVATE_N_SCHEMA = "discreet-receipt-1", "discreet-receipt-2", "discreet-receipt-3"
BUNDLE_OF = {
    FIRST_SCHEMA: "discreet-receipts-1",
    SCHEMA: "discreet-receipts-2",
    PRIVATE_N_SCHEMA: "discreet-receipts-3",
}
"""The schema of a bundle by that of its parts. What was written under an earlier one stays readable and verifiable.
Under the third the number of records is private: no key holds it."""

LEVEL = 0.95
MAX_CHARS = 1 << 26
"""A receipt of ten thousand categories has about three million."""

MAX_DEPTH = 12
"""Objects and lists inside each other: a receipt of several columns has eight."""

_FIRST_KEYS = (
    "schema", "posterior", "output", "interval", "interval_kind", "mechanism", "epsilon", "epsilon_exact", "delta", "n",
    "prior", "categories", "by", "groups", "group_sizes", "group_shares", "adjacency", "unit", "accuracy",
    "certificate", "request_id", "dataset", "charge", "version",
)  # fmt: skip

_SECOND_KEYS = (
    "schema", "title", "column", "question", "released_at", "source_name", "other", "missing", "belief",
    *_FIRST_KEYS[1:], "citation",
)  # fmt: skip

KEYS = {
    FIRST_SCHEMA: _FIRST_KEYS,
    SCHEMA: _SECOND_KEYS,
    PRIVATE_N_SCHEMA: (
        *(key for key in _SECOND_KEYS if key not in ("n", "citation")),
        "filters",
        "total",
        "rates",
        "citation",
    ),
}
"""By schema."""

TABLE_OF = {True: "discreet-table-1", False: "discreet-table-2"}
"""The schema of a cross table, by whether its number of records is public."""

_TABLE_KEYS = (
    "schema", "title", "axes", "impossible", "question", "released_at", "source_name", "other", "missing", "filters",
    "belief", "interval_kind", "output", "mechanism", "epsilon", "epsilon_exact", "delta", "prior", "adjacency", "unit",
    "certificate", "request_id", "dataset", "charge", "version", "citation",
)  # fmt: skip
TABLE_KEYS: dict[str, tuple[str, ...]] = {TABLE_OF[True]: (*_TABLE_KEYS, "n"), TABLE_OF[False]: (*_TABLE_KEYS, "total")}
"""By schema."""

BY_GROUP = (
    "belief", "posterior", "output", "interval", "prior", "group_sizes", "group_shares", "accuracy", "certificate"
)  # fmt: skip
"""With groups, these have one entry for each; accuracy and certificate only where the groups are public."""

_FIRST_SHARED = ("n", "adjacency", "unit", "request_id", "dataset", "charge", "version")
_SECOND_SHARED = ("title", "released_at", "source_name", *_FIRST_SHARED)
SHARED = {
    BUNDLE_OF[FIRST_SCHEMA]: _FIRST_SHARED,
    BUNDLE_OF[SCHEMA]: _SECOND_SHARED,
    BUNDLE_OF[PRIVATE_N_SCHEMA]: tuple(key for key in _SECOND_SHARED if key != "n"),
}
"""What all parts of a bundle have in common."""

_SUMMED = ("columns", "parts", "epsilon", "epsilon_exact", "delta")
BUNDLE_KEYS = {
    schema: ("schema", *_SUMMED, *shared, *(() if schema == BUNDLE_OF[FIRST_SCHEMA] else ("citation",)))
    for schema, shared in SHARED.items()
}


def parse_object(text: str) -> dict[str, Any] | None:
    """The JSON object of a text, None if it is none, or if another reader could take it for another.

    >>> [parse_object(text) for text in ('{"a": 1}', '{"a": 1, "a": 2}', '{"a": NaN}', '{"a": 1e999}')]
    [{'a': 1}, None, None, None]
    """
    try:
        document = json.loads(text, object_pairs_hook=_unique, parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError):
        return None
    values = [document]
    for _ in range(MAX_DEPTH):
        containers = (value for value in values if isinstance(value, dict | list))
        values = [inner for each in containers for inner in (each.values() if isinstance(each, dict) else each)]
    return document if isinstance(document, dict) and not values else None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two values under one name, some programs show the first and others the last."""
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("a name is said twice")
    return document


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("no number of JSON")
    return number


def read_text(path: str | Path) -> str:
    """The text of a file that should hold a receipt."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            text = file.read(MAX_CHARS + 1)
    except FileNotFoundError:
        raise InvalidInput(f"there is no file {path}", hint="check the name") from None
    except (OSError, ValueError):  # no text, or no name of a file
        raise InvalidInput(f"the receipt {path} cannot be read", hint="give the name of a JSON file") from None
    if len(text) > MAX_CHARS:
        raise TooLarge(f"a receipt has at most {MAX_CHARS:,} characters", hint="give one that discreet wrote")
    return text


def not_a_receipt() -> InvalidInput:
    """What is said of every text that is no receipt."""
    return InvalidInput("this is no receipt", hint="give a JSON file that discreet release wrote")
