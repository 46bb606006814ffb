"""A fresh ledger, and disks that may forget: only the tests of durability need the real thing."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.ledger import Ledger


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the syncs to disk, which take nearly all of the time."""
    monkeypatch.setattr("discreet.ledger.sqlite.PRAGMAS", ("synchronous = OFF", "recursive_triggers = ON"))


@pytest.fixture
def ledger(tmp_path: Path, quick: None) -> Ledger:
    """A ledger with a budget of 1 for the dataset `anes`."""
    return Ledger.create(tmp_path / "budgets.db", dataset="anes", epsilon=1)
