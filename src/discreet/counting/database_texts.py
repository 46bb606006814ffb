"""Texts as digits: the one form in which every database compares them exactly.

A database compares texts by a collation that may take A for a, or drop blanks at the end. So a text is turned into the
hexadecimal digits of its UTF-8 bytes (of their SHA-256 where a database offers nothing else), and digits are equal or
not by any collation. Categories reach a statement as such digits only, which no quoting could get wrong. Before a
row is read, the database shows on texts of our own that its digits are right; one that gets them wrong is refused.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from functools import cache
from inspect import Parameter, Signature
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
    return text.hex() if backend in _recipes() else hashlib.sha256(text).hexdigest()


def hexed(text: Any, backend: str) -> Any:
    """The expression for the digits of a text of this backend, in small letters."""
    recipe = _recipes().get(backend)
    return text.hexdigest("sha256").lower() if recipe is None else recipe(text)


def require_digits(connection: Any, name: str) -> None:
    """Refuse a database whose digits are not those of our own texts."""
    shown = {f"p{i}": hexed(ibis.literal(text), connection.name) for i, text in enumerate(PROBES)}
    wanted = [digits_of(text.encode(), connection.name) for text in PROBES]
    error = SourceError(f"the database of {name} cannot compare texts exactly", hint="export the table to Parquet")
    one = ibis.literal(1).name("one").as_table()
    [found] = attempt(lambda: ask(connection, one.select(**shown)), error)
    if list(found) != wanted:
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


def _of_postgres(value: Any) -> Any:
    in_bytes = _builtin("convert_to", {"value": None, "encoding": str}, bytes)
    return _builtin("encode", {"value": bytes, "form": str}, str)(in_bytes(as_text(value), "UTF8"), "hex")


def _of_duckdb(value: Any) -> Any:
    return _builtin("hex", {"value": None}, str)(_builtin("encode", {"value": str}, bytes)(value)).lower()


def _of_sqlite(value: Any) -> Any:
    digits = _builtin("hex", {"value": None}, str)(value).lower()
    return value.isnull().ifelse(None, digits)  # SQLite itself takes NULL for an empty text here


@cache
def _recipes() -> dict[str, Callable[[Any], Any]]:
    return {"postgres": _of_postgres, "duckdb": _of_duckdb, "sqlite": _of_sqlite}


def _builtin(name: str, takes: dict[str, type | None], gives: type) -> Any:
    """A function of the database, as Ibis calls it; a parameter without a type takes anything."""
    return _made(name, tuple(takes.items()), gives)


@cache
def _made(name: str, takes: tuple[tuple[str, type | None], ...], gives: type) -> Any:
    def called(*_: object) -> None: ...

    kind = Parameter.POSITIONAL_OR_KEYWORD
    parameters = [Parameter(key, kind, annotation=given or Parameter.empty) for key, given in takes]
    vars(called)["__signature__"] = Signature(parameters, return_annotation=gives)
    called.__name__ = called.__qualname__ = name
    called.__annotations__ = {**{key: given for key, given in takes if given}, "return": gives}
    return ibis.udf.scalar.builtin(called, name=name)
