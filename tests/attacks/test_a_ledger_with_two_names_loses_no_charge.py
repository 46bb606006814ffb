"""A ledger's file reached by two names, a hard link or a file that is mounted over another: no charge is lost.

A child charges through one name and is killed, the next through the other. With a journal beside each name, as before
version 3, what was acknowledged under one was undone by whoever opened the other.
"""

import os
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

import discreet.ledger.file as file
from discreet.errors import BudgetExceeded, LedgerError
from discreet.ledger import Ledger
from tests.support.programs import run_program
from tests.support.soak import KILLS

FEW_OR_ALL = pytest.mark.parametrize("kills", [20, pytest.param(KILLS, marks=(pytest.mark.soak, pytest.mark.long))])
MOUNTED = ("unshare", "-m", "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"')
"""The file that is named first is there under the second name too, for the command that follows, and for it alone."""


@pytest.fixture
def names(tmp_path: Path) -> tuple[Path, Path]:
    """A ledger with a budget of 1, and a hard link to it."""
    Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    os.link(tmp_path / "l.db", tmp_path / "h.db")
    return tmp_path / "l.db", tmp_path / "h.db"


@FEW_OR_ALL
def test_kills_through_a_hard_link_lose_no_charge(kills: int, tmp_path: Path) -> None:
    names = tmp_path / "l.db", tmp_path / "h.db"
    Ledger.create(names[0], dataset="d", epsilon=kills)
    os.link(*names)
    assert sum(run_program("tests.ledger.kills", kills, *names).values()) == kills
    for name in names:
        ledger = Ledger(name)
        assert (ledger.verify().rows, ledger.remaining("d").epsilon) == (1 + 2 * kills, Fraction(0))
        with pytest.raises(BudgetExceeded):
            ledger.charge("d", 1, request_id="more", digest="x")


@pytest.mark.soak
@FEW_OR_ALL
def test_kills_through_a_bind_mount_lose_no_charge(kills: int, tmp_path: Path) -> None:
    probe = subprocess.run(["unshare", "-m", "mount", "--bind", str(tmp_path), str(tmp_path)], check=False)
    if probe.returncode:
        pytest.skip("mounting needs root")
    names = tmp_path / "l.db", tmp_path / "elsewhere" / "m.db"
    Ledger.create(names[0], dataset="d", epsilon=kills)
    names[1].parent.mkdir()
    names[1].touch()
    assert sum(run_program("tests.ledger.kills", kills, *names, within=(*MOUNTED, *names)).values()) == kills
    assert Ledger(names[0]).verify().rows == 1 + 2 * kills


def test_who_holds_one_name_keeps_out_who_comes_by_the_other(
    names: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "PATIENCE", 0)
    with file.exclusive_lock(names[1], "h.db", 0), pytest.raises(LedgerError, match="locked by another process"):
        Ledger(names[0]).charge("d", 1, request_id="r", digest="x")


def test_a_lock_beside_the_file_in_place_of_one_on_it_is_found_out(
    names: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: each name has a lock of its own, and two writers find room for the last of a budget."""
    one, other = map(Ledger, names)
    monkeypatch.setattr(file, "_try_lock", lambda _: True)

    def interrupt(step: str) -> None:
        if step == "locked":
            monkeypatch.setattr(file, "step", lambda _: None)
            other.charge("d", 1, request_id="other", digest="x")

    monkeypatch.setattr(file, "step", interrupt)
    one.charge("d", 1, request_id="one", digest="x")
    assert other.find("other") is None, "acknowledged, and lost"
