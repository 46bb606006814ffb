"""The exact distribution: what is listed, what lies below and above it, and what it costs to find a tail."""

from fractions import Fraction

import pytest

import discreet as dc
from discreet.arithmetic.binary64 import ONE, ZERO
from discreet.mechanisms.snapping import law as laws
from discreet.mechanisms.snapping.law import beyond, law_between, law_near

SNAPPING = dc.Snapping(epsilon=3, bound=2)


@pytest.mark.parametrize("value", [Fraction(-2), Fraction(1, 3), Fraction(2)], ids=str)
def test_what_lies_below_and_above_a_list_is_the_mass_of_the_outputs_it_leaves_out(value: Fraction) -> None:
    last = SNAPPING.last
    whole = law_between(SNAPPING, value, -last, last)
    assert whole.complete
    masses = [mass.fraction() for mass in whole.masses]
    for first in range(-last, last + 1):
        for end in range(first, last + 1):
            law = law_between(SNAPPING, value, first, end)
            assert (law.below.fraction(), law.above.fraction()) == (
                sum(masses[: first + last]),
                sum(masses[end + last + 1 :]),
            )
            assert law.mass_is_one
            assert law.complete == (end - first == 2 * last)


def test_an_output_beyond_the_clamp_is_reached_by_no_noise_and_surpassed_by_all() -> None:
    far = SNAPPING.last + 1
    assert [beyond(SNAPPING, Fraction(1), upward, far) for upward in (True, False)] == [ZERO, ONE]
    assert [beyond(SNAPPING, Fraction(1), upward, -far) for upward in (True, False)] == [ONE, ZERO]


def test_of_more_outputs_than_may_be_listed_those_around_the_inputs_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws, "NEAR", 2)
    inputs, outputs = [Fraction(1, 10), Fraction(11, 10)], 2 * SNAPPING.last + 1
    assert SNAPPING.lattice == 0.5
    monkeypatch.setattr(laws, "LISTED", outputs)
    everything = SNAPPING.distribution(0).probabilities()
    for most, listed in ((outputs, everything), (outputs - 1, (-1, -0.5, 0, 0.5, 1, 1.5, 2))):
        monkeypatch.setattr(laws, "LISTED", most)
        for law in law_near(SNAPPING, inputs):
            assert list(law.probabilities()) == list(listed)
            assert law.mass_is_one
    with pytest.raises(dc.TooLarge, match=f"has {outputs} outputs, more than the {outputs - 1} "):
        SNAPPING.distribution(0)


def test_one_output_more_than_the_documented_8192_is_refused() -> None:
    with pytest.raises(dc.TooLarge, match="8193 outputs, more than the 8192 "):
        dc.Snapping(epsilon=1, bound=8192).distribution(0)


@pytest.mark.parametrize("value", ["0", "1/3", "1/2", "-7/4"])
def test_the_closed_form_leaves_two_questions_at_most_to_each_tail(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int | None] = []
    land = dc.Snapping._land

    def asking(self: dc.Snapping, x: Fraction, upward: bool, rank: int | None) -> int:
        asked.append(rank)
        return land(self, x, upward, rank)

    monkeypatch.setattr(dc.Snapping, "_land", asking)
    for snapping in (SNAPPING, dc.Snapping(epsilon="0.7", bound=9)):
        for index in range(-snapping.last, snapping.last + 1):
            for upward in (True, False):
                asked.clear()
                beyond(snapping, Fraction(value), upward, index)
                assert len(asked) <= 2
