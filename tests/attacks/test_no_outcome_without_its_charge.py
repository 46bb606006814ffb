"""Killed at any step, a ledger never holds an outcome without its charge, and never loses what it answered."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.ledger import Ledger
from tests.contracts.source import ROOT
from tests.ledger.kills import POINTS
from tests.support.postgres import Server


@pytest.fixture(params=["file", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A file, or a database of a real server."""
    if request.param == "file":
        return str(tmp_path / "l.db")
    server: Server = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.mark.parametrize("kills", [20, pytest.param(200, marks=pytest.mark.soak)])
def test_kills_leave_a_sound_ledger_and_one_charge_a_request(kills: int, place: str) -> None:
    Ledger.create(place, dataset="d", epsilon=kills)
    command = [sys.executable, "-W", "error", "-m", "tests.ledger.kills", str(kills), place]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, int] = json.loads(done.stdout)
    assert sum(found.values()) == kills
    for action, step in POINTS:
        answer = "nothing" if action == "charge" else "charged"
        assert found[f"{action} {step} after {answer}"] >= kills // len(POINTS) // 2
    assert Ledger(place).verify().rows == 1 + 2 * kills


def test_a_ledger_killed_while_it_is_made_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path; import discreet.ledger.file as file;"
        "from discreet.ledger import Ledger;"
        "file.step = lambda name: name == sys.argv[1] and os.kill(os.getpid(), signal.SIGKILL);"
        "Ledger.create(Path(sys.argv[2]), dataset='d', epsilon=1)"
    )
    for step, is_there in (("made", False), ("linked", True)):
        path = tmp_path / f"{step}.db"
        done = subprocess.run([sys.executable, "-c", program, step, str(path)], check=False)
        assert done.returncode == -9
        assert path.exists() == is_there
        Ledger.create(path, dataset="again", epsilon=1)
        assert Ledger(path).verify().rows == (2 if is_there else 1)


def test_a_ledger_on_a_server_killed_while_it_is_made_is_there_whole_or_not_at_all(postgres: Server) -> None:
    program = (
        "import os, signal, sys; import discreet.ledger.postgres as postgres; from discreet.ledger import Ledger;"
        "postgres.step = lambda name: name == sys.argv[1] and os.kill(os.getpid(), signal.SIGKILL);"
        "Ledger.create(sys.argv[2], dataset='d', epsilon=1)"
    )
    for step, is_there in (("made", False), ("committed", True)):
        place = postgres.new_database()
        done = subprocess.run([sys.executable, "-c", program, step, place], check=False)
        assert done.returncode == -9
        Ledger.create(place, dataset="again", epsilon=1)
        assert Ledger(place).verify().rows == (2 if is_there else 1)
