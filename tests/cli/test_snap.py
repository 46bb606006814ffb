"""`discreet snap`: release, verify and attack, for people and for programs."""

from pathlib import Path

import pytest

import discreet as dc
from tests.cli.command import assert_painted, told, typed

RELEASE = "snap release --epsilon 1 --bound 100"
VERIFY = "snap verify --epsilon 1 --bound 100"
PAIR = "--value 0 --neighbour 1"


def test_a_release_is_an_output_of_the_mechanism_with_public_values_beside_it() -> None:
    document = told(f"{RELEASE} --value 17.3")
    snapping = dc.Snapping(epsilon=1, bound=100)
    assert document["output"] in snapping.distribution(0).probabilities()
    assert document["scale"] == snapping.scale
    assert document["lattice"] == 2.0
    assert "value" not in document


def test_a_value_may_be_negative_or_read_from_standard_input() -> None:
    assert typed(f"{RELEASE} --value -3").code == 0
    assert typed(f"{RELEASE} --value -", stdin="17.3\n").code == 0


def test_verify_has_the_keys_that_programs_rely_on() -> None:
    document = told(f"{VERIFY} {PAIR} --at-epsilon 0.5")
    assert document["mass_is_one"] is document["complete"] is True
    assert document["ideal_epsilon"] < document["exact_epsilon"] <= document["bound_epsilon"] <= 1
    assert document["delta"][0]["delta"] == pytest.approx(0.196735, abs=1e-6)
    assert document["exact_epsilon"] == dc.Snapping(epsilon=1, bound=100).verify(0, 1).exact_epsilon


@pytest.mark.parametrize("value", ["5e-324", "-0.0", "1e-400", "1/3", "-99.5"])
def test_awkward_values_are_verified_like_any_other(value: str) -> None:
    document = told(f"{VERIFY} --value {value} --neighbour {'-99' if value == '-99.5' else '0.5'}")
    assert document["holds"] is document["mass_is_one"] is True


def test_without_a_pair_all_adjacent_values_are_certified() -> None:
    document = told(VERIFY)
    assert document["all_values"] is True
    assert document["exact_epsilon"] == document["certified_epsilon"] <= document["bound_epsilon"]
    assert "loss, at most" in typed(VERIFY).out


def test_a_bound_that_is_wide_is_enclosed_and_says_so() -> None:
    document = told(f"snap verify --epsilon 1 --bound {2**40} {PAIR}")
    assert (document["complete"], document["mass_is_one"]) == (False, True)
    assert document["exact_epsilon"] <= document["bound_epsilon"]


def test_the_attack_shows_a_concrete_output_and_certifies_snapping(place: Path) -> None:
    document = told("snap attack --plot pores.svg")
    porous, snapped = document["float_laplace"], document["snapping"]
    assert porous["infinite"] is True
    assert float.fromhex(porous["output_hex"]) == porous["output"]
    assert porous["pores"] > 0 == snapped["pores"]
    assert snapped["certified_epsilon"] <= 1
    assert_painted(place / "pores.svg")


def test_the_attack_tells_people_what_follows() -> None:
    answer = typed("snap attack --exact-uniforms")
    assert answer.code == 0
    assert "impossible. The loss is infinite." in answer.out
    assert "0 of " in answer.out


@pytest.mark.parametrize("line", [f"{RELEASE} --value 1", f"{VERIFY} {PAIR}"])
def test_pictures_are_painted_and_named(line: str, place: Path) -> None:
    answer = typed(f"{line} --plot picture.png")
    assert answer.code == 0, answer
    assert "written: picture.png" in answer.out
    assert_painted(place / "picture.png")


@pytest.mark.parametrize("value", ["nan", "seven", "", "1 2", "٣"])
def test_a_bad_value_is_refused_in_words_that_no_value_can_change(value: str) -> None:
    assert typed(RELEASE, f"--value={value}") == typed(RELEASE, "--value=other")
