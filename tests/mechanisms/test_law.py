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
from discreet.mechanisms import FAMILIES, Geometric, Mechanism, Optimal, mechanism
from discreet.mechanisms.law import ENUMERABLE, CandidateLaw, require_outcome
from discreet.testing import FixedBits, HashedBits, draw_with
from discreet.typing import Outcome
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


def test_draws_from_the_system_are_candidates() -> None:
    law = Listed((1, 2, 5))
    assert sum(law.draw()) == 2
    drawn = law.draw_many(10)
    assert drawn.shape == (10, 2)
    assert (drawn.sum(axis=1) == 2).all()


def test_no_draws_are_no_rows() -> None:
    for family in FAMILIES:
        if family not in (Geometric, Optimal):
            law = mechanism(family.name, PosteriorSpace([1, 1, 1], 3), epsilon=1).law([1, 1, 1])
            assert law._draw_many(HashedBits("none"), 0).shape == (0, 3)


@pytest.mark.parametrize("outcome", [(1, 2), (-1, 3), (2,), (1, 1, 0), ()])
def test_what_is_no_candidate_is_refused(outcome: Outcome) -> None:
    with pytest.raises(InvalidInput):
        require_outcome(PosteriorSpace([1, 1], 2), outcome)


def test_a_law_too_long_to_list_is_refused_before_it_is_listed() -> None:
    class Endless(Listed):
        def __init__(self) -> None:
            super().__init__((1, 1))
            self.space = PosteriorSpace([1, 1], ENUMERABLE)

    with pytest.raises(TooLarge):
        Endless()._draw(HashedBits("endless"))
    with pytest.raises(TooLarge):
        Endless().log_total()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_law_shows_nothing_of_itself(family: type[Mechanism]) -> None:
    law = mechanism(family.name, PosteriorSpace([1, 1], 60), epsilon=1).law([47, 13])
    assert "47" not in repr(law)
    assert "47" not in str(law)


@pytest.mark.parametrize("family", [family for family in FAMILIES if family is not Optimal])
@pytest.mark.parametrize(("prior", "c"), [(["1", "1"], (3, 6)), (["0.3", "2", "1"], (0, 4, 1)), (["5", "1"], (30, 0))])
def test_floats_agree_with_the_enclosures_of_the_same_law_object(
    family: type[Mechanism], prior: list[str], c: tuple[int, ...]
) -> None:
    """On candidates; for noisy counts the law itself is compared with its closed form in `test_geometric.py`."""
    law = mechanism(family.name, PosteriorSpace(prior, sum(c)), epsilon=1).law(c)
    if not isinstance(law, CandidateLaw):
        return
    logs = law.log_pmf()
    with precision(128):
        for i, r in enumerate(law.space.candidates()):
            exact = law.log_probability(r)
            if not exact.is_finite():  # off a lattice
                assert logs[i] == -math.inf
                continue
            assert logs[i] == pytest.approx(float(exact), rel=1e-11, abs=1e-13)
    assert math.fsum(np.exp(logs)) == pytest.approx(1, abs=1e-12)
