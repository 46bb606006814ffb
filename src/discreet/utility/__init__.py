"""How far a release is from the truth, before anything is released: error laws, bounds, and plans."""

from __future__ import annotations

from discreet.utility.measure import Accuracy, accuracy

__all__ = ["Accuracy", "accuracy"]
