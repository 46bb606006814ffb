"""Files that appear whole or not at all, in a place that is known to be writable before anything is drawn."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import InvalidInput
from discreet.figures.image import picture_format, render

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KEPT = {b"discreet-ledger": 0, b"SQLite format 3\0": 0, b"DUCK": 8, b"PAR1": 0, b"ARROW1": 0}
"""How files begin, and where, that nothing here ever takes the place of: a ledger is one of them."""


class Reserved:
    """A place for a file: reserved when entered, filled by `write`, and empty-handed if nothing was written.

    A release must not be drawn and then lost because its directory was missing: whoever would then draw again gets
    two draws for the price of one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._target = path.resolve()
        self._temporary = self._target.with_name(f".{self._target.name}.{os.getpid()}.part")

    def __enter__(self) -> Reserved:
        if self._target.exists() and not self._target.is_file():
            raise InvalidInput(f"{self.path} is not a file", hint="choose the name of a file")
        if self._target.exists() and _is_kept(self._target):
            raise InvalidInput(f"{self.path} is a database or a table", hint="choose another name: it would be lost")
        try:
            self._temporary.touch(exist_ok=False)
        except OSError:
            raise InvalidInput(
                f"{self.path} cannot be written", hint="choose a directory that exists and may be written to"
            ) from None
        return self

    def write(self, content: bytes) -> None:
        """Put the whole content in place, durably and at once."""
        with self._temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        self._temporary.replace(self._target)

    def __exit__(self, *failure: object) -> None:
        self._temporary.unlink(missing_ok=True)


def _is_kept(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(32)
    except OSError:
        return False  # whether it can be written to is asked next
    return any(head.startswith(mark, at) for mark, at in KEPT.items())


@contextmanager
def reserved_picture(path: Path | None) -> Iterator[Callable[[Callable[[], Figure]], None]]:
    """A place for a picture, checked before anything is drawn; where none is asked for, none is painted."""
    if path is None:
        yield lambda paint: None
        return
    kind = picture_format(path)
    with Reserved(path) as place:
        yield lambda paint: place.write(render(paint(), kind))
