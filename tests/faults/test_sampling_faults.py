"""A sampler whose bound, coin, table or rate is off by a per cent or so is rejected, whichever way it draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from discreet import DiscreetError, ExponentialLocal, PosteriorSpace
from discreet.arithmetic.numbers import ball
from discreet.mechanisms.exponential_law import ExponentialLaw
from discreet.samplers import noise
from discreet.samplers.bits import draw_below, draw_bernoulli, draw_composition
from discreet.samplers.noise import Geometric, RoundedLaplace, TwoSided, ZeroSum
from tests.faults import sampling as faults
from tests.faults.planting import Fault, forgotten
from tests.support import release_paths as paths


@pytest.fixture(autouse=True)
def _nothing_prepared() -> Iterator[None]:
    """What is prepared once for all is prepared anew for each test, with its fault or without."""
    yield from forgotten(noise.geometric, noise.zero_sum, noise._nonzero_laplace)


def law_of(prior: list[object], scale: object, counts: list[int]) -> ExponentialLaw:
    return ExponentialLocal(PosteriorSpace(prior, sum(counts)), scale=scale).law(counts)


def drawn_as_meant(read: Callable[[ExponentialLaw], Any], law: ExponentialLaw) -> float:
    """How far the law that is read paths.off a sampler is paths.off."""
    return paths.off(read(law), paths.weights_of(law, law.space.candidates()))


def line() -> float:
    return drawn_as_meant(paths.by_blocks, law_of([1, "0.5"], 1, [40, 260]))


def flat_line() -> float:
    """The same where the ends of the line have mass to speak of."""
    return drawn_as_meant(paths.by_blocks, law_of([1, 1], "1/50", [250, 50]))


def simplex() -> float:
    return drawn_as_meant(paths.by_terms, law_of([1, 2, "0.5"], 3, [2, 3, 4]))


def listed() -> float:
    return drawn_as_meant(paths.by_inversion, law_of([1, "0.5"], 2, [7, 33]))


def one_sided() -> float:
    return paths.off(paths.sizes_of(Geometric(Fraction(1, 3)), 30), {t: Fraction(math.exp(-t / 3)) for t in range(31)})


def folded() -> float:
    return paths.off(
        paths.two_sided(TwoSided(Fraction(1)), 20), {d: Fraction(math.exp(-abs(d))) for d in range(-20, 21)}
    )


def signed() -> float:
    return two_sided_is_off(20, 100)


def two_sided_is_off(scale: int, last: int) -> float:
    meant = {d: Fraction(math.exp(-abs(d) / scale)) for d in range(-last, last + 1)}
    return paths.off(paths.two_sided(TwoSided(Fraction(1, scale)), last), meant)


def totals() -> float:
    meant = {t: Fraction(math.comb(t + 2, 2) ** 2 * math.exp(-t)) for t in range(61)}
    return paths.off(paths.totals_of(ZeroSum(Fraction(1, 2), 3), 60), meant)


def laplace() -> float:
    found = paths.rounded_laplace(RoundedLaplace(Fraction(1, 2), "nearest"), 40)
    meant = {t: Fraction(math.exp(-(abs(t) - 0.5) / 2) * -math.expm1(-0.5) / 2) for t in found}
    return paths.off(found, meant | {0: Fraction(-math.expm1(-0.25))})


without_fault = cache(lambda law: law())
"""How far off a law is before any fault is planted; several faults have the same one."""

CASES: list[tuple[Fault, Callable[[], float]]] = [
    (faults.bound_too_low(Fraction(3, 100)), line),
    (faults.bound_too_low(Fraction(1, 100)), line),
    (faults.coin_off(Fraction(-5, 100)), line),
    (faults.coin_off(Fraction(5, 100)), line),
    (faults.coin_off(Fraction(-1, 100)), line),
    (faults.coin_decided_by_a_float_too_high, line),
    (faults.blocks_without_their_size, flat_line),
    (faults.end_of_the_line_forgotten, flat_line),
    (faults.proposal_of_its_own_term, simplex),
    (faults.atom_forgotten, simplex),
    (faults.table_of_short_weights, listed),
    (faults.uniform_of_eight_bits, listed),
    (faults.rate_off(Geometric), one_sided),
    (faults.rate_off(TwoSided), folded),
    (faults.rate_off(ZeroSum), totals),
    (faults.ways_not_squared, totals),
    (faults.digit_of_the_next, one_sided),
    (faults.digit_of_the_next, signed),
    (faults.zero_twice, signed),
    (faults.zero_coin_of_the_floor, laplace),
]

REPEATED = (0, 2, 3)
"""Faults that are there once more, and smaller."""


@pytest.mark.parametrize(
    ("fault", "law"),
    [
        pytest.param(*case, id=f"{case[0].__qualname__.split('.')[0]}-{i}", marks=[pytest.mark.soak] * (i in REPEATED))
        for i, case in enumerate(CASES)
    ],
)
def test_a_fault_in_a_sampler_changes_the_law_that_is_read_off_it(
    fault: Fault, law: Callable[[], float], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert without_fault(law) < 1e-9
    noise.geometric.cache_clear()
    fault(monkeypatch)
    try:
        found = law()
    except DiscreetError:  # an envelope that was found too low says so itself
        found = 1.0
    assert found > 0.005


def test_a_remainder_is_no_uniform_number() -> None:
    for sampler, even in ((draw_below, True), (faults.remainder, False)):
        found = paths.distribution(lambda bits, sampler=sampler: sampler(bits, 5), 6)  # type: ignore[misc]
        found.pop(paths.UNDECIDED, None)
        assert (len(set(found.values())) == 1) is even


def test_cuts_that_may_fall_together_make_no_even_composition() -> None:
    for sampler, even in ((draw_composition, True), (faults.bars_with_repetition, False)):
        found = paths.distribution(lambda bits, sampler=sampler: tuple(sampler(bits, 3, 3)), 12)  # type: ignore[misc]
        found.pop(paths.UNDECIDED, None)
        assert len(found) == math.comb(5, 2)
        assert (len(set(found.values())) == 1) is even


def test_a_coin_of_four_bits_is_told_from_one_that_asks_for_more() -> None:
    third = Fraction(1, 3)
    assert abs(paths.chance_of(lambda bits: draw_bernoulli(bits, lambda: ball(third))) - third) < Fraction(1, 1 << 62)
    assert abs(paths.chance_of(lambda bits: faults.short_coin(bits, lambda: ball(third))) - third) > Fraction(1, 100)
