"""Law, the one currency: what is weighed, what is shown as floats and what is drawn are the same."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from numpy.typing import NDArray

from discreet import InvalidInput, PosteriorSpace, TooLarge
from discreet.arithmetic.numbers import ball, precision
from discreet.mechanisms import FAMILIES, Gaussian, Geometric, Mechanism, Optimal, mechanism
from discreet.mechanisms.exponential import KINDS
from discreet.mechanisms.law import ENUMERABLE, CandidateLaw, Law
from discreet.samplers.bits import Bits
from discreet.testing import CountedBits, FixedBits, HashedBits, draw_with
from discreet.typing import Outcome
from tests.support.mechanisms import build
from tests.support.statistics import fits, tally


class Listed(CandidateLaw):
    """A law given by whole-number weights, one for each candidate."""

    def __init__(self, weights: Sequence[int]) -> None:
        super().__init__(PosteriorSpace([1, 1], len(weights) - 1))
        self.weights = weights

    def log_weight(self, outcome: Outcome) -> arb:
        """The logarithm of its weight, which may be anything positive: laws are not normalised."""
        return ball(self.weights[outcome[0]]).log()

    def log_weights(self) -> NDArray[np.float64]:
        """All of them as floats."""
        return np.log(np.array(self.weights, dtype=np.float64))


WEIGHTS = [(1, 1), (1, 2, 5), (3, 1, 4, 1, 5, 9, 2, 6), (10**6, 1, 10**6), (7,) * 16]


@pytest.mark.parametrize("weights", WEIGHTS)
def test_probabilities_are_weights_over_their_sum(weights: tuple[int, ...]) -> None:
    law = Listed(weights)
    total = sum(weights)
    assert np.exp(law.log_pmf()) == pytest.approx([w / total for w in weights], rel=1e-14)
    with precision(128):
        assert law.log_total().exp().contains(total)
        for i, weight in enumerate(weights):
            outcome = (i, len(weights) - 1 - i)
            assert law.log_probability(outcome).exp().contains(arb(weight) / total)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_table_that_draws_encloses_the_running_sums(weights: tuple[int, ...]) -> None:
    law = Listed(weights)
    for width in (1, 10, 64, 200):
        table = law._table(width)
        for i, running in enumerate(itertools.accumulate(weights)):
            share = Fraction(running, sum(weights)) * 2**width
            assert table.lows[i] <= share <= table.highs[i]
            assert table.highs[i] - table.lows[i] <= 2
        assert table.lows[-1] == table.highs[-1] == 2**width


def test_the_table_of_many_small_weights_is_as_sharp() -> None:
    table = mechanism("laplace", PosteriorSpace([1, 1], 299), epsilon="1/10").law([150, 149])._table(64)  # type: ignore[attr-defined]
    assert max(high - low for low, high in zip(table.lows, table.highs, strict=True)) <= 2


def test_a_dyadic_law_is_drawn_exactly_from_all_strings_of_bits() -> None:
    """Weights 1, 2, 5 of 8: each of the eight strings of three bits, however it goes on."""
    seen: dict[Outcome, int] = {}
    for number in range(8):
        for rest in ("01", "10"):  # constant tails would sit on the edges, where enclosures of logarithms cannot tell
            bits = FixedBits(f"{number:03b}" + rest * 400)
            outcome = draw_with(Listed((1, 2, 5)), bits)
            seen[outcome] = seen.get(outcome, 0) + 1
    assert seen == {(0, 2): 2, (1, 1): 4, (2, 0): 10}


@pytest.mark.parametrize("weights", WEIGHTS)
def test_one_by_one_and_many_at_once_are_drawn_from_the_same_law(weights: tuple[int, ...]) -> None:
    law, bits = Listed(weights), HashedBits(f"listed {weights}")
    pmf: dict[Outcome, float] = {(i, len(weights) - 1 - i): w / sum(weights) for i, w in enumerate(weights)}
    assert fits(tally(law._draw(bits) for _ in range(5000)), pmf)
    assert fits(tally(law._draw_many(bits, 20_000).tolist()), pmf)


def test_no_draws_are_no_rows() -> None:
    for family in FAMILIES:
        if family not in (Geometric, Gaussian, Optimal):
            law = mechanism(family.name, PosteriorSpace([1, 1, 1], 3), epsilon=1).law([1, 1, 1])
            assert law._draw_many(HashedBits("none"), 0).shape == (0, 3)


def test_a_law_too_long_to_list_is_refused_before_it_is_listed() -> None:
    class Endless(Listed):
        def __init__(self) -> None:
            super().__init__((1, 1))
            self.space = PosteriorSpace([1, 1], ENUMERABLE)

    with pytest.raises(TooLarge):
        Endless()._draw(HashedBits("endless"))
    with pytest.raises(TooLarge):
        Endless().log_total()


@pytest.mark.parametrize("family", [family for family in FAMILIES if family not in (Geometric, Gaussian, Optimal)])
@pytest.mark.parametrize(
    ("prior", "c"),
    [
        (["1", "1"], (3, 6)),
        (["0.3", "2", "1"], (0, 4, 1)),
        (["5", "1"], (30, 0)),
        (["0.001", "1000000"], (17, 33)),
        (["1", "0.1", "2", "5"], (1, 0, 1, 0)),
    ],
)
def test_floats_agree_with_the_enclosures_of_the_same_law_object(
    family: type[Mechanism], prior: list[str], c: tuple[int, ...]
) -> None:
    """For noisy counts the law itself is compared with its closed form in `test_geometric.py`."""
    law = mechanism(family.name, PosteriorSpace(prior, sum(c)), epsilon=1).law(c)
    assert isinstance(law, CandidateLaw)
    logs, weights = law.log_pmf(), law.log_weights()
    with precision(2048):  # a probability may be 1 - 1e-500: its logarithm needs as many bits
        total = law.log_total()
        assert sum((weight.exp() for weight in law.enclosures()), ball(0)).overlaps(total.exp())
        for i, r in enumerate(law.space.candidates()):
            assert weights[i] == pytest.approx(float(law.log_weight(r)), rel=1e-11)
            assert logs[i] == pytest.approx(float(law.log_weight(r) - total), rel=1e-11, abs=1e-13)
    assert math.fsum(np.exp(logs)) == pytest.approx(1, abs=1e-12)


@pytest.mark.every
@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_no_outcome_has_no_weight(family: type[Mechanism]) -> None:
    law = build(family.name, PosteriorSpace([1, 1], 20), epsilon=1).law([7, 13])
    for outcome in ((7, 14), (20,), (7, 13, 0), (), *([(-1, 21)] if family not in (Geometric, Gaussian) else [])):
        with pytest.raises(InvalidInput):
            law.log_weight(outcome)


VERY_MANY = [
    *((family.name, 2, n, 10_000) for family in KINDS for n in (10**6, 10**9, 10**12)),
    *(("exponential-reciprocal", k, n, 100_000) for k, n in ((3, 10**6), (4, 10**12), (10, 10**6))),
    *(("laplace-improved", 3, n, 1000) for n in (10**6, 10**15)),
    *(("geometric", k, n, 400 * k) for k, n in ((2, 10**15), (3, 10**12), (50, 10**9), (1000, 10**9))),
    ("snapping", 2, 10**12, 1000),
]


@pytest.mark.every
@pytest.mark.parametrize(("name", "k", "n", "most"), VERY_MANY)
def test_a_release_of_very_many_records_or_categories_needs_no_list(name: str, k: int, n: int, most: int) -> None:
    made, bits = mechanism(name, PosteriorSpace([1] * k, n), epsilon=1), CountedBits(HashedBits(f"{name} {k} {n}"))
    law = made.law([n - (k - 1) * (n // k), *[n // k] * (k - 1)])
    outputs = [law._draw(bits) for _ in range(5)]
    assert {sum(output) for output in outputs} == {n}
    assert made.posterior(outputs[0]).total == n + k
    assert bits.used < 5 * most


def test_a_law_that_draws_one_outcome_draws_many() -> None:
    class Bit(Listed):
        _draw_many = Law._draw_many

    drawn = Bit([1, 1])._draw_many(HashedBits("many"), 40)
    assert drawn.shape == (40, 2)
    assert {tuple(row) for row in drawn.tolist()} == {(0, 1), (1, 0)}


class Single(Law):
    """One outcome."""

    def log_weight(self, outcome: Outcome) -> arb:
        """That of 1."""
        return arb(0)

    def log_total(self) -> arb:
        """That of 1."""
        return arb(0)

    def _draw(self, bits: Bits) -> Outcome:
        return (1, 2)


def test_draws_are_whole_numbers_even_if_there_are_none() -> None:
    assert {Single().draw_many(size).dtype for size in (0, 3)} == {np.dtype(np.int64)}


def test_a_law_of_more_candidates_than_are_enumerated_is_refused_before_it_is_drawn_from() -> None:
    law = Listed([1] * (2**16 + 1))
    for action in (law.log_total, law.draw):
        with pytest.raises(TooLarge, match="enumerate 65,537 candidates"):
            action()
