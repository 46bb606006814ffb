"""`discreet audit`: the exact loss of a mechanism, for people and for programs."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

import discreet as dc
from tests.cli.command import assert_painted, assert_refused, discreet, told, typed


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("mechanism", "printed"),
    [
        ("exponential-global", 0.50356),
        ("exponential-local", 0.90764),
        ("exponential-reciprocal --gamma 1", 0.87673),
        ("exponential-smooth --gamma published:1,1e-8", 0.52810),
        ("exponential-smooth --gamma seeds:1,1e-8", 0.52810),
    ],
)
def test_the_printed_losses_of_a_thousand_records_are_given(mechanism: str, printed: float) -> None:
    document = told(f"audit {mechanism} --prior 1,1 --n 1000 --scale 1/2 --at-epsilon 0.5 --at-epsilon 1")
    assert document["exact_epsilon"] == pytest.approx(printed, abs=5e-6)
    assert document["mechanism"] == mechanism.split()[0]
    assert document["parameters"]["scale"] == "1/2"
    assert document["holds"] is document["private"] is True
    assert document["exact_epsilon"] < document["guarantee"] == document["asked_epsilon"]
    half, one = document["delta"]
    assert (half["epsilon"], one["epsilon"], one["delta"]) == (0.5, 1, 0)
    assert 0 < half["delta"] < 0.1
    certificate = dc.Certificate.from_json(document["certificate"])
    assert certificate.method == "enumeration"
    assert isinstance(certificate.bound, Fraction)
    assert certificate.bound <= Fraction(document["exact_epsilon"]) < certificate.bound + Fraction(1, 10**9)


def test_the_certificate_of_the_command_covers_the_mechanism_of_the_library() -> None:
    document = told("audit exponential-local --prior 1,0.5 --n 40 --epsilon 1/3")
    certificate = dc.Certificate.from_json(document["certificate"])
    certificate.check(dc.ExponentialLocal(dc.PosteriorSpace(prior=[1, "0.5"], n=40), epsilon="1/3"))
    with pytest.raises(dc.NotPrivate):
        certificate.check(dc.ExponentialLocal(dc.PosteriorSpace(prior=[1, "0.5"], n=41), epsilon="1/3"))


def test_the_worst_place_is_three_sets_of_counts() -> None:
    worst = told("audit laplace --prior 1,1,1 --n 9 --epsilon 1")["worst"]
    assert set(worst) == {"counts", "neighbour", "output"}
    assert all(len(at) == 3 and sum(at) == 9 for at in worst.values())
    assert sum(abs(a - b) for a, b in zip(worst["counts"], worst["neighbour"], strict=True)) == 2


def test_people_get_a_table_and_the_sentence_that_certifies_it() -> None:
    answer = typed("audit exponential-reciprocal --n 100 --scale 0.5 --at-epsilon 0.3")
    assert (answer.code, answer.err) == (0, "")
    for word in ("exact loss", "guarantee", "asked for", "δ at ε = 0.3", "worst counts", "enumeration", "scanned"):
        assert word in answer.out
    assert "not private" not in answer.out


def test_the_post_processing_is_called_as_its_option_is() -> None:
    table = typed("audit geometric --n 5 --epsilon 1").out
    assert re.search(r"postprocess +│ +nearest", table)
    assert "way" not in table


@pytest.mark.parametrize("mechanism", ["optimal", "exponential-local"])
def test_the_loss_that_people_see_is_rounded_up(mechanism: str) -> None:
    line = f"audit {mechanism} --n 10 --epsilon 1"
    shown = re.search(r"exact loss[^0-9]*([0-9.e-]+)", typed(line).out)
    assert shown is not None
    assert Fraction(shown[1]) >= Fraction(told(line)["exact_epsilon"])


def test_what_is_not_private_is_called_so() -> None:
    document = told("audit optimal --n 10 --epsilon 1")
    assert (document["private"], document["guarantee"]) == (False, None)
    assert "not private at the ε asked for" in typed("audit optimal --n 10 --epsilon 1").out


def test_an_infinite_loss_is_null_for_programs_and_a_word_for_people() -> None:
    line = "audit optimal --prior 7,4 --n 30 --epsilon 2"
    document = told(line)
    assert document["exact_epsilon"] is None
    assert document["certificate"]["loss"] == "inf"
    assert "infinite" in typed(line).out


def test_many_categories_and_records_are_certified_by_the_theorem() -> None:
    line = "audit exponential-reciprocal --prior 1,1,1 --n 1e12 --epsilon 1"
    document = told(line)
    assert document["exact_epsilon"] == document["guarantee"] == 1
    assert document["certificate"]["method"] == "theorem"
    assert document["worst"] is None
    assert "loss, at most" in typed(line).out  # no exact one is known


def test_the_calibrated_scale_is_audited_where_it_is_asked_for() -> None:
    line = "audit exponential-reciprocal --n 50 --epsilon 1"
    document = told(line, "--calibrated")
    assert told(line)["exact_epsilon"] < 0.5
    assert 0.999 < document["exact_epsilon"] <= 1
    assert (document["asked_epsilon"], document["private"]) == (1, True)


@pytest.mark.parametrize("calibrated", [(), ("--calibrated",)])
def test_a_ratio_is_a_gamma(calibrated: tuple[str, ...]) -> None:
    document = told("audit exponential-reciprocal --n 20 --epsilon 1 --gamma 1/3", *calibrated)
    assert document["parameters"]["gamma"] == "1/3"


def test_the_loss_is_painted_and_programs_get_nothing_but_json_beside_it(place: Path) -> None:
    answer = typed("audit geometric --n 50 --epsilon 1 --plot loss.png")
    assert answer.code == 0
    assert "written: loss.png" in answer.out
    assert told("audit geometric --n 50 --epsilon 1 --plot loss.svg")["exact_epsilon"] == 1
    assert_painted(place / "loss.png", place / "loss.svg")


def test_a_picture_that_cannot_be_painted_is_refused_before_the_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    def scan(*_: object, **__: object) -> None:
        raise AssertionError("the scan was run first")

    monkeypatch.setattr(dc, "audit", scan)
    assert_refused(typed("audit exponential-local --n 50 --epsilon 1 --plot loss.bmp"))


def test_help_has_an_example_that_runs() -> None:
    _, _, example = discreet("audit", "--help").out.partition("Example: discreet ")
    answer = typed(example)
    assert answer.code == 0
    assert "0.8767" in answer.out
