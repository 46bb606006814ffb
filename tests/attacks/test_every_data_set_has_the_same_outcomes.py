"""An outcome that is possible for one data set is possible for all: none tells a neighbour apart by being impossible.

Float weights underflow: at ε = 1 and 20,000 records, ten outcomes were possible for one data set and not for another.
"""

import numpy as np
import pytest

from discreet import PosteriorSpace
from discreet.arithmetic.numbers import fraction_lower, fraction_upper, precision
from discreet.mechanisms import FAMILIES, Gaussian, Geometric, Mechanism, Optimal, SnappedCounts, TightConstraints
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.exponential_law import ExponentialLaw
from discreet.mechanisms.law import CandidateLaw
from discreet.testing import FixedBits, HashedBits, draw_with
from tests.support.mechanisms import NEEDED, build

RELEASED = [family for family in FAMILIES if family not in (Optimal, TightConstraints)]
"""Snapped counts live on a lattice: they miss some candidates, and must miss the same ones for all data. What is tight
is not offered everywhere: `tests/mechanisms/test_tight.py` asks the same of it on spaces where it is."""

SPACES = [(["1", "1"], 12), (["0.001", "1000"], 8), (["1", "1", "1"], 4), (["0.05", "50", "2"], 3), (["1"] * 4, 2)]


@pytest.mark.few(24)
@pytest.mark.parametrize("family", RELEASED)
@pytest.mark.parametrize(("prior", "n"), SPACES)
@pytest.mark.parametrize("epsilon", ["0.1", "1", "1000000"])
def test_what_has_a_weight_for_one_data_set_has_one_for_all(
    family: type[Mechanism], prior: list[str], n: int, epsilon: str
) -> None:
    space, needed = PosteriorSpace(prior, n), NEEDED.get(family.name, {})
    for form in (build(family.name, space, epsilon=epsilon), family.as_published(space, epsilon=epsilon, **needed)):
        supports = set()
        for c in space.candidates():
            law = form.law(c)
            with precision(64):
                supports.add(tuple(law.log_weight(r).is_finite() for r in space.candidates()))
                if isinstance(law, CandidateLaw):
                    supports.add(tuple(weight.is_finite() for weight in law.enclosures()))
                else:
                    far = (-5 * n, *(0,) * (space.k - 2), 6 * n)
                    assert law.log_weight(far).is_finite()
        assert len(supports) == 1
        assert all(supports.pop()) or family is SnappedCounts


@pytest.mark.few(9)
@pytest.mark.parametrize("family", RELEASED)
@pytest.mark.parametrize(("prior", "n"), SPACES)
def test_float_probabilities_have_the_same_support_for_every_data_set(
    family: type[Mechanism], prior: list[str], n: int
) -> None:
    space = PosteriorSpace(prior, n)
    epsilon = 3 if family is Geometric else 100
    form = build(family.name, space, epsilon=epsilon)
    supports = {tuple(np.isfinite(form.log_pmf(c)).tolist()) for c in space.candidates()}
    assert len(supports) == 1
    assert all(supports.pop()) or family is SnappedCounts


@pytest.mark.few(1)
@pytest.mark.parametrize("family", [f for f in RELEASED if f not in (Geometric, Gaussian, SnappedCounts)])
def test_twenty_thousand_records_leave_no_outcome_behind(family: type[Mechanism]) -> None:
    """Where floats lost ten outcomes: all log-weights are finite, and the least one is one that a draw can have."""
    space = PosteriorSpace([1, 1], 20_000)
    form = build(family.name, space, epsilon=1)
    for c in ([10_000, 10_000], [10_001, 9_999], [0, 20_000], [1, 19_999]):
        law = form.law(c)
        assert isinstance(law, CandidateLaw)
        logs = law.log_weights()
        assert np.isfinite(logs).all()
        least = int(logs.argmin())
        with precision(64):
            assert law.log_weight((least, 20_000 - least)).is_finite()


def test_noisy_counts_reach_everything_at_any_distance() -> None:
    form = Geometric(PosteriorSpace([1, 1], 20_000), epsilon=1)
    with precision(64):
        for c in ([10_000, 10_000], [0, 20_000]):
            for first in (-(10**9), 0, 20_000, 10**9):
                assert form.law(c).log_weight((first, 20_000 - first)).is_finite()


@pytest.mark.parametrize("family", RELEASED)
def test_even_the_least_likely_candidate_can_be_drawn(family: type[Mechanism]) -> None:
    """All uniform numbers lead somewhere: the two extreme strings of bits give outcomes, not errors."""
    form = build(family.name, PosteriorSpace([1, 1], 12), epsilon=50)
    for c in form.space.candidates():
        for start in ("0" * 64, "1" * 64):
            assert sum(draw_with(form.law(c), FixedBits(start, then=HashedBits("after the extreme")))) == 12


@pytest.mark.parametrize("family", [f for f in RELEASED if issubclass(f, Exponential)])
@pytest.mark.parametrize(("prior", "n"), [("1e-9", 2 * 10**7), ("0.01", 10**15)])
def test_a_prior_that_a_float_of_the_counts_would_lose_fails_for_no_data_set(
    family: type[Exponential], prior: str, n: int
) -> None:
    """α + c as a float is c where α is below its last bit; a release that then took the logarithm of 0 failed for
    some data sets, and told them by failing."""
    form = build(family.name, PosteriorSpace([prior, prior], n), epsilon=1)
    for c in (0, 1, n // 2, n - 1, n):
        law = form.law([c, n - c])
        assert sum(draw_with(law, HashedBits(f"{family.name} {prior} {c}"))) == n
        assert isinstance(law, ExponentialLaw)
        (least, most), many = law._float_bounds(), law._log_float_bounds()
        for offset in {-c, n - c} - {0}:
            with precision(256):
                exponent = law.log_weight((c + offset, n - c - offset))
            assert least(offset) <= most(offset)
            low, high = (float(end[0]) for end in many(np.array([offset])))
            assert low <= fraction_lower(exponent)
            assert fraction_upper(exponent) <= high
