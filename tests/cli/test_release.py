"""`discreet release` on counts in hand."""

import json
from pathlib import Path

import pytest

import discreet as dc
from tests.cli.command import assert_refused, discreet

RELEASE = ("release", "--counts", "70,50,30", "--epsilon", "0.5", "--no-ledger")


def test_a_release_says_all_that_programs_rely_on() -> None:
    document = discreet(*RELEASE, "--json").document
    assert document["n"] == 150
    assert sum(document["output"]) == 150
    assert document["epsilon"] == 0.5
    assert document["epsilon_exact"] == "1/2"
    assert document["delta"] == 0
    assert document["prior"] == [1, 1, 1]
    assert document["categories"] == list(document["posterior"]) == list(document["interval"]) == ["1", "2", "3"]
    assert document["adjacency"] == "replace-one"
    assert document["mechanism"]["name"] == "geometric"
    assert document["certificate"]["loss"] == "1/2"
    assert document["certificate"]["epsilon"] == 0.5
    assert document["certificate"]["facts"]["n"] == 150
    assert document["schema"] == "discreet-receipt-1"
    assert document["unit"] == "one row"
    assert document["version"] == dc.__version__
    assert document["request_id"] is document["dataset"] is document["charge"] is None
    assert 0 < document["accuracy"]["mean"] < document["accuracy"]["quantile_95"] < 1
    assert sum(row["mean"] for row in document["posterior"].values()) == pytest.approx(1)
    for name, (low, high) in document["interval"].items():
        assert 0 <= low < document["posterior"][name]["mean"] < high <= 1


@pytest.mark.parametrize("way", ["nearest", "bayes", "free"])
def test_geometric_comes_back_by_the_way_that_was_asked_for(way: str) -> None:
    document = discreet(
        "release", "--counts", "7,5,3", "--epsilon", "1", "--no-ledger", "--way", way, "--json"
    ).document
    assert document["mechanism"]["way"] == way


def test_an_epsilon_is_kept_exactly_and_shown_rounded_up() -> None:
    document = discreet(*RELEASE[:3], "--epsilon", "1/3", "--no-ledger", "--json").document
    assert document["epsilon_exact"] == "1/3"
    assert document["epsilon"] == 0.33333333333333337


def test_a_prior_comes_back_exactly() -> None:
    document = discreet(*RELEASE, "--prior", "0.1,1/3,7", "--json").document
    assert document["prior"] == [0.1, "1/3", 7]


def test_counts_can_be_piped_in() -> None:
    answer = discreet("release", "--counts", "-", "--epsilon", "1", "--no-ledger", "--json", stdin="70,50,30\n")
    assert answer.document["n"] == 150


def test_names_of_categories_are_shown_and_not_obeyed() -> None:
    names = "[bold]a[/bold],:smile:,=HYPERLINK"
    answer = discreet(*RELEASE, "--categories", names)
    assert answer.code == 0
    for name in names.split(","):
        assert name in answer.out


def test_people_are_told_what_epsilon_means_and_what_the_interval_has_in_it() -> None:
    answer = discreet(*RELEASE)
    assert answer.code == 0
    assert answer.err == ""
    assert "a factor of at most 1.65" in answer.out
    assert "noise-aware, privacy noise included" in answer.out


def test_the_file_holds_what_was_printed_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    answer = discreet(*RELEASE, "--json", "--out", "r.json", "--plot", "r.png", cwd=tmp_path)
    assert json.loads((tmp_path / "r.json").read_text()) == answer.document
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.json", "r.png"]


def test_a_dry_run_draws_nothing_and_writes_nothing(tmp_path: Path) -> None:
    answer = discreet(*RELEASE, "--dry-run", "--json", "--out", "r.json", cwd=tmp_path)
    assert answer.code == 0
    assert set(answer.document) == set(discreet(*RELEASE, "--json").document)
    assert answer.document["output"] is answer.document["posterior"] is answer.document["interval"] is None
    assert list(tmp_path.iterdir()) == []


def test_a_refused_release_leaves_an_older_file_alone(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text("older")
    answer = discreet(*RELEASE, "--mechanism", "optimal", "--out", "r.json", cwd=tmp_path)
    assert answer.code != 0
    assert (tmp_path / "r.json").read_text() == "older"
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]


def test_the_largest_epsilon_is_still_a_release_and_says_that_it_protects_nobody() -> None:
    answer = discreet("release", "--counts", "7,5", "--epsilon", "1e6", "--no-ledger", "--yes")
    assert answer.code == 0
    assert "protects nobody" in answer.out


@pytest.mark.parametrize(
    ("epsilon", "prior", "most"),
    [
        *((epsilon, "1,1", "1e6") for epsilon in ("1e300", "1000001", "1e-10")),
        *(("3", prior, "1e12") for prior in ("1e299,1", "1e-10,1")),
    ],
)
def test_an_epsilon_or_a_prior_beyond_all_sense_is_refused(epsilon: str, prior: str, most: str) -> None:
    answer = discreet("release", "--counts", "7,5", "--epsilon", epsilon, "--prior", prior, "--no-ledger")
    assert_refused(answer)
    assert f"between 1e-9 and {most}" in answer.err


def test_the_most_lopsided_prior_is_still_a_release(tmp_path: Path) -> None:
    arguments = ("release", "--counts", "0,10", "--prior", "1e12,1e-9", "--epsilon", "3", "--no-ledger")
    answer = discreet(*arguments, "--json", "--plot", "r.png", cwd=tmp_path)
    assert answer.code == 0, answer
    assert answer.document["posterior"]["1"]["mean"] == pytest.approx(1)
    assert (tmp_path / "r.png").exists()
    assert discreet(*arguments).code == 0


@pytest.mark.parametrize("word", ["column", "other", "id-column", "request-id"])
def test_what_counts_in_hand_would_ignore_is_refused(word: str) -> None:
    assert_refused(discreet(*RELEASE, f"--{word}", "x"))
