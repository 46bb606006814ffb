"""Which rooms have mutants, and where files are."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = Path("src/discreet")
BUILD = ROOT / "build" / "mutants"
RECORD, REASONS = (Path(__file__).with_name(name) for name in ("record.csv", "reasons.csv"))
PAGE = ROOT / "docs" / "mutants.md"

ROOMS = {
    room: f"{room}/**/*.py"
    for room in ("arithmetic", "samplers", "sensitivity", "mechanisms", "kernels", "privacy_loss", "ledger", "requests")
} | {"receipts": "receipts/[vacw]*.py"}
BESIDE = (
    "posteriors",
    "utility",
    "inference",
    "faults",
    "attacks",
    "contracts/test_kernels.py",
    "contracts/test_cards.py",
)
"""Tests that are run on mutants besides those of the rooms."""

VERIFICATION = {"verification.py", "agreement.py", "claims.py", "work.py"}
"""Of the receipts, what verifies them."""
