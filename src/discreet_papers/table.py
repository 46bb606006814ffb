"""What a study gives: tables that become CSV, and figures, whose types are known without matplotlib."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
else:
    Axes = Figure = Any

__all__ = ["Axes", "Cell", "Figure", "Table"]

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns and their rows. Floats are written so that they can be read back; None is an empty cell.

    >>> print(Table(("n", "mean H"), ((100, 0.25), (200, None))).to_csv({"epsilon": "1"}), end="")
    # epsilon: 1
    n,mean H
    100,0.25
    200,
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def to_csv(self, settings: Mapping[str, str]) -> str:
        """The settings as comments, the names of the columns, the rows."""
        text = io.StringIO()
        for name, value in settings.items():
            text.write(f"# {name}: {value}\n")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_cell(value) for value in row] for row in self.rows)
        return text.getvalue()


def _cell(value: Cell) -> str:
    """repr of a float is the shortest text that reads back as it; NumPy's own floats are made plain first."""
    if value is None:
        return ""
    return repr(float(value)) if isinstance(value, float) else str(value)
