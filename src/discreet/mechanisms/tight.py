"""The tight-constraints mechanism: on the candidates themselves, with every privacy constraint met with equality.

P(r | c) = w(r)·e^(-ε·d(c, r)), with d the number of replaced records and w the solution of Σ_r w(r)·e^(-ε·d(c, r)) = 1
for all c (`discreet.mechanisms.tight_weights`). A replaced record changes d by at most 1, and w not at all: so the loss
is at most ε, and the output c itself reaches it. No noise falls outside the candidates, where geometric has to throw a
part of it away: near the borders of the simplex, where counts are small, that is what it gains. It does not look at the
prior. Given an output, data sets are weighed by e^(-ε·d) alone, as those of geometric are: belief and Bayes
post-processing are the same. Outputs may be noisy counts, too (`discreet.mechanisms.tight_outputs`): those that are
best for Bayes post-processing, which matters where there are few records or ε is small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Literal, Self, get_args

import numpy as np
from flint import arb

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.numbers import ball, precision, working_bits
from discreet.errors import InvalidInput
from discreet.mechanisms.base import Mechanism, choose_postprocess, read_epsilon, require_choice
from discreet.mechanisms.law import ENUMERABLE, CandidateLaw, Law
from discreet.mechanisms.postprocessing import WEIGHTINGS, Weighting, bayes, require_weighable
from discreet.mechanisms.tight_outputs import Outputs, best_outputs, orders, read_outputs, require_few, text_of
from discreet.mechanisms.tight_weights import TightWeights, tight_weights
from discreet.posteriors import Dirichlet
from discreet.posteriors.space import Counts, PosteriorSpace, exceeds
from discreet.samplers.bits import Bits, Inverter, Table, tabulate_enclosed
from discreet.typing import Epsilon, Outcome

TightPostprocess = Literal["nearest", "bayes", "noisy"]
TIGHT_POSTPROCESSES: tuple[TightPostprocess, ...] = get_args(TightPostprocess)

_FIELD = 64
"""Bits of a coefficient: there are fewer than 2^55 candidates."""


class TightLaw(CandidateLaw):
    """Weight w(r)·e^(-ε·d(c, r)) on every candidate; the sum of all is 1 by what w solves."""

    def __init__(self, space: PosteriorSpace, counts: Counts, weights: TightWeights) -> None:
        super().__init__(space)
        self.counts, self.weights = counts, weights

    def log_weight(self, outcome: Outcome) -> arb:
        """ln w(r) - ε·d(c, r): the log-probability."""
        place = place_of(self.weights, outcome)
        steps = sum(max(count - max(value, 0), 0) for count, value in zip(self.counts, outcome, strict=True))
        return self.weights.log_weights()[place] - ball(self.weights.epsilon * steps)

    def log_total(self) -> arb:
        """ln 1."""
        return ball(0)

    def _draw(self, bits: Bits) -> Outcome:
        """By inversion; of too many candidates to list, first a partition, and then an order of its values."""
        return self._draw_ordered(bits) if exceeds(self.space, ENUMERABLE) else super()._draw(bits)

    def _draw_many(self, bits: Bits, size: int) -> Wholes:
        if not exceeds(self.space, ENUMERABLE):
            return super()._draw_many(bits, size)
        return Law._draw_many(self, bits, size)

    def _draw_ordered(self, bits: Bits) -> Outcome:
        values = self.weights.distances.partitions[self._partitions.draw(bits)]
        return draw_order(bits, self.counts, values, self.weights.epsilon)

    @cached_property
    def _partitions(self) -> Inverter:
        """Of each partition, the probability of all its orders together: w times an entry of K."""
        distances = self.weights.distances
        row = distances.rows == distances.row_of[tuple(sorted(self.counts))]
        entries = np.stack([distances.columns, distances.steps, distances.numbers], axis=1)[row].tolist()

        def table(width: int) -> Table:
            scale = width + len(distances.partitions).bit_length() + 8
            with precision(scale + 16):
                sums = [ball(0) for _ in distances.partitions]
                falls = _powers(self.weights.epsilon, self.space.n)
                for column, step, number in entries:
                    sums[column] += number * falls[step]
                chances = [w * k for w, k in zip(self.weights.fixed(working_bits()).balls(), sums, strict=True)]
            return tabulate_enclosed(chances, arb(0), scale, width)

        return Inverter(table, len(distances.partitions))


class NoisyTightLaw(TightLaw):
    """The same on all orders of noisy outputs."""

    def enclosures(self) -> Iterator[arb]:
        """The log-weights of all outputs in their order, at the working precision."""
        return (self.log_weight(z) for z in every_order(self.weights))

    def _draw(self, bits: Bits) -> Outcome:
        return self._draw_ordered(bits)

    def _draw_many(self, bits: Bits, size: int) -> Wholes:
        return Law._draw_many(self, bits, size)


def every_order(weights: TightWeights) -> Iterator[Outcome]:
    """All orders of all noisy outputs."""
    return (z for output in weights.distances.partitions for z in orders(output))


def place_of(weights: TightWeights, outcome: Outcome) -> int:
    """The place of an outcome among the weights; what is no outcome is refused."""
    place = weights.distances.index.get(tuple(sorted(outcome)))
    if place is None:
        raise InvalidInput("this is no output of the mechanism", hint="give it as released")
    return place


def draw_order(bits: Bits, counts: Counts, values: Outcome, epsilon: Fraction) -> Outcome:
    """An order r of the values, with probability proportional to e^(-ε·‖counts - r‖₁/2): category by category.

    How many orders of what is left are how far from the remaining counts is a polynomial with whole coefficients. They
    stand in one whole number, 64 bits each, so that to add a distance is to shift.
    """
    kinds = Counter(values)
    distinct = sorted(kinds)
    ways: list[dict[Outcome, int]] = [{tuple(0 for _ in distinct): 1}]
    for count in reversed(counts):
        grown: dict[Outcome, int] = {}
        for used, polynomial in ways[-1].items():
            for i, value in enumerate(distinct):
                if used[i] < kinds[value]:
                    more = (*used[:i], used[i] + 1, *used[i + 1 :])
                    grown[more] = grown.get(more, 0) + (polynomial << _FIELD * abs(count - value))
        ways.append(grown)
    left, order = tuple(kinds[value] for value in distinct), []
    for position, count in enumerate(counts):
        rest = ways[len(counts) - position - 1]
        after = [(*left[:i], left[i] - 1, *left[i + 1 :]) for i in range(len(distinct))]
        polynomials = [rest.get(after[i], 0) << _FIELD * abs(count - v) for i, v in enumerate(distinct)]
        chosen = Inverter(_order_table(polynomials, epsilon / 2), len(distinct)).draw(bits)
        order.append(distinct[chosen])
        left = after[chosen]
    return tuple(order)


def _order_table(polynomials: list[int], rate: Fraction) -> Callable[[int], Table]:
    """The table of choices whose weights are these polynomials in e^-rate."""
    coefficients = [_coefficients(polynomial) for polynomial in polynomials]
    least = min(i for each in coefficients for i, number in enumerate(each) if number)

    def table(width: int) -> Table:
        scale = width + 80
        with precision(scale + 80):
            falls = _powers(rate, max(map(len, coefficients)))
            weights = []
            for each in coefficients:
                weight = ball(0)
                for i, number in enumerate(each):
                    if number:
                        weight += number * falls[i - least]
                weights.append(weight)
        return tabulate_enclosed(weights, arb(0), scale, width)

    return table


def _coefficients(polynomial: int) -> list[int]:
    size = -(-polynomial.bit_length() // _FIELD)
    coefficients: list[int] = np.frombuffer(polynomial.to_bytes(8 * size, "little"), dtype="<u8").tolist()
    return coefficients


def _powers(rate: Fraction, most: int) -> list[arb]:
    return [(-ball(rate * step)).exp() for step in range(most + 1)]


def _require_records(space: PosteriorSpace) -> None:
    """Where n < k, geometric's noisy counts, negative ones among them, tell a Bayesian more than a candidate does."""
    if space.n < space.k:
        raise InvalidInput(
            "tight is not read by bayes with fewer records than categories: geometric is better there",
            hint="use noisy, which is better than both, or tight as it is",
            parameter="postprocess",
        )


@dataclass(frozen=True, kw_only=True, init=False, repr=False)
class TightConstraints(Mechanism):
    """A candidate, by a law that spends all of ε everywhere; and its post-processing: none (`nearest`) or `bayes`.

    Or `noisy`: noisy counts by such a law, read by Bayes post-processing. `outputs` names them, one order of each; they
    are chosen for the least expected error if left out.

    It is refused, from public facts, where a weight is negative or the partitions of n are too many.

    >>> mechanism = TightConstraints(PosteriorSpace(prior=[1, 1, 1], n=8), epsilon=1)
    >>> mechanism.guarantee, sum(mechanism.release([5, 3, 0]).output)
    (Fraction(1, 1), 8)
    >>> TightConstraints(PosteriorSpace(prior=[1, 1, 1], n=8), epsilon="0.1")
    Traceback (most recent call last):
    discreet.errors.InvalidInput: tight has no law at this epsilon: a weight would be negative; use geometric, ...
    """

    name: ClassVar[str] = "tight"
    postprocessing: TightPostprocess
    weighting: Weighting
    outputs: Outputs | None

    def __init__(
        self,
        space: PosteriorSpace,
        *,
        epsilon: Epsilon,
        postprocess: TightPostprocess = "nearest",
        weighting: Weighting = "predictive",
        outputs: str | None = None,
        way: TightPostprocess | Literal[""] = "",
    ) -> None:
        postprocessing = choose_postprocess(postprocess, way, TIGHT_POSTPROCESSES)
        require_choice("weighting", weighting, WEIGHTINGS)
        epsilon, named = read_epsilon(epsilon), None
        if postprocessing == "bayes":
            _require_records(space)
            require_weighable(space, epsilon)
        if postprocessing == "noisy":
            space.adjacency.require_n()
            require_few(space)
            named = best_outputs(space, epsilon, weighting) if outputs is None else read_outputs(outputs, space)
        elif outputs is not None:
            raise InvalidInput(
                "only noisy has outputs to name", hint="leave them out, or use noisy", parameter="outputs"
            )
        tight_weights(space, epsilon, named)
        self._set(
            space=space,
            epsilon=epsilon,
            guarantee=epsilon,
            guaranteed_by="a replaced record changes d(c, r) by at most 1, and weights are w(r)·exp(-ε·d(c, r)), sum 1",
            postprocessing=postprocessing,
            weighting=weighting,
            outputs=named,
        )

    @classmethod
    def at_full_loss(cls, space: PosteriorSpace, *, epsilon: Epsilon) -> Self:
        """The default form, whose loss is ε."""
        return cls(space, epsilon=epsilon)

    @property
    def weights(self) -> TightWeights:
        """w, which every data set shares."""
        return tight_weights(self.space, self.epsilon, self.outputs)

    def law(self, counts: object) -> TightLaw:
        """The exact law on candidates, or on noisy outputs."""
        return (NoisyTightLaw if self.outputs else TightLaw)(self.space, self.space.counts(counts), self.weights)

    @property
    def way(self) -> TightPostprocess:
        """The former name of `postprocessing`."""
        return self.postprocessing

    def posterior(self, output: Outcome) -> Dirichlet:
        """The posterior that is published for an output."""
        place_of(self.weights, output)
        return self.space.prior.update(self.postprocess(np.array([output]))[0].tolist())

    def postprocess(self, outputs: Wholes) -> Wholes:
        """The outputs themselves, or the candidates of least expected distance given them."""
        return outputs if self.postprocessing == "nearest" else bayes(self.space, self.epsilon, outputs, self.weighting)

    def log_pmf(self, counts: object) -> Floats:
        """Log-probabilities of the released candidates, in their order."""
        logs = super().log_pmf(counts)
        return logs if self.postprocessing == "nearest" else self._candidate_logs(self.kernel.outputs, logs)

    def parameters(self) -> dict[str, str]:
        """The post-processing, and the noisy outputs."""
        named = {} if self.outputs is None else {"outputs": text_of(self.outputs)}
        weighting = {} if self.postprocessing == "nearest" else {"weighting": self.weighting}
        return {"way": self.postprocessing, **weighting, **named}
