"""The shares that a receipt prints: noise-aware where that is quick, by public facts, and otherwise plug-in.

Mean and interval are always of one posterior. A drawn release must not fail here, so whatever goes wrong ends in the
plug-in posterior with its own name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.inference.groups import EmptyGroup, Within
from discreet.inference.posterior import NoiseAware
from discreet.inference.quantities import Quantity
from discreet.inference.totals import Total
from discreet.mechanisms import Mechanism, Released
from discreet.posteriors import Dirichlet
from discreet.posteriors.mixtures import ShareLaw

NOISE_AWARE = "noise-aware, privacy noise included"
PLUG_IN = "plug-in, privacy noise not included"

MAX_PAIRS = 1 << 22
"""Beyond this many numbers in tables, a receipt has no time for noise-aware intervals."""


class Intervals(NamedTuple):
    """The mean and the ends of the interval of each share, or of each of several quantities."""

    mean: Floats
    low: Floats
    high: Floats

    def times(self, factor: float) -> Intervals:
        """In another unit: times 100, in percent."""
        return Intervals(*(factor * values for values in self))


def stated_by(law: Dirichlet | NoiseAware | Within | EmptyGroup, level: float) -> Intervals:
    """What one law says of each share."""
    return Intervals(law.mean, *law.interval(level))


def stated_each(quantities: Iterable[Quantity | ShareLaw], level: float) -> Intervals:
    """What each of several laws says; the median stands for a mean that is not finite."""
    each = list(quantities)
    centres = [law.mean if math.isfinite(law.mean) else float(law.quantile(0.5)) for law in each]
    return Intervals(np.array(centres), *np.array([law.interval(level) for law in each]).T)


def quick(mechanism: Mechanism, answers: int = 0) -> bool:
    """Whether a receipt has time for the noise-aware intervals: they take a second at most. Public facts only.

    Those within groups of so many answers need a table for each cell, and so do all where n is private.

    >>> from discreet import ExponentialGlobal, Geometric, PosteriorSpace
    >>> line, cells = PosteriorSpace(prior=[1, 1], n=10**9), PosteriorSpace(prior=[1] * 6, n=10**6)
    >>> quick(Geometric(line, epsilon=1)), quick(ExponentialGlobal(line, epsilon=1))
    (True, False)
    >>> quick(Geometric(cells, epsilon="1/2"), 3), quick(Geometric(cells, epsilon="1/100"), 3)
    (True, False)
    """
    k, has_private_n = mechanism.space.k, not mechanism.space.adjacency.keeps_total
    if not mechanism.kernel.quick or not (answers or has_private_n):
        return mechanism.kernel.quick
    return pairs(k, answers or k, mechanism.kernel.reach) <= MAX_PAIRS


def pairs(k: int, answers: int, reach: float) -> float:
    """How many numbers the tables of k cells hold: a cell's counts by those of the others of its group.

    >>> round(pairs(6, 3, 45))
    17183
    """
    return (k // 2 if answers == 2 else k) * reach**2 * math.sqrt(max(answers - 1, 1))


def interval_kind(mechanism: Mechanism, answers: int = 0) -> str:
    """Which intervals a receipt of this mechanism is going to have; of a cross table, with so many answers."""
    return NOISE_AWARE if quick(mechanism, answers) else PLUG_IN


def stated_shares(released: Released, level: float) -> tuple[str, Intervals]:
    """The kind of the posterior, and what it says of each category."""
    aware = _if_all_goes_well(released, 0, lambda belief: [stated_by(belief, level)])
    return (PLUG_IN, stated_by(released.posterior, level)) if aware is None else (NOISE_AWARE, aware[0])


def stated_groups(released: Released, level: float, k: int) -> tuple[str, Sequence[Intervals], Intervals]:
    """The kind of the posterior, what it says of the k answers of each group, and of the groups' own shares."""
    groups = [tuple(range(first, first + k)) for first in range(0, released.mechanism.space.k, k)]

    def intervals(belief: NoiseAware) -> list[Intervals]:
        within = [Within(belief, group) for group in groups]
        return [*(stated_by(group, level) for group in within), stated_each([group.share for group in within], level)]

    aware = _if_all_goes_well(released, k, intervals)
    if aware is not None:
        return NOISE_AWARE, aware[:-1], aware[-1]
    cells = [[released.posterior.parameters[i] for i in group] for group in groups]
    return (
        PLUG_IN,
        [stated_by(Dirichlet(group), level) for group in cells],
        stated_by(Dirichlet(list(map(sum, cells))), level),
    )


def stated_total(belief: NoiseAware, level: float) -> dict[str, object]:
    """What is believed of the number of records, where it is private."""
    total = Total(*belief.counts.total(range(belief.k)), "records", belief.error)
    return {"mean": total.mean, "interval": list(total.interval(level))}


def _if_all_goes_well(
    released: Released, answers: int, intervals: Callable[[NoiseAware], Sequence[Intervals]]
) -> Sequence[Intervals] | None:
    if quick(released.mechanism, answers):
        try:
            aware = intervals(released.noise_aware())
            if all(np.isfinite(part).all() for each in aware for part in each):
                return aware
        except Exception:  # noqa: BLE001, S110 - what was drawn is drawn: it must be shown
            pass
    return None
