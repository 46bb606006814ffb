"""Upper bounds on the tail of the error, from the exact one to the one that may be published.

The Hellinger family has five on Pr[H ≥ t]:

    exact         Σ_{H(c,r) ≥ t} exp(-s·H/S(c)) / NL(c)
    normalised    |R|·exp(-s·t/S(c)) / NL(c)
    n-normalised  |R|·exp(-s·t/S(c)) / N(n)
    loose         |R|·exp(-s·t/S(c))
    data-free     |R|·exp(-s·t/max S) / N(n)

Each is at most the next, but for the last two, which are not comparable. With counts the first four speak of the data.
Without counts each is its own worst case over all data sets, which depends on nobody: then n-normalised and data-free
agree. max S is the global sensitivity for all four kinds. A bound can exceed 1.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.mechanisms import Mechanism
from discreet.posteriors.space import Counts
from discreet.samplers.noise import RoundedLaplace
from discreet.sensitivity.exact import global_sensitivity
from discreet.utility.count_blocks import CountBlocks
from discreet.utility.metrics import METRIC
from discreet.utility.normaliser import enumerated_rows, hellinger_family, log_normaliser_at, normaliser


def hellinger_bounds(mechanism: Mechanism, counts: Counts | None, t: float, exact: float) -> dict[str, float]:
    """The bounds for one data set, or the worst of each over all data sets, given the exact tail."""
    family = hellinger_family(mechanism)
    slowest = float(family.scale) / global_sensitivity(family.space)
    rate = slowest if counts is None else float(family.kernel.rates(np.array([counts]))[0])
    log_least, log_size = math.log(normaliser(family).lower), math.log(family.space.size)
    if counts is None:
        log_normalised = log_size + _worst_normalised(family, t)
    else:
        log_normalised = log_size - rate * t - log_normaliser_at(family, counts)[0]
    return {
        "exact": exact,
        "normalised": _finite_exp(log_normalised),
        "n-normalised": _finite_exp(log_size - rate * t - log_least),
        "loose": _finite_exp(log_size - rate * t),
        "data-free": _finite_exp(log_size - slowest * t - log_least),
    }


def _worst_normalised(mechanism: Mechanism, t: float) -> float:
    """max over c of ln exp(-s·t/S(c))/NL(c)."""
    rows = enumerated_rows(mechanism)
    if rows is not None:
        rates, logs = rows.rates, rows.log_normalisers
    else:
        rates, lower, _ = CountBlocks(mechanism, METRIC["hellinger"], None).normalisers()
        logs = np.log(lower)
    return float((-rates * t - logs).max())


def _finite_exp(x: float) -> float:
    """e^x, or infinity where no float is as large."""
    return math.exp(x) if x < 700 else math.inf


def l1_tail(noise: RoundedLaplace, k: int, t: float) -> float:
    """An upper bound on Pr[‖released - true‖₁ ≥ t] for Laplace noise, whatever the data; at most 1.

    The tail of paper 003, section 3.1, put right: for m = k-1 noises Y_i of scale b, Pr[max |Y_i| ≥ y] ≤ m·exp(-y/b).
    What the noise adds or takes in total bounds both sides of the move, clamped or not: if the last category gained,
    nothing was cut off above, and the move is what the others lost; if not, it is what they gained. So with counts
    rounded by at most ρ (½ to the nearest, 1 downwards), ‖released - true‖₁ ≤ 2m·(max |Y_i| + ρ).
    """
    reach = t / (2 * (k - 1)) - (1 - float(noise.shift))
    return min(1.0, (k - 1) * math.exp(-float(noise.rate) * reach)) if reach > 0 else 1.0
