"""A ledger's file reached by two names, a hard link or a file that is mounted over another: no charge is lost.

A child charges through one name and is killed, the next through the other. With a journal beside each name, as before
version 3, what was acknowledged under one was undone by whoever opened the other.
"""

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import discreet.ledger.file as file
from discreet.errors import BudgetExceeded, LedgerError
from discreet.ledger import Ledger
from tests.contracts.source import ROOT

FEW_OR_ALL = pytest.mark.parametrize("kills", [20, pytest.param(200, marks=pytest.mark.soak)])
MOUNTED = "mount --bind {0}/l.db {0}/elsewhere/m.db && exec {1}"


def kill_through(kills: int, names: list[Path], *, mounted: Path | None = None) -> dict[str, int]:
    """What a program found that kills through each name in turn; it may mount the file in a namespace of its own."""
    command = [sys.executable, "-W", "error", "-m", "tests.ledger.kills", str(kills), *map(str, names)]
    if mounted is not None:
        command = ["unshare", "-m", "sh", "-c", MOUNTED.format(mounted, " ".join(command))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, int] = json.loads(done.stdout)
    return found


@FEW_OR_ALL
def test_kills_through_a_hard_link_lose_no_charge(kills: int, tmp_path: Path) -> None:
    Ledger.create(tmp_path / "l.db", dataset="d", epsilon=kills)
    os.link(tmp_path / "l.db", tmp_path / "h.db")
    assert sum(kill_through(kills, [tmp_path / "l.db", tmp_path / "h.db"]).values()) == kills
    for name in ("l.db", "h.db"):
        ledger = Ledger(tmp_path / name)
        assert (ledger.verify().rows, ledger.remaining("d").epsilon) == (1 + 2 * kills, Fraction(0))
        with pytest.raises(BudgetExceeded):
            ledger.charge("d", 1, request_id="more", digest="x")


@FEW_OR_ALL
def test_kills_through_a_bind_mount_lose_no_charge(kills: int, tmp_path: Path) -> None:
    probe = subprocess.run(["unshare", "-m", "mount", "--bind", str(tmp_path), str(tmp_path)], check=False)
    if probe.returncode:
        pytest.skip("mounting needs root")
    Ledger.create(tmp_path / "l.db", dataset="d", epsilon=kills)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "m.db").touch()
    names = [tmp_path / "l.db", tmp_path / "elsewhere" / "m.db"]
    assert sum(kill_through(kills, names, mounted=tmp_path).values()) == kills
    assert Ledger(tmp_path / "l.db").verify().rows == 1 + 2 * kills


def test_who_holds_one_name_keeps_out_who_comes_by_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    os.link(tmp_path / "l.db", tmp_path / "h.db")
    monkeypatch.setattr(file, "PATIENCE", 0)
    with (
        file.exclusive_lock(tmp_path / "h.db", "h.db", 0),
        pytest.raises(LedgerError, match="locked by another process"),
    ):
        Ledger(tmp_path / "l.db").charge("d", 1, request_id="r", digest="x")


def test_a_lock_beside_the_file_in_place_of_one_on_it_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: each name has a lock of its own, and two writers find room for the last of a budget."""
    Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    os.link(tmp_path / "l.db", tmp_path / "h.db")
    one, other = Ledger(tmp_path / "l.db"), Ledger(tmp_path / "h.db")
    monkeypatch.setattr(file, "_try_lock", lambda _: True)

    def interrupt(step: str) -> None:
        if step == "locked":
            monkeypatch.setattr(file, "step", lambda _: None)
            other.charge("d", 1, request_id="other", digest="x")

    monkeypatch.setattr(file, "step", interrupt)
    one.charge("d", 1, request_id="one", digest="x")
    assert other.find("other") is None, "acknowledged, and lost"
