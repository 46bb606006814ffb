"""Groups compared from receipts alone: one receipt with groups, or two of different people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from discreet.arithmetic.numbers import exact_share
from discreet.arithmetic.texts import join_names
from discreet.errors import InvalidInput
from discreet.inference import Belief, Comparison, Rate, Rates, Share, compare_all
from discreet.inference.comparisons import Measure
from discreet.inference.quantities import Quantity
from discreet.posteriors.gamma import Gamma
from discreet.receipts.beliefs import labelled, labelled_plug_in, rates_of
from discreet.receipts.bundle import Bundle
from discreet.receipts.rate_terms import at_face_value
from discreet.receipts.receipt import Receipt
from discreet.receipts.tables import TableReceipt
from discreet.receipts.verification import verify_any
from discreet.receipts.words import per_words
from discreet.receipts.work import require_modest


@dataclass(frozen=True, slots=True)
class Analysis:
    """All pairs of groups, compared by one measure."""

    of: str
    """The share that is compared, in words."""
    measure: Measure
    level: float
    pairs: Mapping[tuple[str, str], Comparison]
    shares: Mapping[str, Share | Rate]
    plug_in: Mapping[str, Share | Rate]
    """The same at face value."""
    per: str | None = None
    """What rates are told for, in words; None for shares."""
    noise: str = "privacy noise included"
    """What is said of the noise."""
    assumes_different_people: bool = False
    """Whether two receipts are taken to be of different people though neither they nor their reader say so."""

    @property
    def notes(self) -> list[str]:
        """What is to be known of the numbers: how exact they are, and what is assumed."""
        assumed = ["the two receipts are assumed to be of different people"] if self.assumes_different_people else []
        error = max(comparison.measure(self.measure).error for comparison in self.pairs.values())
        return [f"every probability is exact up to {error:.0e}", *assumed]

    @property
    def unit(self) -> str:
        """What the numbers are in, for a heading."""
        if self.measure != "difference":
            return ""
        return " (points)" if self.per is None else f" ({self.per})"

    @property
    def centre(self) -> str:
        """What stands for the whole law: a ratio may have no mean."""
        return "mean" if self.measure == "difference" else "median"

    def to_json(self) -> dict[str, Any]:
        """What programs read: of one pair its numbers, of several a list of them."""
        rows = self.rows()
        return rows[0] if len(rows) == 1 else {"measure": self.measure, "level": self.level, "pairs": rows}

    def rows(self) -> list[dict[str, Any]]:
        """The numbers of each pair."""
        return [self._row(pair, comparison) for pair, comparison in self.pairs.items()]

    def cells(self, row: Mapping[str, Any]) -> list[str]:
        """A row as people read it: both groups, the centre, the interval, and the probability."""
        low, high = row["interval"]
        size = self._size(row["mean"], high - low) if self.measure == "difference" else f"{row['median']:.4g}"
        return [*row["groups"], size, self._ends(low, high), _chance(row["probability_greater"])]

    def _row(self, pair: tuple[str, str], comparison: Comparison) -> dict[str, Any]:
        quantity = comparison.measure(self.measure)
        return {
            "measure": self.measure,
            "groups": list(pair),
            "mean": quantity.mean if math.isfinite(quantity.mean) else None,
            "median": quantity.median,
            "interval": list(quantity.interval(self.level)),
            "level": self.level,
            "probability_greater": float(comparison.probability_greater),
            "error": quantity.error,
            "sentence": self._sentence(pair, quantity, comparison.probability_greater),
        }

    def _sentence(self, pair: tuple[str, str], quantity: Quantity, greater: float) -> str:
        """For the section on results."""
        low, high = quantity.interval(self.level)
        first, second = pair
        ends = self._ends(low, high)
        what, points = (f"share of {self.of}", "points") if self.per is None else ("rate", self.per)
        if self.measure == "difference":
            size = self._size(quantity.mean, high - low)
            way = "higher"
            if size.startswith("-"):
                way, ends = "lower", self._ends(-high, -low)  # of how much lower it was
            than = f"{size.removeprefix('-')} {points} {way} in {first} than in {second}"
            than = than if float(size) else f"about the same in {first} as in {second}"
            sentence = f"The {what} was {than}"
        elif self.measure == "ratio":
            sentence = f"The {what} in {first} was {quantity.median:.3g} times that in {second}"
        else:
            sentence = f"The odds of {self.of} in {first} were {quantity.median:.3g} times those in {second}"
        which = "share" if self.per is None else "rate"
        return (
            f"{sentence} ({100 * self.level:g} % interval {ends}, {self.noise}). "
            f"The probability that the {which} is greater in {first} is {_chance(greater)}."
        )

    def _ends(self, low: float, high: float) -> str:
        if self.measure == "difference":
            return f"{self._size(low, high - low)} to {self._size(high, high - low)}"
        return f"{low:.3g} to {high:.3g}"

    def _size(self, difference: float, width: float) -> str:
        """In percentage points, or in the unit of rates, with as many digits as the width of the interval is worth."""
        return _points(difference, width) if self.per is None else _points(difference / 100, width / 100)


def compare_receipts(
    receipts: Sequence[Receipt],
    titles: Sequence[str],
    *,
    category: str | None = None,
    groups: Sequence[str] | None = None,
    among: Sequence[str] | None = None,
    measure: Measure = "difference",
    level: object = "0.95",
    prior: object = None,
    different_people: bool = False,
    thorough: bool = False,
    column: str | None = None,
) -> Analysis:
    """Compare the share of a category between groups of one receipt, or between two receipts, each of which must hold.

    Rates have no category: their groups are compared. Of a cross table, `column` is that of the category; without it,
    the last that has such a label. The groups are labels of another column.

    `titles` are what two receipts are called that have no groups; `prior` is a reader's own, for all of them.

    >>> from discreet.requests.run import release_counts
    >>> receipts = [release_counts(counts, epsilon=2, categories=["yes", "no"]) for counts in ([60, 40], [30, 70])]
    >>> analysis = compare_receipts(receipts, ["north", "south"], category="yes", different_people=True)
    >>> [row["groups"] for row in analysis.rows()]
    [['north', 'south']]
    """
    share = float(exact_share(level, "level"))
    if len(receipts) not in (1, 2) or (len(receipts) == 2 and receipts[0] == receipts[1]):
        raise InvalidInput("compare one receipt with groups, or two receipts", hint="give each file once")
    for receipt in receipts:
        if not thorough:
            require_modest([receipt], reading=True)
        verify_any(receipt, thorough=thorough)
    first, *others = (receipt.document["dataset"] for receipt in receipts)
    assumed = bool(others) and not different_people and (first is None or first not in others)
    if any(receipt.document.get("rates") for receipt in receipts):
        if category is not None or among is not None or measure == "odds-ratio":
            raise InvalidInput("rates are compared by difference or ratio", hint="name `groups`, and no category")
        chosen = _choose_rates([rates_of(receipt, prior=prior) for receipt in receipts], titles, groups)
        plug_in = {name: at_face_value(rate, posterior) for name, (rate, posterior) in chosen.items()}
        rates = {name: rate for name, (rate, _) in chosen.items()}
        pairs = compare_all(rates, different_people=different_people)
        per = per_words(receipts[0].document)
        return Analysis("rates", measure, share, pairs, rates, plug_in, per, assumes_different_people=assumed)
    analysis = compare_beliefs(
        [labelled(receipt, prior=prior) for receipt in receipts],
        [labelled_plug_in(receipt, prior=prior) for receipt in receipts],
        titles,
        category=category,
        groups=groups,
        among=among,
        measure=measure,
        level=level,
        different_people=different_people,
        column=column if isinstance(receipts[0], TableReceipt) else None,
    )
    return replace(analysis, assumes_different_people=assumed)


def compare_beliefs(
    aware: Sequence[Belief],
    plug_in: Sequence[Belief],
    titles: Sequence[str],
    *,
    category: str | None,
    groups: Sequence[str] | None = None,
    among: Sequence[str] | None = None,
    measure: Measure = "difference",
    level: object = "0.95",
    different_people: bool = False,
    column: str | None = None,
) -> Analysis:
    """The same of beliefs that have names, wherever they are from, each with what is believed at face value."""
    if category is None:
        raise InvalidInput("say which share is compared", hint="name a `category`", parameter="category")
    shares, plug_in_shares = (
        _choose_shares([_two_way(belief, category, groups, column, len(beliefs)) for belief in beliefs],
                titles, groups, category, among)
        for beliefs in (aware, plug_in)
    )  # fmt: skip
    of = f"{category} among {' or '.join(among)}" if among else category
    pairs = compare_all(shares, different_people=different_people)
    return Analysis(
        of, measure, float(exact_share(level, "level")), pairs, shares, plug_in_shares, noise=aware[0].noise
    )


def _two_way(belief: Belief, category: str, names: Sequence[str] | None, column: str | None, several: int) -> Belief:
    """Of a table, the margin of the groups and the category: the column of each is the one that has the label."""
    axes = belief.axes
    of = column or next((name for name in reversed(list(axes)) if category in axes[name]), None)
    if of is None or len(axes) < 2 or (list(axes)[1:] == [of] and names is not None):
        return belief
    if of not in axes:
        raise InvalidInput(f"there is no column {of!r}", hint=f"there are {join_names(list(axes))}", parameter="column")
    if names is None and several > 1:
        return belief.margin(of)
    others = [name for name in axes if name != of]
    by = next((name for name in others if set(names or ()) <= set(axes[name])), others[0])
    return belief if (by, of) == tuple(axes) else belief.margin(by, of)


def _choose_rates(
    rates: Sequence[Rates], titles: Sequence[str], names: Sequence[str] | None
) -> dict[str, tuple[Rate, Gamma]]:
    """The rates that are compared, each with its Gamma at face value."""
    if len(rates) == 1:
        chosen = [(name, rates[0], name) for name in names or rates[0].labels]
    else:
        labels = list(names or ())
        if len(labels) not in (1, 2):
            raise InvalidInput("two receipts are compared by one group of each", hint="name one for each in `groups`")
        rows = zip(labels * 2 if len(labels) == 1 else labels, rates, titles, strict=True)
        chosen = [(f"{name} ({title})", part, name) for name, part, title in rows]
    if len({called for called, *_ in chosen}) < max(2, len(chosen)):
        raise InvalidInput("name two groups or more, each once", hint="give them in `groups`, like new,old")
    return {called: (part.rate(name), part.posteriors[name]) for called, part, name in chosen}


def receipt_of_column(receipt: Receipt | Bundle, column: str | None) -> Receipt:
    """The receipt of one column."""
    if not isinstance(receipt, Bundle):
        if column is not None and not isinstance(receipt, TableReceipt):
            raise InvalidInput("the receipt is of one column", hint="leave `column` out", parameter="column")
        return receipt
    if column not in receipt.columns:
        raise InvalidInput(
            "the receipt is of several columns",
            hint=f"name one of {join_names(receipt.columns)} by `column`",
            parameter="column",
        )
    return receipt.parts[receipt.columns.index(column)]


def _choose_shares(
    beliefs: Sequence[Belief],
    titles: Sequence[str],
    names: Sequence[str] | None,
    category: str,
    among: Sequence[str] | None,
) -> dict[str, Share]:
    """The shares that are compared, by the names of their groups."""
    if len(beliefs) == 1:
        if len(beliefs[0].axes) < 2:
            raise InvalidInput("the receipt has no groups", hint="give a second receipt, of other people")
        chosen = [(name, beliefs[0].group(name)) for name in names or next(iter(beliefs[0].axes.values()))]
    else:
        labels = list(names or titles)
        labels = labels * 2 if len(labels) == 1 else labels
        if len(labels) != 2:
            raise InvalidInput("two receipts are compared by one group of each", hint="name one for each in `groups`")
        pairs = zip(beliefs, labels, strict=True)
        groups = [belief.group(name) if len(belief.axes) > 1 else belief for belief, name in pairs]
        if len(set(labels)) < 2:
            labels = [f"{name} ({title})" for name, title in zip(labels, titles, strict=True)]
        chosen = list(zip(labels, groups, strict=True))
    if len(dict(chosen)) < max(2, len(chosen)):
        raise InvalidInput("name two groups or more, each once", hint="give them in `groups`, like new,old")
    return {name: (belief if among is None else belief.among(among))[category] for name, belief in chosen}


def _points(share: float, width: float) -> str:
    """In percentage points, with as many digits as the width of the interval is worth."""
    digits = min(max(1, 1 - math.floor(math.log10(max(100 * width, 1e-9)))), 9)
    return f"{100 * share:z.{digits}f}"


def _chance(probability: float) -> str:
    return "< 0.0001" if probability < 1e-4 else "> 0.9999" if probability > 1 - 1e-4 else f"{probability:.4f}"
