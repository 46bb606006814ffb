"""Kernels of the Hellinger family: bounds on the rates of a block of counts."""

import numpy as np
import pytest

import discreet as dc

FAMILIES = ["exponential-global", "exponential-local", "exponential-smooth", "exponential-reciprocal"]


@pytest.mark.parametrize("name", FAMILIES)
def test_the_rates_of_a_block_lie_between_its_bounds_and_reach_the_lower_one(name: str) -> None:
    space = dc.PosteriorSpace(prior=["1/2", 3], n=200)
    kernel = dc.mechanism(name, space, epsilon=1).kernel
    rates = kernel.rates(np.stack([np.arange(201), 200 - np.arange(201)], axis=1))
    first, last = np.array([0, 3, 40, 102, 180]), np.array([2, 30, 95, 140, 200])
    least, most = kernel.rate_bounds(first, last)
    for i, (one, other) in enumerate(zip(first, last, strict=True)):
        within = rates[one : other + 1]
        assert least[i] == pytest.approx(within.min(), rel=1e-12)
        assert within.max() * (1 - 1e-12) <= most[i] <= within.max() * 1.25
