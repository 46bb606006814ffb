"""`discreet release` on counts in hand."""

import json
from pathlib import Path

import pytest

import discreet as dc
from tests.cli.command import assert_painted, assert_refused, told, typed

RELEASE = "release --counts 70,50,30 --epsilon 0.5 --no-ledger"


def test_a_release_says_all_that_programs_rely_on() -> None:
    document = told(RELEASE)
    assert document["n"] == sum(document["output"]) == 150
    assert (document["epsilon"], document["epsilon_exact"], document["delta"]) == (0.5, "1/2", 0)
    assert document["prior"] == [1, 1, 1]
    assert document["categories"] == list(document["posterior"]) == list(document["interval"]) == ["1", "2", "3"]
    assert document["adjacency"] == "replace-one"
    assert document["mechanism"]["name"] == "geometric"
    assert (document["certificate"]["loss"], document["certificate"]["epsilon"]) == ("1/2", 0.5)
    assert document["certificate"]["facts"]["n"] == 150
    assert document["schema"] == "discreet-receipt-2"
    assert document["unit"] == "one row"
    assert document["version"] == dc.__version__
    assert document["request_id"] is document["dataset"] is document["charge"] is None
    assert 0 < document["accuracy"]["mean"] < document["accuracy"]["quantile_95"] < 1
    assert sum(row["mean"] for row in document["posterior"].values()) == pytest.approx(1)
    for name, (low, high) in document["interval"].items():
        assert 0 <= low < document["belief"][name]["mean"] < high <= 1


@pytest.mark.parametrize("way", ["nearest", "bayes", "free"])
def test_geometric_comes_back_by_the_way_that_was_asked_for(way: str) -> None:
    for option in ("--postprocess", "--way"):
        document = told(f"release --counts 7,5,3 --epsilon 1 --no-ledger {option} {way}")
        assert document["mechanism"]["way"] == way


def test_an_epsilon_is_kept_exactly_and_shown_rounded_up() -> None:
    document = told("release --counts 70,50,30 --epsilon 1/3 --no-ledger")
    assert document["epsilon_exact"] == "1/3"
    assert document["epsilon"] == 0.33333333333333337


def test_a_prior_comes_back_exactly() -> None:
    assert told(f"{RELEASE} --prior 0.1,1/3,7")["prior"] == [0.1, "1/3", 7]


def test_counts_can_be_piped_in() -> None:
    assert told("release --counts - --epsilon 1 --no-ledger", stdin="70,50,30\n")["n"] == 150


def test_names_of_categories_are_shown_and_not_obeyed_and_may_have_a_comma() -> None:
    names = "[bold]a[/bold],:smile:,=HYPERLINK"
    answer = typed(RELEASE, "--categories", names)
    assert answer.code == 0
    for name in names.split(","):
        assert name in answer.out
    assert told(RELEASE, "--categories", 'red,"green, blue",black')["categories"] == ["red", "green, blue", "black"]


def test_people_are_told_what_epsilon_means_and_what_the_interval_has_in_it() -> None:
    answer = typed(RELEASE)
    assert (answer.code, answer.err) == (0, "")
    assert "a factor of at most 1.65" in answer.out
    assert "noise-aware, privacy noise included" in answer.out


def test_the_file_holds_what_was_printed_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    document = told(f"{RELEASE} --out r.json --plot r.png", cwd=tmp_path)
    assert json.loads((tmp_path / "r.json").read_text()) == document
    assert_painted(tmp_path / "r.png")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.json", "r.png"]


def test_a_dry_run_draws_nothing_and_writes_nothing(tmp_path: Path) -> None:
    document = told(f"{RELEASE} --dry-run --out r.json", cwd=tmp_path)
    assert set(document) == set(told(RELEASE))
    assert document["output"] is document["posterior"] is document["interval"] is None
    assert list(tmp_path.iterdir()) == []


def test_a_refused_release_leaves_an_older_file_alone(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text("older")
    assert typed(f"{RELEASE} --mechanism optimal --out r.json", cwd=tmp_path).code != 0
    assert (tmp_path / "r.json").read_text() == "older"
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]


def test_the_largest_epsilon_is_still_a_release_and_says_that_it_protects_nobody() -> None:
    answer = typed("release --counts 7,5 --epsilon 1e6 --no-ledger --yes")
    assert answer.code == 0
    assert "protects nobody" in answer.out


@pytest.mark.parametrize(
    ("options", "most"),
    [
        *((f"--epsilon {epsilon}", "1e6") for epsilon in ("1e300", "1000001", "1e-10")),
        *((f"--epsilon 3 --prior {prior}", "1e12") for prior in ("1e299,1", "1e-10,1")),
    ],
)
def test_an_epsilon_or_a_prior_beyond_all_sense_is_refused(options: str, most: str) -> None:
    answer = typed(f"release --counts 7,5 --no-ledger {options}")
    assert_refused(answer)
    assert f"between 1e-9 and {most}" in answer.err


def test_the_most_lopsided_prior_is_still_a_release(tmp_path: Path) -> None:
    line = "release --counts 0,10 --prior 1e12,1e-9 --epsilon 3 --no-ledger"
    assert told(f"{line} --plot r.png", cwd=tmp_path)["posterior"]["1"]["mean"] == pytest.approx(1)
    assert (tmp_path / "r.png").exists()
    assert typed(line).code == 0


@pytest.mark.parametrize("option", ["--cross sex=f,m", "--impossible sex=f", "--again", "--by sex", "--id-column who"])
def test_what_only_a_table_has_is_refused_for_counts_in_hand(option: str) -> None:
    answer = typed(f"{RELEASE} {option}")
    assert_refused(answer)
    assert f"counts in hand have no {option.split()[0]}; leave it out" in answer.err
