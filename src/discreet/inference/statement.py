"""The interval that a receipt prints: noise-aware where that is quick, by public facts, and otherwise plug-in.

A drawn release must not fail here, so whatever goes wrong ends in the plug-in interval with its own name.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.inference.groups import Within
from discreet.mechanisms import Mechanism, Released
from discreet.posteriors import Dirichlet

NOISE_AWARE = "noise-aware, privacy noise included"
PLUG_IN = "plug-in, privacy noise not included"

_PAIRS = 1 << 22


def quick(mechanism: Mechanism) -> bool:
    """Whether a receipt has time for the noise-aware interval: it takes a second at most. Public facts only.

    >>> from discreet import ExponentialGlobal, Geometric, PosteriorSpace
    >>> quick(Geometric(PosteriorSpace(prior=[1, 1], n=10**9), epsilon=1))
    True
    >>> quick(ExponentialGlobal(PosteriorSpace(prior=[1, 1], n=10**9), epsilon=1))
    False
    """
    return mechanism.kernel.quick


def interval_kind(mechanism: Mechanism) -> str:
    """Which interval a receipt of this mechanism is going to have."""
    return NOISE_AWARE if quick(mechanism) else PLUG_IN


def stated_interval(released: Released, level: float) -> tuple[str, Floats, Floats]:
    """The kind of the interval and its ends, one of each for a category."""
    if quick(released.mechanism):
        try:
            low, high = released.noise_aware().interval(level)
            if math.isfinite(float((low + high).sum())):
                return NOISE_AWARE, low, high
        except Exception:  # noqa: BLE001, S110 - what was drawn is drawn: it must be shown
            pass
    return PLUG_IN, *released.posterior.interval(level)


def quick_groups(mechanism: Mechanism, k: int) -> bool:
    """Whether a receipt has time for the noise-aware intervals of groups of k answers. Public facts only.

    >>> from discreet import Geometric, PosteriorSpace
    >>> cells = PosteriorSpace(prior=[1] * 6, n=10**6)
    >>> quick_groups(Geometric(cells, epsilon="1/2"), 3), quick_groups(Geometric(cells, epsilon="1/100"), 3)
    (True, False)
    """
    cells = mechanism.space.k
    tables = cells // 2 if k == 2 else cells
    return quick(mechanism) and tables * mechanism.kernel.reach**2 * math.sqrt(k - 1) <= _PAIRS


def group_interval_kind(mechanism: Mechanism, k: int) -> str:
    """Which intervals a receipt of a cross table with k answers is going to have."""
    return NOISE_AWARE if quick_groups(mechanism, k) else PLUG_IN


def stated_groups(released: Released, level: float, k: int) -> tuple[str, Floats, Floats, Floats, Floats]:
    """The kind of the intervals, their ends for the k answers of each group, and those of the groups' own shares."""
    groups = [tuple(range(first, first + k)) for first in range(0, released.mechanism.space.k, k)]
    if quick_groups(released.mechanism, k):
        try:
            belief = released.noise_aware()
            within = [Within(belief, group) for group in groups]
            ends = [group.interval(level) for group in within]
            sizes = np.array([group.share.interval(level) for group in within])
            low, high = (np.array([pair[side] for pair in ends]) for side in (0, 1))
            if math.isfinite(float((low + high).sum() + sizes.sum())):
                return NOISE_AWARE, low, high, sizes[:, 0], sizes[:, 1]
        except Exception:  # noqa: BLE001, S110 - what was drawn is drawn: it must be shown
            pass
    parameters = released.posterior.parameters
    plain = [Dirichlet([parameters[i] for i in group]).interval(level) for group in groups]
    shares = Dirichlet([sum(parameters[i] for i in group) for group in groups]).interval(level)
    return PLUG_IN, np.array([low for low, _ in plain]), np.array([high for _, high in plain]), *shares
