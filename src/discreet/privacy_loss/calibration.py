"""The slack of a theorem turned into accuracy: the largest scale whose certified loss is at most ε.

For each smoothing rate γ the scale is found whose loss is ε, and for the best γ a scan from above makes sure that no
larger one was missed: the loss is not monotone in s everywhere. A privacy loss changes with s at a rate of at most
1 + Γ + ln|R|/s (its numerator by 1 + Γ; each normaliser's logarithm by the expected score, which is in [0, ln|R|/s]),
so a scale whose loss is too large by x excludes all scales closer than x over that rate. γ is chosen for the least
expected error under the prior predictive: public facts only. The result is audited, and refused if that disagrees.
Two categories beyond enumeration have their own search (`discreet.privacy_loss.large_n`).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.arithmetic.numbers import exact
from discreet.errors import InvalidInput, NotPrivate
from discreet.mechanisms import BY_NAME, Geometric, Laplace, LaplaceImproved, Mechanism
from discreet.mechanisms.base import EPSILON_RANGE, asked_epsilon
from discreet.mechanisms.exponential import (
    Exponential,
    ExponentialReciprocal,
    ExponentialSmooth,
)
from discreet.posteriors.predictive import log_predictive
from discreet.posteriors.space import PosteriorSpace
from discreet.privacy_loss.audits import audit, require_space
from discreet.privacy_loss.best_gamma import best_gamma
from discreet.privacy_loss.large_n import LongSearch
from discreet.privacy_loss.scan import Dense, LineScan, scannable, scanner
from discreet.sensitivity.vectorised import Steps
from discreet.typing import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TOLERANCE = 1e-9
_ALIKE = 1e-7
_SECANTS = 12
_CHECKS = 400
_NEAR = 1e-4


def calibrate(
    name: str, space: PosteriorSpace, *, epsilon: object, gamma: object = None, progress: Progress | None = None
) -> Mechanism:
    """The family's member with the largest scale found, and the best γ, whose certified loss is at most ε.

    >>> mechanism = calibrate("exponential-global", PosteriorSpace(prior=[1, 1], n=50), epsilon=1)
    >>> mechanism.guarantee <= 1, round(float(mechanism.scale), 3)
    (True, 0.881)
    """
    asked = asked_epsilon(epsilon)
    family = BY_NAME.get(name)
    if gamma is not None and family not in (ExponentialReciprocal, ExponentialSmooth):
        raise InvalidInput("only smooth and reciprocal sensitivities have a gamma", hint="leave it out")
    if family is Geometric:
        return Geometric(space, epsilon=asked)
    if family is Laplace or family is LaplaceImproved:
        return family.at_full_loss(space, epsilon=asked)
    if family is None or not issubclass(family, Exponential):
        raise InvalidInput(
            "this mechanism has no scale to calibrate", hint="choose an exponential, laplace or geometric"
        )
    if space.k == 2 and not scannable(space):
        return LongSearch(family, space, asked, progress).found(gamma)
    return _Search(family, require_space(space), asked, progress).found(gamma)


class _Search:
    """All that the search for one family, space and ε shares."""

    def __init__(
        self, family: type[Exponential], space: PosteriorSpace, epsilon: Fraction, progress: Progress | None
    ) -> None:
        self.family, self.space, self.epsilon, self.progress = family, space, epsilon, progress
        self.scan: Dense | LineScan = scanner(space)
        self.steps = Steps(space, self.scan.rows)
        self.target = float(epsilon) - 1e-9 * float(epsilon) - 5e-10
        self.weights = self._weights()
        self._done = 0
        self._guess = float(epsilon) / 2

    def found(self, gamma: object) -> Mechanism:
        """Search, then audit what was found."""
        if self.family in (ExponentialReciprocal, ExponentialSmooth):
            asked = None if gamma is None else exact(gamma, "gamma", above=0, between=EPSILON_RANGE)
            top = 3.0 if self.family is ExponentialReciprocal else 1.0
            options = {"gamma": Fraction(f"{best_gamma(self._error, top):.6g}") if asked is None else asked}
        else:
            options = {}
        inverse = self._inverse(float(options["gamma"])) if options else self._inverse(0.0)
        scale = self._largest(inverse, self._edge(inverse))
        for _ in range(8):
            mechanism = self.family(self.space, scale=_short(scale), **options)
            result = audit(mechanism)
            if result.epsilon <= self.epsilon:
                return mechanism.certified(self.epsilon, result.epsilon, result.certificate.statement)
            # The loss grows about in proportion to the scale; the margin of a strong prior is more than a hair.
            scale *= min(1 - 1e-8, float(self.epsilon / Fraction(result.epsilon)))
        raise NotPrivate("calibration could not be certified", hint="use the nominal setting")

    def _error(self, gamma: float) -> float:
        inverse = self._inverse(gamma)
        scale = self._guess = self._near(inverse)
        self._done += 1
        if self.progress is not None:
            self.progress(self._done, 35)
        found: float = self.scan.mean_error(scale * inverse, self.weights)
        return found

    def _inverse(self, gamma: float) -> NDArray[np.float64]:
        return self.steps.inverse(self.family, gamma)

    def _loss(self, scale: float, inverse: NDArray[np.float64]) -> float:
        found: float = self.scan.worst(scale * inverse).loss
        return found

    def _near(self, inverse: NDArray[np.float64]) -> float:
        """A scale whose loss is about the target, to compare γ by: secants from the last one.

        Another γ moves it little, and the loss is nearly proportional to the scale, so three or four scans do.
        """
        scale, before = self._guess, (0.0, 0.0)
        for _ in range(_SECANTS):
            loss = self._loss(scale, inverse)
            if abs(loss - self.target) <= _ALIKE * self.target:
                return scale
            slope = (loss - before[1]) / (scale - before[0]) if scale != before[0] else 0.0
            before = scale, loss
            moved = scale + (self.target - loss) / slope if slope > 0 else 0.0
            scale = min(max(moved, scale / 4), 4 * scale)
        return self._edge(inverse)

    def _edge(self, inverse: NDArray[np.float64]) -> float:
        """A scale whose loss is at most the target while one slightly larger has more."""
        from scipy.optimize import brentq

        low, high = 0.0, float(self.epsilon) / 2
        while self._loss(high, inverse) <= self.target:
            low, high = high, 2 * high

        def beyond(scale: float) -> float:
            return (self._loss(scale, inverse) if scale else 0.0) - self.target

        found = float(brentq(beyond, low, high, xtol=_TOLERANCE * high / 4, rtol=1e-14))
        below = found * (1 - _TOLERANCE / 2)
        return below if below > low and beyond(below) <= 0 else self._up(low, found, inverse)

    def _largest(self, inverse: NDArray[np.float64], known: float) -> float:
        """Walk down from a scale that is surely too large, skipping only what the rate of change excludes."""
        size = len(self.scan.rows)
        scale = self._surely_too_large(inverse)
        growth = 1 + float(abs(inverse[1:] - inverse[:-1]).max()) if self.space.k == 2 else 1 + float(inverse.max())
        for _ in range(_CHECKS):
            excess = self._loss(scale, inverse) - self.target
            if excess < _NEAR * self.target:
                # The steps shrink towards an edge from above and would never cross it: look just beyond.
                for beyond in (0.0, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3):
                    if self._loss(scale * (1 - beyond), inverse) <= self.target:
                        return self._up(scale * (1 - beyond), scale * (1 - beyond) * (1 + 1e-3), inverse)
            step = excess / (growth + math.log(size) / known)
            scale -= step
            if scale <= known * (1 + 1e-3):
                break
        return known

    def _up(self, low: float, high: float, inverse: NDArray[np.float64]) -> float:
        """From a scale that fits to an edge above it."""
        while high - low > _TOLERANCE * high:
            middle = (low + high) / 2
            if self._loss(middle, inverse) <= self.target:
                low = middle
            else:
                high = middle
        return low

    def _surely_too_large(self, inverse: NDArray[np.float64]) -> float:
        """P(c|c) ≥ 1/|R| and P(c|c') ≤ exp(-s·H(c,c')/S(c')), so the loss is at least s·H/S - ln|R|."""
        if isinstance(self.scan, Dense):
            steps = max(
                float((self.scan.distances[one, other] * inverse[other]).max()) for one, other in self.scan._moves
            )
        else:
            steps = float((self.scan.steps * inverse[1:]).max())
        return (float(self.epsilon) + math.log(len(self.scan.rows))) / steps

    def _weights(self) -> NDArray[np.float64]:
        """The prior predictive; on long lines at 200 strata of it, which is enough to choose γ by."""
        import numpy as np

        weights = np.exp(log_predictive(self.space.prior, self.scan.rows))
        if isinstance(self.scan, Dense):
            shown: NDArray[np.float64] = weights / weights.sum()
            return shown
        at = np.searchsorted(np.cumsum(weights) / weights.sum(), (np.arange(200) + 0.5) / 200)
        strata = np.zeros_like(weights)
        np.add.at(strata, np.minimum(at, len(weights) - 1), 1 / 200)
        return strata


def _short(scale: float) -> Fraction:
    """The scale, rounded down to 31 bits: a receipt names it.

    >>> _short(0.97)
    Fraction(1041529569, 1073741824)
    """
    share, power = math.frexp(scale)
    return Fraction(math.floor(share * 2**31)) * Fraction(2) ** (power - 31)
