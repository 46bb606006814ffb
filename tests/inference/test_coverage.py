"""Exact coverage: summed over all data sets and all outcomes, not simulated.

Given c the share is Beta(α₁+c, α₂+n-c), whatever the reader computes; so the chance that an interval that depends on
the output covers it is a finite sum. Noisy counts beyond 0 and n tell a reader what the end tells.
"""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

import discreet as dc
from discreet.posteriors.predictive import log_predictive

CASES = [
    *(("geometric", 50, epsilon) for epsilon in ("0.1", "0.5", "1")),
    *(pytest.param("geometric", 300, epsilon, marks=pytest.mark.soak) for epsilon in ("0.1", "0.5", "1")),
    *((name, 50, "1/2") for name in ("laplace", "laplace-improved", "exponential-global", "exponential-reciprocal")),
]


def coverage(mechanism: dc.Mechanism, prior: dc.Dirichlet, intervals: Sequence[Sequence[NDArray[np.float64]]]) -> float:
    """Σ_c P(c) Σ_o P(o | c) P(low(o) ≤ θ ≤ high(o) | c)."""
    rows, (a, b) = mechanism.space.candidates().array(), prior.alpha
    law = np.exp([mechanism.log_pmf(row) for row in rows.tolist()])
    low, high = np.array([[end[0] for end in interval] for interval in intervals]).T
    ends = [special.betainc(a + rows[:, :1], b + rows[:, 1:], end) for end in (low, high)]
    return float(np.exp(log_predictive(prior, rows)) @ (law * (ends[1] - ends[0])).sum(axis=1))


@pytest.mark.few(1)
@pytest.mark.parametrize("prior", [[1, 1], ["0.5", 3]], ids=str)
@pytest.mark.parametrize(("name", "n", "epsilon"), CASES)
def test_noise_aware_intervals_cover_what_they_say_and_the_plug_in_is_overconfident(
    prior: list[object], name: str, n: int, epsilon: str
) -> None:
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=prior, n=n), epsilon=epsilon)
    outputs = list(mechanism.space.candidates())
    aware, plug = (
        coverage(mechanism, mechanism.space.prior, [law.interval(0.95) for law in laws])
        for laws in ([dc.noise_aware(mechanism, o) for o in outputs], [mechanism.posterior(o) for o in outputs])
    )
    print(f"{name}, beta{prior}, n = {n}, ε = {epsilon}: noise-aware {aware:.9f}, plug-in {plug:.6f}")
    assert aware == pytest.approx(0.95, abs=1e-6)
    assert plug < (0.9495 if name == "geometric" else 0.94)


def test_a_prior_that_is_not_the_reader_s_covers_on_average_under_the_reader_s_prior() -> None:
    mechanism, prior = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=50), epsilon="1/2"), dc.Dirichlet([2, "1/2"])
    intervals = [dc.noise_aware(mechanism, (z, 50 - z), prior=prior).interval(0.9) for z in range(51)]
    assert coverage(mechanism, prior, intervals) == pytest.approx(0.9, abs=1e-6)
