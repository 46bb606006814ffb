"""Exact coverage: summed over all data sets and all outcomes, not simulated.

Given c the share is Beta(α₁+c, α₂+n-c), whatever the reader computes; so the chance that an interval that depends on
the output covers it is a finite sum. Noisy counts beyond 0 and n tell a reader what the end tells.
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

import discreet as dc

PRIORS = [(1.0, 1.0), (0.5, 3.0)]


def clamped_masses(n: int, epsilon: float) -> NDArray[np.float64]:
    """P(z clamped to 0 … n | c) of the two-sided geometric: a row for each c."""
    c = np.arange(n + 1)
    far = np.exp(-epsilon * np.abs(c[:, None] - c[None, :]))
    masses: NDArray[np.float64] = far * np.tanh(epsilon / 2)
    masses[:, [0, -1]] = far[:, [0, -1]] / (1 + np.exp(-epsilon))
    masses[0, 0] = masses[-1, -1] = 1 / (1 + np.exp(-epsilon))
    return masses


def predictive(n: int, a: float, b: float) -> NDArray[np.float64]:
    c = np.arange(n + 1)
    logs = special.betaln(a + c, b + n - c) - special.betaln(a, b)
    ways = special.gammaln(n + 1) - special.gammaln(c + 1) - special.gammaln(n - c + 1)
    shown: NDArray[np.float64] = np.exp(logs + ways)
    return shown


def coverage(
    law: NDArray[np.float64], prior: tuple[float, float], low: NDArray[np.float64], high: NDArray[np.float64]
) -> float:
    """Σ_c P(c) Σ_o P(o | c) P(low(o) ≤ θ ≤ high(o) | c)."""
    a, b = prior
    n = len(law) - 1
    c = np.arange(n + 1)[:, None]
    covered = special.betainc(a + c, b + n - c, high) - special.betainc(a + c, b + n - c, low)
    return float(predictive(n, a, b) @ (law * covered).sum(axis=1))


def coverages(mechanism: dc.Mechanism, law: NDArray[np.float64], prior: tuple[float, float]) -> tuple[float, float]:
    """Of the noise-aware intervals, and of the released posterior at face value."""
    n = mechanism.space.n
    aware = np.array([[end[0] for end in dc.noise_aware(mechanism, (z, n - z)).interval(0.95)] for z in range(n + 1)])
    plug = np.array([[end[0] for end in mechanism.posterior((z, n - z)).interval(0.95)] for z in range(n + 1)])
    return coverage(law, prior, *aware.T), coverage(law, prior, *plug.T)


def test_the_law_of_this_test_is_the_mechanism_s() -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=20), epsilon="1/2")
    for c, row in enumerate(clamped_masses(20, 0.5)):
        assert np.allclose(np.exp(mechanism.log_pmf([c, 20 - c])), row, atol=1e-14)


@pytest.mark.few(1)
@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1"])
@pytest.mark.parametrize("n", [50, 300])
@pytest.mark.parametrize("prior", PRIORS)
def test_noise_aware_intervals_cover_what_they_say(prior: tuple[float, float], n: int, epsilon: str) -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=list(prior), n=n), epsilon=epsilon)
    aware, plug = coverages(mechanism, clamped_masses(n, float(epsilon)), prior)
    print(f"beta{prior}, n = {n}, ε = {epsilon}: noise-aware {aware:.9f}, plug-in {plug:.6f}")
    assert aware == pytest.approx(0.95, abs=1e-6)
    assert plug < 0.9495, "the plug-in is overconfident"


@pytest.mark.few(3)
@pytest.mark.parametrize("name", ["laplace", "laplace-improved", "exponential-global", "exponential-reciprocal"])
@pytest.mark.parametrize("prior", PRIORS)
def test_so_do_those_of_every_other_mechanism(name: str, prior: tuple[float, float]) -> None:
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=list(prior), n=50), epsilon="1/2")
    law = np.exp([mechanism.log_pmf([c, 50 - c]) for c in range(51)])
    aware, plug = coverages(mechanism, law, prior)
    print(f"{name}, beta{prior}: noise-aware {aware:.9f}, plug-in {plug:.6f}")
    assert aware == pytest.approx(0.95, abs=1e-6)
    assert plug < 0.94


def test_a_prior_that_is_not_the_reader_s_covers_on_average_under_the_reader_s_prior() -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=50), epsilon="1/2")
    ends = [dc.noise_aware(mechanism, (z, 50 - z), prior=[2, "1/2"]).interval(0.9) for z in range(51)]
    low, high = np.array([[end[0] for end in pair] for pair in ends]).T
    assert coverage(clamped_masses(50, 0.5), (2, 0.5), low, high) == pytest.approx(0.9, abs=1e-6)
