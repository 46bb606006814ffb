"""The bounds on the tail: each holds, and each of the five is at most the next."""

import pytest

import discreet as dc
from tests.oracles import accuracy as oracle
from tests.oracles import spaces
from tests.support.enumeration import random_spaces, seeded, telling_counts
from tests.utility.kernels import NAMES, SPACES, kernel, mechanism_of, sensitivities

HELLINGER = [name for name in NAMES if name.startswith("exponential")]
SLACK = 1 + 1e-9


def assert_ordered(bounds: dict[str, float]) -> None:
    assert list(bounds) == ["exact", "normalised", "n-normalised", "loose", "data-free"]
    assert bounds["exact"] <= bounds["normalised"] * SLACK
    assert bounds["normalised"] <= bounds["n-normalised"] * SLACK
    assert bounds["n-normalised"] <= bounds["loose"] * SLACK
    assert bounds["n-normalised"] <= bounds["data-free"] * SLACK


@pytest.mark.parametrize("name", HELLINGER)
@pytest.mark.parametrize("kind", SPACES)
def test_they_are_the_formulas_of_the_mathematics(kind: str, name: str) -> None:
    mechanism, (alpha, n) = mechanism_of(kind, name), SPACES[kind]
    table = sensitivities(kind, name, getattr(mechanism, "gamma", None))
    for c in spaces.candidates(len(alpha), n)[::6]:
        for t in ("0.2", "0.7"):
            result = dc.accuracy(mechanism, c).bounds(t)
            expected = oracle.bounds(alpha, c, mechanism.scale, dict(table), t)
            assert {key: result[key] for key in expected} == pytest.approx(
                {key: float(value) for key, value in expected.items()}, rel=1e-9
            )
            exact = float(oracle.tail(alpha, c, kernel(kind, name)[c], t))
            assert result["exact"] == pytest.approx(exact, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("count", [6, pytest.param(24, marks=pytest.mark.soak)])
def test_all_hold_and_are_ordered_on_random_spaces(count: int) -> None:
    rng = seeded("bounds")
    for alpha, n in random_spaces("bounds", count):
        space = dc.PosteriorSpace(prior=dc.Dirichlet(alpha), n=n)
        mechanism = dc.mechanism(rng.choice(HELLINGER), space, epsilon=rng.choice(["0.3", "1", "4"]))
        rows = spaces.candidates(len(alpha), n)
        expected = dc.accuracy(mechanism)
        public = {t: expected.bounds(t) for t in ("0.1", "0.7")}
        for bounds in public.values():
            assert_ordered(bounds)
            assert bounds["n-normalised"] == bounds["data-free"]
        for rank in telling_counts(rng, rows, 4):
            measured = dc.accuracy(mechanism, rows[rank])
            for t, everywhere in public.items():
                here = measured.bounds(t)
                assert_ordered(here)
                assert here["exact"] == measured.tail(t)
                assert all(here[key] <= everywhere[key] * SLACK for key in ("exact", "normalised", "loose"))


@pytest.mark.soak
@pytest.mark.parametrize("name", ["exponential-smooth", "exponential-global"])
def test_they_hold_where_nothing_is_enumerated(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.utility.count_blocks.TARGET_CELLS", 1 << 17)
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=[1, 2], n=10**6), epsilon=2)
    for measured in (dc.accuracy(mechanism), dc.accuracy(mechanism, [3 * 10**5, 7 * 10**5])):
        assert_ordered(measured.bounds("0.01"))


@pytest.mark.parametrize("rounding", ["nearest", "floor"])
@pytest.mark.parametrize(("prior", "n"), [([1, 1], 12), ([1, 1, 1], 7), ([1, 2, 1, 1], 4)], ids=str)
def test_the_tail_of_laplace_noise_in_l1_holds_for_every_data_set(prior: list[int], n: int, rounding: str) -> None:
    space = dc.PosteriorSpace(prior=prior, n=n)
    error = dc.accuracy(dc.mechanism("laplace-improved", space, epsilon=3, rounding=rounding), metric="l1")
    for t in range(1, 2 * n + 1):
        bounds = error.bounds(t)
        assert bounds["exact"] <= bounds["noise"] * (1 + 1e-12)


def test_the_others_have_only_the_exact_one() -> None:
    assert list(dc.accuracy(mechanism_of("two", "geometric"), [4, 5]).bounds(0.1)) == ["exact"]
    assert list(dc.accuracy(mechanism_of("two", "exponential-local"), metric="kl").bounds(0.1)) == ["exact"]
