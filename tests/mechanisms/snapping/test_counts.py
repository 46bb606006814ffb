"""Snapped counts: the law against the definition, its draws, its exact loss, and equal support for all data sets."""

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet import Dirichlet, InvalidInput, PosteriorSpace
from discreet.arithmetic.numbers import precision
from discreet.mechanisms.snapping.counts import SnappedCounts
from discreet.testing import HashedBits, draw_with
from tests.support.statistics import fits, pmf, tally

CASES = [((1, 1), 12, "1"), ((1, 1), 9, "0.3"), ((2, 3), 7, "4"), ((1, 1, 1), 6, "1"), ((1, 2, 3, 1), 3, "5")]


def space_of(prior: tuple[int, ...], n: int) -> PosteriorSpace:
    return PosteriorSpace(prior=Dirichlet(prior), n=n)


def by_definition(mechanism: SnappedCounts, counts: tuple[int, ...]) -> dict[tuple[int, ...], Fraction]:
    """Every combination of snapped counts, clamped in turn."""
    paths: dict[tuple[int, ...], Fraction] = {(): Fraction(1)}
    for count in counts[:-1]:
        law = mechanism.snapping.distribution(count).probabilities()
        grown: dict[tuple[int, ...], Fraction] = {}
        for path, probability in paths.items():
            left = mechanism.space.n - sum(path)
            for output, more in law.items():
                there = (*path, min(max(math.floor(Fraction(output) + Fraction(1, 2)), 0), left))
                grown[there] = grown.get(there, Fraction(0)) + probability * more
        paths = grown
    return {(*path, mechanism.space.n - sum(path)): p for path, p in paths.items()}


@pytest.mark.parametrize(("prior", "n", "epsilon"), CASES, ids=str)
def test_the_law_is_the_definition_to_the_last_bit_of_its_enclosures(
    prior: tuple[int, ...], n: int, epsilon: str
) -> None:
    mechanism = SnappedCounts(space_of(prior, n), epsilon=epsilon)
    for counts in [tuple(r) for r in mechanism.space.candidates()][:: max(1, mechanism.space.size // 5)]:
        expected = by_definition(mechanism, counts)
        assert sum(expected.values()) == 1
        law = mechanism.law(counts)
        with precision(200):
            for outcome in mechanism.space.candidates():
                weight = law.log_weight(tuple(outcome)).exp()
                assert abs(weight - float(expected.get(tuple(outcome), 0))) < 1e-15


@pytest.mark.parametrize(("prior", "n", "epsilon"), CASES, ids=str)
def test_the_exact_loss_over_all_neighbours_is_within_the_guarantee(
    prior: tuple[int, ...], n: int, epsilon: str
) -> None:
    mechanism = SnappedCounts(space_of(prior, n), epsilon=epsilon)
    assert mechanism.guarantee <= mechanism.epsilon
    laws = {tuple(c): mechanism.log_pmf(c) for c in mechanism.space.candidates()}
    support = {tuple(np.isfinite(law).tolist()) for law in laws.values()}
    assert len(support) == 1, "every data set has the same possible outputs"
    possible = np.array(support.pop())
    worst = 0.0
    for counts, law in laws.items():
        assert np.exp(law).sum() == pytest.approx(1, abs=1e-12)
        for other in mechanism.space.neighbours(counts):
            worst = max(worst, float((law[possible] - laws[tuple(other)][possible]).max()))
    assert 0.5 * float(epsilon) < worst <= float(mechanism.guarantee) + 1e-12


def test_draws_agree_with_the_law() -> None:
    mechanism, other = (SnappedCounts(space_of((1, 1, 1), 8), epsilon=epsilon) for epsilon in (2, "1.4"))
    c, bits = [4, 3, 1], HashedBits("snapped counts")
    seen = tally(draw_with(mechanism.law(c), bits) for _ in range(20_000))
    assert fits(seen, pmf(mechanism, c))
    assert not fits(seen, pmf(other, c))


def test_draws_are_outcomes_that_have_a_chance_as_whole_numbers_even_of_none() -> None:
    mechanism = SnappedCounts(space_of((1, 1, 1), 8), epsilon=2)
    law, bits = mechanism.law([4, 3, 1]), HashedBits("whole outcomes")
    assert mechanism.snapping.lattice == 2
    for size in (0, 30):
        drawn = law._draw_many(bits, size)
        assert (drawn.dtype.name, drawn.shape) == ("int64", (size, 3))
        assert all(law.log_weight(tuple(map(int, outcome))).is_finite() for outcome in drawn)


def test_the_bound_covers_every_count_and_exceeds_the_noise_s_scale_for_any_epsilon() -> None:
    for epsilon in ("0.001", "0.3", "1", "7"):
        for n in (1, 10, 1000):
            snapping = SnappedCounts(space_of((1, 1), n), epsilon=epsilon).snapping
            assert snapping.bound == max(n, 2 * math.ceil(1 / Fraction(epsilon)))
            assert snapping.reach > Fraction(snapping.scale)


def test_records_too_many_for_binary64_are_refused() -> None:
    with pytest.raises(InvalidInput, match="too wide"):
        SnappedCounts(space_of((1, 1), 10**15), epsilon=100)


def test_public_parameters_are_exact_texts() -> None:
    mechanism = SnappedCounts(space_of((1, 1), 20), epsilon=1)
    assert Fraction(mechanism.parameters()["noise_scale"]) == Fraction(mechanism.snapping.scale)
    assert mechanism.parameters()["lattice"] == "2"
    assert "snapped count" in mechanism.guaranteed_by
