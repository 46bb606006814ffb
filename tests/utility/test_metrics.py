"""Distances of many candidates at once: the same as between two Dirichlets, and monotone term by term."""

from collections.abc import Iterator

import numpy as np
import pytest

import discreet as dc
from discreet.utility.metrics import METRIC, METRICS, as_metric, hellinger_between, log_gamma_gap
from tests.oracles.precision import mp


def random_pairs(seed: int, number: int) -> Iterator[tuple[dc.Dirichlet, list[int], list[int]]]:
    """Near and far candidates of spaces of every size."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        k, n = int(rng.choice([2, 3, 5])), 10 ** int(rng.integers(0, 12)) + int(rng.integers(0, 21))
        prior = dc.Dirichlet([f"{x:.6g}" for x in 10 ** rng.uniform(-2, 3, k)])
        c, r = (rng.multinomial(n, rng.dirichlet(np.ones(k))) for _ in range(2))
        if rng.random() < 0.5:
            top = int(c.argmax())
            moved = min(int(c[top]), int(rng.integers(1, 31)))
            r = c - moved * np.eye(k, dtype=int)[top] + moved * np.eye(k, dtype=int)[(top + 1) % k]
        yield prior, c.tolist(), r.tolist()


@pytest.mark.parametrize(("name", "distance"), [("hellinger", dc.hellinger), ("kl", dc.kl), ("l1", dc.l1)])
def test_many_distances_are_the_distances_of_two(name: str, distance: type) -> None:
    for prior, c, r in random_pairs(len(name), 60):
        expected = distance(prior.update(c), prior.update(r))
        assert METRIC[name].distances(prior, c, [r])[0] == pytest.approx(expected, rel=1e-9)


def test_total_variation_of_betas_is_the_integrated_one() -> None:
    for prior, c, r in random_pairs(9, 50):
        if prior.k == 2 and sum(c) < 10**7:
            expected = dc.total_variation(prior.update(c), prior.update(r))
            assert METRIC["total-variation"].distances(prior, c, [r])[0] == pytest.approx(expected, abs=2e-9)


def test_total_variation_of_more_categories_is_integrated_one_by_one() -> None:
    prior, c, r = dc.Dirichlet([1, 2, 3]), [3, 1, 2], [2, 2, 2]
    distances = METRIC["total-variation"].distances(prior, c, [c, r])
    assert distances[0] == 0
    assert distances[1] == dc.total_variation(prior.update(c), prior.update(r))


@pytest.mark.parametrize("name", ["hellinger", "kl", "l1"])
@pytest.mark.parametrize("side", [1, -1])
def test_a_term_falls_with_the_parameter_and_grows_with_the_move(name: str, side: int) -> None:
    low = np.array([1e-6, 0.01, 0.5, 1, 2.5, 9.99, 10, 11, 1e3, 1e6, 1e11])
    moved = np.array([1.0, 2, 3, 7, 50, 999, 1e4, 1e9])
    every, move = np.broadcast_arrays(low[:, None], moved[None, :])
    term = METRIC[name].term(every, move, side)
    assert (np.diff(term, axis=0) <= 0).all()
    assert (np.diff(term, axis=1) > 0).all()


@pytest.mark.parametrize("name", METRICS)
def test_no_two_candidates_are_farther_apart_than_the_diameter(name: str) -> None:
    space = dc.PosteriorSpace(prior=["1/2", 3], n=12)
    rows = space.candidates().array()
    farthest = max(float(METRIC[name].distances(space.prior, row, rows).max()) for row in rows)
    assert farthest <= METRIC[name].diameter(space)


def test_the_gap_of_ln_gamma_above_its_tangent_keeps_its_digits() -> None:
    for a in (0.01, 3.0, 12.0, 1e4, 1e12):
        for h in (-0.5 * a, 1.0, 0.3 * a):
            with mp.workdps(60):
                expected = mp.loggamma(mp.mpf(a) + h) - mp.loggamma(a) - h * mp.digamma(a)
            assert float(log_gamma_gap(a, h)) == pytest.approx(float(expected), rel=1e-9)


def test_distances_of_any_two_dirichlets_come_as_a_table() -> None:
    one, other = [dc.Dirichlet([1, 2]), dc.Dirichlet([4, "1/2"])], [dc.Dirichlet([3, 3]), dc.Dirichlet([1, 2])]
    table = hellinger_between(np.stack([p.alpha for p in one]), np.stack([q.alpha for q in other]))
    assert table == pytest.approx(np.array([[dc.hellinger(p, q) for q in other] for p in one]), abs=1e-7)


def test_an_unknown_metric_is_refused() -> None:
    with pytest.raises(dc.InvalidInput, match="metric must be one of"):
        as_metric("euclid")


@pytest.mark.parametrize("n", [10**9, 10**13, 10**15])
def test_a_weak_category_that_loses_all_records_is_at_a_finite_divergence(n: int) -> None:
    prior = dc.Dirichlet([1, "0.001"])
    distances = METRIC["kl"].distances(prior, [0, n], [[n, 0]])
    assert float(distances[0]) == pytest.approx(dc.kl(prior.update([0, n]), prior.update([n, 0])), rel=1e-9)


def test_the_divergence_of_the_largest_space_is_enclosed() -> None:
    space = dc.PosteriorSpace(prior=[1, "0.001"], n=10**15)
    assert dc.accuracy(dc.ExponentialSmooth(space, epsilon="1e-6"), [0, 10**15], metric="kl").mean > 0
