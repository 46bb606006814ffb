"""The checkable statements of the papers, each with a test that computes its verdict.

The statements are data, `claims.csv`: where each is printed, what it says, where it is checked and what is right. The
modules of this room hold the tests, by the name of the claim.

>>> from discreet_papers.claims import CLAIMS
>>> CLAIMS["001-size"].check().verdict.value
'holds with a correction'
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from discreet_papers.claims import definitions, lemmas, losses, plots, snaps, statements, tails
from discreet_papers.claims.base import Claim, Evidence, Finding, Verdict

CHECKS = {
    name: check
    for module in (definitions, statements, losses, lemmas, tails, plots, snaps)
    for name, check in module.CHECKS.items()
}


def _read() -> dict[str, Claim[Any]]:
    with (Path(__file__).parent / "claims.csv").open(encoding="utf-8", newline="") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    return {row["id"]: Claim(**row, **CHECKS[row["id"]]._asdict()) for row in rows}


CLAIMS: dict[str, Claim[Any]] = _read()
"""All claims by their name, in the order of the table."""

__all__ = ["CHECKS", "CLAIMS", "Claim", "Evidence", "Finding", "Verdict"]
