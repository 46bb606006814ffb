"""What a reader will see at an ε, before any data is touched: quick enough to follow a slider."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.arithmetic.numbers import exact, whole
from discreet.arithmetic.words import epsilon_meaning, epsilon_warning, exact_text, factor_upper, points, width_words
from discreet.ledger.budgets import ADD_REMOVE
from discreet.mechanisms import Gaussian, Geometric
from discreet.mechanisms.base import read_epsilon
from discreet.posteriors.space import PosteriorSpace
from discreet.requests.request import Question, ReleaseRequest, place_delta
from discreet.utility.targets import Interval
from discreet.utility.widths import quick_width
from discreet.web.fields import Fields
from discreet.web.pictures import Line, Picture, Table, percent_range
from discreet.web.questions import CROSS, RATES, SHARES

EPSILONS = [f"{digit}e{power}" for power in (-2, -1, 0) for digit in ("1", "1.5", "2", "3", "4", "5", "7")] + ["10"]
SIZES = [str(digit * 10**power) for power in range(1, 8) for digit in (1, 2, 5)]
"""Where the sliders stop."""

PEOPLE, ONES = 20, 12
"""An example of neighbours: of so many people so many say yes, or one fewer."""

CHANGES = {False: "replacing one record", True: "adding or removing one record"}
"""What one person may change, where n is public and where it is private."""

CENTRAL = 1.96
"""Half the width of a 95 % interval in standard deviations, where a guess will do."""

MARKS = "Line: a 95 % interval. Dot: its centre."
CENTRED = "Centred where the prior expects it."

OUTPUTS = 9
"""So many outputs on either side are drawn."""


def stops() -> dict[str, list[str]]:
    """The places of both sliders, as people write them."""
    return {"epsilon": [exact_text(Fraction(text)) for text in EPSILONS], "n": SIZES}


def forecast(fields: Fields) -> dict[str, Any]:
    """How wide an interval will be with and without privacy, and what this ε means."""
    outlook = Outlook.read(fields, fields.text("epsilon"))
    fields.all_read()
    picture, (width, without), lead = _events(outlook) if outlook.kind == RATES else _shares(outlook)
    shared = f" Each of {outlook.number} columns has ε = {exact_text(outlook.share)}." if outlook.number > 1 else ""
    return {
        "epsilon": exact_text(outlook.epsilon),
        "lead": f"{lead}.{shared}",
        "width": width,
        "without": without,
        "sentences": [
            epsilon_meaning(outlook.epsilon, CHANGES[outlook.is_private], float(outlook.delta)),
            *epsilon_warning(outlook.epsilon),
        ],
        "picture": picture.to_json(),
        "neighbours": _neighbours(outlook.epsilon),
    }


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is known before any data: what will be asked, at which price, of about how many records."""

    kind: str
    prior: str
    n: int
    sizes: tuple[int, ...]
    """How many answers each column has, as far as they are declared."""
    groups: dict[str, Any]
    epsilon: Fraction
    delta: Fraction
    mechanism: str
    is_private: bool
    """Whether the number of records is protected too."""

    @classmethod
    def read(cls, fields: Fields, epsilon: str) -> Outlook:
        """From the fields of the price, at this ε."""
        return cls(
            fields.maybe("kind") or SHARES,
            fields.text("prior"),
            whole(fields.text("n"), "n", minimum=1),
            tuple(whole(size, "sizes", minimum=1) for size in fields.names("sizes")),
            _read_groups(fields),
            read_epsilon(epsilon),
            exact(fields.maybe("delta") or "0", "delta", minimum=0),
            fields.maybe("mechanism") or Geometric.name,
            fields.flag("private_n"),
        )

    @property
    def name(self) -> str:
        """What the interval with privacy is called."""
        return f"ε = {exact_text(self.epsilon)}"

    @property
    def number(self) -> int:
        """How many columns share the price."""
        return max(1, len(self.sizes)) if self.kind == SHARES else 1

    @property
    def share(self) -> Fraction:
        """The ε of the first column, as the request shares it."""
        if self.number == 1:
            return self.epsilon
        questions = [Question(str(i), list(range(size)), mechanism=self.mechanism) for i, size in enumerate(self.sizes)]
        _, together = place_delta(self.mechanism, self.delta or None, self.number)
        return exact(ReleaseRequest("", questions, epsilon=self.epsilon, delta=together).epsilons[0], "epsilon")

    @property
    def space(self) -> PosteriorSpace:
        """The cells of a table, or the categories of the first column."""
        if self.kind == CROSS and "," not in self.prior:
            return PosteriorSpace(prior=[exact(self.prior, "prior", above=0)] * math.prod(self.sizes), n=self.n)
        return PosteriorSpace(prior=self.prior, n=self.n)

    def noise_mechanism(self, space: PosteriorSpace) -> Geometric | Gaussian:
        """The noise whose intervals are told: geometric, unless Gaussian is asked for."""
        if self.mechanism == Gaussian.name:
            options: dict[str, Any] = place_delta(self.mechanism, self.delta or None, self.number)[0]
            return Gaussian(space, epsilon=self.share, **options)
        return Geometric(space, epsilon=self.share)


def _shares(outlook: Outlook) -> tuple[Picture, list[float], str]:
    """The share of a category, within a group or not, or of a cell; or the difference between two groups."""
    space, interval, is_cross = outlook.space, Interval(**outlook.groups), outlook.kind == CROSS
    grouped = interval.groups is not None
    width = interval.width(space, outlook.share).value if grouped else quick_width(outlook.noise_mechanism(space)).value
    without = interval.width_without_privacy(space)
    is_difference = interval.of == "difference"
    centre = 0.0 if is_difference else float(space.prior.parameters[0] / space.prior.total)
    low, high = (-1.0, 1.0) if centre == 0 else (0.0, 1.0)
    reach = max(2.5 * without, 0.6 * width)
    notes = [f"{CENTRED} A release is centred where its data is, and has this width on average."]
    if is_cross:
        notes.append("A margin sums cells: “Which one, and why?” tells how wide its intervals will be.")
    if outlook.is_private:
        notes.append("Told as if n were public: “Which one, and why?” tells what protecting it changes.")
    ends = {outlook.name: _around(centre, width), "no privacy": _around(centre, without)}
    picture = Picture(
        "The interval that a reader will see",
        "difference of two shares" if is_difference else f"share of one {'cell' if is_cross else 'category'}",
        "points" if is_difference else "share",
        [Line(name, interval) for name, interval in ends.items()],
        Table(
            "Expected width of a 95 % interval",
            ["", "Width, percentage points", "Where it would lie"],
            [[name, points(high - low), percent_range((low, high))] for name, (low, _, high) in ends.items()],
        ),
        ends=(max(low, centre - reach), min(high, centre + reach)),
        text=MARKS,
        notes=notes,
    )
    whose = (
        " of a cell" if is_cross else " of the difference" if is_difference else " within a group" if grouped else ""
    )
    return picture, [width, without], width_words(width, without, whose=whose)


def _events(outlook: Outlook) -> tuple[Picture, list[float], str]:
    """The events of a group, of which its rate is a multiple: their Poisson spread, and that of the noise."""
    groups = max(1, *outlook.sizes)
    mechanism = outlook.noise_mechanism(PosteriorSpace(prior=[1] * max(2, groups), n=None, adjacency=ADD_REMOVE))
    number, noise = outlook.n / groups, mechanism.kernel.cell_noise
    variance = 1 / (2 * math.sinh(float(outlook.share) / 2) ** 2) if noise is None else float(noise.variance)
    spreads = {outlook.name: CENTRAL * math.sqrt(number + variance), "no privacy": CENTRAL * math.sqrt(number)}
    ends = {name: (max(0.0, number - spread), number, number + spread) for name, spread in spreads.items()}
    widths = [high - low for low, _, high in ends.values()]
    rows = [[name, f"{high - low:,.0f}", f"{low:,.0f} to {high:,.0f}"] for name, (low, _, high) in ends.items()]
    reach = 1.3 * spreads[outlook.name]
    picture = Picture(
        "The interval that a reader will see",
        "events in one group",
        "amount",
        [Line(name, interval) for name, interval in ends.items()],
        Table("Expected width of a 95 % interval", ["", "Width, events", "Where it would lie"], rows),
        ends=(max(0.0, number - reach), number + reach),
        text=MARKS,
        notes=[f"Of a group with {number:,.0f} events, if all groups have equally many. A rate is a multiple of that."],
    )
    width = f"{widths[0]:,.0f} events wide, {widths[1]:,.0f} without privacy"
    return picture, widths, f"95 % intervals of a group's events will be about {width}"


def _read_groups(fields: Fields) -> dict[str, Any]:
    """Groups of the same size, as a guess: who is in which is not known, or not yet."""
    names, public, of = fields.names("groups"), fields.flag("group_public"), fields.maybe("of") or "share"
    if not names:
        return {}
    n = whole(fields.text("n"), "n", minimum=len(names))
    sizes = {name: n // len(names) + (i < n % len(names)) for i, name in enumerate(names)}
    return {"groups": sizes, "group_public": public, "of": of}


def _around(centre: float, width: float) -> tuple[float, float, float]:
    low, high = (-1.0, 1.0) if centre == 0 else (0.0, 1.0)
    start = min(max(centre - width / 2, low), high - width)
    return start, centre, start + width


def _neighbours(epsilon: Fraction) -> dict[str, Any]:
    """Two data sets that differ in one person, and how probable each output is for both, from the exact law."""
    mechanism = Geometric(PosteriorSpace(prior=[1, 1], n=PEOPLE), epsilon=epsilon)
    neighbours = ([yes, PEOPLE - yes] for yes in (ONES, ONES - 1))
    outputs = range(ONES - OUTPUTS - 1, ONES + OUTPUTS + 1)
    laws = [
        [math.exp(float(law.log_probability((z, PEOPLE - z)))) for z in outputs]
        for law in map(mechanism.law, neighbours)
    ]
    factor = factor_upper(float(epsilon)) if epsilon < 700 else "any number"
    rows = [[str(z), *(f"{law[i]:.4f}" for law in laws)] for i, z in enumerate(outputs)]
    return {
        "people": PEOPLE,
        "yes": [ONES, ONES - 1],
        "outputs": list(outputs),
        "laws": laws,
        "title": f"{PEOPLE} people, of whom {ONES} say yes, or {ONES - 1}: one answer differs",
        "text": (
            "Bars: how probable each released count of yes is for the one data set and for the other. "
            f"No bar is more than {factor} times as high as the one beside it."
        ),
        "table": Table(
            "Probability of each output", ["Released count", f"{ONES} yes", f"{ONES - 1} yes"], rows
        ).to_json(),
    }
