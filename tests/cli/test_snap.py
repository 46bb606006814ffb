"""`discreet snap`: release, verify and attack, for people and for programs."""

from pathlib import Path

import pytest

import discreet as dc
from tests.cli.command import assert_refused, discreet

PARAMETERS = ("--epsilon", "1", "--bound", "100")
PAIR = ("--value", "0", "--neighbour", "1")


def test_a_release_is_an_output_of_the_mechanism_with_public_values_beside_it() -> None:
    document = discreet("snap", "release", *PARAMETERS, "--value", "17.3", "--json").document
    snapping = dc.Snapping(epsilon=1, bound=100)
    assert document["output"] in snapping.distribution(0).probabilities()
    assert document["scale"] == snapping.scale
    assert document["lattice"] == 2.0
    assert "value" not in document


def test_a_value_may_be_negative_or_read_from_standard_input() -> None:
    assert discreet("snap", "release", *PARAMETERS, "--value", "-3").code == 0
    assert discreet("snap", "release", *PARAMETERS, "--value", "-", stdin="17.3\n").code == 0


def test_verify_has_the_keys_that_programs_rely_on() -> None:
    document = discreet("snap", "verify", *PARAMETERS, *PAIR, "--at-epsilon", "0.5", "--json").document
    assert document["mass_is_one"] is True
    assert document["complete"] is True
    assert document["ideal_epsilon"] < document["exact_epsilon"] <= document["bound_epsilon"] <= 1
    assert document["delta"][0]["delta"] == pytest.approx(0.196735, abs=1e-6)
    assert document["exact_epsilon"] == dc.Snapping(epsilon=1, bound=100).verify(0, 1).exact_epsilon


@pytest.mark.parametrize("value", ["5e-324", "-0.0", "1e-400", "1/3", "-99.5"])
def test_awkward_values_are_verified_like_any_other(value: str) -> None:
    neighbour = "-99" if value == "-99.5" else "0.5"
    answer = discreet("snap", "verify", *PARAMETERS, "--value", value, "--neighbour", neighbour, "--json")
    assert answer.document["holds"] is True
    assert answer.document["mass_is_one"] is True


def test_without_a_pair_all_adjacent_values_are_certified() -> None:
    document = discreet("snap", "verify", *PARAMETERS, "--json").document
    assert document["all_values"] is True
    assert document["exact_epsilon"] == document["certified_epsilon"] <= document["bound_epsilon"]
    assert "loss, at most" in discreet("snap", "verify", *PARAMETERS).out


def test_a_bound_that_is_wide_is_enclosed_and_says_so() -> None:
    answer = discreet("snap", "verify", "--epsilon", "1", "--bound", str(2**40), *PAIR, "--json")
    assert answer.document["complete"] is False
    assert answer.document["mass_is_one"] is True
    assert answer.document["exact_epsilon"] <= answer.document["bound_epsilon"]


def test_the_attack_shows_a_concrete_output_and_certifies_snapping(tmp_path: Path) -> None:
    answer = discreet("snap", "attack", "--json", "--plot", "pores.svg", cwd=tmp_path)
    porous, snapped = answer.document["float_laplace"], answer.document["snapping"]
    assert porous["infinite"] is True
    assert float.fromhex(porous["output_hex"]) == porous["output"]
    assert porous["pores"] > 0
    assert snapped["pores"] == 0
    assert snapped["certified_epsilon"] <= 1
    assert b"<svg" in (tmp_path / "pores.svg").read_bytes()


def test_the_attack_tells_people_what_follows() -> None:
    answer = discreet("snap", "attack", "--exact-uniforms")
    assert answer.code == 0
    assert "impossible. The loss is infinite." in answer.out
    assert "0 of " in answer.out


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("release", ("--value", "1")),
        ("verify", PAIR),
    ],
)
def test_pictures_are_painted_and_named(
    command: str, arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = discreet("snap", command, *PARAMETERS, *arguments, "--plot", "picture.png")
    assert answer.code == 0, answer
    assert "written: picture.png" in answer.out
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


UNMEANT = {
    "no value": "release --epsilon 1 --bound 100",
    "no bound": "release --epsilon 1 --value 3",
    "a value that is no number": "release --epsilon 1 --bound 100 --value nan",
    "an infinite value": "release --epsilon 1 --bound 100 --value inf",
    "a bad epsilon": "release --epsilon nan --bound 9 --value 3",
    "a bound within the noise": "release --epsilon 1 --bound 1 --value 3",
    "a bound beyond floats": "release --epsilon 1 --bound 1e200 --value 3",
    "no sensitivity": "release --epsilon 1 --bound 100 --value 3 --sensitivity 0",
    "a picture of another kind": "release --epsilon 1 --bound 100 --value 3 --plot a.bmp",
    "a place that is not there": "release --epsilon 1 --bound 100 --value 3 --plot no/place.png",
    "half a pair": "verify --epsilon 1 --bound 100 --value 0",
    "values that are not adjacent": "verify --epsilon 1 --bound 100 --value 0 --neighbour 2",
    "a negative epsilon": "verify --epsilon 1 --bound 100 --value 0 --neighbour 1 --at-epsilon -1",
    "an attack on values that are not adjacent": "attack --neighbour 5",
    "a typo": "verfy",
}


@pytest.mark.parametrize("what", UNMEANT)
def test_what_cannot_be_meant_is_refused(what: str, tmp_path: Path) -> None:
    assert_refused(discreet("snap", *UNMEANT[what].split(), cwd=tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", ["nan", "seven", "", "1 2", "٣"])
def test_a_bad_value_is_refused_in_words_that_no_value_can_change(value: str) -> None:
    answer = discreet("snap", "release", *PARAMETERS, f"--value={value}")
    assert answer == discreet("snap", "release", *PARAMETERS, "--value=other")
