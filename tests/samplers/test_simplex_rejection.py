"""The sampler for three categories and more against enumeration: the same law, and not one that is 30 % off."""

import random

import pytest

from bench.spaces import FOUR, counts_at
from discreet import PosteriorSpace
from discreet.mechanisms.exponential import Exponential
from discreet.testing import HashedBits
from tests.mechanisms.test_exponential import off_by_30_percent
from tests.support.statistics import fits, pmf, tally

PRIORS = {3: ["0.01", "1", "100"], 4: ["100", "0.3", "0.01", "2"], 5: ["1", "0.05", "20", "1", "100"]}
SIZES = {3: 24, 4: 11, 5: 7}
CASES = [(k, place) for k in (3, 4, 5) for place in ("centre", "corner", "edge", "anywhere")]


def check(mechanism: Exponential, counts: tuple[int, ...]) -> None:
    """Draws one by one and in bulk have the law; the law at 70 % and at 130 % of the scale is rejected."""
    law, bits = mechanism.law(counts), HashedBits(f"{mechanism.name} {mechanism.space.prior} {counts}")
    truth = pmf(mechanism, counts)
    assert fits(tally(law._simplex_rejection().draw(bits) for _ in range(800)), truth)
    many = tally(law.proposals().draw_many(bits, 40_000).tolist())
    assert fits(many, truth)
    assert not any(fits(many, other) for other in off_by_30_percent(mechanism, counts))


@pytest.mark.few(1)
@pytest.mark.parametrize("family", FOUR)
@pytest.mark.parametrize(("k", "place"), CASES)
def test_draws_have_the_enumerated_law_and_reject_a_scale_that_is_30_percent_off(
    family: type[Exponential], k: int, place: str
) -> None:
    counts = counts_at(random.Random(k), place, k, SIZES[k])  # noqa: S311 - fixed counts
    check(family(PosteriorSpace(PRIORS[k], SIZES[k]), scale=3), counts)


@pytest.mark.few(1)
@pytest.mark.parametrize("family", FOUR)
@pytest.mark.parametrize("counts", [(1, 0, 0, 0, 0), (1, 0, 1, 0, 0), (0, 0, 3, 0, 0), (1, 1, 1, 0)])
def test_fewer_records_than_categories_have_the_same_law(family: type[Exponential], counts: tuple[int, ...]) -> None:
    check(family(PosteriorSpace([1] * len(counts), sum(counts)), scale=3), counts)


@pytest.mark.few(1)
@pytest.mark.parametrize("family", FOUR)
@pytest.mark.parametrize("scale", ["0.001", "40"])
def test_scales_that_are_nearly_flat_or_nearly_certain_have_the_same_law(family: type[Exponential], scale: str) -> None:
    mechanism = family(PosteriorSpace(["1", "2", "0.5"], 15), scale=scale)
    law = mechanism.law((5, 10, 0))
    seen = tally(law.proposals().draw_many(HashedBits(f"{family.name} {scale}"), 20_000).tolist())
    assert fits(seen, pmf(mechanism, (5, 10, 0)))


@pytest.mark.few(1)
@pytest.mark.parametrize("prior", [["1e-6"] * 3, ["1e6"] * 3, ["1e-6", "1", "1e6"]])
def test_tiny_and_huge_priors_have_the_same_law(prior: list[str]) -> None:
    for family in FOUR:
        mechanism = family(PosteriorSpace(prior, 20), scale=2)
        for counts in ((20, 0, 0), (7, 7, 6)):
            seen = tally(mechanism.law(counts).proposals().draw_many(HashedBits(f"{prior} {counts}"), 5000).tolist())
            assert fits(seen, pmf(mechanism, counts)), (family.name, counts)
