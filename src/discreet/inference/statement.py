"""The interval that a receipt prints: noise-aware where that is quick, by public facts, and otherwise plug-in.

A drawn release must not fail here, so whatever goes wrong ends in the plug-in interval with its own name.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.inference.groups import Within
from discreet.inference.posterior import NoiseAware
from discreet.mechanisms import Mechanism, Released
from discreet.posteriors import Dirichlet

NOISE_AWARE = "noise-aware, privacy noise included"
PLUG_IN = "plug-in, privacy noise not included"

_PAIRS = 1 << 22

Ends = TypeVar("Ends", bound=tuple[Floats, ...])


def quick(mechanism: Mechanism, answers: int = 0) -> bool:
    """Whether a receipt has time for the noise-aware intervals: they take a second at most. Public facts only.

    Those within groups of so many answers need a table for each cell.

    >>> from discreet import ExponentialGlobal, Geometric, PosteriorSpace
    >>> line, cells = PosteriorSpace(prior=[1, 1], n=10**9), PosteriorSpace(prior=[1] * 6, n=10**6)
    >>> quick(Geometric(line, epsilon=1)), quick(ExponentialGlobal(line, epsilon=1))
    (True, False)
    >>> quick(Geometric(cells, epsilon="1/2"), 3), quick(Geometric(cells, epsilon="1/100"), 3)
    (True, False)
    """
    if not mechanism.kernel.quick or not answers:
        return mechanism.kernel.quick
    tables = mechanism.space.k // 2 if answers == 2 else mechanism.space.k
    return tables * mechanism.kernel.reach**2 * math.sqrt(answers - 1) <= _PAIRS


def interval_kind(mechanism: Mechanism, answers: int = 0) -> str:
    """Which intervals a receipt of this mechanism is going to have; of a cross table, with so many answers."""
    return NOISE_AWARE if quick(mechanism, answers) else PLUG_IN


def stated_interval(released: Released, level: float) -> tuple[str, Floats, Floats]:
    """The kind of the interval and its ends, one of each for a category."""
    aware = _if_all_goes_well(released, 0, lambda belief: belief.interval(level))
    return (PLUG_IN, *released.posterior.interval(level)) if aware is None else (NOISE_AWARE, *aware)


def stated_groups(released: Released, level: float, k: int) -> tuple[str, Floats, Floats, Floats, Floats]:
    """The kind of the intervals, their ends for the k answers of each group, and those of the groups' own shares."""
    groups = [tuple(range(first, first + k)) for first in range(0, released.mechanism.space.k, k)]

    def ends(belief: NoiseAware) -> tuple[Floats, Floats, Floats, Floats]:
        within = [Within(belief, group) for group in groups]
        low, high = np.array([group.interval(level) for group in within]).transpose(1, 0, 2)
        least, most = np.array([group.share.interval(level) for group in within]).T
        return low, high, least, most

    aware = _if_all_goes_well(released, k, ends)
    if aware is not None:
        return NOISE_AWARE, *aware
    parameters = released.posterior.parameters
    low, high = np.array([Dirichlet([parameters[i] for i in group]).interval(level) for group in groups]).swapaxes(0, 1)
    return PLUG_IN, low, high, *Dirichlet([sum(parameters[i] for i in group) for group in groups]).interval(level)


def _if_all_goes_well(released: Released, answers: int, ends: Callable[[NoiseAware], Ends]) -> Ends | None:
    if quick(released.mechanism, answers):
        try:
            found = ends(released.noise_aware())
            if all(np.isfinite(part).all() for part in found):
                return found
        except Exception:  # noqa: BLE001, S110 - what was drawn is drawn: it must be shown
            pass
    return None
