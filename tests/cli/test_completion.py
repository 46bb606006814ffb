"""Shells are told public names: mechanisms, and the datasets of the ledger that was typed."""

import io
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from discreet.cli.app import run
from discreet.cli.completion import complete_dataset
from discreet.ledger import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> str:
    place = str(tmp_path / "budgets.db")
    for dataset in ("anes 96", "votes"):
        Ledger.create(place, dataset=dataset, epsilon=1)
    return place


def proposed(line: str, shell: str = "bash") -> list[str]:
    """What is proposed for the last word."""
    words = {"COMP_WORDS": line, "_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    words |= {"_DISCREET_COMPLETE": f"complete_{shell}", "COMP_CWORD": str(len(line.split(" ")) - 1)}
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        for name, value in words.items():
            patch.setenv(name, value)
        assert (run([]), err.getvalue()) == (0, "")
    return out.getvalue().splitlines() if out.getvalue().strip() else []


def test_mechanisms_are_proposed_by_name() -> None:
    assert proposed("discreet audit geo") == ["geometric"]
    assert proposed("discreet release --mechanism lap") == ["laplace", "laplace-improved"]


def test_datasets_of_the_ledger_are_proposed(ledger: str) -> None:
    assert proposed(f"discreet release --ledger {ledger} --dataset ") == [r"anes\ 96", "votes"]
    assert proposed(f"discreet release --ledger {ledger} --dataset an", "fish") == ["anes 96"]
    assert proposed(f"discreet ledger history {ledger} --dataset v") == ["votes"]


@pytest.mark.parametrize("place", ["", "--ledger nowhere.db", "--ledger postgresql://nobody@192.0.2.1/base"])
def test_where_there_is_no_file_nothing_is_proposed_and_nothing_said(place: str) -> None:
    assert proposed(f"discreet release people.csv {place} --dataset v") == []


def test_no_data_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    monkeypatch.setattr(f"{complete_dataset.__module__}.Ledger", opened.append)
    assert proposed(f"discreet release {tmp_path} --dataset v") == []
    assert opened == []
