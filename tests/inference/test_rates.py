"""Rates of events in groups of public exposure: mixtures of Gammas, against their definition."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate
from scipy.special import betainc, gammainc, gammaln

import discreet as dc
from discreet.errors import InvalidInput
from discreet.posteriors.gamma import as_gamma

PLACES = {"north": 120.0, "south": 80.0}


def release_of(k: int, epsilon: float) -> dc.Geometric:
    return dc.Geometric(dc.PosteriorSpace(prior=[1] * k, n=None), epsilon=epsilon)


def brute(z: int, epsilon: float, shape: float, rate: float, exposure: float) -> tuple[Any, Any]:
    """Events and their posterior probabilities, by the definition."""
    c = np.arange(max(z, 0) + 1000)
    logs = gammaln(shape + c) - gammaln(c + 1) + c * math.log(exposure / (rate + exposure)) - epsilon * np.abs(z - c)
    weight = np.exp(logs - logs.max())
    return c, weight / weight.sum()


@pytest.mark.parametrize(("shape", "rate"), [("1/2", 0), (2, 40), ("0.1", "3"), (900, 1000)])
@pytest.mark.parametrize("z", [(12, 3), (-4, 0), (700, 41)])
def test_a_rate_is_a_mixture_of_gammas(z: tuple[int, int], shape: object, rate: object) -> None:
    prior = dc.Gamma(shape, rate)
    rates = dc.rates(release_of(2, 0.7), z, PLACES, prior=prior, per=10)
    for noisy, (group, exposure) in zip(z, PLACES.items(), strict=True):
        c, chance = brute(noisy, 0.7, float(prior.shape), float(prior.rate), exposure)
        shapes, scale = float(prior.shape) + c, 10 / (float(prior.rate) + exposure)
        one = rates.rate(group)
        assert one.error < 1e-11
        assert one.mean == pytest.approx(scale * float(chance @ shapes), rel=1e-10)
        moment = float(chance @ (shapes + shapes**2)) - float(chance @ shapes) ** 2
        assert one.sd == pytest.approx(scale * math.sqrt(moment), rel=1e-7)
        low, high = one.interval(0.9)
        for x, p in ((low, 0.05), (high, 0.95), (one.mean, None)):
            truth = float(chance @ gammainc(shapes, x / scale))
            assert float(one.cdf(x)) == pytest.approx(truth, abs=1e-11)
            if p is not None:
                assert truth == pytest.approx(p, abs=1e-10)
        steps = np.linspace(low, high, 7)
        slope = (one.cdf(steps * 1.0001) - one.cdf(steps * 0.9999)) / (0.0002 * steps)
        assert one.pdf(steps) == pytest.approx(slope, rel=1e-5)
        assert rates.posteriors[group] == prior.update(max(noisy, 0), exposure)


@pytest.mark.few(1)
@pytest.mark.parametrize("z", [(12, 3), (40, 35)])
def test_rates_are_compared_by_ratio_and_difference(z: tuple[int, int]) -> None:
    prior, epsilon = dc.Gamma(1, 10), 1.5
    both = dc.rates(release_of(2, epsilon), z, PLACES, prior=prior, per=100)
    compared = dc.compare(both["north"], both["south"])
    (c, one), (d, other) = (brute(v, epsilon, 1, 10, e) for v, e in zip(z, PLACES.values(), strict=True))
    weights = np.outer(one, other)

    def below(ratio: float) -> float:
        """G/(G+H) is a Beta: the ratio of rates is its odds, times the ratio of exposures."""
        odds = ratio * 130 / 90
        return float((weights * betainc(1 + c[:, None], 1 + d[None, :], odds / (1 + odds))).sum())

    assert float(compared.probability_greater) == pytest.approx(1 - below(1), abs=1e-8)
    for ratio in (0.5, 1, 3):
        assert float(compared.ratio.cdf(ratio)) == pytest.approx(below(ratio), abs=1e-8)
    assert compared.difference.mean == pytest.approx(both["north"].mean - both["south"].mean, rel=1e-8)
    assert compared.difference.sd == pytest.approx(math.hypot(both["north"].sd, both["south"].sd), rel=1e-7)
    truth, _ = integrate.quad(
        lambda y: float(both["north"].cdf(y + 2)) * float(both["south"].pdf(y)), 0, 40 * both["south"].mean, limit=200
    )
    assert float(compared.difference.cdf(2)) == pytest.approx(truth, abs=1e-7)
    assert compared.difference.error < 1e-8
    drawn = compared.difference.sample(20_000, seed=1)
    assert drawn.mean() == pytest.approx(compared.difference.mean, abs=7 * compared.difference.sd / 141)
    with pytest.raises(InvalidInput, match="odds ratio"):
        _ = compared.odds_ratio


def coverage(prior: dc.Gamma, exposure: float, epsilon: float, level: float) -> float:
    """Over events from the prior and all outputs but a tail of 1e-9: how often the rate lies in its interval."""
    shape, rate = float(prior.shape), float(prior.rate)
    c = np.arange(2000)
    logs = gammaln(shape + c) - gammaln(shape) - gammaln(c + 1) + shape * math.log(rate / (rate + exposure))
    chance = np.exp(logs + c * math.log(exposure / (rate + exposure)))
    c, chance = c[: 1 + int(np.flatnonzero(chance > 1e-12)[-1])], chance[: 1 + int(np.flatnonzero(chance > 1e-12)[-1])]
    q = math.exp(-epsilon)
    z = np.arange(0, len(c) + math.ceil(22 / epsilon))
    noise = (1 - q) / (1 + q) * q ** np.abs(z[:, None] - c[None, :])
    noise[0] = q**c / (1 + q)  # all outputs of at most 0 are read alike
    covered = 0.0
    for value, row in zip(z.tolist(), noise, strict=True):
        low, high = dc.rates(release_of(1, epsilon), (value,), {"all": exposure}, prior=prior)["all"].interval(level)
        inside = gammainc(shape + c, high * (rate + exposure)) - gammainc(shape + c, low * (rate + exposure))
        covered += float((chance * row) @ inside)
    return covered


@pytest.mark.parametrize(
    ("prior", "exposure", "epsilon"),
    [
        (dc.Gamma(1, 1), 4, 1.0),
        pytest.param(dc.Gamma("1/2", 2), 5, 0.4, marks=pytest.mark.soak),
        pytest.param(dc.Gamma(5, 1), 3, 2.0, marks=pytest.mark.soak),
    ],
)
def test_intervals_of_rates_hold_their_level_over_all_data_sets(
    prior: dc.Gamma, exposure: float, epsilon: float
) -> None:
    assert coverage(prior, exposure, epsilon, 0.95) == pytest.approx(0.95, abs=1e-5)


def test_distances_of_gammas_are_those_of_the_definition() -> None:
    one, other = dc.Gamma(8, 5), dc.Gamma(9, 5)
    exponent = math.lgamma(8.5) - (math.lgamma(8) + math.lgamma(9)) / 2
    assert one.hellinger(other) == pytest.approx(math.sqrt(-math.expm1(exponent)), rel=1e-12)
    overlap, _ = integrate.quad(
        lambda x: (
            math.exp((8.5 - 1) * math.log(x) - 5 * x + 8.5 * math.log(5)) / math.sqrt(math.gamma(8) * math.gamma(9))
        ),
        0,
        20,
    )
    assert one.hellinger(other) == pytest.approx(math.sqrt(1 - overlap), rel=1e-8)
    assert one.hellinger(one) == 0.0
    far, near = dc.Gamma(10**9, 7), dc.Gamma(10**9 + 1, 7)
    assert far.hellinger(near) == pytest.approx(math.sqrt(1 / 8e9), rel=1e-6)
    assert dc.Gamma(3, 2).hellinger(dc.Gamma(3, 5)) > 0


def test_what_makes_no_rate_is_refused() -> None:
    private = release_of(2, 1)
    for wrong in ({"north": 1}, {"north": 0, "south": 1}, {"north": -1, "south": 1}):
        with pytest.raises(InvalidInput):
            dc.rates(private, (3, 4), wrong)
    public = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=7), epsilon=1)
    with pytest.raises(InvalidInput, match="private"):
        dc.rates(public, (3, 4), PLACES)
    both = dc.rates(private, (3, 4), PLACES)
    with pytest.raises(InvalidInput, match="no group"):
        both.rate("west")
    with pytest.raises(InvalidInput, match="two groups"):
        dc.compare(both["north"], both["north"])
    with pytest.raises(InvalidInput, match="improper"):
        dc.Gamma("1/2", 0).interval()
    with pytest.raises(InvalidInput, match="a shape and a rate"):
        as_gamma("1,2,3")
    share = dc.Belief.of(dc.noise_aware(private, (3, 4)), {"a": ("x", "y")})["x"]
    with pytest.raises(InvalidInput, match="a rate is no share"):
        dc.compare(share, both["north"])
    again = dc.rates(private, (5, 4), PLACES, people="survey")
    with pytest.raises(InvalidInput, match="same people"):
        dc.compare(dc.rates(private, (3, 4), PLACES, people="survey")["north"], again["south"])
