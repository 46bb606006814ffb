"""How far a release is from the truth, before anything is released: error laws, bounds, and plans."""

from __future__ import annotations

from discreet.utility.measure import Accuracy, accuracy
from discreet.utility.plans import Plan
from discreet.utility.targets import plan

__all__ = ["Accuracy", "Plan", "accuracy", "plan"]
