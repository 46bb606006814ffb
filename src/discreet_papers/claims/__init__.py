"""The checkable statements of the seed documents, each with a test that computes its verdict.

>>> from discreet_papers.claims import CLAIMS
>>> CLAIMS["001-size"].check().verdict.value
'holds with a correction'
"""

from __future__ import annotations

from typing import Any

from discreet_papers.claims import definitions, lemmas, losses, notes, plots, snaps, spaces, statements, tails
from discreet_papers.claims.base import Claim, Evidence, Finding, Verdict

SUBJECTS = {
    "The space of posteriors": spaces,
    "Definitions": definitions,
    "Sensitivity along the data": statements,
    "Privacy": losses,
    "Sliding and dilation": lemmas,
    "Accuracy": tails,
    "Experiments": plots,
    "Numbers of the Dirichlet notes": notes,
    "Snapping": snaps,
}
"""The modules that hold the claims, by what they are about."""

CLAIMS: dict[str, Claim[Any]] = {claim.id: claim for module in SUBJECTS.values() for claim in module.CLAIMS}
"""All claims by their name, in the order of the subjects."""

__all__ = ["CLAIMS", "SUBJECTS", "Claim", "Evidence", "Finding", "Verdict"]
