"""Columns of Python objects: each value judged by itself, whatever else the column holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from discreet.arithmetic.numbers import exact
from discreet.counting.base import Judge, is_boolean
from discreet.errors import InvalidInput


def judged(values: Iterable[object], categories: Sequence[str], judge: Judge) -> Iterator[str | None]:
    """The category of each value, None outside.

    >>> from discreet.counting.base import Declaration
    >>> declaration = Declaration("v", ["1", "yes"])
    >>> list(judged([1, "1", "yes", "Yes", None], declaration.categories, Judge(declaration)))
    ['1', '1', 'yes', None, None]
    """
    for value in values:
        place = judge.place(value)
        yield None if place is None else categories[place]


def identities(values: Iterable[object]) -> Iterator[bytes | None]:
    """Bytes that are equal for equal ids; None for a missing one. The number 1 and the text "1" are two people.

    >>> list(identities(["1", 1, 1.0, "", None, float("nan")]))
    [b't1', b'n1', b'n1', None, None, None]
    """
    for value in values:
        if isinstance(value, str):
            yield b"t" + value.encode("utf-8", "surrogatepass") if value else None
        elif value is None or type(value).__name__ == "NAType" or _is_nan(value):
            yield None
        elif is_boolean(value):
            yield b"b" + str(value).encode()
        else:
            yield _number_or_text(value)


def _is_nan(value: object) -> bool:
    try:
        return bool(value != value)  # as only NaN does
    except (TypeError, ValueError):  # an array has as many answers as it has elements
        return False


def _number_or_text(value: object) -> bytes:
    try:
        return b"n" + str(exact(value, "an id")).encode()
    except InvalidInput:
        return f"o{type(value).__qualname__} {value!s}".encode("utf-8", "surrogatepass")
