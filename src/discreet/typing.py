"""The types that several rooms share."""

from __future__ import annotations

Outcome = tuple[int, ...]
"""What a mechanism may release: counts, one per category."""
