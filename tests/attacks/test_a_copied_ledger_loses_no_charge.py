"""A thread that copies the ledger's file takes SQLite's lock from its whole process. No charge is lost by it.

The charge `A` is made and not yet committed when the file is copied; then another process asks for `B`. There is room
for one of them.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from contextlib import nullcontext
from fractions import Fraction
from pathlib import Path

import pytest

import discreet.ledger.sqlite as sqlite
import discreet.ledger.turns as turns
from discreet.errors import DiscreetError, LedgerError
from discreet.ledger import Ledger
from discreet.ledger.turns import Busy, alone
from tests.contracts.source import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="locks belong to the handle there")

PROGRAM = """
import json, sys
from contextlib import nullcontext
import discreet.ledger.sqlite as sqlite
from discreet.errors import DiscreetError
from discreet.ledger import Ledger
sqlite.PATIENCE = 0.3
if sys.argv[2] == "careless":
    sqlite.alone = lambda *_: nullcontext()
try:
    print(json.dumps(Ledger(sys.argv[1]).charge("d", 1, request_id="B", digest="x").hash))
except DiscreetError:
    print("null")
"""


def answered(place: Path, monkeypatch: pytest.MonkeyPatch, *, careless: bool) -> dict[str, str | None]:
    """The hash of each charge that was answered, where the file was copied between the two."""
    ledger = Ledger.create(place, dataset="d", epsilon=1)
    written, copied, found = threading.Event(), threading.Event(), dict[str, str | None]()

    def wait(step: str) -> None:
        if step == "written":
            written.set()
            assert copied.wait(60)

    def charge() -> None:
        try:
            found["A"] = ledger.charge("d", 1, request_id="A", digest="x").hash
        except DiscreetError:
            found["A"] = None

    with monkeypatch.context() as patch:
        patch.setattr(sqlite, "step", wait)
        if careless:
            patch.setattr(sqlite, "alone", lambda *_: nullcontext())
        thread = threading.Thread(target=charge)
        thread.start()
        assert written.wait(60)
        shutil.copy(place, place.with_name("copy.db"))
        command = [sys.executable, "-c", PROGRAM, str(place), "careless" if careless else "careful"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
        found["B"] = json.loads(done.stdout)
        copied.set()
        thread.join()
    return found


def test_the_one_that_was_answered_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = answered(tmp_path / "l.db", monkeypatch, careless=False)
    ledger = Ledger(tmp_path / "l.db")
    assert found["B"] is None
    assert found["A"] == ledger.head()
    assert ledger.spent("d").epsilon == 1
    with pytest.raises(ValueError, match="does not fit"):
        ledger.charge("d", 1, request_id="B", digest="x")


def test_without_the_second_lock_an_answered_charge_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault."""
    found = answered(tmp_path / "l.db", monkeypatch, careless=True)
    kept = {entry.hash for entry in Ledger(tmp_path / "l.db").history()}
    assert [name for name, own in found.items() if own is not None and own not in kept] == ["B"]


def test_a_writer_that_does_not_end_is_waited_for_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    monkeypatch.setattr(sqlite, "PATIENCE", 0.05)
    with alone(tmp_path, 0), pytest.raises(LedgerError, match="locked by another process"):
        ledger.charge("d", 1, request_id="r", digest="x")
    with alone(tmp_path, 0), pytest.raises(Busy), alone(tmp_path, 0):
        pass
    assert ledger.charge("d", Fraction(1), request_id="r", digest="x").is_new


def test_an_alarm_of_the_caller_is_not_taken_for_a_missing_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)

    def ring(_seconds: float) -> None:
        raise TimeoutError

    with alone(tmp_path, 0), monkeypatch.context() as patch:
        patch.setattr(turns, "sleep", ring)
        with pytest.raises(TimeoutError):
            ledger.charge("d", 1, request_id="r", digest="x")
    assert ledger.spent("d").epsilon == 0


def test_a_directory_that_cannot_be_locked_leaves_the_lock_of_the_file(tmp_path: Path) -> None:
    with alone(tmp_path / "missing", 0), alone(tmp_path / "missing", 0):
        assert not (tmp_path / "missing").exists()
