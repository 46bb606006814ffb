"""P(output | counts) of a mechanism in floats, each with a bound on its error: what every reader of a law reads.

A row belongs to one data set and is as private as it is; columns and tables of all rows are public. The candidates of
the space are the default window. `tests/contracts/test_kernels.py` holds every family's kernel to its law, in balls.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import TooLarge
from discreet.kernels.line_noise import GaussianNoise, LineNoise
from discreet.mechanisms import Mechanism
from discreet.posteriors.space import exceeds
from discreet.samplers.bits import Bits
from discreet.samplers.bulk_rejection import BulkRejection
from discreet.samplers.noise import RoundedLaplace, ZeroSum
from discreet.typing import Outcome

if TYPE_CHECKING:
    from discreet.kernels.exponential import Enumerated

Rows: TypeAlias = NDArray[Any]
"""Counts or outputs, one per row: whole numbers, or for two categories any number between 0 and n."""

LISTED, QUICK = 1 << 13, 1 << 11
"""Spaces of more candidates are not worked out pair by pair, or not within a second."""


class NoiseList(NamedTuple):
    """All noises that matter, one per row, and the logarithms of their probabilities."""

    moves: Wholes
    logs: Floats


class Logs(NamedTuple):
    """Logarithms in floats, and how far each of them may be off."""

    values: Floats
    errors: Floats


@dataclass(frozen=True)
class Factor:
    """ln h(x) for counts x of one category, up to a constant.

    To the left of `first` - 1, ln h falls by `left` at each step outward, and to the right of `last` + 1 by `right`;
    each step by `bend` more than the one before. A rate of 0 promises nothing.
    """

    first: int
    last: int
    left: float
    right: float
    log: Callable[[Rows], Floats]
    bend: float = 0.0

    def left_at(self, x: int) -> float:
        """By how much at least ln h falls at each step to the left of x, which is at most `first`."""
        return self.left + self.bend * max(self.first - x, 0)

    def right_at(self, x: int) -> float:
        """The same to the right of x, which is at least `last`."""
        return self.right + self.bend * max(x - self.last, 0)


def exponential_factor(rate: float, centre: int) -> Factor:
    """exp(-rate·|x - centre|)."""
    return Factor(centre, centre, rate, rate, lambda x: -rate * np.abs(x - centre).astype(np.float64))


class Kernel(ABC):
    """The rows, columns and normalisers of one mechanism."""

    signed = False
    """Whether outputs may have negative counts."""

    weighted = False
    """Whether weights are functions of the distance alone."""

    noisy = False
    """Whether whole-number noise in closed form is added."""

    closed = False
    """Whether rows are closed forms on the candidates that treat all categories alike."""

    reached = False
    """Whether the loss is ε itself, reached at every data set by its own counts."""

    pace: Literal["quick", "prepared", "slow"] = "slow"
    """How draws for a study are made: all at once, many from each law, or one by one."""

    cost = 1
    """About how many numbers one entry of a column takes."""

    noise: LineNoise | GaussianNoise | None = None
    """The noise of two categories in closed form, where noise is what is added."""

    cell_noise: GaussianNoise | None = None
    """The noise of one count, where it is Gaussian: then noise can be listed."""

    zero_sum: ZeroSum | None = None
    """The noise on all counts at once, where its sum is zero."""

    laplace: RoundedLaplace | None = None
    """The noise on each count but the last, where it is rounded Laplace noise."""

    postprocess = "nearest"
    """How outputs become candidates."""

    same_rates = False
    """Whether the weights of all data sets fall alike with the distance."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self.space = mechanism, mechanism.space

    @property
    def reach(self) -> float:
        """About how many counts of a category matter to the reader of an output."""
        return self.space.n + 1.0

    @cached_property
    def candidates(self) -> Rows:
        """All candidates of the space, one per row."""
        return self.space.candidates().array()

    @cached_property
    def outputs(self) -> Rows:
        """What a row is about: the candidates, unless the outputs are others that can be listed."""
        return self.candidates

    def row(self, counts: object, outputs: Rows | None = None) -> Logs:
        """ln P(o | c) of the `outputs` in their order, or of these. It is private."""
        data = np.array([self.space.counts(counts)], dtype=np.int64)
        return self._logs(data, self.outputs if outputs is None else outputs)

    def all_rows(self) -> Floats:
        """ln P(o | c) of all `outputs`, a row for each data set: a public table of what is listed anyway."""
        return np.stack([self.row(counts).values for counts in self.candidates.tolist()])

    def column(self, output: Outcome, data: Rows | None = None) -> Logs:
        """ln P(o | c) for the data sets in the order of candidates, or for these: the likelihoods of an output."""
        if data is None and not self.listed:
            raise self._too_many()
        return self._logs(self.candidates if data is None else data, np.array([output], dtype=np.int64))

    def _too_many(self) -> TooLarge:
        return TooLarge(f"{self.mechanism.name} was not made for so many data sets to be weighed", hint="use geometric")

    @property
    def listed(self) -> bool:
        """Whether the space is small enough for all data sets to be weighed one by one."""
        return not exceeds(self.space, LISTED)

    @abstractmethod
    def log_normaliser(self, counts: object) -> Logs:
        """The logarithm of the sum of the law's weights. It is private."""

    @abstractmethod
    def _logs(self, data: Rows, outputs: Rows) -> Logs:
        """ln P(o | c) of pairs of rows; one of the two may be a single row."""

    @property
    def quick(self) -> bool:
        """Whether a belief that weighs a column takes a second at most: by public facts, here the candidates."""
        return not exceeds(self.space, QUICK)

    @property
    def enumerated(self) -> Enumerated:
        """All rows by the distances of candidates, if the kernel is `weighted`."""
        raise self._too_many()

    def rates(self, data: Rows) -> Floats:
        """The rates of a `weighted` kernel: by how much a log-weight falls with the distance."""
        raise self._too_many()

    def rate_bounds(self, first: Rows, last: Rows) -> tuple[Floats, Floats]:
        """Two categories: the least and the greatest rate of a `weighted` kernel over strata of first counts."""
        raise self._too_many()

    def draw_outputs(self, data: Rows, each: int, bits: Bits) -> Rows:
        """So many released candidates for each data set, for studies."""
        drawn = [self.mechanism.law(row)._draw_many(bits, each) for row in data.tolist()]
        return np.stack([self.mechanism.postprocess(rows) for rows in drawn])

    def factors(self, output: Outcome) -> list[Factor] | None:
        """A column as a product of one factor for each category; None where it is no product."""
        return None

    def noise_list(self) -> NoiseList:
        """All noises that matter, where noise has no closed form after post-processing; `TooLarge` for too many."""
        raise self._too_many()

    def kinks(self, output: Outcome) -> list[int] | None:
        """Two categories: first counts where a column bends; None where it is known at whole counts only.

        A product of two factors of noise bends where they point, and one count to either side.
        """
        factors, n = self.factors(output), self.space.n
        if factors is None or not self.noisy:
            return None
        first, second = factors
        places = [first.first, first.last, n - second.first, n - second.last]
        return sorted({min(max(place + side, 0), n) for place in places for side in (-1, 0, 1)})

    def proposals(self, output: Outcome) -> BulkRejection | None:
        """The mechanism's own proposals of candidates about an output, if it draws by rejection."""
        return None

    def near(self, data: Rows) -> Self:
        """The kernel that is quick about these data sets and others like them."""
        return self


def closed_form_logs(values: Floats) -> Logs:
    """Logarithms from closed forms: a few roundings of sums no larger than themselves."""
    return Logs(values, 1e-12 + 1e-14 * np.where(np.isfinite(values), np.abs(values), 0.0))
