"""How far Laplace noise goes in L1: the tail of seed 003, section 3.1, put right and beside the exact one.

For m noises Y_i of scale b, Pr[max |Y_i| ≥ b·ln(m/γ)] ≤ γ, because each exceeds y with probability exp(-y/b). The
released counts follow: what the noise adds or takes in total bounds both sides of the move, clamped or not, so with
m = k-1 noises, rounded to whole numbers by at most ρ (½ to the nearest, 1 downwards),

    ‖released - true‖₁ ≤ 2m·(max |Y_i| + ρ).

(If the last category gained, nothing was cut off above, and the move is what the others lost; if not, it is what they
gained.) So Pr[L1 ≥ t] ≤ m·exp(-(t/(2m) - ρ)/b).
"""

from __future__ import annotations

import math

from discreet.arithmetic.numbers import exact_share
from discreet.errors import InvalidInput
from discreet.mechanisms import Mechanism
from discreet.samplers.noise import RoundedLaplace


def noise_threshold(mechanism: Mechanism, gamma: object) -> float:
    """b·ln(m/γ): the largest of the noises is below it with probability at least 1 - γ.

    >>> from discreet import LaplaceImproved, PosteriorSpace
    >>> mechanism = LaplaceImproved(PosteriorSpace(prior=[1, 1, 1], n=100), epsilon=1)
    >>> round(noise_threshold(mechanism, 0.05), 4), round(noise_exceeds(mechanism, noise_threshold(mechanism, 0.05)), 6)
    (7.3778, 0.049375)
    """
    noise = _laplace(mechanism)
    share = exact_share(gamma, "gamma", hint="give a small probability, such as 0.05")
    return math.log((mechanism.space.k - 1) / float(share)) / float(noise.rate)


def noise_exceeds(mechanism: Mechanism, y: float) -> float:
    """Pr[max |Y_i| ≥ y], exactly: 1 - (1 - exp(-y/b))^m."""
    noise = _laplace(mechanism)
    if y <= 0:
        return 1.0
    return -math.expm1((mechanism.space.k - 1) * math.log1p(-math.exp(-float(noise.rate) * y)))


def l1_tail(mechanism: Mechanism, t: float) -> float:
    """An upper bound on Pr[‖released - true‖₁ ≥ t], whatever the data; at most 1."""
    noise, noises = _laplace(mechanism), mechanism.space.k - 1
    reach = t / (2 * noises) - (1 - float(noise.shift))  # rounding moves a count by at most ½, and down by at most 1
    return min(1.0, noises * math.exp(-float(noise.rate) * reach)) if reach > 0 else 1.0


def _laplace(mechanism: Mechanism) -> RoundedLaplace:
    noise = mechanism.kernel.laplace
    if noise is None:
        raise InvalidInput(f"{mechanism.name} adds no Laplace noise", hint="ask for laplace or laplace-improved")
    return noise
