"""What a reader may believe of one group of a cross table: the shares within it, and its own share of all records.

Given the counts, the shares within a group are Dirichlet(α_g + c_g), whatever the other groups are like. So a share
within a group is a mixture of Beta(α_i + x, A - α_i + y) over the count x of its cell and the count y of the group's
other cells. Their joint law given the release is exact: the noise on each cell is independent but for its total, so
what the group's others and all other groups sum to are convolutions. `tests/inference/test_groups.py` compares it
with a sum over all data sets.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Generic, SupportsFloat, TypeVar

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.cards import AWARE_KEY, Ends, card, share_bar
from discreet.arithmetic.numbers import exact, exact_share, whole
from discreet.errors import InvalidInput
from discreet.inference.beta_tables import LEFT_OUT, ROUNDING, BetaTable
from discreet.posteriors import Dirichlet
from discreet.posteriors.mixtures import ShareLaw

if TYPE_CHECKING:
    from discreet.inference.posterior import NoiseAware

OneShare = TypeVar("OneShare", bound=ShareLaw)


class Marginals(ABC, Generic[OneShare]):
    """The shares of several categories, one by one."""

    _what: ClassVar = "categories"

    @property
    @abstractmethod
    def k(self) -> int:
        """The number of categories."""

    @abstractmethod
    def _marginal(self, at: int) -> OneShare: ...

    def _like(self, at: int) -> int:
        """A category whose share has the same law."""
        return at

    @cached_property
    def _marginals(self) -> dict[int, OneShare]:
        return {}

    def marginal(self, i: int) -> OneShare:
        """The posterior of one category's share."""
        at = self._like(self._category(i))
        if at not in self._marginals:
            self._marginals[at] = self._marginal(at)
        return self._marginals[at]

    def _category(self, i: object) -> int:
        at = whole(i, "a category's number")
        if at >= self.k:
            raise InvalidInput(f"{self._what} are numbered 0 to {self.k - 1}", hint="name one of them")
        return at

    @property
    def mean(self) -> Floats:
        """The expected share of each category."""
        return self._each(lambda law: float(law.mean))

    @property
    def sd(self) -> Floats:
        """The standard deviation of each category's share."""
        return self._each(lambda law: float(law.sd))

    def ends(self, i: int) -> Ends:
        """The low end, the mean and the high end of one category's 95 % interval."""
        law = self.marginal(i)
        low, high = map(float, law.interval())
        return low, float(law.mean), high

    def _repr_html_(self) -> str:
        bars = (share_bar(i + 1, self.ends(i)) for i in range(self.k))
        return card("What a reader may believe", f"Of {self.k:,} {self._what}.", bars=bars, key=AWARE_KEY)

    def _intervals(self, interval: Callable[[OneShare], Iterable[SupportsFloat]]) -> tuple[Floats, Floats]:
        ends = self._each(lambda law: [float(end) for end in interval(law)])
        return ends[:, 0], ends[:, 1]

    def _each(self, of: Callable[[OneShare], float | list[float]]) -> Floats:
        """A number, or several, of each category: once for those that have one law."""
        laws = [self.marginal(i) for i in range(self.k)]
        numbers = {id(law): of(law) for law in {id(law): law for law in laws}.values()}
        return np.array([numbers[id(law)] for law in laws])


@dataclass(frozen=True, eq=False)
class Within(Marginals[BetaTable]):
    """The shares among some of the categories, in their order; `error` bounds every probability as `NoiseAware` does.

    >>> from discreet import Geometric, PosteriorSpace, noise_aware
    >>> belief = noise_aware(Geometric(PosteriorSpace(prior=[1, 1, 1, 1], n=100), epsilon=1), (30, 10, 20, 40))
    >>> men = belief.within([2, 3])
    >>> low, high = men.interval(0.95)
    >>> [round(float(end), 2) for end in (low[0], high[0])], round(float(men.share.mean), 2)
    ([0.22, 0.47], 0.6)
    """

    belief: NoiseAware
    members: tuple[int, ...]
    _what: ClassVar = "the group's categories"

    def __post_init__(self) -> None:
        k = self.belief.k
        members = tuple(whole(member, "a category's number") for member in self.members)
        if not 2 <= len(set(members)) == len(members) < k or max(members) >= k:
            raise InvalidInput("a group is two or more of the categories, and not all", hint="name each of them once")
        object.__setattr__(self, "members", members)

    @property
    def k(self) -> int:
        """The number of categories in the group."""
        return len(self.members)

    @property
    def error(self) -> float:
        """A bound on the total variation distance to the exact posterior."""
        return self.belief.error + LEFT_OUT + ROUNDING

    @property
    def method(self) -> str:
        """How the counts were weighed."""
        return self.belief.method

    @property
    def share(self) -> ShareLaw:
        """The posterior of the group's own share of all records."""
        return self.belief.share(self.members, range(self.belief.k))

    def _marginal(self, at: int) -> BetaTable:
        category, others = self.members[at], [member for member in self.members if member != self.members[at]]
        x, y, table = self.belief.counts.split([category], others)
        parameters = self.belief.prior.parameters
        return BetaTable(table, float(parameters[category]) + x, float(sum(parameters[j] for j in others)) + y)

    def interval(self, level: object = 0.95) -> tuple[Floats, Floats]:
        """The low ends and the high ends of each category's equal-tailed interval. Of two, one mirrors the other."""
        share = exact_share(level, "level")
        if self.k == 2:
            low, high = (float(end) for end in self.marginal(0).interval(share))
            return np.array([low, 1 - high]), np.array([high, 1 - low])
        return self._intervals(lambda law: law.interval(share))


@dataclass(frozen=True, slots=True)
class EmptyGroup:
    """What may be believed of a group that is known to have no records: its prior, in the words of `Within`.

    >>> [round(float(x), 3) for x in EmptyGroup(Dirichlet([1, 3])).sd]
    [0.194, 0.194]
    """

    prior: Dirichlet
    error: ClassVar = 0.0
    method: ClassVar = "no record"

    @property
    def mean(self) -> Floats:
        """The expected share of each category."""
        return self.prior.mean

    @property
    def sd(self) -> Floats:
        """The standard deviation of each category's share."""
        mean, total = self.prior.mean, float(self.prior.total)
        return np.sqrt(mean * (1 - mean) / (total + 1))

    def interval(self, level: object = 0.95) -> tuple[Floats, Floats]:
        """The low ends and the high ends of each category's equal-tailed interval."""
        return self.prior.interval(float(exact(level, "level", above=0)))
