"""The interval that a receipt prints: noise-aware where that is quick, by public facts, and otherwise plug-in.

A drawn release must not fail here, so whatever goes wrong ends in the plug-in interval with its own name.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from discreet.mechanisms import Geometric, Laplace, LaplaceImproved, Mechanism, Released
from discreet.mechanisms.snapped_counts import SnappedCounts
from discreet.space import exceeds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

NOISE_AWARE = "noise-aware, privacy noise included"
PLUG_IN = "plug-in, privacy noise not included"

_CELLS, _LISTED, _SNAPPED = 1 << 14, 1 << 11, 1 << 8


def quick(mechanism: Mechanism) -> bool:
    """Whether a receipt has time for the noise-aware interval: it takes a second at most. Public facts only.

    >>> from discreet import ExponentialGlobal, PosteriorSpace
    >>> quick(Geometric(PosteriorSpace(prior=[1, 1], n=10**9), epsilon=1))
    True
    >>> quick(ExponentialGlobal(PosteriorSpace(prior=[1, 1], n=10**9), epsilon=1))
    False
    """
    n, k = mechanism.space.n, mechanism.space.k
    if isinstance(mechanism, SnappedCounts):
        return k * n <= _SNAPPED
    if isinstance(mechanism, Geometric):
        return k * min(float(n), 160 / float(mechanism.epsilon)) <= _CELLS
    if isinstance(mechanism, Laplace | LaplaceImproved):
        # A count that was clamped leaves others free to be anything.
        return k * (n if k > 2 else min(float(n), 80 / float(mechanism.rate))) <= _CELLS
    return not exceeds(mechanism.space, _LISTED)


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
