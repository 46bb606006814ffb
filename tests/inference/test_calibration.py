"""Simulation-based calibration: the truth's rank among draws of the posterior is uniform, and the plug-in's is not.

θ from the prior, records from θ, one output from the law, nineteen draws of the noise-aware posterior. All bits are
reproducible; a right posterior fails the test with probability 1e-9.
"""

from collections import Counter

import numpy as np
import pytest

import discreet as dc
from discreet.inference.draws import draw_dirichlet, draw_uniforms
from discreet.testing import HashedBits, draw_with
from tests.support.statistics import fits

DRAWS, STUDIES = 19, 600

CASES = {
    "k = 3": (["1/2", 1, 2], 60, "geometric", "0.2"),
    "k = 3, laplace-improved": (["1/2", 1, 2], 60, "laplace-improved", "0.4"),
    "k = 3, exponential-reciprocal": ([1, 1, 1], 12, "exponential-reciprocal", "1"),
    "k = 7": ([1] * 7, 100, "geometric", "0.2"),
    "k = 20": (["1/2"] * 20, 200, "geometric", "0.3"),
}


@pytest.mark.few(1)
@pytest.mark.parametrize("case", CASES)
def test_ranks_are_uniform_and_the_plug_in_s_are_not(case: str) -> None:
    prior, n, name, epsilon = CASES[case]
    space = dc.PosteriorSpace(prior=prior, n=n)
    mechanism = dc.mechanism(name, space, epsilon=epsilon)
    bits = HashedBits(f"calibration {case}")
    truths = draw_dirichlet(bits, np.tile(space.prior.alpha, (STUDIES, 1)))
    ranks: dict[str, Counter[tuple[int, ...]]] = {"noise-aware": Counter(), "plug-in": Counter()}
    for study, theta in enumerate(truths):
        records = np.searchsorted(np.cumsum(theta)[:-1], draw_uniforms(bits, n), side="right")
        counts = np.bincount(records, minlength=space.k)
        output = draw_with(mechanism.law(counts.tolist()), bits)
        aware = dc.noise_aware(mechanism, output)._sample(bits, DRAWS)
        plug = draw_dirichlet(bits, np.tile(mechanism.posterior(output).alpha, (DRAWS, 1)))
        i = study % space.k
        ranks["noise-aware"][(int((aware[:, i] < theta[i]).sum()),)] += 1
        ranks["plug-in"][(int((plug[:, i] < theta[i]).sum()),)] += 1
    uniform: dict[tuple[int, ...], float] = {(rank,): 1 / (DRAWS + 1) for rank in range(DRAWS + 1)}
    assert fits(ranks["noise-aware"], uniform)
    assert not fits(ranks["plug-in"], uniform)
