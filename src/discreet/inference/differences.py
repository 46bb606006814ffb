"""The difference of two shares that are believed in independently: what an A/B test asks for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from discreet.arithmetic.numbers import exact
from discreet.errors import InvalidInput
from discreet.posteriors.mixtures import BetaMixture

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

_REACH, _NODES = 7.5, 151
"""The trapezoidal rule between these normal quantiles leaves out less than 1e-13."""


@dataclass(frozen=True)
class Difference:
    """X - Y for independent mixtures of Betas X and Y.

    >>> made = Difference(BetaMixture([1.0], [31.0], [71.0]), BetaMixture([1.0], [21.0], [81.0]))
    >>> round(made.mean, 4), round(made.probability, 3)
    (0.098, 0.948)
    """

    one: BetaMixture
    other: BetaMixture

    @property
    def mean(self) -> float:
        """The expected difference."""
        return float(self.one.mean - self.other.mean)

    @property
    def sd(self) -> float:
        """Its standard deviation."""
        return float((self.one.sd**2 + self.other.sd**2) ** 0.5)

    @property
    def probability(self) -> float:
        """P(X > Y)."""
        return 1 - float(self.cdf(0.0))

    @cached_property
    def _nodes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Quantiles of Y at evenly spaced normal quantiles: the integrand is smooth and vanishes at both ends."""
        import numpy as np
        from scipy.special import ndtr

        t = np.linspace(-_REACH, _REACH, _NODES)
        weight = np.exp(-t * t / 2)
        return self.other.quantile(ndtr(t)), weight / weight.sum()

    def cdf(self, d: ArrayLike) -> NDArray[np.float64]:
        """P(X - Y ≤ d) = ∫ F_X(y + d) dF_Y(y)."""
        import numpy as np

        at, weight = self._nodes
        where = np.asarray(d, dtype=np.float64)
        found: NDArray[np.float64] = self.one.cdf(np.clip(at + where[..., None], 0.0, 1.0)) @ weight
        return found

    def interval(self, level: object = 0.95) -> tuple[float, float]:
        """The equal-tailed interval."""
        from scipy import optimize

        share = exact(level, "level", above=0)
        if share >= 1:
            raise InvalidInput("level must be below 1", hint="give it as a share, such as 0.95")
        tail = float((1 - share) / 2)
        ends = [optimize.brentq(lambda d, p=p: float(self.cdf(d)) - p, -1.0, 1.0, xtol=1e-13) for p in (tail, 1 - tail)]
        return ends[0], ends[1]
