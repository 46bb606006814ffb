"""Work that an engine does: watched while it runs, and told in words of our own if it fails."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from typing import TypeVar

from discreet.counting.declaration import Declaration
from discreet.errors import InvalidInput, SourceError

T = TypeVar("T")

Progress = Callable[[float], None]
"""Told now and then how much of a pass over the rows is done, from 0 to 1."""

PATIENCE = 0.1
"""Seconds between looks at the work of an engine, and at most until Ctrl-C is heard."""


def useless_id(declaration: Declaration) -> InvalidInput:
    """What is said of ids of a type whose values may be neither equal nor different."""
    return InvalidInput(
        f"column {declaration.id_column!r} cannot tell people apart", hint="make a text column of it first"
    )


def unreadable(source: str) -> SourceError:
    """What is said of every failure to read, whatever the engine said: its words may quote a row."""
    return SourceError(
        f"{source} cannot be read as a table", hint="check that it is whole, well-formed, and what its name says"
    )


def attempt(work: Callable[[], T], error: Exception) -> T:
    """The result of work; if it fails, our error in place of its own, which is kept nowhere, not even as a cause.

    >>> attempt(lambda: int("a secret"), unreadable("people.csv"))
    Traceback (most recent call last):
    discreet.errors.SourceError: people.csv cannot be read as a table; check that it is whole, well-formed, and what ...
    """
    try:
        return work()
    except (InvalidInput, SourceError):
        raise
    except Exception:  # noqa: BLE001, S110 - raised below, outside of this handler, so that nothing is chained to it
        pass
    raise error


def watch(work: Callable[[], T], look: Callable[[], None], stop: Callable[[], None]) -> T:
    """The result of work in a thread of its own: this one looks at it now and then, hears Ctrl-C, and stops it."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        task = thread.submit(work)
        try:
            while not wait_for([task], timeout=PATIENCE).done:
                look()
        except BaseException:
            stop()
            raise
    return task.result()
