"""Which margins are narrower: those of one cross table, or each released by itself with its share of ε.

A margin's cell sums many cells of the cross table, and so much noise. Released alone it has one noise, of a smaller ε.
Widths are means over typical data (drawn from the prior predictive, by a seed): shares, records, noise, and then the
exact interval of every cell. The prior of a margin that is released alone is what that of the cells implies for it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.arithmetic.numbers import exact, whole
from discreet.errors import InvalidInput, TooLarge
from discreet.inference.beliefs import Belief
from discreet.inference.dispatch import noise_aware
from discreet.inference.draws import draw_dirichlet, draw_places
from discreet.mechanisms import Geometric
from discreet.posteriors import Dirichlet
from discreet.posteriors.space import PosteriorSpace
from discreet.testing import HashedBits
from discreet.typing import Epsilon

MAX_PLANNED = 1 << 12
"""Tables of more cells are not planned: every draw weighs all of them."""


@dataclass(frozen=True, slots=True)
class MarginPlan:
    """The expected width of the intervals of a margin, with its standard error: by both ways of releasing it."""

    margin: tuple[str, ...]
    cross: float
    cross_error: float
    alone: float
    alone_error: float

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "margin": list(self.margin),
            "interval_width": {"one cross table": self.cross, "each by itself": self.alone},
            "standard_error": {"one cross table": self.cross_error, "each by itself": self.alone_error},
        }


def plan_margins(
    axes: Mapping[str, Sequence[str]],
    margins: Sequence[Sequence[str]],
    *,
    n: object,
    epsilon: Epsilon,
    prior: Epsilon = 1,
    draws: int = 12,
    seed: object = 0,
) -> list[MarginPlan]:
    """The expected width of each margin, from one cross table at ε, and by itself at an equal share of ε.

    >>> axes = {"sex": ["f", "m"], "region": ["north", "south", "east"], "vote": ["yes", "no"]}
    >>> first, _ = plan_margins(axes, [["sex", "vote"], ["region", "vote"]], n=500, epsilon=1, draws=4)
    >>> first.margin, 0 < first.cross < 1
    (('sex', 'vote'), True)
    """
    size, price, alpha = whole(n, "n", minimum=1), exact(epsilon, "epsilon", above=0), exact(prior, "prior", above=0)
    shape = tuple(map(len, axes.values()))
    if not margins or any(not names or len(set(names)) < len(names) or set(names) - set(axes) for names in margins):
        raise InvalidInput("margins are of the crossed columns", hint='write them like "sex,vote; region,vote"')
    if math.prod(shape) > MAX_PLANNED:
        raise TooLarge(f"tables of more than {MAX_PLANNED:,} cells are not planned", hint="plan a smaller one")
    whole_table = _mechanism(math.prod(shape), alpha, size, price)
    widths: dict[tuple[str, ...], tuple[list[float], list[float]]] = {tuple(names): ([], []) for names in margins}
    for draw in range(draws):
        bits = HashedBits(f"margins {draw} {seed}")
        [shares] = draw_dirichlet(bits, np.full((1, math.prod(shape)), float(alpha)))
        counts = np.bincount(draw_places(bits, shares, size), minlength=len(shares)).reshape(shape)
        table = _belief(whole_table, counts, axes, bits)
        for names, (cross, alone) in widths.items():
            cross.append(_width(table.margin(*names)))
            at = [list(axes).index(name) for name in names]
            sums = counts.sum(axis=tuple(i for i in range(len(shape)) if i not in at))
            order = np.argsort(np.argsort(at))
            labels = {name: axes[name] for name in names}
            cells = math.prod(len(label) for label in labels.values())
            mechanism = _mechanism(cells, alpha * (len(shares) // cells), size, price / len(margins))
            alone.append(_width(_belief(mechanism, sums.transpose(order), labels, bits)))
    return [
        MarginPlan(names, float(np.mean(a)), _error(a), float(np.mean(b)), _error(b))
        for names, (a, b) in widths.items()
    ]


def recommended(plans: Sequence[MarginPlan]) -> str:
    """The way whose intervals are the narrower on average."""
    cross, alone = (float(np.mean(each)) for each in zip(*((plan.cross, plan.alone) for plan in plans), strict=True))
    return "one cross table" if cross <= alone else "each by itself"


def _mechanism(k: int, parameter: Fraction, n: int, epsilon: Fraction) -> Geometric:
    return Geometric(PosteriorSpace(prior=Dirichlet([parameter] * k), n=n), epsilon=epsilon)


def _belief(mechanism: Geometric, counts: Any, axes: Mapping[str, Sequence[str]], bits: HashedBits) -> Belief:
    output = mechanism.law(counts.ravel().tolist())._draw(bits)
    return Belief.of(noise_aware(mechanism, output), axes)


def _width(belief: Belief) -> float:
    low, high = belief.interval()
    return float((high - low).mean())


def _error(values: Sequence[float]) -> float:
    return float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.inf
