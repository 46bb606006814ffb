"""The expected width of what a reader may believe: against the noise-aware posterior of every output."""

from __future__ import annotations

import numpy as np
import pytest

import discreet as dc
from discreet.mechanisms.geometric import noise_vectors
from discreet.posteriors.mixtures import BetaMixture
from discreet.posteriors.predictive import log_predictive
from discreet.utility import widths
from discreet.utility.widths import expected_width, first_count_given, width_without_privacy
from tests.oracles import spaces, ways_back


def width_of(space: dc.PosteriorSpace, mechanism: dc.Mechanism, output: tuple[int, ...]) -> float:
    low, high = dc.noise_aware(mechanism, output).interval(0.95)
    return float(high[0] - low[0])


@pytest.mark.parametrize("name", ["geometric", "laplace-improved", "exponential-reciprocal", "exponential-global"])
def test_with_two_categories_it_is_the_mean_over_all_outputs(name: str) -> None:
    space = dc.PosteriorSpace(prior=[1, 3], n=7)
    mechanism = dc.mechanism(name, space, epsilon=1)
    weight = np.exp(log_predictive(space.prior, space.candidates().array()))
    # Beyond 0 and n noisy counts say the same as at the ends, so the released candidates are all there is to know.
    chance = sum(w * np.exp(mechanism.log_pmf(c)) for w, c in zip(weight, space.candidates(), strict=True))
    expected = sum(p * width_of(space, mechanism, r) for p, r in zip(chance, space.candidates(), strict=True))
    found = expected_width(mechanism)
    assert found.value == pytest.approx(float(expected), rel=1e-6)
    assert found.method == "all 8 outputs"


def test_with_three_categories_a_table_gives_the_mean_over_all_outputs() -> None:
    space = dc.PosteriorSpace(prior=[2, 1, 1], n=4)
    mechanism = dc.LaplaceImproved(space, epsilon=2)
    weight = np.exp(log_predictive(space.prior, space.candidates().array()))
    chance = sum(w * np.exp(mechanism.log_pmf(c)) for w, c in zip(weight, space.candidates(), strict=True))
    expected = sum(p * width_of(space, mechanism, r) for p, r in zip(chance, space.candidates(), strict=True))
    assert expected_width(mechanism).value == pytest.approx(float(expected), rel=1e-6)


def test_given_noisy_counts_the_first_count_has_its_exact_distribution() -> None:
    alpha: list[str | int] = ["1/2", 1, 2, 1]
    space = dc.PosteriorSpace(prior=alpha, n=5)
    for z in ([2, 1, 1, 1], [-3, 7, 0, 1], [9, -2, -2, 0]):
        believed = ways_back.belief_from_noisy(alpha, z, "0.8")
        expected = np.zeros(6)
        for c, p in believed.items():
            expected[c[0]] += float(p)
        count, chance = first_count_given(space, 0.4, np.array(z))
        found = np.zeros(6)
        found[count] = chance
        assert found == pytest.approx(expected, abs=1e-12)


def test_geometric_with_three_categories_is_near_the_mean_over_all_noise() -> None:
    space = dc.PosteriorSpace(prior=[1, 1, 1], n=6)
    mechanism = dc.Geometric(space, epsilon=2)
    moves, norms = noise_vectors(3, 6)
    mass = np.exp(-norms.astype(float))
    weights = spaces.prior_predictive([1, 1, 1], 6)
    believed: dict[tuple[int, ...], float] = {}
    for c in space.candidates():
        for move, p in zip(moves.tolist(), mass / mass.sum(), strict=True):
            z = tuple(max(-1, min(7, x + v)) for x, v in zip(c, move, strict=True))
            believed[z] = believed.get(z, 0.0) + float(weights[c]) * float(p)
    expected = 0.0
    for z, p in believed.items():
        count, chance = first_count_given(space, 1.0, np.array(z))
        mixture = BetaMixture(chance, 1 + count, 2 + 6 - count)
        low, high = mixture.interval()
        expected += p * float(high - low)
    assert expected_width(mechanism).value == pytest.approx(expected / sum(believed.values()), rel=0.02)


@pytest.mark.parametrize("mechanism", ["geometric", "laplace-improved"])
def test_any_number_of_records_is_as_enumeration_has_it(mechanism: str) -> None:
    space = dc.PosteriorSpace(prior=[2, 1], n=700)
    made = dc.mechanism(mechanism, space, epsilon="0.15")
    noise = made.kernel.noise
    assert noise is not None
    assert widths._long_width(space, noise, "0.95").value == pytest.approx(expected_width(made).value, rel=0.01)


def test_without_privacy_it_is_the_mean_width_of_the_posteriors() -> None:
    space = dc.PosteriorSpace(prior=[1, 2, 1], n=9)
    weights = spaces.prior_predictive([1, 2, 1], 9)
    expected = 0.0
    for c in space.candidates():
        low, high = space.posterior(c).interval(0.95)
        expected += float(weights[c]) * float(high[0] - low[0])
    assert width_without_privacy(space).value == pytest.approx(expected, rel=1e-9)


def test_it_falls_with_epsilon_to_the_width_without_privacy() -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=200)
    found = [expected_width(dc.Geometric(space, epsilon=e)).value for e in ("0.01", "0.1", "1", "30")]
    assert found == sorted(found, reverse=True)
    assert found[-1] == pytest.approx(width_without_privacy(space).value, rel=2e-3)


def test_a_million_million_records_have_a_width() -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=10**12)
    without = width_without_privacy(space).value
    assert without == pytest.approx(2 * 1.959964 * np.pi / 8 * 1e-6, rel=1e-3)
    assert expected_width(dc.Geometric(space, epsilon=1)).value == pytest.approx(without, rel=5e-3)


def test_what_cannot_be_weighed_is_refused() -> None:
    long, wide = dc.PosteriorSpace(prior=[1, 1], n=10**5), dc.PosteriorSpace(prior=[1] * 3, n=200)
    with pytest.raises(dc.TooLarge, match="summed up to"):
        expected_width(dc.ExponentialLocal(long, epsilon=1))
    with pytest.raises(dc.TooLarge, match="summed up to"):
        expected_width(dc.LaplaceImproved(wide, epsilon=1))
    with pytest.raises(dc.TooLarge, match="convolve"):
        expected_width(dc.Geometric(dc.PosteriorSpace(prior=[1] * 40, n=10**6), epsilon="0.001"))
