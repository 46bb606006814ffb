"""Beliefs by densities: for every output the probability and the width that a sum over all counts has."""

import math

import numpy as np
import pytest
from flint import arb

import discreet as dc
from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.numbers import precision
from discreet.kernels.line_noise import LineNoise
from discreet.utility.noisy_shares import intervals, log_below, log_binomial
from tests.oracles import widths as oracle


def probabilities_and_widths(mechanism: dc.Mechanism, outputs: Floats) -> tuple[Floats, Floats]:
    noise = mechanism.kernel.noise
    assert isinstance(noise, LineNoise)
    return intervals(mechanism.space, noise, outputs, 0.95)


@pytest.mark.parametrize("epsilon", ["1/1000", "0.05", "1", "8", "900"])
@pytest.mark.parametrize(
    "prior", [["1", "1"], ["1/100", "1/50"], ["1/1000", "1/2000"], ["0.3", "40"], ["1000000", "300"]], ids=str
)
def test_every_output_has_its_probability_and_its_width(prior: list[str], epsilon: str) -> None:
    n = 40
    pair = probabilities_and_widths(
        dc.Geometric(dc.PosteriorSpace(prior=prior, n=n), epsilon=epsilon), np.arange(n + 1.0)
    )
    _, chance, width = oracle.expected_width((prior[0], prior[1]), n, oracle.geometric_kernel(n, epsilon))
    seen = chance > 1e-200
    assert pair[0][seen] == pytest.approx(chance[seen], rel=1e-9)
    likely = chance > 1e-20
    assert pair[1][likely] == pytest.approx(width[likely], rel=1e-8, abs=1e-14)


@pytest.mark.parametrize("rounding", ["nearest", "floor"])
def test_laplace_noise_that_is_rounded_has_its_own_weight_at_zero_and_its_own_sides(rounding: str) -> None:
    n = 25
    space = dc.PosteriorSpace(prior=[2, 1], n=n)
    mechanism = dc.mechanism("laplace-improved", space, epsilon="0.7", rounding=rounding)
    kernel = np.stack([np.exp(mechanism.log_pmf([c, n - c])) for c in range(n + 1)])
    _, chance, width = oracle.expected_width(("2", "1"), n, kernel)
    pair = probabilities_and_widths(mechanism, np.arange(n + 1.0))
    assert pair[0] == pytest.approx(chance, rel=1e-10)
    assert pair[1] == pytest.approx(width, rel=1e-9)


@pytest.mark.parametrize(
    ("n", "epsilon", "output"),
    [
        (10**6, "1/2", 3),
        (10**9, "1", 3 * 10**8),
        (10**9, "1/100000", 10**6),
        (10**12, "3", 10**11),
        (10**6, "1/5000", 0),
    ],
)
def test_many_records_are_believed_in_as_the_posterior_of_the_counts_has_it(n: int, epsilon: str, output: int) -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=n), epsilon=epsilon)
    belief = dc.noise_aware(mechanism, (output, n - output))
    low, high = belief.interval(0.95)
    _, width = probabilities_and_widths(mechanism, np.array([float(output)]))
    # A probability that is off by so much moves an end by that over the density.
    within = belief.error * (1 / belief.pdf(low[0]) + 1 / belief.pdf(high[0]))
    assert float(width[0]) == pytest.approx(float(high[0] - low[0]), abs=float(within) + 1e-8 * float(width[0]))


@pytest.mark.parametrize("tries", [20, pytest.param(80, marks=pytest.mark.soak)])
def test_sums_beside_an_output_keep_their_digits_for_any_share_and_rate(tries: int) -> None:
    rng, seen = np.random.default_rng(8), 0
    for _ in range(tries):
        n = int(10 ** rng.uniform(0, 11))
        o = max(1, min(n, int(n ** rng.uniform(0, 1))))
        rate, away = 10 ** rng.uniform(-8, 1), 3 * rng.normal()
        share = np.clip((o + away * (math.sqrt(o * (n - o + 1) / n) + 0.3)) / n, 1e-14, 1 - 1e-10)
        s = math.log(share / (1 - share)) - rate * rng.integers(0, 2)
        with precision(400):
            here, there = (1 / (1 + (-arb(s) - arb(tilt)).exp()) for tilt in (0.0, rate))
            log = [o * x.log() + (n - o) * (1 - x).log() for x in (here, there)]
            chance = (1 - there).beta_lower(arb(n - o + 1), arb(o), regularized=True)
            if not chance > 1e-300:
                continue
            expected = float(chance.log() + log[0] - log[1])
            binomial = float((arb(n) + 1).lgamma() - (arb(o) + 1).lgamma() - (arb(n - o) + 1).lgamma() + log[0])
        if max(expected, binomial) < -50:  # nobody asks for what is that unlikely
            continue
        seen += 1
        output, odds = np.array([float(o)]), np.array([s])
        at = log_binomial(output, n, odds)
        logs = log_below(output, n, odds, rate, at)
        assert float(logs[0]) == pytest.approx(expected, abs=1e-9)
        assert float(at[0]) == pytest.approx(binomial, abs=1e-9)
    assert seen > tries // 2
