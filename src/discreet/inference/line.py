"""Two categories and any n: the posterior over all counts 0 … n, in blocks, from a few places of each.

p(θ | o) = Σ_c ℓ(c)·π(c)·Beta(θ | α₁+c, α₂+n-c) with ℓ(c) = P(o | c) and π the prior predictive. No count is left out.
Blocks shrink toward the ends and toward the kinks of ℓ, and are halved until ln ℓπ changes little in each; a block is
summed from eight places (`discreet.arithmetic.discrete_gauss_rule`), which need not be whole numbers: a Beta has real
parameters.

How far this is from the whole sum, in total variation:

- |Beta(θ | a+iy, b-iy)| = Beta(θ | a, b)·Γ(a)Γ(b)/|Γ(a+iy)Γ(b-iy)| ≤ Beta(θ | a, b)·exp(y²/2σ²), where
  1/σ² = ψ'(a) + ψ'(b), because |θ^iy| = 1 and |Γ(a+iy)|² = Γ(a)²·Π 1/(1+y²/(a+j)²). So for a block of at most 3σ
  counts in which ln ℓπ rises or falls evenly by at most 2, the rule is off by at most
  4·ρ^-15·exp(½(¾(ρ-1/ρ))² + (ρ+1/ρ)/2)/(ρ-1) of its mass, whatever is asked of θ: less than 3e-7 at ρ = 5. The Betas
  blur into each other.
- Where there would be too many places, blocks far from every kink stand for fewer records (`discreet.inference.coarse`
  says what that costs); blocks that are still too long are counted as wrong altogether. Both are in `error`.
- ℓπ itself: each block's sum is compared with the sum of its halves, and the disagreement is in `error`; so is what is
  said of the error of ln NL. These two are measured; `tests/inference/test_line.py` holds them against enumeration.

Where every data set could have led to the output, ℓ has a least value b > 0, and b·Σ_c π(c)·Beta(θ | …) is b times the
prior: with probability b/P(o) the output says nothing. Only ℓ - b is summed in blocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.discrete_gauss_rule import PLACES, block_rule
from discreet.arithmetic.growing_blocks import cut, doubling_edges
from discreet.errors import InvalidInput, TooLarge
from discreet.inference.coarse import Blocks, ExcessLikelihood, Part, coarse_part
from discreet.inference.counts import CountPosterior
from discreet.inference.draws import draw_places
from discreet.kernels.base import Logs
from discreet.kernels.line_normalisers import NEAR
from discreet.mechanisms import Mechanism
from discreet.posteriors import Dirichlet
from discreet.posteriors.predictive import log_predictive_line
from discreet.posteriors.space import PosteriorSpace
from discreet.samplers.bits import Bits
from discreet.typing import Outcome

ALLOWED = 1e-3
"""What has a larger error is refused."""

SINGLE = 2 * NEAR
BLURRED = 3e-7
PLACES_IN_ALL = 1 << 17
_LIVELY, _LOST = 4.0, 45.0
_LEAST_WEIGHT, _WORTH = 1e-3, 1e-6


class Line(CountPosterior):
    """The posterior of the count of the first category, at real places, and how likely it is that nothing was said."""

    def __init__(self, column: Callable[[Floats], Logs], kinks: Sequence[int], prior: Dirichlet, n: int) -> None:
        self._column, self._prior, self._n = column, prior, n
        blocks, beyond, measured = self._weigh(kinks)
        cuts, unblurred = _divide(blocks)
        parts: list[Part] = []
        if unblurred > _WORTH:
            far = blocks.far(kinks, PLACES_IN_ALL // 2)
            parts.append(coarse_part(beyond, blocks.only(far), PLACES_IN_ALL // 2))
            cuts, unblurred = _divide(blocks.only(~far))
        places, weight, _ = block_rule(*cuts)
        parts.append(Part(places, weight * np.exp(beyond.log(places, n)), n))
        mass = np.concatenate([part.mass for part in parts])
        some = mass > mass.max(initial=0.0) * 1e-18
        self.weights = mass[some] / mass[some].sum()
        self.places = np.concatenate([part.places for part in parts])[some]
        self.sizes: Floats = np.concatenate([np.full(len(part.places), float(part.n)) for part in parts])[some]
        # A mean is linear in the counts, so the rule is exact for it: only what was measured can move it.
        self.mean_errors = measured + parts[0].error + 1e-11
        self.error = self.mean_errors + unblurred + (BLURRED if len(weight) < weight.sum() else 0.0)
        self.method = f"blocks of counts, {len(self.places):,} places in all"
        if not self.error < ALLOWED:
            raise TooLarge(
                "the counts that matter are too many even in blocks", hint="use a larger epsilon, or geometric"
            )

    def _weigh(self, kinks: Sequence[int]) -> tuple[Blocks, ExcessLikelihood, float]:
        """Blocks and what they weigh beyond the least likelihood, as shares of the whole, and the error of these sums.

        Each is held against its halves. With that least likelihood nothing was said.
        """
        start, length, whole, whole_top = self._lively(kinks)
        start, length, of = _halves(start, length)
        places, weight, block = block_rule(start, length)
        log, errors = self._column(places)
        log_joint = log + log_predictive_line(self._prior, self._n, places)
        top = float(log_joint.max())
        mass = weight * np.exp(log_joint - top)
        halves, total = np.bincount(block, mass, len(start)), math.fsum(mass)
        gap = np.abs(np.bincount(of, halves, len(whole)) - whole * math.exp(whole_top - top))
        least, top = float(log.min()), top + math.log(total)
        self.prior_weight = math.exp(min(least - top, 0.0))
        if self.prior_weight < _LEAST_WEIGHT:
            self.prior_weight, least = 0.0, -math.inf
        excess = np.bincount(block, mass * -np.expm1(least - log), len(start)) / total
        beyond = ExcessLikelihood(self._prior, lambda c: self._column(c).values, least, top)
        return Blocks(self._prior, self._n, start, length, excess), beyond, float(gap.sum() + mass @ errors) / total

    def _lively(self, kinks: Sequence[int]) -> tuple[Wholes, Wholes, Floats, float]:
        """Blocks from 0 to n in each of which ln ℓπ changes little, or that weigh nothing; their masses over e^top."""
        start, length = _blocks(self._n, kinks)
        while True:
            places, weight, block = block_rule(start, length)
            log = self._column(places).values + log_predictive_line(self._prior, self._n, places)
            first = np.searchsorted(block, np.arange(len(start)))
            high, low = np.maximum.reduceat(log, first), np.minimum.reduceat(log, first)
            top = float(high.max())
            if not math.isfinite(top):
                raise InvalidInput("no data leads to this output", hint="give the output as it was released")
            matters = high + np.log(length) > float((high + np.log(length)).max()) - _LOST
            lively = matters & (length > PLACES) & (high - low > _LIVELY)
            if not lively.any():
                mass = np.bincount(block, weight * np.exp(log - top), len(start)).astype(np.float64)
                return start, length, mass, top
            start, length = cut(start, length, np.where(lively, 2, 1))

    def marginal(self, i: int) -> tuple[Floats, Floats]:
        return (self.places if i == 0 else self.sizes - self.places), self.weights

    def pair(self, i: int, j: int) -> tuple[Floats, Floats, Floats]:
        place, chance = self.marginal(i)
        return place, self.sizes - place, chance

    def draw(self, bits: Bits, size: int) -> Floats:
        at = draw_places(bits, self.weights, size)
        return np.stack([self.places[at], self.sizes[at] - self.places[at]], axis=1)


def line_posterior(outputs: Sequence[tuple[Mechanism, Outcome]], space: PosteriorSpace) -> Line | None:
    """The posterior of two categories given outputs about the same records; None if a law is known only at counts."""
    kinks = [mechanism.kernel.kinks(output) for mechanism, output in outputs]
    places = {kink for each in kinks if each is not None for kink in each}
    if any(each is None for each in kinks):
        return None

    def column(c: Floats) -> Logs:
        data = np.stack([c, space.n - c], axis=1)
        columns = [mechanism.kernel.column(output, data) for mechanism, output in outputs]
        return Logs(*(np.sum(part, axis=0) for part in zip(*columns, strict=True)))

    return Line(column, sorted(places), space.prior, space.n)


def _divide(blocks: Blocks) -> tuple[tuple[Wholes, Wholes], float]:
    """Blocks of at most `WIDTH` standard deviations where they weigh most, and what the longer ones weigh."""
    order = np.argsort(-blocks.mass / blocks.cost, kind="stable")
    divided = np.zeros(len(order), dtype=bool)
    divided[order[np.cumsum(blocks.cost[order]) <= PLACES_IN_ALL]] = True
    light = np.argsort(blocks.mass, kind="stable")
    divided[light[np.cumsum(blocks.mass[light]) <= BLURRED]] = False  # what weighs so little may be lumpy
    unblurred = float(blocks.mass[~divided & (blocks.parts > 1)].sum())
    return cut(blocks.start, blocks.length, np.where(divided, blocks.parts, 1)), unblurred


def _blocks(n: int, kinks: Sequence[int]) -> tuple[Wholes, Wholes]:
    """Blocks of 0 … n that grow away from the ends and the kinks, by a quarter of the distance.

    Near the ends counts stand singly: there some laws are known at whole numbers only.
    """
    far = np.concatenate([np.arange(2 * PLACES), doubling_edges(2 * PLACES, n + 1)])
    ends = np.concatenate([np.arange(SINGLE), far[far >= SINGLE]])
    cuts = [ends, n + 1 - ends]
    for kink in kinks:
        cuts += [kink + far, kink + 1 - far]
    edges = np.unique(np.concatenate(cuts).clip(0, n + 1))
    return edges[:-1], np.diff(edges)


def _halves(start: Wholes, length: Wholes) -> tuple[Wholes, Wholes, Wholes]:
    """Every long block in two, short ones as they are; and which block each was."""
    twice = np.where(length > PLACES, 2, 1)
    return *cut(start, length, twice), np.repeat(np.arange(len(start)), twice)
