"""The L1 tail of Laplace noise: seed 003, section 3.1."""

import math

import numpy as np
import pytest

import discreet as dc
from discreet.utility.tails import l1_tail, noise_exceeds, noise_threshold
from tests.utility.kernels import made


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("gamma", ["0.3", "0.05", "1e-6"])
def test_the_largest_noise_exceeds_the_threshold_with_at_most_that_probability(k: int, gamma: str) -> None:
    mechanism = dc.LaplaceImproved(dc.PosteriorSpace(prior=[1] * k, n=50), epsilon="0.8")
    threshold = noise_threshold(mechanism, gamma)
    scale = 1 / float(mechanism.rate)
    assert threshold == pytest.approx(scale * math.log((k - 1) / float(gamma)))
    assert noise_exceeds(mechanism, threshold) <= float(gamma) * (1 + 1e-12)
    # The union bound is tight for one noise, and nearly so for rare ones.
    assert noise_exceeds(mechanism, threshold) >= float(gamma) * (1 - float(gamma))


@pytest.mark.parametrize("rounding", ["nearest", "floor"])
@pytest.mark.parametrize(("prior", "n"), [([1, 1], 12), ([1, 1, 1], 7), ([1, 2, 1, 1], 4)], ids=str)
def test_the_exact_tail_stays_below_the_bound_for_every_data_set(prior: list[int], n: int, rounding: str) -> None:
    space = dc.PosteriorSpace(prior=prior, n=n)
    mechanism = dc.mechanism("laplace-improved", space, epsilon=3, rounding=rounding)
    found = dc.accuracy(mechanism, metric="l1")
    for t in range(1, 2 * n + 1):
        bounds = found.bounds(t)
        assert bounds["exact"] <= bounds["noise"] * (1 + 1e-12)
        assert bounds["noise"] == l1_tail(mechanism, t)


def test_the_exact_tail_of_the_noise_is_that_of_independent_exponentials() -> None:
    mechanism = made("three", "laplace")
    y = np.array([0.0, 1.0, 5.0])
    expected = 1 - (1 - np.exp(-y * float(mechanism.rate))) ** 2
    assert [noise_exceeds(mechanism, float(at)) for at in y] == pytest.approx(expected.tolist())


def test_other_mechanisms_add_no_laplace_noise() -> None:
    with pytest.raises(dc.InvalidInput, match="no Laplace noise"):
        l1_tail(made("two", "geometric"), 1.0)
    with pytest.raises(dc.InvalidInput, match="gamma"):
        noise_threshold(made("two", "laplace"), 1)
