"""Mean Hellinger distances at one ε for all: every printed number of the additive mechanisms and of the limit.

The mean runs over all data sets, under the prior predictive unless said otherwise, and over the whole law.
"""

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import permutations

import numpy as np
import pytest

from discreet import PosteriorSpace, hellinger
from discreet.mechanisms import Geometric, LaplaceImproved, Mechanism, Optimal
from discreet.mechanisms.geometric import noise_vectors
from discreet.mechanisms.postprocessing import Weighting
from tests.oracles.spaces import prior_predictive_exact
from tests.support.enumeration import Enumeration, Floats, enumerate_space

BETA = PosteriorSpace([1, 1], 50)
SEVEN_FOUR = PosteriorSpace([7, 4], 50)
THREE = PosteriorSpace([1, 1, 1], 8)
LARGER = PosteriorSpace([1, 1, 1], 50)


@cache
def every(space: PosteriorSpace) -> Enumeration:
    return enumerate_space(space.prior.parameters, space.n)


def weights(space: PosteriorSpace, weighting: Weighting) -> Floats:
    if weighting == "uniform" or set(space.prior.parameters) == {Fraction(1)}:
        return np.full(space.size, 1 / space.size)
    return np.array([float(prior_predictive_exact(space.prior.parameters, c)) for c in space.candidates()])


def mean_error(mechanism: Mechanism, weighting: Weighting = "predictive") -> float:
    """Over all c and r, from the mechanism's pmf and distances of the enumeration."""
    space = mechanism.space
    errors = [np.exp(mechanism.log_pmf(c)) @ every(space).hellinger[i] for i, c in enumerate(space.candidates())]
    return float(weights(space, weighting) @ np.array(errors))


def mean_error_of_free_on_a_line(epsilon: str) -> float:
    """With two categories `free` looks at the noisy count clamped to 0 … n, whose law is the pmf after `nearest`."""
    free, nearest = (Geometric(BETA, epsilon=epsilon, postprocess=way) for way in ("free", "nearest"))
    posteriors = [free.posterior((z, 50 - z)) for z in range(51)]
    total = 0.0
    for c in range(51):
        here = BETA.posterior([c, 50 - c])
        distances = np.array([hellinger(here, posterior) for posterior in posteriors])
        total += float(np.exp(nearest.log_pmf([c, 50 - c])) @ distances) / 51
    return total


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("build", "weighting", "printed", "digits"),
    [
        (lambda: Geometric(BETA, epsilon=1), "predictive", 0.10800, 5),
        (lambda: Geometric(BETA, epsilon=1, postprocess="bayes"), "predictive", 0.10800, 5),
        (lambda: LaplaceImproved.as_published(BETA, epsilon=1), "predictive", 0.1373, 4),
        (lambda: Geometric(THREE, epsilon=1), "predictive", 0.3659, 4),
        (lambda: Geometric(THREE, epsilon=1, postprocess="bayes"), "predictive", 0.3625, 4),
        (lambda: LaplaceImproved.as_published(THREE, epsilon=1), "predictive", 0.516, 3),
        (lambda: Geometric(LARGER, epsilon=1), "predictive", 0.255, 3),
        (lambda: LaplaceImproved.as_published(LARGER, epsilon=1), "predictive", 0.422, 3),
        (lambda: Geometric(BETA, epsilon="0.2"), "predictive", 0.4364, 4),
        (lambda: Geometric(BETA, epsilon="0.2", postprocess="bayes"), "predictive", 0.4194, 4),
        (lambda: Geometric(SEVEN_FOUR, epsilon=1), "uniform", 0.08741, 5),
        (lambda: Geometric(SEVEN_FOUR, epsilon=1, postprocess="bayes", weighting="uniform"), "uniform", 0.08741, 5),
        (lambda: LaplaceImproved.as_published(SEVEN_FOUR, epsilon=1), "uniform", 0.1110, 4),
    ],
    ids=lambda value: str(value()) if callable(value) else None,
)
def test_mean_errors_of_additive_mechanisms(
    build: Callable[[], Mechanism], weighting: Weighting, printed: float, digits: int
) -> None:
    assert mean_error(build(), weighting) == pytest.approx(printed, abs=0.5001 * 10**-digits)


@pytest.mark.parametrize(
    ("space", "epsilon", "weighting", "printed", "digits"),
    [
        (BETA, "1", "predictive", 0.10800, 5),
        (BETA, "0.2", "predictive", 0.4194, 4),
        (SEVEN_FOUR, "1", "uniform", 0.08741, 5),
        (THREE, "1", "predictive", 0.35309, 5),
    ],
)
def test_the_limit_of_all_private_kernels_on_the_candidates(
    space: PosteriorSpace, epsilon: str, weighting: Weighting, printed: float, digits: int
) -> None:
    found = Optimal(space, epsilon=epsilon, weighting=weighting).error
    assert found == pytest.approx(printed, abs=0.5001 * 10**-digits)


@pytest.mark.soak
@pytest.mark.parametrize(("epsilon", "printed", "digits"), [("1", 0.10800, 5), ("0.2", 0.4109, 4)])
def test_free_post_processing_on_a_line(epsilon: str, printed: float, digits: int) -> None:
    assert mean_error_of_free_on_a_line(epsilon) == pytest.approx(printed, abs=0.5001 * 10**-digits)


@pytest.mark.soak
def test_free_post_processing_of_three_categories() -> None:
    """`free` looks at noisy counts clamped to 0 … n; the prior is symmetric, so one order of them stands for all."""
    mechanism = Geometric(THREE, epsilon=1, postprocess="free")
    moves, norms = noise_vectors(3, 40)  # beyond, noise has a probability of 1e-14
    chance = np.exp(-norms / 2)
    chance /= chance.sum()
    mass: dict[tuple[int, ...], dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for rank, c in enumerate(THREE.candidates()):
        clamped = np.clip(moves + np.array(c), 0, 8)
        ordered = (np.diff(clamped, axis=1) >= 0).all(axis=1)
        keys, index = np.unique(clamped[ordered], axis=0, return_inverse=True)
        sums = np.bincount(index.reshape(-1), weights=chance[ordered])
        for key, share in zip(keys.tolist(), sums, strict=True):
            mass[tuple(key)][rank] += share / THREE.size
    total = everything = 0.0
    for key, shares in mass.items():
        orders = len(set(permutations(key)))
        posterior = mechanism.posterior(key)
        for rank, share in shares.items():
            total += orders * share * hellinger(THREE.posterior(THREE.candidates()[rank]), posterior)
            everything += orders * share
    assert everything == pytest.approx(1, abs=1e-12)
    assert total == pytest.approx(0.3562, abs=5e-5)


@pytest.mark.few(1)
@pytest.mark.parametrize(("n", "printed"), [(4, 1.040), (8, 1.027)])
def test_what_the_border_of_the_simplex_costs_fades_as_n_grows(n: int, printed: float) -> None:
    space = PosteriorSpace([1, 1, 1], n)
    ratio = mean_error(Geometric(space, epsilon=1, postprocess="bayes")) / Optimal(space, epsilon=1).error
    assert ratio == pytest.approx(printed, abs=5e-4)


@pytest.mark.parametrize("n", [1, 5, 12, 30])
@pytest.mark.parametrize("prior", [["1", "1"], ["7", "4"], ["0.5", "0.5"]])
@pytest.mark.parametrize("epsilon", ["0.5", "1", "2"])
def test_on_a_line_the_geometric_mechanism_with_bayes_is_the_limit(n: int, prior: list[str], epsilon: str) -> None:
    space = PosteriorSpace(prior, n)
    limit = Optimal(space, epsilon=epsilon).error
    assert mean_error(Geometric(space, epsilon=epsilon, postprocess="bayes")) == pytest.approx(limit, abs=5e-6)
