"""What a reader may believe after a release: p(θ | o) = Σ_c p(c | o)·Dir(θ | α + c), a finite mixture of Dirichlets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from discreet.draw import SYSTEM, Bits
from discreet.errors import InvalidInput, TooLarge
from discreet.inference.differences import Difference
from discreet.inference.shares import draw_dirichlet
from discreet.mixtures import BetaMixture
from discreet.numbers import exact, whole
from discreet.posteriors import Dirichlet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from discreet.inference.groups import Within

    Floats = NDArray[np.float64]

Kind = Literal["equal-tailed", "highest-density"]

_STUDY = 1 << 15
_STARTS, _CLOSER = 17, 12


class CountPosterior(Protocol):
    """p(c | o): what is known of the counts. `error` bounds its total variation distance to the exact one."""

    error: float
    method: str

    def marginal(self, i: int) -> tuple[NDArray[np.int64], Floats]:
        """The counts of a category and their probabilities."""

    def pair(self, i: int, j: int) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
        """Joint counts of two categories and their probabilities."""

    def total(self, members: Sequence[int]) -> tuple[NDArray[np.int64], Floats]:
        """The counts of some categories together, and their probabilities."""

    def split(self, i: int, others: Sequence[int]) -> tuple[int, int, Floats]:
        """The joint law of a category's count and of others' together, as a table with the counts that it begins at."""

    def draw(self, bits: Bits, size: int) -> NDArray[np.int64]:
        """Whole data sets, one a row."""


@dataclass(frozen=True, eq=False)
class NoiseAware:
    """A reader's posterior of the shares, with the privacy noise in it.

    `error` bounds what was left out: the total variation distance to the exact mixture, so every probability, and every
    mean of a share, is within it. `method` says how the counts were weighed.

    >>> from discreet import Geometric, PosteriorSpace, noise_aware
    >>> belief = noise_aware(Geometric(PosteriorSpace(prior=[1, 1], n=100), epsilon=0.5), (60, 40))
    >>> low, high = belief.interval(0.95)
    >>> round(float(low[0]), 3), round(float(high[0]), 3), belief.error < 1e-9
    (0.487, 0.705, True)
    """

    prior: Dirichlet
    n: int
    counts: CountPosterior
    _cache: dict[int, BetaMixture] = field(default_factory=dict, repr=False)

    @property
    def k(self) -> int:
        """The number of categories."""
        return self.prior.k

    @property
    def error(self) -> float:
        """A bound on the total variation distance to the exact posterior."""
        return self.counts.error

    @property
    def method(self) -> str:
        """How the counts were weighed."""
        return self.counts.method

    def marginal(self, i: int) -> BetaMixture:
        """The posterior of one category's share."""
        at = _category(i, self.k)
        if at not in self._cache:
            count, chance = self.counts.marginal(at)
            own, total = float(self.prior.parameters[at]), float(self.prior.total)
            self._cache[at] = BetaMixture(chance, own + count, (total - own) + (self.n - count))
        return self._cache[at]

    @property
    def mean(self) -> Floats:
        """The expected share of each category."""
        import numpy as np

        return np.array([float(self.marginal(i).mean) for i in range(self.k)])

    @property
    def sd(self) -> Floats:
        """The standard deviation of each category's share."""
        import numpy as np

        return np.array([float(self.marginal(i).sd) for i in range(self.k)])

    def interval(self, level: object = 0.95, kind: Kind = "equal-tailed") -> tuple[Floats, Floats]:
        """The low ends and the high ends of each category's interval.

        `highest-density` is the shortest interval of the level; it is the highest-density region where that is one.
        """
        import numpy as np

        if kind not in ("equal-tailed", "highest-density"):
            raise InvalidInput("kind must be equal-tailed or highest-density", mend="leave it out for equal-tailed")
        share = exact(level, "level", above=0)
        if share >= 1:
            raise InvalidInput("level must be below 1", mend="give it as a share, such as 0.95")
        ends = [
            self.marginal(i).interval(share) if kind == "equal-tailed" else shortest(self.marginal(i), float(share))
            for i in range(self.k)
        ]
        return np.array([float(low) for low, _ in ends]), np.array([float(high) for _, high in ends])

    def cdf(self, x: ArrayLike, i: int = 0) -> Floats:
        """P(share of category i ≤ x)."""
        return self.marginal(i).cdf(x)

    def pdf(self, x: ArrayLike, i: int = 0) -> Floats:
        """The density of category i's share at x."""
        return self.marginal(i).pdf(x)

    def probability(self, i: int, j: int) -> float:
        """The probability that category i's share exceeds category j's.

        Given the counts, θ_i/(θ_i+θ_j) is Beta(α_i+c_i, α_j+c_j). Where the joint counts are too many to list, it is a
        mean over 2¹⁵ drawn data sets, with a standard error below 0.003.
        """
        import numpy as np
        from scipy.special import betainc

        one, other = _category(i, self.k), _category(j, self.k)
        if one == other:
            raise InvalidInput("a category does not exceed itself", mend="name two categories")
        try:
            first, second, chance = self.counts.pair(one, other)
        except TooLarge:
            rows = self.counts.draw(SYSTEM, _STUDY)
            first, second, chance = rows[:, one], rows[:, other], np.full(_STUDY, 1 / _STUDY)
        alpha = self.prior.alpha
        return float(chance @ betainc(alpha[other] + second, alpha[one] + first, 0.5))

    def within(self, categories: Sequence[int]) -> Within:
        """What may be believed of the shares among these categories alone: of one group of a cross table.

        >>> from discreet import Geometric, PosteriorSpace, noise_aware
        >>> belief = noise_aware(Geometric(PosteriorSpace(prior=[1, 1, 1, 1], n=100), epsilon=1), (30, 10, 20, 40))
        >>> [round(float(x), 3) for x in belief.within([0, 1]).mean]
        [0.739, 0.261]
        """
        from discreet.inference.groups import Within

        return Within(self, tuple(categories))

    def difference(self, other: NoiseAware, i: int = 0) -> Difference:
        """Category i's share here minus there, for releases about different people: an A/B test."""
        return Difference(self.marginal(i), other.marginal(i))

    def posterior_predictive(self, m: object = 1, i: int = 0) -> Floats:
        """The law of how many of m further records fall into category i: probabilities of 0, 1, …, m."""
        import numpy as np
        from scipy.special import betaln, gammaln

        size = whole(m, "m", minimum=1)
        if size > 1 << 16:
            raise TooLarge("a predictive law ends at 65,536 further records", mend="use draws of sample")
        mixture, x = self.marginal(i), np.arange(size + 1)
        ways = gammaln(size + 1) - gammaln(x + 1) - gammaln(size - x + 1)
        found = np.zeros(size + 1)
        for a, b, weight in zip(mixture.a, mixture.b, mixture.weights, strict=True):
            found += weight * np.exp(ways + betaln(a + x, b + size - x) - betaln(a, b))
        return found

    def sample(self, size: object) -> Floats:
        """Independent draws of all shares, one a row, from the operating system's bits."""
        return self._sample(SYSTEM, whole(size, "size", minimum=1))

    def _sample(self, bits: Bits, size: int) -> Floats:
        return draw_dirichlet(bits, self.prior.alpha + self.counts.draw(bits, size))

    def to_arviz(self, size: object = 4000, *, categories: Any = None) -> Any:
        """An `arviz.InferenceData` of independent draws (the extra `arviz`)."""
        from discreet.bridges.arviz import to_arviz

        return to_arviz(self, size, categories=categories)


def shortest(mixture: BetaMixture, level: float) -> tuple[Floats, Floats]:
    """The shortest interval of a level: the p that minimises Q(p+level) - Q(p), on a grid and then on closer ones."""
    import numpy as np

    low, high = np.array([1e-12, 1 - 1e-12]) * (1 - level)
    starts, points = np.linspace(low, high, _STARTS), _STARTS
    for _ in range(_CLOSER):
        best = int(np.argmin(mixture.quantile(starts + level) - mixture.quantile(starts)))
        p = starts[best]
        starts = np.linspace(starts[max(best - 1, 0)], starts[min(best + 1, points - 1)], 5)
        points = 5
    return mixture.quantile(p), mixture.quantile(p + level)


def _category(i: object, k: int) -> int:
    at = whole(i, "a category's number")
    if at >= k:
        raise InvalidInput(f"categories are numbered 0 to {k - 1}", mend="name one of them")
    return at
