"""The five upper bounds on Pr[H ≥ t] of the Hellinger family, from the exact one to the one that may be published.

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
from discreet.sensitivity.exact import global_sensitivity
from discreet.utility.count_blocks import CountBlocks
from discreet.utility.error_tables import line_table
from discreet.utility.metrics import METRIC
from discreet.utility.normaliser import finite_exp, hellinger_family, normaliser, normaliser_at


def bounds_at(mechanism: Mechanism, counts: Counts, t: float, exact: float) -> dict[str, float]:
    """The bounds for one data set, given the exact tail."""
    rate = float(mechanism.kernel.rates(np.array([counts]))[0])
    least = normaliser(mechanism).lower
    loose = _scaled(mechanism, rate, t, 1.0)
    return {
        "exact": exact,
        "normalised": loose / normaliser_at(mechanism, counts)[0],
        "n-normalised": loose / least,
        "loose": loose,
        "data-free": _scaled(mechanism, _slowest(mechanism), t, least),
    }


def bounds_everywhere(mechanism: Mechanism, t: float, exact: float) -> dict[str, float]:
    """The worst of each bound over all data sets, given the worst exact tail."""
    least, slowest = normaliser(mechanism).lower, _slowest(mechanism)
    data_free = _scaled(mechanism, slowest, t, least)
    return {
        "exact": exact,
        "normalised": _worst_normalised(mechanism, t),
        "n-normalised": data_free,
        "loose": _scaled(mechanism, slowest, t, 1.0),
        "data-free": data_free,
    }


def _worst_normalised(mechanism: Mechanism, t: float) -> float:
    """max over c of |R|·exp(-s·t/S(c))/NL(c)."""
    line = line_table(mechanism) if mechanism.space.k == 2 else None
    every = mechanism.kernel.enumerated if mechanism.space.k > 2 else line.every if line is not None else None
    if every is not None:
        rates, logs = every.rates, every.log_normalisers
    else:
        rates, lower, _ = CountBlocks(mechanism, METRIC["hellinger"], None).normalisers()
        logs = np.log(lower)
    return finite_exp(math.log(mechanism.space.size) + float((-rates * t - logs).max()))


def _slowest(mechanism: Mechanism) -> float:
    return float(hellinger_family(mechanism).scale) / global_sensitivity(mechanism.space)


def _scaled(mechanism: Mechanism, rate: float, t: float, normalised_by: float) -> float:
    return finite_exp(math.log(mechanism.space.size) - rate * t) / normalised_by
