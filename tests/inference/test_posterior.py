"""The posterior is the one of the law, for every mechanism; what is left out is within its stated bound."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln, logsumexp

import discreet as dc
from discreet.inference import products
from discreet.inference.boxes import Box
from discreet.mechanisms import BY_NAME
from discreet.posteriors.predictive import log_predictive
from discreet.testing import HashedBits
from tests.support.mechanisms import build
from tests.support.statistics import fits, tally
from tests.support.work import work_of

CASES: list[tuple[str, list[object], int, str, tuple[int, ...]]] = [
    ("geometric", [1, "0.3", 2], 12, "1", (5, 10, -3)),
    ("geometric", [1, "0.3"], 40, "0.2", (45, -5)),
    ("geometric", ["1e-6", 5, 1, "0.1"], 8, "0.1", (30, -9, -20, 7)),
    ("geometric", [1000, 1, 1000], 15, "3", (0, 0, 15)),
    ("laplace", [1, "0.3", 2], 12, "1", (5, 7, 0)),
    ("laplace-improved", [1, "0.3", 2], 12, "1", (12, 0, 0)),
    ("laplace-improved", [1, "0.3", 2], 12, "2", (0, 4, 8)),
    ("laplace-improved", [1, 1, 2, 1], 9, "1", (0, 9, 0, 0)),
    ("exponential-global", [1, "0.3"], 30, "1", (4, 26)),
    ("exponential-local", [1, 2, 1], 8, "1", (4, 4, 0)),
    ("exponential-smooth", [1, 2], 25, "1", (24, 1)),
    ("exponential-reciprocal", [1, "0.3", 2], 9, "1", (0, 4, 5)),
    ("tight", [1, "0.3", 2], 12, "1", (5, 7, 0)),
    ("tight", ["1e-6", 5, 1, "0.1"], 8, "2", (3, 0, 4, 1)),
    ("snapping", [1, "0.3", 2], 12, "1", (4, 8, 0)),
    ("optimal", [1, 1], 10, "1", (3, 7)),
    ("gaussian", [1, "0.3", 2], 12, "3", (14, -3, 1)),
    ("gaussian", [1, 2], 25, "10", (26, -1)),
]


def brute(mechanism: dc.Mechanism, outputs: list[tuple[int, ...]], prior: dc.Dirichlet) -> tuple[Any, Any]:
    """All data sets and their posterior probabilities, from the exact law of each."""
    rows = mechanism.space.candidates().array()
    logs = log_predictive(prior, rows)
    for output in outputs:
        logs = logs + np.array([float(mechanism.law(row).log_probability(output)) for row in rows.tolist()])
    weight = np.exp(logs - logs.max())
    return rows, weight / weight.sum()


def assert_equal(belief: dc.NoiseAware, rows: Any, weight: Any) -> None:
    assert belief.n is not None
    for i in range(belief.k):
        chances = dict(zip(*(part.tolist() for part in belief.counts.marginal(i)), strict=True))
        for count in range(belief.n + 1):
            assert chances.get(count, 0.0) == pytest.approx(weight[rows[:, i] == count].sum(), abs=1e-12)
    alpha = belief.prior.alpha
    mean = weight @ ((alpha + rows) / (alpha.sum() + belief.n))
    assert belief.mean == pytest.approx(mean, rel=1e-9)
    exceeds = stats.beta.sf(0.5, alpha[0] + rows[:, 0], alpha[1] + rows[:, 1])
    assert belief.probability(0, 1) == pytest.approx(weight @ exceeds, abs=1e-10)


@pytest.mark.parametrize(("name", "prior", "n", "epsilon", "output"), CASES)
def test_the_counts_are_weighed_by_the_exact_law(
    name: str, prior: list[object], n: int, epsilon: str, output: tuple[int, ...]
) -> None:
    mechanism = build(name, dc.PosteriorSpace(prior=prior, n=n), epsilon=epsilon)
    belief = dc.noise_aware(mechanism, output)
    assert_equal(belief, *brute(mechanism, [output], mechanism.space.prior))
    assert belief.error < 1e-10
    prior_of_reader = dc.Dirichlet([3, *["1/2"] * (len(prior) - 1)])
    assert_equal(dc.noise_aware(mechanism, output, prior=prior_of_reader), *brute(mechanism, [output], prior_of_reader))


def test_every_mechanism_has_a_case() -> None:
    assert {case[0] for case in CASES} == set(BY_NAME)


@pytest.mark.parametrize("name", ["geometric", "laplace-improved", "exponential-reciprocal"])
def test_several_releases_about_the_same_data_are_one_posterior(name: str) -> None:
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=[1, 2, "1/2"], n=9), epsilon=1)
    outputs: list[tuple[int, ...]] = [(2, 4, 3), (4, 3, 2), (0, 9, 0)]
    releases = [dc.Released(mechanism.posterior(output), output, mechanism) for output in outputs]
    assert_equal(dc.combine(releases), *brute(mechanism, outputs, mechanism.space.prior))


def test_releases_by_different_mechanisms_combine_and_different_data_do_not() -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=30)
    mechanisms = [dc.Geometric(space, epsilon=1), dc.ExponentialGlobal(space, epsilon=1)]
    releases = [dc.Released(m.posterior((10, 20)), (10, 20), m) for m in mechanisms]
    assert dc.combine(releases).sd[0] < releases[0].noise_aware().sd[0]
    assert (releases[0].noise_aware().mean == dc.noise_aware(mechanisms[0], (10, 20)).mean).all()
    other = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=31), epsilon=1).release([10, 21])
    with pytest.raises(dc.InvalidInput, match="same n"):
        dc.combine([releases[0], other])
    with pytest.raises(dc.InvalidInput, match="different priors"):
        dc.combine([releases[0], dc.Geometric(dc.PosteriorSpace(prior=[2, 1], n=30), epsilon=1).release([10, 20])])


@pytest.mark.few(1)
@pytest.mark.parametrize("prior", [[1, 1, 1], ["0.01", 4, 1], [300, 1, 40]])
@pytest.mark.parametrize("output", [(1000, 1500, 500), (-7, 3004, 3), (2950, 50, 0)])
def test_what_windows_leave_out_is_within_the_bound(prior: list[object], output: tuple[int, ...]) -> None:
    epsilon = 2
    belief = dc.noise_aware(dc.Geometric(dc.PosteriorSpace(prior=prior, n=3000), epsilon=epsilon), output)
    alpha = belief.prior.alpha
    # The exact marginal of the first category: for each of its counts a sum over the second, all 3001 of them.
    x = np.arange(3001)
    first, second, third = (
        -epsilon / 2 * np.abs(x - z) + gammaln(a + x) - gammaln(x + 1) for a, z in zip(alpha, output, strict=True)
    )
    marginal = np.array([first[c] + logsumexp(second[: 3001 - c] + third[: 3001 - c][::-1]) for c in x])
    exact = np.exp(marginal - logsumexp(marginal))
    chances = np.zeros(3001)
    count, chance = belief.counts.marginal(0)
    chances[count] = chance
    assert 0.5 * np.abs(chances - exact).sum() < belief.error + 1e-11
    assert belief.error < 1e-9


def test_a_box_that_promises_nothing_bounds_nothing() -> None:
    assert Box([0], [np.ones(1)], [(math.inf, 0.0)], [1]).outside == math.inf


def test_a_billion_records_take_no_more_than_a_few() -> None:
    def believe(n: int) -> None:
        mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=n), epsilon=1)
        belief = dc.noise_aware(mechanism, (n // 3, n - n // 3))
        assert belief.interval(0.95)[0][0] < belief.mean[0] < belief.interval(0.95)[1][0]
        assert belief.error < 1e-9

    believe(100)  # what is loaded or remembered is so from here on
    few, many = work_of(lambda: believe(100)), work_of(lambda: believe(10**9))
    assert many.calls < 2 * few.calls
    assert many.peak < 2 * few.peak


def test_ten_categories_of_a_million_records_are_exact_to_a_thousandth_of_a_standard_deviation() -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * 10, n=10**6), epsilon=1)
    belief = dc.noise_aware(mechanism, [10**6 - 9 * 25_000, *[25_000] * 9])
    assert belief.error <= 1e-3 * belief.sd.min()
    assert belief.mean.sum() == pytest.approx(1, abs=1e-12)


def test_the_shortest_interval_is_shorter_and_holds_as_much() -> None:
    belief = dc.noise_aware(dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=60), epsilon=1), (4, 56))
    equal, dense = belief.interval(0.9), belief.interval(0.9, kind="highest-density")
    assert (dense[1] - dense[0] < equal[1] - equal[0]).all()
    assert belief.cdf(dense[1][0]) - belief.cdf(dense[0][0]) == pytest.approx(0.9, abs=1e-9)
    heights = belief.pdf([dense[0][0], dense[1][0]])
    assert heights[0] == pytest.approx(heights[1], rel=1e-3)


def test_the_predictive_law_is_a_law_with_the_posterior_s_mean() -> None:
    belief = dc.noise_aware(dc.Geometric(dc.PosteriorSpace(prior=[1, 1, 1], n=60), epsilon=1), (20, 35, 5))
    law = belief.posterior_predictive(10, 1)
    assert law.sum() == pytest.approx(1)
    assert law @ np.arange(11) == pytest.approx(10 * belief.mean[1])


@pytest.mark.every
@pytest.mark.parametrize("output", [(20, 35), (20, 35, 4), (20.5, 34.5, 5), "x", (10**30, 5, 55 - 10**30)])
def test_what_is_no_output_is_refused(output: object) -> None:
    mechanism = dc.LaplaceImproved(dc.PosteriorSpace(prior=[1, 1, 1], n=60), epsilon=1)
    with pytest.raises(dc.InvalidInput):
        dc.noise_aware(mechanism, output)


def test_what_would_not_fit_is_refused_at_once() -> None:
    mechanism = dc.mechanism("snapping", dc.PosteriorSpace(prior=[1, 1, 1], n=10**5), epsilon=1)
    with pytest.raises(dc.TooLarge, match="use geometric"):
        dc.noise_aware(mechanism, (10**5, 0, 0))


def test_a_probability_from_drawn_data_sets_says_so_in_its_error() -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 1, 1], n=10**5), epsilon="0.01")
    belief = dc.noise_aware(mechanism, (33_400, 33_300, 33_300))
    ahead, again = belief.probability(0, 1), belief.probability(0, 1)
    assert 1e-3 < ahead.error < 0.02, "six standard errors of 2¹⁵ draws"
    assert abs(ahead - again) < ahead.error + again.error
    assert 0.5 < ahead < 0.8
    listed = dc.noise_aware(dc.Geometric(dc.PosteriorSpace(prior=[1, 1, 1], n=100), epsilon=1), (40, 35, 25))
    assert listed.probability(0, 1).error == listed.error


def test_close_counts_are_taken_together_and_the_means_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, "1/2", 3], n=10**8), epsilon="0.01")
    output = (10**8 // 2, 10**8 // 2 - 400, 400)
    monkeypatch.setattr(products, "MANY", 1 << 40)
    whole = dc.noise_aware(mechanism, output)
    single = [whole.marginal(i) for i in range(3)]
    monkeypatch.setattr(products, "MANY", 1 << 10)
    together = dc.noise_aware(mechanism, output)
    assert len(together.marginal(0).a) < len(single[0].a) / 4
    assert together.mean == pytest.approx(whole.mean, abs=1e-15)
    assert together.mean_errors == pytest.approx(whole.mean_errors)
    for i, alone in enumerate(single):
        ends = alone.quantile(np.linspace(0.05, 0.95, 3))
        assert together.cdf(ends, i) == pytest.approx(alone.cdf(ends), abs=products.GROUPED)
    assert together.error - whole.error == pytest.approx(products.GROUPED)


def test_draws_in_turn_and_draws_that_are_kept_have_the_posterior_s_law(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, "0.3", 2], n=12), epsilon=1)
    belief = dc.noise_aware(mechanism, (5, 10, -3))
    rows, weight = brute(mechanism, [(5, 10, -3)], belief.prior)
    law = dict(zip(map(tuple, rows.tolist()), weight.tolist(), strict=True))
    draws = belief.counts.draw(HashedBits("kept"), 20_000)
    monkeypatch.setattr(products, "_SELDOM", 2.0)
    in_turn = belief.counts.draw(HashedBits("in turn"), 20_000)
    assert fits(tally(draws), law)
    assert fits(tally(in_turn), law)
    shares = belief._sample(HashedBits("moments"), 20_000)
    assert shares.mean(axis=0) == pytest.approx(belief.mean, abs=6 * belief.sd.max() / math.sqrt(20_000))
    assert shares.std(axis=0) == pytest.approx(belief.sd, rel=0.05)
    assert (shares[:, 0] > shares[:, 1]).mean() == pytest.approx(belief.probability(0, 1), abs=0.02)
    assert not fits(tally(draws), {row: law[row] * (1.25 if row[0] > 3 else 0.75) for row in law})


@pytest.mark.parametrize("name", ["geometric", "exponential-global"])
def test_a_reader_may_be_sure_of_one_share_and_know_nothing_of_the_others(name: str) -> None:
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=[1, 1, 1], n=5), epsilon=1)
    belief = dc.noise_aware(mechanism, (1, 2, 2), prior=["1e9", "1e-9", "1e-9"])
    low, high = belief.interval()
    assert belief.mean == pytest.approx([1, 0, 0], abs=1e-8)
    assert (low <= high).all()
