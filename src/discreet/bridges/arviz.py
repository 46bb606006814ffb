"""A noise-aware posterior as `arviz.InferenceData`: independent draws, so no chain needs to be diagnosed."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from discreet.arithmetic.numbers import whole
from discreet.errors import InvalidInput
from discreet.inference import NoiseAware

CHAINS = 4
"""ArviZ compares chains; draws that are independent may be split into any number of them."""


def to_arviz(belief: NoiseAware, size: object = 4000, *, categories: Sequence[str] | None = None) -> Any:
    """The shares `theta`, with one coordinate for each category, in four chains of independent draws.

    >>> from discreet import Geometric, PosteriorSpace
    >>> released = Geometric(PosteriorSpace(prior=[1, 1], n=90), epsilon=1).release([42, 48])
    >>> to_arviz(released.noise_aware(), 400).posterior["theta"].shape
    (4, 100, 2)
    """
    arviz = _arviz()
    draws = -(-whole(size, "size", minimum=CHAINS) // CHAINS)
    names = [str(i) for i in range(1, belief.k + 1)] if categories is None else list(categories)
    if len(names) != belief.k:
        raise InvalidInput(f"categories must be {belief.k} names", hint="give one for each", parameter="categories")
    theta = belief.sample(CHAINS * draws).reshape(CHAINS, draws, belief.k)
    return arviz.from_dict(
        posterior={"theta": theta},
        coords={"category": names},
        dims={"theta": ["category"]},
        attrs={"method": belief.method, "error": belief.error},
    )


def _arviz() -> Any:
    try:
        with warnings.catch_warnings(action="ignore", category=FutureWarning):  # of a version that is not this one
            import arviz
    except ImportError:
        raise InvalidInput("this needs ArviZ", hint="pip install 'discreet[arviz]'") from None
    return arviz
