"""What can be reproduced: the list of figures and open questions, and what the module of each one provides.

The list is data: naming, listing and choosing figures imports none of them. A module is imported where it is made. The
types of figures are known here without matplotlib.
"""

from __future__ import annotations

import csv
import difflib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from discreet.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure
else:
    Axes = Figure = Any

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

    @classmethod
    def of_curves(cls, index: str, curves: Mapping[str, Sequence[float]]) -> Table:
        """One row for each place, numbered from 0, and one column for each curve."""
        return cls((index, *curves), tuple((i, *row) for i, row in enumerate(zip(*curves.values(), strict=True))))

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


class Study(Protocol):
    """What the module of an entry provides. `numbers` does all the work; the others only look at what it found."""

    @staticmethod
    def settings(quick: bool) -> dict[str, str]:
        """What the figure is made from, by name: printed in the CSV and the report, and part of the digest."""

    @staticmethod
    def numbers(quick: bool) -> Any:
        """What is shown. A quick run takes fewer or smaller points, never another method."""

    @staticmethod
    def table(result: Any) -> Table:
        """All that is shown, for the CSV."""

    @staticmethod
    def sentences(result: Any) -> list[str]:
        """What a reader should see, one paragraph each, with its numbers taken from `result`."""

    @staticmethod
    def paint(result: Any) -> Figure:
        """The picture."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One figure or question: its name, where the papers have it, and the module of this room that makes it.

    `long` says roughly how long it takes, in any unit: the longest are started first.
    """

    id: str
    source: str
    title: str
    module: str
    also: tuple[str, ...] = ()
    kind: Literal["figure", "question"] = "figure"
    long: float = 1.0

    def study(self) -> Study:
        """The module that makes it."""
        return cast(Study, resolve_name(f"discreet_papers.{self.module}"))


_GROWTH = "Error against the number of records"

ENTRIES: tuple[Entry, ...] = (
    Entry("fig1", "001 Figure 1", "Sensitivity along the data", "figures.figure1"),
    Entry("fig2", "001 Figure 2, 003 Figure 1", "Where the score changes most", "figures.figure2", also=("notes1",)),
    Entry("fig3", "001 Figure 3", "What is released, by its distance", "figures.figure3", long=3),
    Entry("fig4", "001 Figure 4", f"{_GROWTH}, two categories", "figures.growth:FIGURE_4", long=6),
    Entry("fig5a", "001 Figure 5(a)", f"{_GROWTH}, three categories", "figures.growth:FIGURE_5A", long=6),
    Entry("fig5b", "001 Figure 5(b)", f"{_GROWTH}, four categories", "figures.growth:FIGURE_5B", long=10),
    Entry("fig5", "001 Figure 5", "Error under balanced priors", "figures.figure5", long=2),
    Entry("fig6", "001 Figure 6", "Exact privacy loss against the number of records", "figures.figure6", long=9),
    Entry("notes2", "003 Figure 2", "Error with prior beta(7,4)", "figures.notes:FIGURE_2", long=2),
    Entry("notes3", "003 Figure 3", "Error with prior DL(7,4,5)", "figures.notes:FIGURE_3", long=2),
    Entry("notes4", "003 Figure 4", "The same error by Hellinger distance and by L1", "figures.notes:FIGURE_4", long=2),
    Entry("real", "the authors' data", "Real counts, and larger ones made from them", "figures.real_counts", long=12),
    Entry("q-normaliser", "001 §6.2", "What is N(n)?", "questions.normalisers", kind="question", long=4),
    Entry("q-tight", "001 §8, second", "How tight is the loss?", "questions.tightness", kind="question", long=8),
    Entry("q-wins", "001 §8, first", "When does M_H beat which?", "questions.winners", kind="question", long=5),
    Entry("q-scores", "001 §8, third", "Other distances as the score?", "questions.scores", kind="question", long=2),
)


def entries_named(names: Sequence[str]) -> tuple[Entry, ...]:
    """The entries of these names, in the order of the list; all if no name is given.

    >>> [entry.id for entry in entries_named(["fig6", "fig1"])]
    ['fig1', 'fig6']
    """
    by_name = {name: entry for entry in ENTRIES for name in (entry.id, *entry.also)}
    for name in names:
        if name not in by_name:
            close = difflib.get_close_matches(name, by_name, n=1)
            hint = f"did you mean {close[0]}?" if close else "discreet reproduce --list shows all names"
            raise InvalidInput("there is no figure of this name", hint=hint)
    ids = {by_name[name].id for name in names}
    return tuple(entry for entry in ENTRIES if not names or entry.id in ids)
