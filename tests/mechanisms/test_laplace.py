"""The Laplace mechanisms of the seeds: exact laws of rounded, clamped noise."""

from fractions import Fraction

import numpy as np
import pytest

from discreet import InvalidInput, PosteriorSpace
from discreet.mechanisms import Laplace, LaplaceImproved
from discreet.samplers.noise import Rounding
from discreet.testing import HashedBits
from tests.oracles import mechanisms
from tests.support.statistics import assert_drawn_from, pmf

FAMILIES = [Laplace, LaplaceImproved]
ROUNDINGS: list[Rounding] = ["nearest", "floor"]
SMALL = [(2, 1), (2, 9), (3, 5), (4, 3)]


def oracle_scale(family: type[Laplace | LaplaceImproved], k: int, epsilon: str) -> object:
    return (mechanisms.laplace_scale if family is Laplace else mechanisms.improved_scale)(k, epsilon)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize(("k", "n"), SMALL)
@pytest.mark.parametrize("epsilon", ["0.1", "1", "7"])
def test_every_law_meets_the_oracle(
    family: type[Laplace | LaplaceImproved], rounding: Rounding, k: int, n: int, epsilon: str
) -> None:
    mechanism = family(PosteriorSpace([1] * k, n), epsilon=epsilon, rounding=rounding)
    for c in mechanism.space.candidates():
        row = mechanisms.laplace(c, oracle_scale(family, k, epsilon), rounding)
        found = np.exp(mechanism.log_pmf(c))
        assert list(row) == list(mechanism.space.candidates())
        assert found == pytest.approx([float(p) for p in row.values()], rel=1e-12)
        assert found.sum() == pytest.approx(1, abs=1e-12)


def test_published_forms_round_down_and_default_forms_to_the_nearest() -> None:
    space = PosteriorSpace([1, 1], 20)
    for family in FAMILIES:
        assert family.as_published(space, epsilon=1).rounding == "floor"
        assert family(space, epsilon=1).rounding == "nearest"
        published = np.exp(family.as_published(space, epsilon=1).log_pmf([10, 10]))
        nearest = np.exp(family(space, epsilon=1).log_pmf([10, 10]))
        counts = np.arange(21)
        assert published @ counts == pytest.approx(9.5, abs=0.1)  # rounding down takes half a record
        assert nearest @ counts == pytest.approx(10, abs=1e-12)


def test_the_noise_has_the_seeds_scale() -> None:
    for k, improved in ((2, Fraction(1)), (3, Fraction(2)), (5, Fraction(2))):
        space = PosteriorSpace([1] * k, 5)
        assert 1 / Laplace(space, epsilon="1/3").rate == 3 * k
        assert 1 / LaplaceImproved(space, epsilon="1/3").rate == 3 * improved


@pytest.mark.few(1)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("c", [[7, 13], [0, 6], [3, 1, 2], [0, 0, 5], [1, 0, 2, 1]])
def test_draws_have_the_law_and_reject_an_epsilon_that_is_30_percent_off(
    family: type[Laplace | LaplaceImproved], rounding: Rounding, c: list[int]
) -> None:
    space = PosteriorSpace([1] * len(c), sum(c))
    made, *wrong = (family(space, epsilon=epsilon, rounding=rounding) for epsilon in ("1.5", "1.95", "1.05"))
    assert_drawn_from(made.law(c), pmf(made, c), *(pmf(other, c) for other in wrong))


def test_noise_that_is_rounded_down_is_added_and_not_taken_away() -> None:
    """Rounded down it is half a record less on average; to the nearest it would be the same with the other sign."""
    mechanism = LaplaceImproved.as_published(PosteriorSpace([1, 1], 20), epsilon=2)
    law, mean = mechanism.law([10, 10]), float(np.exp(mechanism.log_pmf([10, 10])) @ np.arange(21))
    assert mean == pytest.approx(9.5, abs=0.01)
    bits = HashedBits("rounded down")
    assert law._draw_many(bits, 2000)[:, 0].mean() == pytest.approx(mean, abs=0.1)
    assert np.mean([law._draw(bits)[0] for _ in range(300)]) == pytest.approx(mean, abs=0.2)


def test_draws_of_three_counts_share_what_is_left() -> None:
    law, bits = Laplace(PosteriorSpace([1, 1, 1], 3), epsilon="1/10").law([3, 0, 0]), HashedBits("left")
    assert min(min(law._draw(bits)) for _ in range(60)) == 0


@pytest.mark.every
@pytest.mark.parametrize("family", FAMILIES)
def test_a_rate_of_noise_is_read_exactly_and_within_its_range(family: type[Laplace | LaplaceImproved]) -> None:
    space = PosteriorSpace([1, 1], 5)
    assert family.as_published(space, epsilon=1, rate="1/3").rate == Fraction(1, 3)
    with pytest.raises(InvalidInput, match=r"^rate must be greater than 0"):
        family(space, epsilon=1, rate=0)
    with pytest.raises(InvalidInput, match=r"^rate is out of range; stay between 1e-9 and 1e6"):
        family(space, epsilon=1, rate="1e-10")
    assert family.from_parameters(space, epsilon=Fraction(9), parameters={"noise_scale": "1/4"}).rate == 4
    with pytest.raises(InvalidInput, match=r"^noise scale must be greater than 0"):
        family.from_parameters(space, epsilon=Fraction(1), parameters={"noise_scale": "0"})
