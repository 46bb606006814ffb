"""The types that several rooms share."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

Epsilon: TypeAlias = int | str | float | Fraction
"""An exact number, of ε, δ or a target: text and whole numbers mean themselves, a float the decimal Python prints."""

Outcome = tuple[int, ...]
"""What a mechanism may release: counts, one per category."""

Progress: TypeAlias = Callable[[int, int], None]
"""Called with how much is done, and of how much."""

Steps: TypeAlias = Callable[[str, int, int], None]
"""The same, with what is being done first."""

Label = str | bool | int
"""How a category is declared. A Boolean or a whole number is its text: `true`, `false`, `12`."""
