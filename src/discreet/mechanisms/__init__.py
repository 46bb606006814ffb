"""The mechanisms, one file a family, and how to get one by its name."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from typing import Any

from discreet.errors import InvalidInput
from discreet.mechanisms.base import Mechanism, Released
from discreet.mechanisms.exponential import (
    ExponentialGlobal,
    ExponentialLocal,
    ExponentialReciprocal,
    ExponentialSmooth,
)
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.geometric import Geometric
from discreet.mechanisms.laplace import Laplace, LaplaceImproved
from discreet.mechanisms.optimal import Optimal
from discreet.mechanisms.snapping.counts import SnappedCounts
from discreet.mechanisms.tight import TightConstraints
from discreet.posteriors.space import PosteriorSpace
from discreet.typing import Epsilon

FAMILIES: tuple[type[Mechanism], ...] = (
    ExponentialGlobal,
    ExponentialLocal,
    ExponentialSmooth,
    ExponentialReciprocal,
    Laplace,
    LaplaceImproved,
    Geometric,
    TightConstraints,
    Gaussian,
    SnappedCounts,
    Optimal,
)

BY_NAME: dict[str, type[Mechanism]] = {family.name: family for family in FAMILIES}

RELEASABLE = tuple(name for name in BY_NAME if name != Optimal.name)
"""All but the yardstick."""

PURE = tuple(name for name in RELEASABLE if name != Gaussian.name)
"""Those that need no δ."""

__all__ = [
    "BY_NAME",
    "FAMILIES",
    "PURE",
    "RELEASABLE",
    "ExponentialGlobal",
    "ExponentialLocal",
    "ExponentialReciprocal",
    "ExponentialSmooth",
    "Gaussian",
    "Geometric",
    "Laplace",
    "LaplaceImproved",
    "Mechanism",
    "Optimal",
    "Released",
    "SnappedCounts",
    "TightConstraints",
    "mechanism",
]


def mechanism(name: str, space: PosteriorSpace, *, epsilon: Epsilon | None, **options: Any) -> Mechanism:
    """The mechanism of this name.

    >>> mechanism("geometric", PosteriorSpace(prior=[1, 1], n=50), epsilon=0.1)
    Geometric(Dirichlet([1, 1]), n=50, epsilon=1/10, postprocess=nearest)
    """
    family = BY_NAME.get(name)
    if family is None:
        prefixed = [other for other in BY_NAME if name and other.startswith(name)]
        close = prefixed or difflib.get_close_matches(name, BY_NAME, n=1)
        hint = f"did you mean {' or '.join(close)}?" if close else f"choose from {', '.join(BY_NAME)}"
        raise InvalidInput("there is no mechanism of this name", hint=hint)
    signature = inspect.signature(family).parameters
    for option in options:
        if option not in signature or option == "space":
            allowed = ", ".join(key for key in signature if key not in ("space", "epsilon", "way")) or "none"
            raise InvalidInput(f"{name} has no option {option}", hint=f"its options: {allowed}")
    build: Callable[..., Mechanism] = family
    return build(space, epsilon=epsilon, **options)
