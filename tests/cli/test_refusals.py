"""Bad input: exit code 2 and one line that says how to mend it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import assert_refused, discreet, installed_discreet

COUNTS = ("release", "--counts", "70,50,30", "--no-ledger")


@pytest.mark.parametrize(
    "asked",
    [
        ("--epsilon", "nan"),
        ("--epsilon", "-0.0"),
        ("--epsilon", "1", "--prior", "1,٣,1"),
        ("--epsilon", "1", "--n", "1e1000000"),
        ("--epsilon", "1", "--n", "150.5"),
    ],
)
def test_an_option_refuses_what_the_parser_refuses(asked: tuple[str, ...]) -> None:
    """The parser is asked about every kind of bad number in tests/attacks."""
    assert_refused(discreet(*COUNTS, *asked))


@pytest.mark.parametrize("number", ["1/0", "-1", "2.5", "9" * 5000])
def test_a_count_that_is_no_whole_number_is_refused_in_words_that_no_count_can_change(number: str) -> None:
    rest = ("--epsilon", "1", "--no-ledger", "--prior", "1,1,1")
    answer = discreet("release", f"--counts=70,{number},30", *rest)
    assert_refused(answer)
    assert answer == discreet("release", f"--counts=9,{number},9", *rest)


def test_a_bad_number_is_refused_by_the_installed_command_too() -> None:
    assert_refused(installed_discreet(*COUNTS, "--epsilon", "1e1000000"))


@pytest.mark.parametrize("counts", ["70,50,31", "0,0,0", "150,150,150", "1e12,0,0"])
def test_counts_that_do_not_sum_to_n_are_refused_in_words_that_no_count_can_change(counts: str) -> None:
    answer = discreet("release", "--counts", counts, "--n", "150", "--epsilon", "1", "--no-ledger")
    assert_refused(answer)
    assert answer == discreet("release", "--counts", "1,2,3", "--n", "150", "--epsilon", "1", "--no-ledger")


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param((*COUNTS, "--epsilon", "1", "--prior", "1,1"), id="fewer prior parameters than counts"),
        pytest.param((*COUNTS, "--epsilon", "1", "--prior", "1,1,1,1"), id="more prior parameters than counts"),
        pytest.param((*COUNTS, "--epsilon", "1", "--prior", "1,-1,1"), id="a negative prior"),
        pytest.param((*COUNTS, "--epsilon", "1", "--n", "0"), id="no records"),
        pytest.param(("release", "--counts", "0,0", "--epsilon", "1", "--no-ledger"), id="counts of nothing"),
        pytest.param(("release", "--counts", "150", "--epsilon", "1", "--no-ledger"), id="one category"),
        pytest.param((*COUNTS, "--epsilon", "1", "--mechanism", "gaussian"), id="an unknown mechanism"),
        pytest.param((*COUNTS, "--epsilon", "1", "--mechanism", ""), id="a mechanism without a name"),
        pytest.param((*COUNTS, "--epsilon", "1", "--way", "home"), id="an unknown way"),
        pytest.param((*COUNTS, "--epsilon", "1", "--gamma", "1"), id="a gamma for geometric"),
        pytest.param(
            (*COUNTS, "--epsilon", "1", "--mechanism", "exponential-global", "--way", "free"), id="a way for another"
        ),
        pytest.param(
            (*COUNTS, "--epsilon", "1", "--mechanism", "exponential-reciprocal", "--gamma", "nan"), id="a bad gamma"
        ),
        pytest.param((*COUNTS, "--epsilon", "1", "--categories", "a,b"), id="fewer names than counts"),
        pytest.param((*COUNTS, "--epsilon", "1", "--categories", "a,b,a"), id="a name given twice"),
        pytest.param((*COUNTS, "--epsilon", "1", "--engine", "duckdb"), id="an engine for counts"),
        pytest.param((*COUNTS, "--epsilon", "1", "--delimiter", ";"), id="a delimiter of counts"),
        pytest.param((*COUNTS, "--epsilon", "1", "--no-header"), id="a header of counts"),
        pytest.param(
            (
                *("release", "t.csv", "--column", "c", "--categories", "a,b"),
                *("--epsilon", "1", "--no-ledger", "--accept-no-guarantee"),
            ),
            id="a table without a guarantee",
        ),
        pytest.param((*COUNTS, "--epsilon", "1", "--categories", "a,b,"), id="an empty name"),
        pytest.param((*COUNTS, "--epsilon", "1", "--categories", "a,b,\x1b[31m"), id="a name that steers the terminal"),
        pytest.param((*COUNTS, "--epsilon", "1", "--out", "."), id="a directory to write to"),
        pytest.param((*COUNTS, "--epsilon", "1", "--out", "no/such/place.json"), id="a place that is not there"),
        pytest.param((*COUNTS, "--epsilon", "1", "--plot", "picture.bmp"), id="a picture of another kind"),
        pytest.param((*COUNTS, "--epsilon", "1", "--plot", "a.png", "--out", "a.png"), id="one file for two things"),
        pytest.param(("release", "--counts", "7,5", "--epsilon", "1"), id="no word about a ledger"),
        pytest.param(("release", "--epsilon", "1", "--no-ledger"), id="nothing to release"),
        pytest.param(("release", "people.csv", "--epsilon", "1", "--no-ledger"), id="a table"),
        pytest.param(("release", "--counts", "7,5", "--epsilon", "1", "--ledger", "l.db"), id="a ledger"),
        pytest.param(COUNTS, id="no epsilon"),
        pytest.param(("release", "--epsilon"), id="an option without its value"),
        pytest.param((*COUNTS, "--epsilon", "1", "extra", "arguments"), id="more arguments than there are"),
        pytest.param(("sensitivity", "--n", "100"), id="sensitivity of an unknown k"),
        pytest.param(("sensitivity", "--prior", "1,1"), id="sensitivity at an unknown n"),
        pytest.param(("sensitivity", "--prior", "1,1", "--n", "100", "--counts", "50,51"), id="sensitivity elsewhere"),
        pytest.param(
            ("sensitivity", "--prior", "1,1", "--counts", "50,50", "--gamma", "-1"),
            id="sensitivity at a negative gamma",
        ),
        pytest.param(("no\nsuch\x1b[31m",), id="a command that steers the terminal"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_refused(discreet(*arguments))
    assert list(tmp_path.iterdir()) == []


def test_a_typo_in_a_command_is_answered_with_the_nearest_name() -> None:
    answer = discreet("relaese")
    assert_refused(answer)
    assert "release" in answer.err


def test_a_typo_in_an_option_is_answered_with_the_nearest_name() -> None:
    answer = discreet(*COUNTS, "--epsilonn", "1")
    assert_refused(answer)
    assert "--epsilon" in answer.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("plan", "--n", "abc", "--epsilon", "1"), "--n must be a whole number; write it like 1000 or 1e6"),
        (("plan", "--n", "9"), "give --epsilon, or --target-error with --confidence, or --target-width"),
        (("plan", "--n", "9", "--epsilon", "1", "--worst-case"), "give --target-error and --confidence"),
        (("plan", "--n", "9", "--target-width", "wide"), "--target-width is not a number"),
        (("plan", "--n", "9", "--target-error", "1", "--confidence", "2"), "--confidence must be below 1"),
        ((*COUNTS, "--epsilon", "abc"), "--epsilon is not a number"),
        ((*COUNTS, "--epsilon", "1", "--way", "home"), "--way must be one of"),
        (("audit", "geometric", "--n", "9", "--epsilon", "1", "--at-epsilon", "q"), "--at-epsilon is not a number"),
        (("snap", "release", "--epsilon", "1", "--bound", "q", "--value", "1"), "--bound is not a number"),
        (("ledger", "create", "b.db", "--dataset", "d", "--epsilon", "q"), "--epsilon is not a number"),
        (
            ("release", "t.csv", "--column", "c", "--categories", "a", "--epsilon", "1", "--no-ledger"),
            "name them with --categories, or one of them and the rest with --other",
        ),
    ],
)
def test_a_refusal_names_the_option_that_was_typed(arguments: tuple[str, ...], said: str) -> None:
    answer = discreet(*arguments)
    assert_refused(answer)
    assert said in answer.err


def test_what_a_user_named_is_not_taken_for_an_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "n.csv").write_text("vote\na\nb\n", encoding="utf-8")
    asked = ("--column", "other_group", "--categories", "a,b", "--epsilon", "1", "--no-ledger")
    answer = discreet("release", "n.csv", *asked)
    assert_refused(answer)
    assert "n.csv has no column 'other_group'" in answer.err


def test_a_family_s_name_is_answered_with_all_of_it() -> None:
    answer = discreet(*COUNTS, "--epsilon", "1", "--mechanism", "exponential")
    assert_refused(answer)
    assert all(f"exponential-{kind}" in answer.err for kind in ("global", "local", "smooth", "reciprocal"))


def test_a_category_in_hand_may_have_a_comma() -> None:
    answer = discreet(*COUNTS, "--epsilon", "1", "--categories", 'red,"green, blue",black', "--json")
    assert answer.document["categories"] == ["red", "green, blue", "black"]


def test_a_receipt_that_is_not_there_is_named() -> None:
    for command in (("infer",), ("receipt", "verify")):
        answer = discreet(*command, "not-there.json")
        assert_refused(answer)
        assert "there is no file not-there.json" in answer.err


def test_a_typo_in_a_mechanism_is_answered_with_the_names_there_are() -> None:
    answer = discreet(*COUNTS, "--epsilon", "1", "--mechanism", "geometri")
    assert_refused(answer)
    assert "geometric" in answer.err


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ((*COUNTS, "--epsilon", "nan", "--json"), "InvalidInput"),
        ((*COUNTS, "--epsilonn", "1", "--json"), "Usage"),
        (("relaese", "--json"), "Usage"),
        (("sensitivity", "--prior", "1,1", "--n", "0", "--json"), "InvalidInput"),
    ],
)
def test_with_json_a_refusal_is_told_to_programs_too(arguments: tuple[str, ...], kind: str) -> None:
    answer = discreet(*arguments)
    assert answer.code == 2
    error = answer.document["error"]
    assert error["kind"] == kind
    assert answer.err == f"error: {error['message']}; {error['hint']}\n"
    assert error["mend"] == error["hint"], "the key's former name still works"


def test_a_yardstick_is_refused_as_not_private() -> None:
    arguments = ("release", "--counts", "3,4", "--epsilon", "1", "--no-ledger", "--mechanism", "optimal")
    assert_refused(discreet(*arguments), code=4)
    assert_refused(discreet(*arguments, "--dry-run"), code=4)
