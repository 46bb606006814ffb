"""Texts as digits: the one form in which every database compares them exactly.

A database compares texts by a collation that may take A for a, or drop blanks at the end. So a text is turned into the
hexadecimal digits of its UTF-8 bytes (of their SHA-256 where a database offers nothing else), and digits are equal or
not by any collation. Categories reach a statement as such digits only, which no quoting could get wrong. Before a
row is read, the database shows on texts of our own that its digits are right; one that gets them wrong is refused.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ibis
import ibis.expr.datatypes as types
import ibis.expr.operations as operations

from discreet.counting.base import attempt
from discreet.errors import SourceError

PROBES = ("", "a", "A", "a ", " a", "á", "a\u0301", "ß", "日本語", "🙂", "x" * 300)
"""Texts that collations, character sets and functions that trim get wrong."""


def digits_of(text: bytes, backend: str) -> str:
    """The digits that a text is compared by.

    >>> digits_of(b"ab", "postgres"), digits_of(b"ab", "another")[:12]
    ('6162', 'fb8e20fc2e4c')
    """
    return text.hex() if backend in RECIPES else hashlib.sha256(text).hexdigest()


def hexed(text: Any, backend: str) -> Any:
    """The expression for the digits of a text of this backend, in small letters."""
    recipe = RECIPES.get(backend)
    return text.hexdigest("sha256").lower() if recipe is None else recipe(text)


def require_digits(connection: Any, name: str) -> None:
    """Refuse a database whose digits are not those of our own texts."""
    digits = {f"p{i}": hexed(ibis.literal(text), connection.name) for i, text in enumerate(PROBES)}
    wanted = [digits_of(text.encode(), connection.name) for text in PROBES]
    error = SourceError(f"the database of {name} cannot compare texts exactly", hint="export the table to Parquet")
    require_answer(connection, digits, wanted, error)


def require_answer(connection: Any, questions: Mapping[str, Any], wanted: Sequence[object], error: SourceError) -> None:
    """Refuse a database that answers expressions of our own otherwise than we do, or not at all."""
    one = ibis.literal(1).name("one").as_table()
    [found] = attempt(lambda: ask(connection, one.select(**questions)), error)
    if list(found) != list(wanted):
        raise error


def ask(connection: Any, answer: Any) -> list[tuple[Any, ...]]:
    """The rows of a small answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ibis warns of what pandas will drop, which is not used here
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
