"""Shares within the groups of a cross table: equal to a sum over all data sets, and covering what they say."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

import discreet as dc
from discreet.errors import InvalidInput
from discreet.inference.beta_tables import ROUNDING, BetaTable
from discreet.posteriors.mixtures import BetaMixture
from discreet.posteriors.predictive import log_predictive
from tests.inference.test_posterior import brute

CASES: list[tuple[str, list[object], int, str, tuple[int, ...]]] = [
    ("geometric", [1, 1, 1, 1], 6, "1", (3, 1, 2, 0)),
    ("geometric", [1, "0.3", 2, "1/7"], 6, "0.2", (9, -3, 4, -4)),
    ("geometric", [1, 2, "0.5", 1, 1, 3], 4, "3", (2, 0, 1, 1, 0, 0)),
    ("geometric", [1, 2, "0.5", 1, 1, 3], 4, "0.1", (-20, 30, 1, -1, -6, 0)),
    ("laplace-improved", [1, "0.3", 2, 1], 6, "1", (0, 5, 1, 0)),
    ("exponential-reciprocal", [1, "0.3", 2, 1], 5, "1", (0, 4, 0, 1)),
    ("exponential-global", [1, 1, 1, 1, 1, 1], 3, "1", (0, 1, 0, 1, 1, 0)),
]


def groups_of(k: int) -> list[tuple[int, ...]]:
    half = k // 2
    return [tuple(range(half)), tuple(range(half, k)), (0, k - 1), (k - 1, 0)]


@pytest.mark.parametrize(("name", "prior", "n", "epsilon", "output"), CASES)
def test_shares_within_a_group_are_those_of_a_sum_over_all_data_sets(
    name: str, prior: list[object], n: int, epsilon: str, output: tuple[int, ...]
) -> None:
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=prior, n=n), epsilon=epsilon)
    for prior_of_reader in (mechanism.space.prior, dc.Dirichlet([3, *["1/2"] * (len(prior) - 1)])):
        rows, weight = brute(mechanism, [output], prior_of_reader)
        belief, alpha = dc.noise_aware(mechanism, output, prior=prior_of_reader), prior_of_reader.alpha
        x = np.linspace(0.01, 0.99, 9)
        for members in groups_of(len(prior)):
            within, chosen = belief.within(members), list(members)
            inside = alpha[chosen].sum() + rows[:, chosen].sum(axis=1)
            for i, member in enumerate(members):
                own = alpha[member] + rows[:, member]
                assert float(within.marginal(i).mean) == pytest.approx(float(weight @ (own / inside)), abs=1e-10)
                exact = [float(weight @ special.betainc(own, inside - own, at)) for at in x]
                assert within.marginal(i).cdf(x) == pytest.approx(exact, abs=1e-10)
            exact = [float(weight @ special.betainc(inside, alpha.sum() + n - inside, at)) for at in x]
            assert within.share.cdf(x) == pytest.approx(exact, abs=1e-10)
            assert within.error < 2e-9


def test_two_answers_mirror_each_other_and_a_group_s_means_sum_to_one() -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 2, 1, 1, 1, "1/2"], n=60), epsilon="1/2")
    belief = dc.noise_aware(mechanism, (20, 5, 10, 15, 7, 3))
    pair = belief.within([0, 1])
    low, high = pair.interval("0.9")
    assert low[1] == pytest.approx(float(pair.marginal(1).quantile(0.05)), abs=1e-9)
    assert high[1] == pytest.approx(float(pair.marginal(1).quantile(0.95)), abs=1e-9)
    assert float(belief.within([2, 3, 4, 5]).mean.sum()) == pytest.approx(1, abs=1e-9)


@pytest.mark.every
@pytest.mark.parametrize("members", [(), (0,), (0, 0), (0, 4), (0, 1, 2, 3), (0, -1), (0, "one")])
def test_what_is_no_group_is_refused(members: tuple[Any, ...]) -> None:
    belief = dc.noise_aware(dc.Geometric(dc.PosteriorSpace(prior=[1, 1, 1, 1], n=4), epsilon=1), (1, 1, 1, 1))
    with pytest.raises(InvalidInput):
        belief.within(members)
    with pytest.raises(InvalidInput):
        belief.within([0, 1]).marginal(2)
    for level in (0, 1, "nan"):
        with pytest.raises(InvalidInput):
            belief.within([0, 1]).interval(level)


def outcome_laws(n: int, rate: float, far: int) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Data sets of four cells; P(o | c) of every kind of outcome, a row for each data set; and one outcome a kind.

    exp(-rate·|z - c|) of a count z beyond 0 or n is the same function of c as that of the end, up to a constant, so
    outcomes with the same clamped counts tell a reader the same: they are one kind.
    """
    side = np.arange(-far, n + far + 1)
    first, second, third = (part.reshape(-1) for part in np.meshgrid(side, side, side, indexing="ij"))
    outcomes = np.stack([first, second, third, n - first - second - third], axis=1)
    kinds = np.clip(outcomes, 0, n) @ (n + 1) ** np.arange(4)
    _, examples, kind = np.unique(kinds, return_index=True, return_inverse=True)
    rows = np.array([c for c in itertools.product(range(n + 1), repeat=4) if sum(c) == n])
    laws = []
    for row in rows:
        weight = np.exp(-rate * np.abs(outcomes - row).sum(axis=1))
        laws.append(np.bincount(kind.reshape(-1), weight))
    chances = np.array(laws)
    return rows, chances / chances.sum(axis=1, keepdims=True), outcomes[examples]


def test_intervals_within_groups_cover_what_they_say_and_at_face_value_too_little() -> None:
    n, epsilon, alpha = 2, 3.0, np.array([1.0, 0.5, 2.0, 1.0])
    rows, laws, outcomes = outcome_laws(n, epsilon / 2, 20)
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=alpha.tolist(), n=n), epsilon=epsilon)
    predictive = np.exp(log_predictive(mechanism.space.prior, rows))

    def coverage(a: Any, b: Any, intervals: Any) -> float:
        low, high = np.array([[float(end) for end in interval] for interval in intervals]).T
        covered = special.betainc(a[:, None], b[:, None], high) - special.betainc(a[:, None], b[:, None], low)
        return float(predictive @ (laws * covered).sum(axis=1))

    beliefs = [dc.noise_aware(mechanism, outcome) for outcome in outcomes.tolist()]
    released = [mechanism.posterior(outcome).parameters for outcome in outcomes.tolist()]
    for members in ((0, 1), (2, 3)):
        own, other = (alpha[i] + rows[:, i] for i in members)
        inside, outside = own + other, alpha.sum() + n - own - other
        within = [belief.within(members) for belief in beliefs]
        plug = [dc.Beta(*(parameters[i] for i in members)).interval(0.9) for parameters in released]
        assert coverage(own, other, [group.marginal(0).interval(0.9) for group in within]) == pytest.approx(
            0.9, abs=1e-6
        )
        assert coverage(inside, outside, [group.share.interval(0.9) for group in within]) == pytest.approx(
            0.9, abs=1e-6
        )
        assert coverage(own, other, [(low[0], high[0]) for low, high in plug]) < 0.9 - 1e-3


def test_a_large_table_is_no_trouble() -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * 12, n=10**9), epsilon=1)
    within = dc.noise_aware(mechanism, (10**8,) * 9 + (10, 0, 10**8 - 10)).within([9, 10, 11])
    assert math.isclose(float(within.mean.sum()), 1, abs_tol=1e-9)
    assert within.error < 2e-9


@pytest.mark.parametrize(
    ("a", "b"), [(1.0, 1.0), (1e9, 3e9), (1e-3, 1e8), (5.0, 1e12), (1e-3, 1e-3), (0.5, 40.0), (1e6, 0.3)]
)
def test_a_table_of_betas_is_the_mixture_that_it_stands_for(a: float, b: float) -> None:
    rng = np.random.default_rng(7)
    weights = rng.random((40, 30)) * np.exp(-0.3 * np.abs(np.arange(40) - 12))[:, None]
    x, y = np.meshgrid(np.arange(40), np.arange(30), indexing="ij")
    mixture = BetaMixture(weights.reshape(-1), (a + x).reshape(-1), (b + y).reshape(-1))
    table = BetaTable(weights, a, b)
    assert table.mean == pytest.approx(float(mixture.mean), rel=1e-12)
    assert table.sd == pytest.approx(float(mixture.sd), rel=1e-9)
    share = np.array([0.01, 0.3, 0.5, 0.99])
    at = mixture.quantile(share)
    assert table.cdf(at) == pytest.approx(mixture.cdf(at), abs=ROUNDING)
    inside = at[(at > 0) & (at < 1)]
    assert table.pdf(inside) == pytest.approx(mixture.pdf(inside), rel=1e-5)
    assert table.quantile(share) == pytest.approx(at, rel=1e-8)
    for wrong in (0, 1, -1):
        with pytest.raises(InvalidInput):
            table.quantile(wrong)


def test_shares_of_a_strong_and_a_weak_category_end_where_they_begin_or_later() -> None:
    space = dc.PosteriorSpace(prior=[1] * 4, n=5)
    belief = dc.noise_aware(dc.Geometric(space, epsilon=1), (1, 2, 2, 0), prior=["1e9", "1e-9", "1e-9", "1"])
    for members in ([0, 1], [1, 2], [0, 1, 3]):
        low, high = belief.within(members).interval()
        assert (low >= 0).all()
        assert (low <= high).all()
        assert (high <= 1).all()
    assert float(belief.within([0, 1, 3]).share.mean) == pytest.approx(1, abs=1e-8)
