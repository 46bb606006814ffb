"""Documents with one value changed, and whether they still verify."""

import copy
import json
from collections.abc import Iterator
from typing import Any

from discreet.errors import DiscreetError
from discreet.receipts import read_sealed, verify_any

Document = dict[str, Any]
Place = tuple[str | int, ...]


def places(value: Any, at: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every value, and everything that holds values, each with its place."""
    if at:
        yield at, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from places(part, (*at, key))


def leaves(value: Any) -> Iterator[tuple[Place, Any]]:
    """Those that hold no others."""
    return ((at, part) for at, part in places(value) if not isinstance(part, dict | list))


def forged(document: Document, at: Place, to: object) -> Document:
    """A copy with one value changed."""
    forgery = copy.deepcopy(document)
    holder: Any = forgery
    for key in at[:-1]:
        holder = holder[key]
    holder[at[-1]] = to
    return forgery


def every_forgery(document: Document, part: Document | None = None) -> Iterator[tuple[Place, Document]]:
    """The document with each value of it, or of a part, changed: numbers and texts a little, lists shortened."""
    return ((at, forged(document, at, _other(value))) for at, value in places(document if part is None else part))


def _other(value: Any) -> Any:
    if isinstance(value, dict):
        return dict(list(value.items())[:-1])
    if isinstance(value, list):
        return value[:-1]
    if isinstance(value, str):
        return f"{value}0"
    if value is None:
        return "x"
    return value + 1 if isinstance(value, int) else value * 1.001 + 1e-6


def verifies(document: Document | str) -> bool:
    """Whether the text is taken for a true receipt."""
    try:
        verify_any(read_sealed(document if isinstance(document, str) else json.dumps(document)))
    except DiscreetError:
        return False
    return True
