"""What a question answers with: rows of one table, and, where a question has more to show, a table and a picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to measure: each contender takes turns for about `seconds`, between `least` and `most` times.

    Fresh processes are slow to start and are started `processes` times; `size` is how many outputs are simulated.
    """

    seconds: float = 1.0
    least: int = 9
    most: int = 200
    processes: int = 7
    size: int = 10**6

    @classmethod
    def exactly(cls, times: int) -> Effort:
        """So many calls of each contender, however long they take."""
        return cls(seconds=0.0, least=times, most=times)

    def at_most(self, times: int) -> Effort:
        """The same for contenders that are slow: no more calls than these."""
        return replace(self, least=min(self.least, times), most=min(self.most, times))


QUICK = Effort(seconds=0.3, least=3, most=50, processes=3, size=10**4)


@dataclass(frozen=True, slots=True)
class Row:
    """One line: what was measured here, beside a peer, and what it should be.

    With a peer, a target speaks of the ratio: `at_least` of how many times faster than the peer, `at_most` of how many
    times as long. Without a peer it speaks of the number itself. `ours` and `peer` are in `unit`;
    `grows` asks for "times as long" where there is no target.
    """

    name: str
    ours: float
    peer: float | None = None
    peer_name: str = ""
    at_least: float | None = None
    at_most: float | None = None
    unit: str = "s"
    grows: bool = False
    note: str = ""

    @property
    def compares_lengths(self) -> bool:
        """Whether the ratio says how many times as long, instead of how many times faster."""
        return self.grows or self.at_most is not None

    @property
    def ratio(self) -> float | None:
        """peer/ours, or ours/peer where lengths are compared."""
        if self.peer is None:
            return None
        return self.ours / self.peer if self.compares_lengths else self.peer / self.ours

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without a target."""
        value = self.ours if self.ratio is None else self.ratio
        if self.at_least is not None:
            return value >= self.at_least
        return None if self.at_most is None else value <= self.at_most

    @property
    def verdict(self) -> str:
        """The target and what came out, such as "≥ 10×: 14×, met"."""
        if self.met is None:
            return ""
        sign, bound = ("≥", self.at_least) if self.at_least is not None else ("≤", self.at_most)
        assert bound is not None
        if self.ratio is None:
            target, value = amount(bound, self.unit), amount(self.ours, self.unit)
        else:
            target, value = f"{bound:g}×", times(self.ratio)
        return f"{sign} {target}: {value}, {'met' if self.met else 'NOT met'}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a question found: its rows, further lines of Markdown for its own section, and pictures.

    A picture is painted into a file of docs/images when a full run is written.
    """

    rows: list[Row]
    details: list[str] = field(default_factory=list)
    pictures: dict[str, Callable[[Path], None]] = field(default_factory=dict)


Ask = Callable[[Effort], Answer]


@dataclass(frozen=True, slots=True)
class Question:
    """A named measurement. The first line of its docstring is its title, the rest says how it is measured."""

    name: str
    title: str
    method: str
    ask: Ask
    alone: bool = False
    """Asked only by name: it belongs to another page than the table of ratios."""


QUESTIONS: dict[str, Question] = {}
"""All questions by name, in the order in which `bench.questions` lists their files."""


def question(name: str, *, alone: bool = False) -> Callable[[Ask], Ask]:
    """Register a function as the question of this name."""

    def register(ask: Ask) -> Ask:
        title, _, method = (ask.__doc__ or name).partition("\n")
        QUESTIONS[name] = Question(name, title.strip().rstrip("."), " ".join(method.split()), ask, alone)
        return ask

    return register


def amount(value: float, unit: str) -> str:
    """A number for people, to three digits: 71.2 µs, 1.3 MB.

    >>> amount(0.0000712, "s"), amount(1_340_000, "B"), amount(80, "bits")
    ('71.2 µs', '1.34 MB', '80 bits')
    """
    steps = {"s": [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs")], "B": [(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")]}
    for step, name in steps.get(unit, []):
        if abs(value) >= step:
            return f"{_digits(value / step)} {name}"
    return f"{_digits(value * 1e9)} ns" if unit == "s" else f"{_digits(value)} {unit}"


def times(ratio: float) -> str:
    """A ratio to two digits: 14×, 0.83×.

    >>> times(14.2), times(1234.5), times(0.8312)
    ('14×', '1200×', '0.83×')
    """
    return f"{float(f'{ratio:.2g}'):,.10g}×".replace(",", "")


def _digits(value: float) -> str:
    return f"{float(f'{value:.3g}'):g}" if abs(value) < 1e6 else f"{value:.3g}"


def lines_of_table(head: list[str], body: list[list[str]]) -> list[str]:
    """A Markdown table, its columns padded so that it can be read as text too."""
    rows = [head, *body]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    padded = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    first, *others = [f"| {' | '.join(row)} |" for row in padded]
    return [first, "|" + "|".join("-" * (width + 2) for width in widths) + "|", *others]
