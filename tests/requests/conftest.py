"""A fresh ledger that need not survive a power cut."""

from pathlib import Path

import pytest

from discreet.ledger import Ledger


@pytest.fixture
def ledger(tmp_path: Path, quick: None) -> Ledger:
    """A budget of 1 for the dataset `d`, and one for answers: two rows."""
    Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    return Ledger.create(tmp_path / "l.db", dataset="answers", epsilon=1, adjacency="replace-answer")
