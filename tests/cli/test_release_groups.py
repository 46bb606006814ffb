"""`discreet release` by group, for public groups and for several columns, and the commands that read it."""

import json
from pathlib import Path
from typing import Any

import pytest

from discreet.ledger import Ledger
from tests.cli.command import assert_refused, discreet
from tests.support.tables import no_sync

VOTE = ("--column", "vote", "--categories", "a,b")
SEX = ("--column", "sex", "--categories", "f,m")
BY = ("--by", "sex", "--groups", "f,m")
FREE = ("--no-ledger", "--epsilon", "1")
CHARGED = ("--ledger", "l.db", "--dataset", "d", "--yes")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("discreet.ledger.file._sync", no_sync)
    rows = [("a", "f")] * 5 + [("b", "f")] * 2 + [("a", "m")] * 3 + [("b", "m")] * 6
    (tmp_path / "v.csv").write_text("vote,sex\n" + "".join(f"{vote},{sex}\n" for vote, sex in rows))
    Ledger.create(tmp_path / "l.db", dataset="d", epsilon=2, adjacency="replace-answer")
    return tmp_path


def test_a_cross_table_is_released_by_the_installed_command_and_read_by_the_others(place: Path) -> None:
    table = ("release", "v.csv", *VOTE, *BY, "--epsilon", "0.5", *CHARGED)
    answer = discreet(*table, "--json", "--out", "r.json", "--plot", "r.png", cwd=place)
    assert (answer.code, answer.err) == (0, "")
    assert json.loads((place / "r.json").read_text()) == answer.document
    assert (place / "r.png").read_bytes().startswith(b"\x89PNG")
    document = answer.document
    assert list(document["posterior"]) == document["groups"] == ["f", "m"]
    assert list(document["posterior"]["f"]) == document["categories"] == ["a", "b"]
    assert sum(sum(own) for own in document["output"].values()) == document["n"] == 16
    assert document["by"] == "sex"
    assert Ledger(place / "l.db").spent("d").epsilon == 0.5, "once, and not once for each group"
    verified = discreet("receipt", "verify", "r.json", "--ledger", "l.db", cwd=place)
    assert (verified.code, verified.err) == (0, "")
    inferred = discreet("infer", "r.json", "--json", "--plot", "i.svg", cwd=place).document
    for group, rows in inferred["noise_aware"].items():
        for name, row in rows.items():
            assert row["interval"] == pytest.approx(document["interval"][group][name], abs=1e-6)
    assert inferred["groups"] == ["f", "m"]


def test_people_see_groups_and_their_shares() -> None:
    answer = discreet("release", "v.csv", *VOTE, *BY, *FREE)
    assert answer.code == 0
    before, _, after = answer.out.partition("released posterior, shares within each group")
    assert "groups, by sex" in before
    assert "share of each group, by sex" in after
    assert "2 category shares within 2 groups" in after
    assert "replacing one row" in after


def test_public_groups_are_said_to_be_so_wherever_the_guarantee_is(place: Path) -> None:
    public = ("release", "v.csv", *VOTE, *BY, "--group-public", "--epsilon", "1", *CHARGED)
    answer = discreet(*public, "--out", "p.json")
    assert answer.code == 0
    assert "in each group, declared public" in answer.out
    assert "7, 9" in answer.out
    assert "replacing the answer of one row" in answer.out
    assert "whose members are declared public" in answer.out
    document = json.loads((place / "p.json").read_text())
    assert document["group_sizes"] == {"f": 7, "m": 9}
    assert document["adjacency"] == "replace-answer"
    assert discreet("receipt", "verify", "p.json", "--ledger", "l.db").code == 0
    assert discreet("infer", "p.json", "--prior", "2,1", "--plot", "p.png").code == 0
    Ledger.create(place / "l.db", dataset="records", epsilon=2)
    refused = discreet(*public[:-2], "records", "--yes")
    assert_refused(refused)
    assert "replace-one" in refused.err


def test_the_price_of_each_column_and_of_all_is_stated_before_it_is_spent(place: Path) -> None:
    two = ("release", "v.csv", *VOTE, *SEX, "--epsilon", "0.25", "--epsilon", "1/3")
    answer = discreet(*two, *CHARGED, "--out", "b.json", "--plot", "b.pdf")
    assert answer.code == 0
    before, _, after = answer.out.partition("column 'vote'")
    assert "about to release" in before
    for price in ("1/4", "1/3", "7/12"):
        assert price in before
    assert "ε = 7/12: replacing one row" in after
    assert Ledger(place / "l.db").spent("d").epsilon * 12 == 7
    assert discreet("receipt", "verify", "b.json", "--ledger", "l.db").out.count("it holds") == 2
    assert [part["column"] for part in discreet("infer", "b.json", "--json").document["columns"]] == [
        "vote",
        "sex",
    ]
    assert discreet("infer", "b.json", "--plot", "b.png").out.count("what a reader may believe") == 2
    assert_refused(discreet("infer", "b.json", "--prior", "1,1,1"))


def test_a_dry_run_states_all_prices_and_touches_nothing() -> None:
    dry = ("--no-ledger", "--dry-run")
    two = ("release", "nothing.csv", *VOTE, *SEX, "--epsilon", "1", *dry, "--n", "16")
    document = discreet(*two, "--json").document
    assert document["epsilon_exact"] == "1"
    assert [part["epsilon_exact"] for part in document["parts"]] == ["1/2", "1/2"]
    assert {part["output"] for part in document["parts"]} == {None}
    assert "dry run: nothing was drawn" in discreet(*two).out
    public = ("release", "nothing.csv", *VOTE, *BY, "--group-public", "--epsilon", "1", *dry)
    document = discreet(*public, "--n", "7,9", "--json").document
    assert document["group_sizes"] == {"f": 7, "m": 9}
    for wrong in ("16", "7,9,1", "0,0", "7,x"):
        assert_refused(discreet(*public, "--n", wrong))


def test_what_may_be_left_out_is_said_once_for_all_columns_or_for_each() -> None:
    def asked(*words: str) -> list[dict[str, Any]]:
        answer = discreet("release", "v.csv", *VOTE, *SEX, *FREE, "--n", "16", "--dry-run", *words, "--json")
        parts: list[dict[str, Any]] = answer.document["parts"]
        return parts

    assert [part["categories"] for part in asked("--other", "rest")] == [["a", "b", "rest"], ["f", "m", "rest"]]
    assert [part["categories"] for part in asked("--other", "rest", "--other", "")] == [["a", "b", "rest"], ["f", "m"]]
    assert [part["prior"] for part in asked("--prior", "2,1")] == [[2, 1], [2, 1]]
    assert [part["prior"] for part in asked("--prior", "", "--prior", "3,1")] == [[1, 1], [3, 1]]


@pytest.mark.parametrize(
    "words",
    [
        (*VOTE, "--column", "sex"),
        (*VOTE, *SEX, "--epsilon", "1", "--epsilon", "1"),
        (*VOTE, "--epsilon", "1"),
        (*VOTE, *SEX, "--other", "x", "--other", "y", "--other", "z"),
        (*VOTE, "--by", "sex"),
        (*VOTE, "--groups", "f,m"),
        (*VOTE, "--by", "sex", "--groups", 'f,"m'),
        (*VOTE, "--group-public"),
        (*VOTE, *BY, "--prior", "1,1,1"),
        (*VOTE, *BY, "--n", "7,9"),
        ("--categories", "a,b"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_meant_is_refused(words: tuple[str, ...]) -> None:
    assert_refused(discreet("release", "v.csv", *FREE, *words))


def test_a_column_of_groups_without_groups_is_told_what_is_missing() -> None:
    for command in (("release", "v.csv", *FREE), ("check", "v.csv")):
        answer = discreet(*command, *VOTE, "--by", "sex")
        assert_refused(answer)
        assert "name them with --groups" in answer.err


@pytest.mark.parametrize(
    "words",
    [BY, ("--group-public",), ("--column", "vote"), ("--prior", "1,1", "--prior", "1,1"), ("--epsilon", "2")],
    ids=" ".join,
)
def test_counts_in_hand_are_one_column_without_groups(words: tuple[str, ...]) -> None:
    assert_refused(discreet("release", "--counts", "3,4", *FREE, *words))


def test_a_curator_sees_what_is_outside_the_groups() -> None:
    looked = ("check", "v.csv", *VOTE, "--by", "sex", "--groups", "f,x")
    answer = discreet(*looked, "--json")
    assert answer.code == 2
    assert answer.document["stray_groups"] == [{"value": "m", "rows": 9}]
    assert answer.document["unused_groups"] == ["x"]
    shown = discreet(*looked, "--other-group", "rest")
    assert shown.code == 0
    assert "rows in the group 'm'" in shown.out
    assert "it fits: there are values outside the categories: they count as 'rest'" in shown.out
