"""Many releases from the same records at one price: geometric or Gaussian noise, at their exact composition.

Both mechanisms are given the least noise with which all releases together are (ε, δ)-DP. Geometric noise has the
smaller deviation for few releases, Gaussian noise for many: losses near zero add up more slowly than those of ±ε.
Tests: `tests/utility/test_releases.py`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction

from discreet.arithmetic.numbers import exact_share, whole
from discreet.errors import InvalidInput
from discreet.mechanisms import Gaussian, Geometric, Mechanism
from discreet.mechanisms.base import read_epsilon
from discreet.mechanisms.gaussian_loss import least_deviation
from discreet.mechanisms.loss_pairs import GeometricPair
from discreet.posteriors.space import PosteriorSpace
from discreet.privacy_loss.loss_distributions import compose_pairs
from discreet.typing import Epsilon
from discreet.utility.plans import CLEARLY, Plan, measured_row
from discreet.utility.widths import cell_rate, width_without_privacy

MAX_RELEASES = 100_000
DIGITS = 16
"""Bits of the ε of one geometric release, rounded down."""

SETTING = "composed"


@dataclass(frozen=True)
class ReleaseNoise:
    """What one of many releases is drawn by, and the standard deviation of one count's noise, in people."""

    mechanism: Mechanism
    deviation: float


def release_noises(space: PosteriorSpace, releases: int, epsilon: Fraction, delta: Fraction) -> dict[str, ReleaseNoise]:
    """Both mechanisms with the least noise that keeps ε and δ for all releases together.

    >>> noises = release_noises(PosteriorSpace(prior=[1, 1], n=500), 40, Fraction(1), Fraction(1, 10**6))
    >>> {name: round(noise.deviation, 2) for name, noise in noises.items()}
    {'geometric': 36.38, 'gaussian': 26.72}
    """
    k = space.k
    each = _largest_epsilon(k, releases, epsilon, delta)
    rate = cell_rate(float(each) / 2, k)
    sigma = least_deviation(epsilon, delta, k, releases)
    return {
        "geometric": ReleaseNoise(Geometric(space, epsilon=each), math.sqrt(0.5) / math.sinh(rate / 2)),
        "gaussian": ReleaseNoise(
            Gaussian(space, sigma=sigma, delta=delta / releases), float(sigma) * math.sqrt((k - 1) / k)
        ),
    }


def _largest_epsilon(k: int, releases: int, epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest ε of so many bits with which geometric releases together certainly keep ε and δ."""

    def keeps(each: Fraction) -> bool:
        return compose_pairs({GeometricPair(each, k): releases}).epsilon(delta).exact <= epsilon

    least = epsilon / releases  # the sum needs no δ
    if keeps(epsilon):
        return epsilon
    unit = Fraction(2) ** (math.frexp(float(least))[1] - DIGITS)
    units, stride = math.floor(least / unit), 1 << (DIGITS - 4)
    while keeps((units + stride) * unit):
        units, stride = units + stride, 2 * stride
    units = bisect_left(range(units + stride), True, lo=units + 1, key=lambda more: not keeps(more * unit)) - 1
    return max(least, units * unit)


def plan_releases(
    space: PosteriorSpace, releases: object, epsilon: Epsilon, delta: Epsilon | None, level: Fraction
) -> Plan:
    """Both mechanisms side by side for so many releases, and the one to use."""
    if not space.adjacency.keeps_total:
        raise InvalidInput("releases of a private n are not planned together", hint="give n")
    count, price = whole(releases, "releases", minimum=1), read_epsilon(epsilon)
    if count > MAX_RELEASES:
        raise InvalidInput(f"at most {MAX_RELEASES:,} releases are planned", hint="give fewer", parameter="releases")
    if delta is None:
        raise InvalidInput("many releases are planned for a delta", hint="give one, like 1e-6", parameter="delta")
    slack = exact_share(delta, "delta", hint="give a small number, like 1e-6")
    noises = release_noises(space, count, price, slack)
    rows = {name: measured_row(noise.mechanism, SETTING, level, compare=False) for name, noise in noises.items()}
    sizes = {name: noise.deviation for name, noise in noises.items()}
    better = "gaussian" if sizes["gaussian"] < (1 - CLEARLY) * sizes["geometric"] else "geometric"
    [other] = set(sizes) - {better}
    gain = sizes[other] / sizes[better] - 1
    return Plan(
        space=space,
        epsilon=price,
        mechanisms=tuple(rows.values()),
        omitted=(),
        recommended=better,
        setting=SETTING,
        reason=f"the noise of a count has a standard deviation of {sizes[better]:.4g} people, with {other} "
        f"{sizes[other]:.4g} ({100 * abs(gain):.1f} % {'more' if gain >= 0 else 'less, which is not clearly less'})",
        interval_width_without_privacy=width_without_privacy(space, level).value,
        question={
            "epsilon": str(price),
            "delta": str(slack),
            "releases": count,
            "each": {name: noise.mechanism.parameters() for name, noise in noises.items()}
            | {"geometric": {"epsilon": str(noises["geometric"].mechanism.epsilon)}},
            "noise_sd": sizes,
        },
        level=level,
    )
