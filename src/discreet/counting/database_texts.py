"""Texts as digits: the one form in which every database compares them exactly.

A database compares texts by a collation that may take A for a, or drop blanks at the end. So a text is turned into the
hexadecimal digits of its UTF-8 bytes (of their SHA-256 where a database offers nothing else), and digits are equal or
not by any collation. Categories reach a statement as such digits only, which no quoting could get wrong. Before a
row is read, the database shows on texts of our own that its digits are right; one that gets them wrong is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any

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
    import ibis

    shown = {f"p{i}": hexed(ibis.literal(text), connection.name) for i, text in enumerate(PROBES)}
    wanted = [digits_of(text.encode(), connection.name) for text in PROBES]
    error = SourceError(f"the database of {name} cannot compare texts exactly", mend="export the table to Parquet")
    one = ibis.literal(1).name("one").as_table()
    [found] = attempt(lambda: connection.to_pyarrow(one.select(**shown)).to_pylist(), error)
    if list(found.values()) != wanted:
        raise error


def as_text(value: Any) -> Any:
    """PostgreSQL's own text of a value: a char(n) without the blanks that pad it, an enum as its label."""
    return _builtin("text", {"value": None}, str)(value)


def _of_postgres(value: Any) -> Any:
    in_bytes = _builtin("convert_to", {"value": None, "encoding": str}, bytes)
    return _builtin("encode", {"value": bytes, "form": str}, str)(in_bytes(as_text(value), "UTF8"), "hex")


def _of_duckdb(value: Any) -> Any:
    return _builtin("hex", {"value": None}, str)(_builtin("encode", {"value": str}, bytes)(value)).lower()


def _of_sqlite(value: Any) -> Any:
    return _builtin("hex", {"value": None}, str)(value).lower()


@cache
def _recipes() -> dict[str, Callable[[Any], Any]]:
    return {"postgres": _of_postgres, "duckdb": _of_duckdb, "sqlite": _of_sqlite}


def _builtin(name: str, takes: dict[str, type | None], gives: type) -> Any:
    """A function of the database, as Ibis calls it; a parameter without a type takes anything."""
    return _made(name, tuple(takes.items()), gives)


@cache
def _made(name: str, takes: tuple[tuple[str, type | None], ...], gives: type) -> Any:
    from inspect import Parameter, Signature

    import ibis

    def called(*_: object) -> None: ...

    kind = Parameter.POSITIONAL_OR_KEYWORD
    parameters = [Parameter(key, kind, annotation=given or Parameter.empty) for key, given in takes]
    vars(called)["__signature__"] = Signature(parameters, return_annotation=gives)
    called.__name__ = called.__qualname__ = name
    called.__annotations__ = {**{key: given for key, given in takes if given}, "return": gives}
    return ibis.udf.scalar.builtin(called, name=name)
