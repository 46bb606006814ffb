"""A noise-aware posterior as ArviZ reads it: independent draws, so no chain needs to be diagnosed.

Before 1.0 that is an `arviz.InferenceData`, since then a `xarray.DataTree`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.numbers import whole
from discreet.errors import InvalidInput, require_packages
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
    names = [str(i) for i in range(1, belief.k + 1)] if categories is None else list(categories)
    if len(names) != belief.k:
        raise InvalidInput(f"categories must be {belief.k} names", hint="give one for each", parameter="categories")
    theta = belief.sample(rounded_up(size))
    return draws_to_arviz({"theta": theta}, error=belief.error, method=belief.method, labels={"category": names})


def rounded_up(size: object) -> int:
    """So many draws that all chains are of one length."""
    return -(-whole(size, "size", minimum=CHAINS) // CHAINS) * CHAINS


def draws_to_arviz(
    draws: dict[str, Floats],
    *,
    error: float,
    method: str = "exact",
    labels: Mapping[str, Sequence[str]] | None = None,
) -> Any:
    """Independent draws of quantities, or of shares with a coordinate for each axis of labels, in four chains."""
    chains = {name: array.reshape(CHAINS, -1, *array.shape[1:]) for name, array in draws.items()}
    dims = {name: list(labels or ()) for name, array in draws.items() if array.ndim > 1}
    coords = {name: list(texts) for name, texts in (labels or {}).items()}
    attrs = {"method": method, "error": error}
    arviz = _arviz()
    if "InferenceData" in vars(arviz):  # to ask 1.x for it is to be warned
        return arviz.from_dict(posterior=chains, coords=coords, dims=dims, attrs=attrs)
    return as_tree(chains, coords, dims, attrs)


def as_tree(
    chains: dict[str, Floats], coords: Mapping[str, Sequence[str]], dims: Mapping[str, Sequence[str]], attrs: Any
) -> Any:
    """The group `posterior` of a `xarray.DataTree`, which is what ArviZ reads from 1.0 on.

    >>> import numpy as np
    >>> draws = {"theta": np.full((4, 25, 2), 0.5)}
    >>> tree = as_tree(draws, {"vote": ["yes", "no"]}, {"theta": ["vote"]}, {"error": 0.0})
    >>> tree["posterior"]["theta"].sel(vote="no").shape, tree["posterior"].attrs
    ((4, 25), {'error': 0.0})
    """
    import xarray

    data = {name: (("chain", "draw", *dims.get(name, ())), array) for name, array in chains.items()}
    return xarray.DataTree.from_dict({"posterior": xarray.Dataset(data, coords=dict(coords), attrs=attrs)})


def _arviz() -> Any:
    require_packages("this", "arviz", "arviz")
    with warnings.catch_warnings(action="ignore", category=FutureWarning):  # of a version that is not this one
        import arviz
    return arviz
