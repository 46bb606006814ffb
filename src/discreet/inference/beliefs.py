"""Belief: a noise-aware posterior whose cells have names, and the shares that may be asked of it.

The cells of a release are combinations of labels, one for each axis: the categories of a column, or the groups and
answers of a cross table. Aggregating and conditioning a Dirichlet gives a Dirichlet again, so every margin, every
group and every choice among categories is a belief of the same kind: a share is some cells among others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.cards import AWARE_KEY, card, share_bar
from discreet.arithmetic.numbers import exact_share
from discreet.arithmetic.texts import join_names, visible_text
from discreet.errors import InvalidInput
from discreet.inference.counts import Cells
from discreet.inference.event_rates import Rate, Rates
from discreet.inference.posterior import NoiseAware
from discreet.inference.quantities import Estimate, Kind, Quantity, QuantityTable
from discreet.inference.share import Share, distinct_posteriors, sample_shares
from discreet.inference.totals import Total
from discreet.posteriors.mixtures import BetaMixture
from discreet.utility.count_mixtures import mixture_intervals

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MANY_SHARES = 8
"""The intervals of so many shares are found together."""


@dataclass(frozen=True, eq=False, repr=False)
class Belief(QuantityTable):
    """The noise-aware posterior of labelled cells.

    `axes` has the labels of each axis by its name. A belief of one axis is asked by label, one of several by one label
    for each axis, or by `group`, `given` and `margin` first.

    >>> from discreet import Geometric, PosteriorSpace
    >>> released = Geometric(PosteriorSpace(prior=[1, 1], n=100), epsilon=0.5).release([60, 40])
    >>> belief = released.belief(["cured", "not cured"])
    >>> belief["cured"].name, 0 < belief["cured"].mean < 1
    ('cured', True)
    """

    axes: Mapping[str, tuple[str, ...]]
    cells: Mapping[tuple[str, ...], tuple[NoiseAware, Cells]]
    """By one label for each axis: the posterior that it is in, and its cells there."""
    people: str | None = None
    conditions: tuple[str, ...] = ()
    """What it is given, in words."""
    part: tuple[str, str] | None = None
    """The public group that it is about, by axis and label."""
    noise: str = "privacy noise included"
    """What is said of the noise wherever the belief is shown."""
    event_rates: Rates | None = None
    """The rates, where the records are events in groups of public exposure."""

    @classmethod
    def of(cls, posterior: NoiseAware, axes: Mapping[str, Sequence[str]], people: str | None = None) -> Belief:
        """Of all cells of a posterior, the last axis running fastest."""
        labels = {name: tuple(names) for name, names in axes.items()}
        keys = list(product(*labels.values()))
        if len(keys) != posterior.k:
            raise InvalidInput(
                f"categories must be {posterior.k} names", hint="give one for each", parameter="categories"
            )
        return cls(labels, {key: (posterior, (i,)) for i, key in enumerate(keys)}, people)

    @property
    def posterior(self) -> NoiseAware:
        """That of all cells; public groups have one each."""
        return self._only_posterior("public groups have a posterior each", "ask by group")

    def _only_posterior(self, refusal: str, hint: str) -> NoiseAware:
        first, *others = _posteriors(self.cells)
        if others:
            raise InvalidInput(refusal, hint=hint)
        return first

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of a belief of one axis."""
        if len(self.axes) != 1:
            raise InvalidInput("a belief of several axes has no labels of its own", hint="use group, given or margin")
        return next(iter(self.axes.values()))

    def __getitem__(self, label: object) -> Share:
        """The share of a label, or of one label for each axis."""
        key = label if isinstance(label, tuple) else (label,)
        if len(self.axes) > 1 and len(key) == 1:
            names = [name for name, labels in self.axes.items() if key[0] in labels]
            if not names:
                raise _unknown_label(key, self.axes)
            return self.margin(names[-1])[label]
        if len(key) != len(self.axes):
            raise InvalidInput(f"give one label for each of {', '.join(self.axes)}", hint="or use group, given, margin")
        return self._share([key], ", ".join(map(str, key)))

    marginal = __getitem__

    def any_of(self, labels: Sequence[str]) -> Share:
        """The share of several labels together: of "agree" and "strongly agree", say."""
        return self._share([(label,) for label in labels], " or ".join(map(str, labels)))

    def among(self, labels: Sequence[str]) -> Belief:
        """The shares among these labels alone: the others are left out of the whole."""
        chosen, [name] = tuple(labels), list(self.axes)[-1:]
        if len(set(chosen)) != len(chosen) or len(chosen) < 2:
            raise InvalidInput("name two labels or more, each once", hint=f"of {join_names(self.axes[name])}")
        for label in chosen:
            if label not in self.axes[name]:
                raise _unknown_label((label,), {name: self.axes[name]})
        axes = {**self.axes, name: chosen}
        cells = {key: self.cells[key] for key in product(*axes.values()) if key in self.cells}
        condition = () if set(chosen) == set(self.axes[name]) else (f"among {', '.join(chosen)}",)
        return replace(self, axes=axes, cells=cells, conditions=self.conditions + condition)

    within = among

    def group(self, label: str) -> Belief:
        """The shares within a group: a label of the first axis."""
        if len(self.axes) < 2:
            raise InvalidInput("the release has no groups", hint="ask for a label")
        return self.given(**{next(iter(self.axes)): label})

    def given(self, **labels: str) -> Belief:
        """The shares among the cells with these labels: `belief.given(region="north")`."""
        places = {name: i for i, name in enumerate(self.axes)}
        for name, label in labels.items():
            if name not in places:
                raise InvalidInput(f"there is no axis {name!r}", hint=f"there are {join_names(list(self.axes))}")
            if label not in self.axes[name]:
                raise _unknown_label((label,), {name: self.axes[name]})
        axes = {name: self.axes[name] for name in self.axes if name not in labels}
        if not axes:
            raise InvalidInput("nothing is left to ask for", hint="leave one axis open")
        cells = {
            tuple(key[places[name]] for name in axes): cell
            for key, cell in self.cells.items()
            if all(key[places[name]] == label for name, label in labels.items())
        }
        conditions = tuple(f"{name} = {label}" for name, label in labels.items())
        is_part = len(_posteriors(self.cells)) > len(_posteriors(cells))
        part = next(iter(labels.items())) if is_part else self.part
        return replace(self, axes=axes, cells=cells, conditions=self.conditions + conditions, part=part)

    def margin(self, *names: str) -> Belief:
        """The shares of these axes, summed over all others."""
        places = {name: i for i, name in enumerate(self.axes)}
        if not names or any(name not in places for name in names):
            raise InvalidInput("a margin is of axes by name", hint=f"of {join_names(list(self.axes))}")
        posterior = self._only_posterior("public groups have no common margin", "ask by group, or weigh them yourself")
        members: dict[tuple[str, ...], list[int]] = {}
        for key, (_, cells) in self.cells.items():
            members.setdefault(tuple(key[places[name]] for name in names), []).extend(cells)
        sums = {key: (posterior, tuple(cells)) for key, cells in members.items()}
        return replace(self, axes={name: self.axes[name] for name in names}, cells=sums)

    @property
    def total(self) -> Total:
        """How many records there are in all of its cells, where n is private.

        >>> from discreet import Geometric, PosteriorSpace, noise_aware
        >>> posterior = noise_aware(Geometric(PosteriorSpace(prior=[1, 1], n=None), epsilon=1), (60, 38))
        >>> Belief.of(posterior, {"answer": ("yes", "no")}).total.interval()
        (94.0, 102.0)
        """
        posterior = self._only_posterior("public groups have public totals", "they are in the receipt")
        if posterior.n is not None and len(self.cells) == posterior.k:
            raise InvalidInput("n is public", hint="it is in the receipt")
        members = [cell for _, cells in self.cells.values() for cell in cells]
        return Total(*posterior.counts.total(members), self._title("records"), posterior.error)

    def rate(self, group: str) -> Rate:
        """The rate of events in a group, where the release is read so."""
        if self.event_rates is None:
            raise InvalidInput("this release is of shares", hint="release with exposures to have rates")
        return self.event_rates.rate(group)

    def probability(self, one: str, other: str) -> Estimate:
        """The probability that one label's share exceeds another's."""
        from discreet.inference.comparisons import compare

        return compare(self[one], self[other]).probability_greater

    def score(self, scores: Mapping[str, float] | None = None) -> Quantity:
        """The mean score of an ordinal item: Σ score·share. By default the labels count 1, 2, … in their order.

        >>> from discreet import Geometric, PosteriorSpace, noise_aware
        >>> posterior = noise_aware(Geometric(PosteriorSpace(prior=[1, 1, 1], n=60), epsilon=1), (30, 20, 10))
        >>> belief = Belief.of(posterior, {"answer": ("agree", "neither", "disagree")})
        >>> item = belief.score({"agree": 1, "neither": 0, "disagree": -1})
        >>> round(item.mean, 4), [round(end, 3) for end in item.interval()]
        (0.3174, [0.102, 0.517])
        """
        from discreet.inference.contrasts import Score

        by_label = {label: i + 1 for i, label in enumerate(self.labels)} if scores is None else scores
        if set(by_label) != set(self.labels):
            raise InvalidInput("scores are one for each label", hint=f"of {join_names(self.labels)}")
        numbers = tuple(float(by_label[label]) for label in self.labels)
        if not all(map(math.isfinite, numbers)) or min(numbers) == max(numbers):
            raise InvalidInput("scores are numbers, and not all the same", hint="like 1, 2, 3")
        return Score(tuple(self.shares().values()), numbers, self._title("mean score"))

    def cumulative(self) -> dict[str, Share]:
        """For each label but the last, the share of all labels up to it."""
        labels = self.labels
        return {label: self.any_of(labels[: i + 1]) for i, label in enumerate(labels[:-1])}

    def median_category(self) -> dict[str, Estimate]:
        """For each label, the probability that it is the median: that the labels up to it first have half of all."""
        reached = [share.probability_above(0.5) for share in self.cumulative().values()]
        chances = np.diff([0.0, *reached, 1.0]).tolist()
        error = 2 * max(probability.error for probability in reached)
        return {label: Estimate(max(chance, 0.0), error) for label, chance in zip(self.labels, chances, strict=True)}

    def largest(self) -> dict[str, Estimate]:
        """For each label, the probability that its share is the largest."""
        from discreet.inference.contrasts import probabilities_largest

        return dict(zip(self.labels, probabilities_largest(list(self.shares().values())), strict=True))

    def post_stratified(self, label: str, weights: Mapping[str, float]) -> Quantity:
        """The share of a label, averaged over the groups of the first axis by public weights that sum to 1."""
        from discreet.inference.contrasts import WeightedShare, require_weights

        groups = next(iter(self.axes.values()))
        numbers = require_weights(weights, groups)
        shares = tuple(self.group(group)[label] for group in groups)
        return WeightedShare(shares, numbers, self._title(f"{label}, post-stratified"))

    def independence(self, *, seed: object = 0) -> Estimate:
        """The Bayes factor of independence of the two axes: above 1 it speaks for independence, below 1 against it.

        Where the data sets that matter are too many to list, it is a mean over draws by the seed, and its `error` is
        six standard errors of it.
        """
        from discreet.inference.independence import bayes_factor

        if len(self.axes) != 2 or any(len(cells) > 1 for _, cells in self.cells.values()):
            raise InvalidInput("independence is of two axes", hint="ask the belief of a table of groups and categories")
        rows, columns = self.axes.values()
        if len(self.cells) < len(rows) * len(columns):
            raise InvalidInput(
                "axes with impossible cells are not independent", hint="compare the shares of two rows instead"
            )
        return bayes_factor([[self.cells[row, column] for column in columns] for row in rows], seed)

    def shares(self) -> dict[tuple[str, ...], Share]:
        """The share of every cell, by its labels."""
        return dict(self._shares)

    @cached_property
    def _shares(self) -> dict[tuple[str, ...], Share]:
        return {key: self._share([key], ", ".join(key)) for key in self.cells}

    def _quantities(self) -> Iterable[Share]:
        return self._shares.values()

    def interval(self, level: object = 0.95, kind: Kind = "equal-tailed") -> tuple[Floats, Floats]:
        """The low ends and the high ends of each interval."""
        laws = [law for share in self._shares.values() if isinstance(law := share.law, BetaMixture)]
        if kind == "equal-tailed" and MANY_SHARES <= len(laws) == len(self.cells):
            together = mixture_intervals(laws, float(exact_share(level, "level")))
            if together is not None:
                return together
        return super().interval(level, kind)

    def sample(self, size: object = 1, *, seed: object = None) -> Floats:
        """Independent draws of all shares, one a row: the same for the same seed."""
        return sample_shares(self._shares.values(), size, seed)

    def plot(self, *, level: float = 0.95) -> Figure:
        """A forest of the shares, or of two axes a heat map (the extra `plot`)."""
        from discreet.figures.tables import plot_margins

        return plot_margins([self], level=level)

    def to_arviz(self, size: object = 4000, *, seed: object = None) -> Any:
        """Independent draws of the shares `theta`, with the labels of each axis as coordinates (the extra `arviz`)."""
        from discreet.bridges.arviz import draws_to_arviz, rounded_up

        places = {key: i for i, key in enumerate(product(*self.axes.values()))}
        draws = self.sample(rounded_up(size), seed=seed)
        theta = np.zeros((len(draws), len(places)))  # a cell that cannot occur has no share
        theta[:, [places[key] for key in self.cells]] = draws
        shaped = theta.reshape(-1, *map(len, self.axes.values()))
        return draws_to_arviz({"theta": shaped}, error=self.error, labels=self.axes)

    def __repr__(self) -> str:
        return visible_text(f"<Belief, {self.noise}, of {self._title(_axes_text(self.axes))}>")

    def _repr_html_(self) -> str:
        bars = (share_bar(share.name, share.ends) for share in self.shares().values())
        text = f"Shares by {' and '.join(self.axes)}, {self.noise}."
        return card("What a reader may believe", text, bars=bars, key=AWARE_KEY)

    @cached_property
    def _wholes(self) -> dict[int, Cells]:
        """The cells of each posterior that the belief is about."""
        members: dict[int, list[int]] = {}
        for posterior, cells in self.cells.values():
            members.setdefault(id(posterior), []).extend(cells)
        return {key: tuple(cells) for key, cells in members.items()}

    def _share(self, keys: Sequence[tuple[str, ...]], label: str) -> Share:
        for key in keys:
            if key not in self.cells:
                raise _unknown_label(key, self.axes)
        posterior = self.cells[keys[0]][0]
        members = tuple(cell for key in keys for cell in self.cells[key][1])
        part = (next(iter(self.axes)), keys[0][0]) if len(self._wholes) > 1 else self.part
        return Share(posterior, members, self._wholes[id(posterior)], self._title(label), self.people, part)

    def _title(self, label: str) -> str:
        return " | ".join([label, *self.conditions])


def _posteriors(cells: Mapping[tuple[str, ...], tuple[NoiseAware, Cells]]) -> list[NoiseAware]:
    """One for each public group."""
    return distinct_posteriors(posterior for posterior, _ in cells.values())


def _unknown_label(key: tuple[object, ...], axes: Mapping[str, tuple[str, ...]]) -> InvalidInput:
    return InvalidInput(f"there is no {', '.join(map(repr, key))}", hint=f"there are {_axes_text(axes)}")


def _axes_text(axes: Mapping[str, tuple[str, ...]]) -> str:
    return "; ".join(f"{name}: {join_names(labels[:12])}" for name, labels in axes.items())
