"""A fresh ledger, and disks that may forget: only the tests of durability need the real thing."""

from pathlib import Path

import pytest

from discreet.ledger import Ledger
from tests.support.tables import no_sync


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the syncs to disk, which take nearly all of the time."""
    monkeypatch.setattr("discreet.ledger.file._sync", no_sync)


@pytest.fixture(params=["file", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path, quick: None) -> str:
    """Where a ledger can be made, and none is yet: a file, and a database of a real server."""
    if request.param == "file":
        return str(tmp_path / "budgets.db")
    return str(request.getfixturevalue("database"))


@pytest.fixture
def ledger(place: str) -> Ledger:
    """A ledger with a budget of 1 for the dataset `anes`."""
    return Ledger.create(place, dataset="anes", epsilon=1)
