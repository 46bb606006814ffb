"""N(n) = min NL(c), the formula that the papers left open; NL(c) = Σ_r exp(-s·H(c,r)/S(c)).

With two categories the least NL lies at an end of the line, where only one side exists, or within three records of the
data set whose S is least: the balanced one, if the priors are equal. That is seen, not proved (600 random spaces;
`tests/utility/test_normaliser.py`). Well inside a large space H(c, c+v) is about |v|·LS(c), so NL(c) tends to
Σ_v exp(-s|v|) = coth(s/2), from above and slowly for small s; at the ends and under the global sensitivity it grows
with n. So N(n) tends to coth(s/2), or for the global sensitivity to infinity.

Up to n = 65,535 and for enumerable spaces of more categories, N is a scan of all data sets. Beyond, its value is the
least at those few, and `lower` is a proven bound for all data sets: bounds on the error use `lower`, and hold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from discreet.errors import InvalidInput, TooLarge
from discreet.kernels.exponential import LONGEST, LONGEST_ROW, Enumerated
from discreet.mechanisms import Mechanism
from discreet.mechanisms.exponential import Exponential
from discreet.posteriors.space import Counts, exceeds, require_enumerable
from discreet.testing import HashedBits
from discreet.utility.count_blocks import CountBlocks
from discreet.utility.error_tables import MAX_CELLS, WeightedTable
from discreet.utility.metrics import METRIC

PROPOSALS = 40_000
"""How many proposals tell a normaliser that cannot be enumerated: within about 2 % at k = 10."""


@dataclass(frozen=True)
class Normaliser:
    """N(n): its value, a lower bound on it, the data set that reaches it, and (two categories) its limit."""

    value: float
    lower: float
    counts: tuple[int, ...]
    limit: float | None
    method: str


@lru_cache(maxsize=16)
def normaliser(mechanism: Mechanism) -> Normaliser:
    """N(n) of a Hellinger mechanism.

    >>> from discreet import ExponentialReciprocal, PosteriorSpace
    >>> least = normaliser(ExponentialReciprocal(PosteriorSpace(prior=[1, 1], n=1000), scale="1/2"))
    >>> round(least.value, 4), least.counts, round(least.limit, 4)
    (4.0947, (500, 500), 4.083)
    """
    family = hellinger_family(mechanism)
    space, limit = family.space, None
    if space.k == 2:
        limit = math.inf if family.kernel.same_rates else 1 / math.tanh(float(family.scale) / 2)
    rows = enumerated_rows(family)
    if rows is not None:
        rank = int(rows.log_normalisers.argmin())
        value = math.exp(rows.log_normalisers[rank])
        return Normaliser(value, value, space.candidates().unrank(rank), limit, "enumeration")
    if space.k > 2:
        require_enumerable(space, limit=LONGEST_ROW)
        raise TooLarge("N(n) would need all candidates of a space with too many", hint="take fewer records")
    log_value, counts = min((log_normaliser_at(family, c)[1], tuple(c)) for c in _extremes(family))
    value, lower = math.exp(log_value), float(CountBlocks(family, METRIC["hellinger"], None).normalisers()[1].min())
    return Normaliser(value, min(lower, value), counts, limit, "the extreme data sets, and a lower bound for all")


def enumerated_rows(mechanism: Mechanism) -> Enumerated | None:
    """All rows of a Hellinger mechanism, unless they are too many."""
    try:
        table = WeightedTable(mechanism)
    except TooLarge:
        return None
    return table.enumerated if table.cells <= MAX_CELLS else None


def log_normaliser_at(mechanism: Mechanism, counts: object) -> tuple[float, float]:
    """ln NL(c) from below and from above, for any n and k. It speaks of the data.

    Two categories: enumerated or enclosed. More: enumerated while a row is short; beyond, from proposals of the exact
    sampler, the same ones on every run, within an interval that holds with 99 %
    (`discreet.samplers.bulk_rejection`).

    >>> from discreet import ExponentialLocal, PosteriorSpace
    >>> mechanism = ExponentialLocal(PosteriorSpace(prior=[1] * 10, n=10**6), scale="1/2")
    >>> low, high = log_normaliser_at(mechanism, [10**5] * 10)
    >>> low < 22.2 < high < low + 0.1
    True
    """
    family = hellinger_family(mechanism)
    checked = family.space.counts(counts)
    if not exceeds(family.space, LONGEST if family.space.k == 2 else LONGEST_ROW):
        value = float(family.kernel.log_normaliser(checked).values)
        return value, value
    if family.space.k == 2:
        _, lower, upper = CountBlocks(family, METRIC["hellinger"], checked).normalisers()
        return math.log(lower[0]), math.log(upper[0])
    estimate = family.law(checked).proposals().log_normaliser(HashedBits("normaliser"), PROPOSALS)
    return estimate.log_lower, estimate.log_upper


def hellinger_family(mechanism: Mechanism) -> Exponential:
    """The mechanism, if its weights fall with the Hellinger distance."""
    if not isinstance(mechanism, Exponential):
        raise InvalidInput(f"{mechanism.name} has no normaliser", hint="ask for one of the exponential mechanisms")
    return mechanism


def _extremes(mechanism: Exponential) -> list[Counts]:
    """The ends, and the counts about the one with the least S: 1/S rises to it from either side."""
    n = mechanism.space.n
    low, high = 0, n
    while high - low > 2:
        left, right = low + (high - low) // 3, high - (high - low) // 3
        below, above = mechanism.kernel.rate_bounds(*2 * (np.array([left, right]),))[0]
        low, high = (left, high) if below < above else (low, right)
    return [Counts((c, n - c)) for c in sorted({0, n, *range(low - 3, high + 4)}) if 0 <= c <= n]
