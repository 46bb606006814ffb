"""Verdicts and certificates: what they say of infinite losses, of ties, and of outputs that are not listed."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest

import discreet as dc
from discreet.arithmetic.binary64 import ZERO, Dyadic
from discreet.mechanisms.snapping.law import SnappedLaw
from discreet.mechanisms.snapping.proof import Certificate, _greatest
from tests.faults.snapping import FixedGrid
from tests.oracles.precision import mp

SNAPPING = dc.Snapping(epsilon="0.5", bound=24, sensitivity=2)
FOUND = SNAPPING.verify("-0.6", "0.4")


def test_a_verdict_tells_its_pair_its_ideal_loss_and_the_worst_output_in_either_direction() -> None:
    for value, neighbour in ((Fraction(-3, 5), Fraction(2, 5)), (Fraction(2, 5), Fraction(-3, 5))):
        found = SNAPPING.verify(value, neighbour)
        assert (found.value, found.neighbour) == (value, neighbour)
        assert found.ideal * Fraction(SNAPPING.scale) == Fraction(1, 2)
        assert "law" not in repr(found)
        assert found.forward != found.backward
        one, other = (law.probabilities()[found.worst] for law in found.laws)
        assert found.ratio == max(one / other, other / one)


def test_a_loss_that_is_just_the_epsilon_asked_for_holds_and_an_infinite_one_does_not() -> None:
    assert FOUND.loss is not None
    assert replace(FOUND, epsilon=FOUND.loss.upper).holds
    certificate = Certificate(certified=Fraction(1, 2), attained=FOUND, bound=Fraction(1), epsilon=Fraction(1, 2))
    assert certificate.holds
    assert certificate.exact_epsilon == 0.5
    infinite = replace(FOUND, forward=None)
    assert infinite.exact_epsilon == infinite.excess == math.inf
    assert not infinite.holds


def test_a_delta_counts_equal_masses_as_nothing_and_those_not_listed_in_full() -> None:
    masses = Dyadic(1, -1), Dyadic(1, -3)
    one = SnappedLaw(SNAPPING, 0, masses, Dyadic(1, -2), Dyadic(1, -3))
    other = SnappedLaw(SNAPPING, 0, (masses[0], Dyadic(1, -1)), ZERO, ZERO)
    found = replace(FOUND, laws=(other, one)).delta(0)
    assert (found.lower, found.upper) == (Fraction(3, 8), Fraction(3, 8))
    found = replace(FOUND, laws=(one, one)).delta(0)
    assert (found.lower, found.upper) == (Fraction(0), Fraction(3, 8))


def test_a_delta_that_is_zero_but_for_the_hundredth_digit_is_told_from_zero() -> None:
    with mp.workdps(150):
        above = Dyadic(int(mp.ceil(mp.e * 2**330)), -332)
    one, other = (SnappedLaw(SNAPPING, 0, (mass,), ZERO, ZERO) for mass in (above, Dyadic(1, -2)))
    found = replace(FOUND, laws=(one, other)).delta(1)
    assert 0 < found.lower < found.upper < Fraction(1, 2**332)
    wide = FOUND.delta("0.1")
    assert wide.upper - wide.lower < Fraction(1, 2**200)


def test_a_delta_is_asked_for_at_an_epsilon_that_is_not_negative() -> None:
    with pytest.raises(dc.InvalidInput, match=r"^epsilon must be at least 0"):
        FOUND.delta(-1)


@pytest.mark.every
@pytest.mark.parametrize(
    ("epsilon", "bound", "sensitivity"),
    [("1.5", "4.1", 3), (2, 2, 3), (1, 2, "1/2"), (1, 3, 1), ("0.3", "7.3", 1)],
)
def test_a_certificate_attains_what_pairs_at_the_clamp_the_centre_and_a_tie_lose(
    epsilon: str | int, bound: object, sensitivity: object
) -> None:
    snapping = dc.Snapping(epsilon=epsilon, bound=bound, sensitivity=sensitivity)
    attained = snapping.verify_all().attained
    tie = Fraction(snapping.lattice) / 2
    for place in (-snapping.reach, snapping.reach - 1, Fraction(0), Fraction(1, 3), tie - 1, tie):
        start = place * snapping.sensitivity
        found = snapping.verify(start, min(start + snapping.sensitivity, snapping.bound))
        assert attained.ratio is not None
        assert found.ratio is not None
        assert attained.ratio >= found.ratio


def test_a_certificate_of_what_loses_infinitely_much_shows_such_a_pair() -> None:
    certificate = FixedGrid(epsilon=1, bound=20).verify_all()
    assert certificate.attained.exact_epsilon == math.inf


def test_laws_that_list_different_outputs_are_not_compared_and_a_ratio_below_one_is_told() -> None:
    one, other, longer = (
        SnappedLaw(SNAPPING, 3, masses, ZERO, ZERO)
        for masses in ((Dyadic(1, -3), Dyadic(1, -2)), (Dyadic(1, -1),) * 2, (Dyadic(1, -2),) * 3)
    )
    assert _greatest(one, other) == (Fraction(1, 2), 4)
    with pytest.raises(ValueError, match="shorter"):
        _greatest(longer, other)
    with pytest.raises(ValueError, match="longer"):
        replace(FOUND, laws=(one, longer)).delta(0)
