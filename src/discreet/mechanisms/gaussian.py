"""The discrete Gaussian mechanism: Gaussian noise that sums to zero, on whole counts. (ε, δ)-DP, for many releases.

P(z | c) ∝ exp(-‖z-c‖²/2σ²) over whole numbers z with Σz = n. No loss is the largest, so it is ε-DP for no ε: there is
always a δ > 0, which is known exactly (`discreet.mechanisms.gaussian_loss`). Its noise pays only if many releases are
composed, because losses near zero add up more slowly than the ±ε of geometric noise. The noisy counts z are the output,
and the posterior is that of the candidate nearest to them. Where n is private, z is any whole vector: each count has
noise of its own, and an added or removed record moves one of them by 1.
Tests: `tests/mechanisms/test_gaussian.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.numbers import Range, exact, exact_share
from discreet.errors import InvalidInput, NotPrivate
from discreet.mechanisms.base import read_epsilon
from discreet.mechanisms.gaussian_loss import GaussianLoss, gaussian_loss, least_deviation
from discreet.mechanisms.loss_pairs import LossPair
from discreet.mechanisms.noisy_counts import NoisyCounts
from discreet.posteriors.space import PosteriorSpace
from discreet.samplers.gaussian_noise import GaussianNoise, independent_gaussian, zero_sum_gaussian
from discreet.typing import Epsilon

SIGMA_RANGE = Range("0.05", "1e7")
DELTA_RANGE = Range("1e-40", "1")

_NEEDS_DELTA = "no noise with Gaussian tails is ε-DP without a δ"


@dataclass(frozen=True, kw_only=True, init=False, repr=False)
class Gaussian(NoisyCounts):
    """Noisy counts with the same total and Gaussian noise: by ε and δ, or by σ.

    σ is the least of 20 bits that was found to keep δ at ε, and is certified to. Of a σ, with δ, `epsilon` is the least
    that is certified. Without a δ there is nothing to release, but losses compose and errors can be asked for.

    >>> mechanism = Gaussian(PosteriorSpace(prior=[1, 1, 1], n=150), epsilon=1, delta="1e-6")
    >>> round(float(mechanism.sigma), 4), mechanism.delta
    (5.9766, Fraction(1, 1000000))
    >>> round(float(Gaussian(mechanism.space, sigma=6, delta="1e-6").epsilon), 6)
    0.995353
    """

    name: ClassVar[str] = "gaussian"
    sigma: Fraction
    slack: Fraction
    """δ, or 0 if none was asked for."""

    def __init__(
        self,
        space: PosteriorSpace,
        *,
        epsilon: Epsilon | None = None,
        delta: Epsilon | None = None,
        sigma: object = None,
    ) -> None:
        if epsilon is None and sigma is None:
            raise InvalidInput("gaussian needs epsilon and delta, or sigma", hint="give `epsilon=1, delta=1e-6`")
        if delta is None and epsilon is not None:
            raise InvalidInput(f"gaussian needs a delta: {_NEEDS_DELTA}", hint="give one, like 1e-6", parameter="delta")
        exact_epsilon = None if epsilon is None else read_epsilon(epsilon)
        slack = Fraction(0) if delta is None else exact_share(delta, "delta", hint="give a small number, like 1e-6")
        if slack:
            DELTA_RANGE.require(slack, "delta")
        if sigma is not None:
            deviation = exact(sigma, "sigma", above=0, between=SIGMA_RANGE)
        else:
            assert exact_epsilon is not None, "it was asked for above"
            deviation = max(
                least_deviation(exact_epsilon, slack, space.k, lone=not space.adjacency.keeps_total), Fraction(1, 20)
            )
            SIGMA_RANGE.require(deviation, "sigma")
        self._set(space=space, sigma=deviation, slack=slack)
        guarantee: Fraction | float = math.inf
        if slack:
            if exact_epsilon is None or self.loss.delta_bounds(exact_epsilon)[1] > slack:
                guarantee = self.loss.epsilon_bounds(slack)[1]
            else:
                guarantee = exact_epsilon
            by = f"noise of σ = {float(deviation):.6g} has δ ≤ {float(slack):.6g} at this ε, by its exact losses"
        else:
            by = _NEEDS_DELTA
        epsilon_of = exact_epsilon if exact_epsilon is not None else Fraction(guarantee) if slack else Fraction(0)
        self._set(epsilon=epsilon_of, guarantee=guarantee, guaranteed_by=by)

    @property
    def delta(self) -> Fraction:
        """The δ that the guarantee is for; 0 if none was asked for, and then there is none."""
        return self.slack

    @property
    def loss(self) -> GaussianLoss:
        """The exact losses between neighbours, the same for all data."""
        return gaussian_loss(self.sigma, self.space.k, lone=not self.space.adjacency.keeps_total)

    def loss_pairs(self) -> tuple[LossPair, ...]:
        """No pair with a largest loss dominates it."""
        raise NotPrivate("gaussian has no largest loss, and takes no slot of a schedule", hint="use geometric")

    @property
    def noise(self) -> GaussianNoise:
        """The law of z - c."""
        keeps_total = self.space.adjacency.keeps_total
        return (zero_sum_gaussian if keeps_total else independent_gaussian)(self.sigma**2, self.space.k)

    def require_guarantee(self) -> None:
        """Refuse, before any data is touched, what is not proved to be (ε, δ)-DP."""
        if not self.slack:
            raise NotPrivate(f"gaussian has no guarantee here: {_NEEDS_DELTA}", hint="give delta, like 1e-6")
        super().require_guarantee()

    def log_pmf(self, counts: object) -> Floats:
        """Log-probabilities of the released candidates, in their order, by summing over noise.

        Other noise than leads from one candidate to another is left out where its weight is below e^-36 of the largest,
        and what was summed is scaled up to 1.
        """
        checked = self.space.counts(counts)
        moves, masses = self.kernel.noise_list()
        return self._log_pmf(moves + np.array(checked, dtype=np.int64), masses)

    def parameters(self) -> dict[str, str]:
        """The noise's deviation before its total is kept, and δ."""
        return {"sigma": str(self.sigma), **({"delta": str(self.slack)} if self.slack else {})}

    def __repr__(self) -> str:
        facts = {**self.space.adjacency.sizes, **({"epsilon": self.epsilon} if self.slack else {}), **self.parameters()}
        return f"Gaussian({self.space.prior!r}, {', '.join(f'{key}={value}' for key, value in facts.items())})"
