"""A place to run the command in."""

from pathlib import Path

import pytest

from discreet.ledger import Ledger
from tests.support.tables import no_sync


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory one is in, with a table of 16 votes, and budgets for replaced rows and for replaced answers."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("discreet.ledger.file._sync", no_sync)
    rows = ["a,f"] * 5 + ["b,f"] * 2 + ["a,m"] * 3 + ["b,m"] * 6
    (tmp_path / "v.csv").write_text("\n".join(["vote,sex", *rows, ""]))
    Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    Ledger.create(tmp_path / "l.db", dataset="answers", epsilon=2, adjacency="replace-answer")
    return tmp_path
