"""What the page draws: every picture with its numbers, a text that says the same, a table, and that table as CSV.

The browser places them on an axis, and computes nothing else.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from discreet.ledger.entries import harmless

Ends = tuple[float, float, float]
"""Low, middle and high."""

AWARE = "privacy noise included"
PLAIN = "at face value, privacy noise not included"


@dataclass(frozen=True, slots=True)
class Table:
    """Texts under headings, with a caption."""

    caption: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]

    def to_json(self) -> dict[str, Any]:
        """For the browser, and as CSV for a file: no cell begins like a formula."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows([harmless(cell) for cell in row] for row in (self.headings, *self.rows))
        rows = [list(row) for row in self.rows]
        return {"caption": self.caption, "headings": list(self.headings), "rows": rows, "csv": text.getvalue()}


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a picture: an interval, and the same without the privacy noise."""

    name: str
    aware: Ends | None
    plain: Ends | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """Intervals on one axis: a `share`, a difference in `points` with zero marked, a `ratio` with one, an `amount`."""

    title: str
    axis: str
    scale: Literal["share", "points", "ratio", "amount"]
    lines: Sequence[Line]
    table: Table
    sentences: Sequence[str] = ()
    """What it shows, for the results section."""
    level: float = 0.95
    notes: Sequence[str] = field(default_factory=list)
    ends: tuple[float, float] | None = None
    """Of the axis, where several pictures share one, or it should stay while the lines move."""
    text: str = ""
    """What the marks are, where they are not the usual ones."""

    def to_json(self) -> dict[str, Any]:
        """For the browser."""
        has_plain = any(line.plain is not None for line in self.lines)
        usual = f"Dot and thick line: centre and {100 * self.level:g} % interval, {AWARE}."
        text = self.text or (f"{usual} Thin: {PLAIN}." if has_plain else usual)
        return {
            "title": self.title,
            "axis": self.axis,
            "scale": self.scale,
            "lines": [{"name": line.name, "aware": line.aware, "plain": line.plain} for line in self.lines],
            "text": text,
            "ends": self.ends,
            "table": self.table.to_json(),
            "sentences": list(self.sentences),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class HeatMap:
    """The shares of two crossed columns: a table whose cells are shaded by their means."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Mapping[tuple[str, str], Ends]
    level: float = 0.95

    @property
    def table(self) -> Table:
        """The mean of each cell, and its interval."""
        body = [[row, *(self._text(self.cells.get((row, column))) for column in self.columns)] for row in self.rows]
        return Table(self.title, ["", *self.columns], body)

    @property
    def sentences(self) -> Sequence[str]:
        """The table says it all."""
        return ()

    @property
    def text(self) -> str:
        """What the cells hold."""
        return f"Mean and {100 * self.level:g} % interval of each cell, {AWARE}. The darker, the larger."

    def steps(self) -> list[list[int]]:
        """How dark each cell is: 0 for none or what cannot occur, 5 for the largest."""
        most = max(mean for _, mean, _ in self.cells.values())
        ends = [[self.cells.get((row, column)) for column in self.columns] for row in self.rows]
        return [[0 if cell is None else round(5 * cell[1] / most) for cell in row] for row in ends]

    def to_json(self) -> dict[str, Any]:
        """For the browser."""
        document = {"title": self.title, "text": self.text, "steps": self.steps(), "table": self.table.to_json()}
        return document | {"sentences": [], "notes": [self.text]}

    @staticmethod
    def _text(ends: Ends | None) -> str:
        return "–" if ends is None else f"{percent(ends[1])} ({percent_range(ends[::2])})"


def percent(share: float) -> str:
    """A share in per cent, with the digits that tables of this size have.

    >>> percent(0.12345)
    '12.3 %'
    """
    return f"{100 * share:.1f} %"


def percent_range(ends: Sequence[float]) -> str:
    """Both ends.

    >>> percent_range([0.1, 0.25])
    '10.0 to 25.0 %'
    """
    return f"{100 * ends[0]:.1f} to {100 * ends[1]:.1f} %"
