"""Does a sample come from a law? A likelihood-ratio test with few false alarms, used where bits are fixed.

The samplers under test read reproducible bits, so a test either passes for ever or fails for ever; the false-alarm rate
says how seldom the first run of a right sampler would have failed.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from scipy import stats

from discreet.mechanisms import Mechanism
from discreet.mechanisms.law import Law
from discreet.testing import HashedBits

Outcome: TypeAlias = tuple[int, ...]

FALSE_ALARM = 1e-9

TELLING = 6000
"""So many draws tell a law from one whose scale is 30 % off."""

LEAST_EXPECTED = 20.0
"""Cells that expect fewer than this are pooled: the test's own law is an approximation for many draws a cell."""


def tally(outcomes: Iterable[Sequence[int]]) -> Counter[Outcome]:
    """How often each outcome was drawn; rows of an array are outcomes too."""
    return Counter(tuple(int(x) for x in outcome) for outcome in outcomes)


def p_value(counts: Mapping[Outcome, int], law: Mapping[Outcome, float]) -> float:
    """How likely a sample at least as unlike the law is; 0 if something was seen that cannot happen.

    What the law leaves of 1 belongs to all outcomes that it does not list. G = 2·Σ seen·ln(seen/expected) over cells
    is compared with the χ² law of one degree of freedom less than there are cells.
    """
    draws = sum(counts.values())
    rest = max(0.0, 1.0 - math.fsum(law.values()))
    elsewhere = sum(count for outcome, count in counts.items() if outcome not in law)
    if any(counts.get(outcome, 0) and not mass for outcome, mass in law.items()) or (elsewhere and rest < 1e-12):
        return 0.0
    by_mass = sorted((mass, outcome) for outcome, mass in law.items() if mass)  # never by what was seen
    cells = _pool([(draws * rest, elsewhere), *((draws * mass, counts.get(outcome, 0)) for mass, outcome in by_mass)])
    g = 2 * math.fsum(count * math.log(count / expected) for expected, count in cells if count)
    return float(stats.chi2.sf(max(g, 0.0), len(cells) - 1)) if len(cells) > 1 else 1.0


def _pool(cells: Iterable[tuple[float, int]]) -> list[tuple[float, int]]:
    """Join cells from the least expected upward, until each expects enough."""
    pooled: list[tuple[float, int]] = []
    expected, count = 0.0, 0
    for more_expected, more in cells:
        expected, count = expected + more_expected, count + more
        if expected >= LEAST_EXPECTED:
            pooled.append((expected, count))
            expected, count = 0.0, 0
    if pooled:
        last_expected, last = pooled.pop()
        return [*pooled, (last_expected + expected, last + count)]
    return [(expected, count)]


def fits(counts: Mapping[Outcome, int], law: Mapping[Outcome, float]) -> bool:
    """Whether a sample may come from a law; a right one is refused once in 10⁹ times."""
    return p_value(counts, law) > FALSE_ALARM


def pmf(mechanism: Mechanism, counts: Sequence[int]) -> dict[Outcome, float]:
    """The law on candidates."""
    return dict(zip(mechanism.space.candidates(), np.exp(mechanism.log_pmf(counts)).tolist(), strict=True))


def assert_drawn_from(
    law: Law, meant: Mapping[Outcome, float], *wrong: Mapping[Outcome, float], few: int = 6000
) -> None:
    """Draws one by one and ten times as many at once have the law that is meant, and none of the wrong ones."""
    bits = HashedBits(f"{len(meant)} outcomes")
    for counts in (tally(law._draw(bits) for _ in range(few)), tally(law._draw_many(bits, 10 * few).tolist())):
        assert fits(counts, meant)
        assert counts.total() < TELLING or not any(fits(counts, other) for other in wrong)
