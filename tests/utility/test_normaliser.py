"""N(n), the formula that the seeds left open: its value, where it lies, and its limit."""

import math

import pytest

import discreet as dc
from discreet.mechanisms.exponential import Exponential
from discreet.utility.normaliser import log_normaliser_at, normaliser
from tests.oracles import accuracy as oracle
from tests.support.enumeration import random_prior, seeded
from tests.utility.kernels import NAMES, SPACES, mechanism_of, sensitivities

HELLINGER = [name for name in NAMES if name.startswith("exponential")]


@pytest.mark.parametrize("name", HELLINGER)
@pytest.mark.parametrize("kind", SPACES)
def test_it_is_the_least_normaliser_by_enumeration(kind: str, name: str) -> None:
    mechanism, (alpha, _) = mechanism_of(kind, name), SPACES[kind]
    table = sensitivities(kind, name, getattr(mechanism, "gamma", None))
    expected = {c: float(oracle.normaliser(alpha, c, mechanism.scale, value)) for c, value in table.items()}
    result = normaliser(mechanism)
    assert result.value == result.lower == pytest.approx(min(expected.values()), rel=1e-9)
    assert expected[result.counts] == pytest.approx(result.value, rel=1e-9)
    for c in list(expected)[::5]:
        assert log_normaliser_at(mechanism, c) == pytest.approx([math.log(expected[c])] * 2, abs=1e-9)


@pytest.mark.parametrize("spaces", [25, pytest.param(100, marks=pytest.mark.soak)])
def test_with_two_categories_it_lies_at_an_end_or_where_the_sensitivity_is_least(spaces: int) -> None:
    rng = seeded("normaliser")
    for _ in range(spaces):
        space = dc.PosteriorSpace(prior=random_prior(rng, 2), n=rng.randint(3, 300))
        name, scale = rng.choice(HELLINGER), rng.choice(["0.1", "0.5", "1", "3"])
        smooth = {"gamma": rng.choice(["0.001", "0.1", "1"])} if name.endswith(("smooth", "reciprocal")) else {}
        mechanism = dc.mechanism(name, space, epsilon=None, scale=scale, **smooth)
        assert isinstance(mechanism, Exponential)
        every = mechanism.kernel.enumerated
        logs, least = every.log_normalisers, int(every.rates.argmax())
        extremes = [logs[0], logs[-1], *logs[max(0, least - 3) : least + 4]]
        assert min(extremes) <= logs.min() + 1e-12, (name, scale, space)


@pytest.mark.soak
@pytest.mark.parametrize("scale", ["0.5", "2"])
def test_its_limit_is_coth_of_half_the_scale(scale: str) -> None:
    limit = 1 / math.tanh(float(scale) / 2)
    gaps = []
    for n in (100, 1000, 10**7):
        result = normaliser(dc.ExponentialLocal(dc.PosteriorSpace(prior=[1, 1], n=n), scale=scale))
        assert result.limit == pytest.approx(limit, rel=1e-14)
        gaps.append(abs(result.value / limit - 1))
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 1e-6


def test_under_the_global_sensitivity_it_grows_with_n() -> None:
    one, other = (
        normaliser(dc.ExponentialGlobal(dc.PosteriorSpace(prior=[1, 1], n=n), scale="1/2")) for n in (1000, 10_000)
    )
    assert other.value / one.value == pytest.approx(10, rel=0.02)
    assert one.limit == math.inf


@pytest.mark.few(1)
@pytest.mark.parametrize("name", HELLINGER)
@pytest.mark.parametrize("prior", [[1, 1], [7, 4]], ids=str)
def test_beyond_enumeration_the_lower_bound_is_near(name: str, prior: list[int]) -> None:
    result = normaliser(dc.mechanism(name, dc.PosteriorSpace(prior=prior, n=10**6), epsilon=None, scale="1/2"))
    assert 0.9 * result.value < result.lower <= result.value
    assert "a lower bound for all" in result.method


def test_the_lower_bound_by_strata_holds_where_it_can_be_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = dc.ExponentialReciprocal(dc.PosteriorSpace(prior=[2, 1], n=3000), scale="1/2")
    exact = normaliser(mechanism).value
    monkeypatch.setattr("discreet.utility.normaliser.enumerated_rows", lambda _: None)
    by_strata = normaliser.__wrapped__(mechanism)
    assert abs(by_strata.counts[0] - 1499.5) < 1
    assert by_strata.lower <= exact
    assert by_strata.value == pytest.approx(exact, rel=1e-6)


def test_the_rows_of_a_line_know_their_normalisers() -> None:
    kernel = dc.ExponentialSmooth(dc.PosteriorSpace(prior=[1, 1], n=2500), epsilon=1).kernel
    for c in (0, 7, 1250):
        alone = float(kernel.log_normaliser([c, 2500 - c]).values)
        assert alone == pytest.approx(kernel.enumerated.log_normalisers[c], abs=1e-12)


def test_only_the_hellinger_family_has_one() -> None:
    with pytest.raises(dc.InvalidInput, match="no normaliser"):
        normaliser(mechanism_of("two", "geometric"))


def test_a_space_of_too_many_candidates_is_refused() -> None:
    with pytest.raises(dc.TooLarge):
        normaliser(dc.ExponentialGlobal(dc.PosteriorSpace(prior=[1] * 4, n=60), epsilon=1))
