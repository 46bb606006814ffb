"""`discreet audit`: the exact loss of a mechanism, for people and for programs."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

import discreet as dc
from tests.cli.command import assert_refused, discreet

BETA = ("--prior", "1,1")


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("mechanism", "gamma", "printed"),
    [
        ("exponential-global", (), 0.50356),
        ("exponential-local", (), 0.90764),
        ("exponential-reciprocal", ("--gamma", "1"), 0.87673),
        ("exponential-smooth", ("--gamma", "published:1,1e-8"), 0.52810),
        ("exponential-smooth", ("--gamma", "seeds:1,1e-8"), 0.52810),
    ],
)
def test_the_printed_losses_of_a_thousand_records_are_given(
    mechanism: str, gamma: tuple[str, ...], printed: float
) -> None:
    options = ("--n", "1000", "--scale", "1/2", *gamma, "--at-epsilon", "0.5", "--at-epsilon", "1", "--json")
    document = discreet("audit", mechanism, *BETA, *options).document
    assert document["exact_epsilon"] == pytest.approx(printed, abs=5e-6)
    assert document["mechanism"] == mechanism
    assert document["parameters"]["scale"] == "1/2"
    assert document["holds"] is document["private"] is True
    assert document["exact_epsilon"] < document["guarantee"] == document["asked_epsilon"]
    half, one = document["delta"]
    assert (half["epsilon"], one["epsilon"]) == (0.5, 1)
    assert 0 < half["delta"] < 0.1
    assert one["delta"] == 0
    certificate = dc.Certificate.from_json(document["certificate"])
    assert certificate.method == "enumeration"
    assert isinstance(certificate.bound, Fraction)
    assert certificate.bound <= Fraction(document["exact_epsilon"]) < certificate.bound + Fraction(1, 10**9)


def test_the_certificate_of_the_command_covers_the_mechanism_of_the_library() -> None:
    options = ("--prior", "1,0.5", "--n", "40", "--epsilon", "1/3", "--json")
    document = discreet("audit", "exponential-local", *options).document
    certificate = dc.Certificate.from_json(document["certificate"])
    certificate.check(dc.ExponentialLocal(dc.PosteriorSpace(prior=[1, "0.5"], n=40), epsilon="1/3"))
    with pytest.raises(dc.NotPrivate):
        certificate.check(dc.ExponentialLocal(dc.PosteriorSpace(prior=[1, "0.5"], n=41), epsilon="1/3"))


def test_the_worst_place_is_three_sets_of_counts() -> None:
    options = ("--prior", "1,1,1", "--n", "9", "--epsilon", "1", "--json")
    worst = discreet("audit", "laplace", *options).document["worst"]
    assert set(worst) == {"counts", "neighbour", "output"}
    assert all(len(at) == 3 and sum(at) == 9 for at in worst.values())
    assert sum(abs(a - b) for a, b in zip(worst["counts"], worst["neighbour"], strict=True)) == 2


def test_people_get_a_table_and_the_sentence_that_certifies_it() -> None:
    options = ("--n", "100", "--scale", "0.5", "--at-epsilon", "0.3")
    answer = discreet("audit", "exponential-reciprocal", *BETA, *options)
    assert answer.code == 0
    assert answer.err == ""
    for word in ("exact loss", "guarantee", "asked for", "δ at ε = 0.3", "worst counts", "enumeration", "scanned"):
        assert word in answer.out
    assert "not private" not in answer.out


@pytest.mark.parametrize("mechanism", ["optimal", "exponential-local"])
def test_the_loss_that_people_see_is_rounded_up(mechanism: str) -> None:
    options = ("audit", mechanism, *BETA, "--n", "10", "--epsilon", "1")
    exact = discreet(*options, "--json").document["exact_epsilon"]
    shown = re.search(r"exact loss[^0-9]*([0-9.e-]+)", discreet(*options).out)
    assert shown is not None
    assert Fraction(shown[1]) >= Fraction(exact)


def test_what_is_not_private_is_called_so() -> None:
    options = ("audit", "optimal", *BETA, "--n", "10", "--epsilon", "1")
    answer = discreet(*options)
    assert answer.code == 0
    assert "not private at the ε asked for" in answer.out
    document = discreet(*options, "--json").document
    assert document["private"] is False
    assert document["guarantee"] is None


def test_an_infinite_loss_is_null_for_programs_and_a_word_for_people() -> None:
    options = ("audit", "optimal", "--prior", "7,4", "--n", "30", "--epsilon", "2")
    document = discreet(*options, "--json").document
    assert document["exact_epsilon"] is None
    assert document["certificate"]["loss"] == "inf"
    assert "infinite" in discreet(*options).out


def test_many_categories_and_records_are_certified_by_the_theorem() -> None:
    options = ("--prior", "1,1,1", "--n", "1e12", "--epsilon", "1", "--json")
    document = discreet("audit", "exponential-reciprocal", *options).document
    assert document["exact_epsilon"] == document["guarantee"] == 1
    assert document["certificate"]["method"] == "theorem"
    assert document["worst"] is None
    assert "loss, at most" in discreet("audit", "exponential-reciprocal", *options[:-1]).out  # no exact one is known


def test_the_calibrated_scale_is_audited_where_it_is_asked_for() -> None:
    options = ("audit", "exponential-reciprocal", *BETA, "--n", "50", "--epsilon", "1", "--json")
    nominal = discreet(*options).document
    document = discreet(*options, "--calibrated").document
    assert nominal["exact_epsilon"] < 0.5
    assert 0.999 < document["exact_epsilon"] <= 1
    assert document["asked_epsilon"] == 1
    assert document["private"] is True
    fixed = discreet(*options, "--calibrated", "--gamma", "0.5").document
    assert fixed["parameters"]["gamma"] == "1/2"


def test_the_loss_is_painted(tmp_path: Path) -> None:
    answer = discreet("audit", "geometric", *BETA, "--n", "50", "--epsilon", "1", "--plot", "loss.png", cwd=tmp_path)
    assert answer.code == 0
    assert "written: loss.png" in answer.out
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")


def test_programs_get_nothing_but_json_even_with_a_picture(tmp_path: Path) -> None:
    options = ("--n", "50", "--epsilon", "1", "--plot", "loss.svg", "--json")
    answer = discreet("audit", "geometric", *BETA, *options, cwd=tmp_path)
    assert answer.document["exact_epsilon"] == 1
    assert (tmp_path / "loss.svg").stat().st_size > 1000


NONSENSE = {
    "no n": "geometric --epsilon 1",
    "neither epsilon nor scale": "geometric --n 50",
    "both epsilon and scale": "exponential-local --n 50 --epsilon 1 --scale 1",
    "a scale for what has none": "geometric --n 50 --scale 1",
    "calibrated to a scale": "exponential-local --n 50 --scale 1 --calibrated",
    "calibrated without a scale": "optimal --n 10 --epsilon 1 --calibrated",
    "an unknown mechanism": "exponential-locale --n 50 --epsilon 1",
    "an unknown mechanism with a scale": "exponential-locale --n 50 --scale 1",
    "an unknown one, calibrated": "gaussian --n 50 --epsilon 1 --calibrated",
    "a gamma for global": "exponential-global --n 50 --epsilon 1 --gamma 1",
    "a gamma for global with a scale": "exponential-global --n 50 --scale 1 --gamma 1",
    "a gamma for global, calibrated": "exponential-global --n 50 --epsilon 1 --gamma 1 --calibrated",
    "δ is missing": "exponential-smooth --n 50 --epsilon 1 --gamma published:1",
    "three numbers": "exponential-smooth --n 50 --epsilon 1 --gamma published:1,1,1",
    "δ above 1": "exponential-smooth --n 50 --epsilon 1 --gamma published:1,2",
    "empty numbers": "exponential-smooth --n 50 --epsilon 1 --gamma published:,",
    "a gamma of nan": "exponential-smooth --n 50 --epsilon 1 --gamma nan",
    "a gamma of nan, calibrated": "exponential-smooth --n 50 --epsilon 1 --gamma nan --calibrated",
    "a negative at-epsilon": "geometric --n 50 --epsilon 1 --at-epsilon -1",
    "a huge at-epsilon": "geometric --n 50 --epsilon 1 --at-epsilon 1e400",
    "another kind of picture": "geometric --n 50 --epsilon 1 --plot loss.bmp",
    "no such place": "geometric --n 50 --epsilon 1 --plot no/place.png",
    "one category": "geometric --prior 1 --n 50 --epsilon 1",
    "too large to calibrate": "exponential-local --prior 1,1,1 --n 1000 --epsilon 1 --calibrated",
    "too large for δ": "exponential-local --n 1e6 --epsilon 1 --at-epsilon 0.1",
    "too large for the programme": "optimal --n 300 --epsilon 1",
}


@pytest.mark.parametrize("what", NONSENSE)
def test_what_makes_no_sense_is_refused_in_one_line(what: str) -> None:
    assert_refused(discreet("audit", *NONSENSE[what].split()))


@pytest.mark.parametrize("calibrated", [(), ("--calibrated",)])
def test_a_ratio_is_a_gamma(calibrated: tuple[str, ...]) -> None:
    options = ("audit", "exponential-reciprocal", *BETA, "--n", "20", "--epsilon", "1", "--gamma", "1/3", "--json")
    assert discreet(*options, *calibrated).document["parameters"]["gamma"] == "1/3"


def test_a_picture_that_cannot_be_painted_is_refused_before_the_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    def scanned(*_: object, **__: object) -> None:
        raise AssertionError("the scan was run first")

    monkeypatch.setattr(dc, "audit", scanned)
    options = ("audit", "exponential-local", *BETA, "--n", "50", "--epsilon", "1", "--plot", "loss.bmp")
    assert_refused(discreet(*options))


def test_help_has_an_example_that_runs() -> None:
    answer = discreet("audit", "--help")
    assert answer.code == 0
    example = re.search(r"Example: discreet (.*?)\n\s*\n", answer.out + "\n\n", flags=re.DOTALL)
    assert example is not None
    words = re.sub(r"[│|]", " ", example[1]).split()
    again = discreet(*words)
    assert again.code == 0
    assert "0.8767" in again.out
