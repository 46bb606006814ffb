"""Bad input: exit code 2 and one line that says how to mend it."""

import shlex
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


@pytest.mark.few(2)
@pytest.mark.parametrize("counts", ["70,50,31", "0,0,0", "150,150,150", "1e12,0,0"])
def test_counts_that_do_not_sum_to_n_are_refused_in_words_that_no_count_can_change(counts: str) -> None:
    answer = discreet("release", "--counts", counts, "--n", "150", "--epsilon", "1", "--no-ledger")
    assert_refused(answer)
    assert answer == discreet("release", "--counts", "1,2,3", "--n", "150", "--epsilon", "1", "--no-ledger")


UNMEANT = {
    "fewer prior parameters than counts": "... --epsilon 1 --prior 1,1",
    "more prior parameters than counts": "... --epsilon 1 --prior 1,1,1,1",
    "a negative prior": "... --epsilon 1 --prior 1,-1,1",
    "no records": "... --epsilon 1 --n 0",
    "counts of nothing": "release --counts 0,0 --epsilon 1 --no-ledger",
    "one category": "release --counts 150 --epsilon 1 --no-ledger",
    "an unknown mechanism": "... --epsilon 1 --mechanism gaussian",
    "a mechanism without a name": "... --epsilon 1 --mechanism ''",
    "an unknown way": "... --epsilon 1 --way home",
    "a gamma for geometric": "... --epsilon 1 --gamma 1",
    "a way for another": "... --epsilon 1 --mechanism exponential-global --way free",
    "a bad gamma": "... --epsilon 1 --mechanism exponential-reciprocal --gamma nan",
    "fewer names than counts": "... --epsilon 1 --categories a,b",
    "a name given twice": "... --epsilon 1 --categories a,b,a",
    "an engine for counts": "... --epsilon 1 --engine duckdb",
    "a delimiter of counts": "... --epsilon 1 --delimiter ;",
    "a header of counts": "... --epsilon 1 --no-header",
    "a table unguarded": "release t.csv --column c --categories a,b --epsilon 1 --no-ledger --accept-no-guarantee",
    "an empty name": "... --epsilon 1 --categories a,b,",
    "a name that steers the terminal": "... --epsilon 1 --categories a,b,\x1b[31m",
    "a directory to write to": "... --epsilon 1 --out .",
    "a place that is not there": "... --epsilon 1 --out no/such/place.json",
    "a picture of another kind": "... --epsilon 1 --plot picture.bmp",
    "one file for two things": "... --epsilon 1 --plot a.png --out a.png",
    "no word about a ledger": "release --counts 7,5 --epsilon 1",
    "nothing to release": "release --epsilon 1 --no-ledger",
    "a table": "release people.csv --epsilon 1 --no-ledger",
    "a ledger": "release --counts 7,5 --epsilon 1 --ledger l.db",
    "no epsilon": "...",
    "an option without its value": "release --epsilon",
    "more arguments than there are": "... --epsilon 1 extra arguments",
    "sensitivity of an unknown k": "sensitivity --n 100",
    "sensitivity at an unknown n": "sensitivity --prior 1,1",
    "sensitivity elsewhere": "sensitivity --prior 1,1 --n 100 --counts 50,51",
    "sensitivity at a negative gamma": "sensitivity --prior 1,1 --counts 50,50 --gamma -1",
    "a command that steers the terminal": "'no\nsuch\x1b[31m'",
}
"""Command lines; three dots stand for a release of counts."""


@pytest.mark.parametrize("what", UNMEANT)
def test_what_cannot_be_meant_is_refused(what: str, tmp_path: Path) -> None:
    words = shlex.split(UNMEANT[what].replace("...", " ".join(COUNTS)))
    assert_refused(discreet(*words, cwd=tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (("relaese",), ["release"]),
        ((*COUNTS, "--epsilonn", "1"), ["--epsilon"]),
        ((*COUNTS, "--epsilon", "1", "--mechanism", "geometri"), ["geometric"]),
        (
            (*COUNTS, "--epsilon", "1", "--mechanism", "exponential"),
            [f"exponential-{kind}" for kind in ("global", "local", "smooth", "reciprocal")],
        ),
    ],
)
def test_a_typo_is_answered_with_the_nearest_names(typed: tuple[str, ...], meant: list[str]) -> None:
    answer = discreet(*typed)
    assert_refused(answer)
    assert all(name in answer.err for name in meant)


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


def test_a_category_in_hand_may_have_a_comma() -> None:
    answer = discreet(*COUNTS, "--epsilon", "1", "--categories", 'red,"green, blue",black', "--json")
    assert answer.document["categories"] == ["red", "green, blue", "black"]


def test_a_receipt_that_is_not_there_is_named() -> None:
    for command in (("infer",), ("receipt", "verify")):
        answer = discreet(*command, "not-there.json")
        assert_refused(answer)
        assert "there is no file not-there.json" in answer.err


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
