"""What a command puts out: a sign of life, sentences and tables for people, JSON for programs, and files."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Literal, Protocol

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from discreet.arithmetic.texts import visible_text
from discreet.cli import QUIET
from discreet.errors import InvalidInput
from discreet.figures.image import picture_format, render

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BESIDE = 3
"""Characters that a column takes beside its cells, at most; one more closes the table."""


def console() -> Console:
    """Standard output as Rich sees it, without markup. What is foreign goes through `say` and `print_table`."""
    return Console(markup=False, highlight=False, emoji=False)


def say(*lines: str) -> None:
    """Print sentences, a line each. What is foreign in them is shown, and never obeyed."""
    for line in lines:
        print(visible_text(line), flush=True)  # whoever waits for an address gets it at once


def print_table(
    title: str,
    columns: Mapping[str, str],
    rows: Iterable[Sequence[str] | None],
    *,
    unbroken: Collection[str] = (),
    **style: Any,
) -> None:
    r"""Print a table; None between rows is a rule. Every cell is shown, and never obeyed: it may be foreign.

    The cells of an `unbroken` column stay on one line each.

    >>> print_table("[red]votes[/]", {"category": "left", "share": "right"}, [["yes\u202e", "0.5"]])
      [red]votes[/]
    ┏━━━━━━━━━━━┳━━━━━━━┓
    ┃ category  ┃ share ┃
    ┡━━━━━━━━━━━╇━━━━━━━┩
    │ yes\u202e │   0.5 │
    └───────────┴───────┘
    """
    table, out = Table(title=Text(visible_text(title)) if title else None, **style), console()
    lines = [None if row is None else [visible_text(cell) for cell in row] for row in rows]
    widths = {}
    for i, (heading, side) in enumerate(columns.items()):
        justify: Literal["left", "right"] = "right" if side == "right" else "left"
        if heading in unbroken:
            cells = (cell for line in lines if line for cell in line[i : i + 1])  # a row may end early
            widths[heading] = max(map(cell_len, [*heading.split(), *cells]))
        table.add_column(heading, justify=justify, overflow="fold", width=widths.get(heading))
    for line in lines:
        if line is None:
            table.add_section()
        else:
            table.add_row(*map(Text, line))
    broken = len(columns) - len(widths)  # of one character at the least
    out.width = max(out.width, sum(widths.values()) + BESIDE * len(columns) + 1 + broken)  # too wide, and not cut
    out.print(table)


def print_json(document: dict[str, Any]) -> None:
    """One document on standard output, strict JSON in ASCII."""
    print(json.dumps(document, indent=2, allow_nan=False))


def unfinished_lines(dataset: str, requests: Sequence[str]) -> list[str]:
    """How to finish what was charged and has no seal, a line for each request."""
    heading = f"{dataset}: charged, not finished; the same command with the id charges nothing more:"
    commands = [f"  discreet release … --request-id {quote(request)}" for request in requests]
    return [heading, *commands] if commands else []


def print_written(paths: Iterable[Path | None]) -> None:
    """Say where the files are, as far as any were asked for."""
    say(*(f"written: {path}" for path in paths if path is not None))


def print_answer(
    document: dict[str, Any],
    print_it: Callable[[dict[str, Any]], None],
    *,
    as_json: bool,
    written: Iterable[Path | None] = (),
) -> None:
    """A document for programs; or, printed in its own way, for people, who are also told where its files are."""
    if as_json:
        print_json(document)
    else:
        print_it(document)
        print_written(written)


def print_shares(
    title: str,
    rows: dict[str, Any],
    grouped: bool,
    numbers: Sequence[str],
    cells: Callable[[str, str, dict[str, Any]], list[str]],
) -> None:
    """A table of categories, or of the categories within each group, with these numbers of each."""
    lines: list[list[str] | None] = []
    for group, shares in (rows if grouped else {"": rows}).items():
        for name, row in shares.items():
            lines.append([*([group] if grouped else []), name, *cells(group, name, row)])
        lines.append(None)
    names = ("group", "category") if grouped else ("category",)
    columns = {**dict.fromkeys(names, "left"), **dict.fromkeys(numbers, "right")}
    print_table(title, columns, lines, unbroken=numbers)


def print_beliefs(title: str, rows: dict[str, Any], grouped: bool) -> None:
    """The shares that a reader may believe, beside those at face value."""
    numbers = ("mean", "sd", "95 % interval\nnoise included", "95 % interval\nat face value")

    def cells(_group: str, _name: str, row: dict[str, Any]) -> list[str]:
        ends = map(percent_range, (row["interval"], row["interval_plug_in"]))
        return [f"{100 * row['mean']:.2f} %", f"{100 * row['sd']:.2f} %", *ends]

    print_shares(title, rows, grouped, numbers, cells)


def rate_range(ends: Sequence[float]) -> str:
    """Both ends of an interval of a rate.

    >>> rate_range([23.9312, 45.1])
    '23.93 – 45.1'
    """
    return " – ".join(f"{end:.4g}" for end in ends)


def percent_range(ends: Sequence[float] | None) -> str:
    """An interval of shares, in percent."""
    return "beyond floats" if ends is None else f"{100 * ends[0]:.2f} – {100 * ends[1]:.2f} %"


class Tell(Protocol):
    """Called with how much of how much is done, and with what is done now."""

    def __call__(self, done: int, total: int, what: str = "") -> None: ...


PATIENCE = 1.0
"""Seconds before the bar appears: quick commands stay quiet."""


@contextmanager
def busy(doing: str) -> Iterator[Tell]:
    """Show that something is done once it has taken longer than `PATIENCE`, unless quiet was asked for.

    On a terminal that is a bar, which moves as the function that is yielded is called; otherwise one line on stderr.
    """
    bar = _progress_bar() if sys.stderr.isatty() else None
    task = bar and bar.add_task(doing, total=None)

    def appear() -> None:
        if bar is None:
            print(f"{doing} …", file=sys.stderr, flush=True)
        else:
            bar.start()

    def update(done: int, total: int, what: str = "") -> None:
        if bar is not None:
            bar.update(task, completed=done, total=total, description=f"{doing} {what}".rstrip())

    if os.environ.get(QUIET):
        yield update
        return
    timer = threading.Timer(PATIENCE, appear)
    timer.daemon = True
    timer.start()
    try:
        yield update
    finally:
        timer.cancel()
        timer.join()
        if bar is not None:
            bar.stop()


def _progress_bar() -> Any:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


PROTECTED = {b"discreet-ledger": 0, b"SQLite format 3\0": 0, b"DUCK": 8, b"PAR1": 0, b"ARROW1": 0}
"""How files begin, and where, that nothing here ever takes the place of: a ledger is one of them."""


class ReservedFile:
    """A place for a file: reserved when entered, filled by `write`, and empty-handed if nothing was written.

    A release must not be drawn and then lost because its directory was missing: whoever would then draw again gets
    two draws for the price of one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._target = path.resolve()
        self._temporary = self._target.with_name(f".{self._target.name}.{os.getpid()}.part")

    def __enter__(self) -> ReservedFile:
        if self._target.exists() and not self._target.is_file():
            raise InvalidInput(f"{self.path} is not a file", hint="choose the name of a file")
        if self._target.exists() and _is_protected(self._target):
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


def is_same_file(path: Path, other: Path) -> bool:
    """Whether two names lead to one file, by whichever links."""
    try:
        return path.samefile(other)
    except (OSError, ValueError):
        return path.absolute() == other.absolute()


def _is_protected(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(32)
    except OSError:
        return False  # whether it can be written to is asked next
    return any(head.startswith(mark, at) for mark, at in PROTECTED.items())


@contextmanager
def reserve_picture(path: Path | None) -> Iterator[Callable[[Callable[[], Figure]], None]]:
    """A place for a picture, checked before anything is drawn; where none is asked for, none is drawn."""
    if path is None:
        yield lambda paint: None
        return
    kind = picture_format(path)
    with ReservedFile(path) as file:
        yield lambda paint: file.write(render(paint(), kind))
