"""The checkable statements of the seed documents, each with a test that computes its verdict.

>>> from discreet.reproduction.claims import CLAIMS
>>> CLAIMS["001-size"].check().verdict.value
'holds with a correction'
"""

from __future__ import annotations

from typing import Any

from discreet.reproduction.claims import spaces
from discreet.reproduction.claims.base import Claim, Evidence, Finding, Verdict

CLAIMS: dict[str, Claim[Any]] = {claim.id: claim for claim in (*spaces.CLAIMS,)}
"""All claims by their name, in the order of the seeds' subjects."""

__all__ = ["CLAIMS", "Claim", "Evidence", "Finding", "Verdict"]
