"""`discreet release` by group, for public groups and for several columns, and the commands that read it."""

import json
from pathlib import Path
from typing import Any

import pytest

from discreet.ledger import Ledger
from tests.cli.command import assert_painted, assert_refused, told, typed

VOTE = "--column vote --categories a,b"
SEX = "--column sex --categories f,m"
BY = "--by sex --groups f,m"
CHARGED = "--ledger l.db --dataset answers --yes"

pytestmark = pytest.mark.usefixtures("place")


def test_a_cross_table_is_released_and_read_by_the_other_commands(place: Path) -> None:
    document = told(f"release v.csv {VOTE} {BY} --epsilon 0.5 {CHARGED} --out r.json --plot r.png")
    assert json.loads((place / "r.json").read_text()) == document
    assert list(document["posterior"]) == document["groups"] == ["f", "m"]
    assert list(document["posterior"]["f"]) == document["categories"] == ["a", "b"]
    assert sum(sum(counts) for counts in document["output"].values()) == document["n"] == 16
    assert document["by"] == "sex"
    assert Ledger(place / "l.db").spent("answers").epsilon == 0.5, "once, and not once for each group"
    assert told("receipt verify r.json --ledger l.db")["verified"] is True
    inferred = told("infer r.json --plot i.svg")
    for group, rows in inferred["noise_aware"].items():
        for name, row in rows.items():
            assert row["interval"] == pytest.approx(document["interval"][group][name], abs=1e-6)
    assert inferred["groups"] == ["f", "m"]
    assert_painted(place / "r.png", place / "i.svg")


def test_people_see_groups_and_their_shares() -> None:
    answer = typed(f"release v.csv {VOTE} {BY} --no-ledger --epsilon 1")
    assert answer.code == 0
    before, _, after = answer.out.partition("shares of vote within each group")
    assert "groups, by sex" in before
    for words in (
        "share of each group, by sex",
        "shares of 2 categories of “vote” within 2 groups of “sex”",
        "replacing one row",
    ):
        assert words in after


def test_public_groups_are_said_to_be_so_wherever_the_guarantee_is(place: Path) -> None:
    public = f"release v.csv {VOTE} {BY} --group-public --epsilon 1 --ledger l.db --yes"
    answer = typed(f"{public} --dataset answers --out p.json")
    assert answer.code == 0
    assert "in each group, declared public" in answer.out
    assert "7, 9" in answer.out
    assert "replacing the answer of one row" in answer.out
    assert "whose members are declared public" in answer.out
    document = json.loads((place / "p.json").read_text())
    assert document["group_sizes"] == {"f": 7, "m": 9}
    assert document["adjacency"] == "replace-answer"
    assert typed("receipt verify p.json --ledger l.db").code == 0
    assert typed("infer p.json --prior 2,1 --plot p.png").code == 0
    refused = typed(f"{public} --dataset d")
    assert_refused(refused)
    assert "replace-one" in refused.err


def test_the_price_of_each_column_and_of_all_is_stated_before_it_is_spent(place: Path) -> None:
    answer = typed(f"release v.csv {VOTE} {SEX} --epsilon 0.25 --epsilon 1/3 {CHARGED} --out b.json --plot b.pdf")
    assert answer.code == 0
    before, _, after = answer.out.partition("column 'vote'")
    for words in ("about to release", "1/4", "1/3", "7/12"):
        assert words in before
    assert "ε = 7/12: replacing one row" in after
    assert Ledger(place / "l.db").spent("answers").epsilon * 12 == 7
    assert typed("receipt verify b.json --ledger l.db").out.count("it holds") == 2
    assert [part["column"] for part in told("infer b.json")["columns"]] == ["vote", "sex"]
    assert typed("infer b.json --plot b.png").out.count("what a reader may believe") == 2
    assert_painted(place / "b.pdf", place / "b.png")
    assert_refused(typed("infer b.json --prior 1,1,1"))


def test_a_dry_run_states_all_prices_and_touches_nothing() -> None:
    two = f"release nothing.csv {VOTE} {SEX} --epsilon 1 --no-ledger --dry-run --n 16"
    document = told(two)
    assert document["epsilon_exact"] == "1"
    assert [part["epsilon_exact"] for part in document["parts"]] == ["1/2", "1/2"]
    assert {part["output"] for part in document["parts"]} == {None}
    assert "dry run: nothing was drawn" in typed(two).out
    public = told(f"release nothing.csv {VOTE} {BY} --group-public --epsilon 1 --no-ledger --dry-run --n 7,9")
    assert public["group_sizes"] == {"f": 7, "m": 9}


def test_what_may_be_left_out_is_said_once_for_all_columns_or_for_each() -> None:
    def asked(key: str, *words: str) -> list[Any]:
        document = told(f"release v.csv {VOTE} {SEX} --no-ledger --epsilon 1 --n 16 --dry-run", *words)
        return [part[key] for part in document["parts"]]

    assert asked("categories", "--other", "rest") == [["a", "b", "rest"], ["f", "m", "rest"]]
    assert asked("categories", "--other", "rest", "--other", "") == [["a", "b", "rest"], ["f", "m"]]
    assert asked("prior", "--prior", "2,1") == [[2, 1], [2, 1]]
    assert asked("prior", "--prior", "", "--prior", "3,1") == [[1, 1], [3, 1]]
