"""Any mechanism by its name, with the options that it cannot do without."""

from __future__ import annotations

from typing import Any

from discreet.mechanisms import Mechanism, mechanism
from discreet.posteriors.space import PosteriorSpace

NEEDED: dict[str, dict[str, Any]] = {"gaussian": {"delta": "1e-6"}}


def build(name: str, space: PosteriorSpace, *, epsilon: Any) -> Mechanism:
    """The mechanism of a name in its default form."""
    return mechanism(name, space, epsilon=epsilon, **NEEDED.get(name, {}))
