"""Where the ledgers of the attacks lie."""

from pathlib import Path

import pytest

from tests.support.tables import no_sync


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of ledgers that need not survive a power cut."""
    monkeypatch.setattr("discreet.ledger.file._sync", no_sync)


@pytest.fixture(params=["file", "postgresql"])
def ledger_place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a ledger can be made, and none is yet: a file, and a database of a real server."""
    return str(tmp_path / "l.db") if request.param == "file" else str(request.getfixturevalue("database"))
