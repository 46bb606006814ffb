"""What a reader may believe where n is private, against sums over all data sets: shares, groups, comparisons, total."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.special import betainc, digamma, gammaln

import discreet as dc
from discreet.errors import InvalidInput
from discreet.inference.records import Between, NegativeBinomial, Records, as_records
from discreet.testing import HashedBits
from tests.support.enumeration import seeded

ROUNDING = 1e-12


@dataclass
class Brute:
    """All data sets that matter, one a row, and their posterior probabilities: by the definition."""

    alpha: Any
    rows: Any
    chance: Any

    @property
    def parameters(self) -> Any:
        return self.alpha + self.rows

    def mean_of(self, own: list[int], among: list[int]) -> float:
        parts = self.parameters
        return float(self.chance @ (parts[:, own].sum(axis=1) / parts[:, among].sum(axis=1)))

    def below(self, own: list[int], among: list[int], x: float) -> float:
        parts = self.parameters
        a = parts[:, own].sum(axis=1)
        return float(self.chance @ betainc(a, parts[:, among].sum(axis=1) - a, x))


def brute(alpha: list[float], epsilon: float, z: list[int], records: Records) -> Brute:
    """p(c | z) ∝ p(n)·DirMult(c | n, α)·Π e^(-ε|z_i - c_i|), listed."""
    prior = np.array(alpha)
    most = records.high if isinstance(records, Between) else 0
    axes = [np.arange(max(most, value + math.ceil(44 / epsilon), 0) + 1) for value in z]
    rows = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(z))
    n, total = rows.sum(axis=1), prior.sum()
    logs = (gammaln(prior + rows) - gammaln(rows + 1)).sum(axis=1) + gammaln(n + 1) - gammaln(total + n)
    logs -= epsilon * np.abs(rows - np.array(z)).sum(axis=1)
    if isinstance(records, Between):
        logs = np.where((n >= records.low) & (n <= records.high), logs, -np.inf)
    if isinstance(records, NegativeBinomial):
        logs += gammaln(total + n) - gammaln(n + 1) + n * math.log(records.mean / (records.mean + total))
    weight = np.exp(logs - logs.max())
    likely = weight > 1e-19
    return Brute(prior, rows[likely], weight[likely] / weight[likely].sum())


def belief_of(alpha: list[float], epsilon: float, z: list[int], records: object = None) -> dc.NoiseAware:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=alpha, n=None), epsilon=epsilon)
    return dc.noise_aware(mechanism, z, records=records)


def case(number: int) -> tuple[list[float], float, list[int], Records]:
    rng = seeded(f"private n {number}")
    k = rng.choice([2, 2, 3])
    alpha = [round(10 ** rng.uniform(-1.5, 1), 3) for _ in range(k)]
    epsilon = round(rng.uniform(0.5 if k == 2 else 1.2, 3), 2)
    z = [rng.randrange(-5, 30 if k == 2 else 12) for _ in range(k)]
    low = rng.randrange(20)
    records = rng.choice([None, None, (low, low + rng.randrange(30)), f"mean={rng.uniform(1, 40):.3g}"])
    return alpha, epsilon, z, as_records(records)


def test_the_means_of_the_specification_are_met() -> None:
    belief = belief_of([1, 0.5, 2], 0.7, [4, -1, 7])
    assert belief.mean == pytest.approx([0.315236, 0.059613, 0.625151], abs=5e-7)
    assert belief.error < 1e-10


@pytest.mark.filterwarnings("ignore:the noisy counts contradict records")
@pytest.mark.parametrize("number", range(200))
def test_random_beliefs_are_sums_over_all_data_sets(number: int) -> None:
    alpha, epsilon, z, records = case(number)
    truth, belief = brute(alpha, epsilon, z, records), belief_of(alpha, epsilon, z, records)
    every = list(range(len(z)))
    assert belief.error < 1e-9
    for i in every:
        share = belief.marginal(i)
        error = belief.share_error([i], every) + ROUNDING
        assert share.mean == pytest.approx(truth.mean_of([i], every), abs=error)
        for x in (0.05, 0.3, 0.8):
            assert float(share.cdf(x)) == pytest.approx(truth.below([i], every, x), abs=error)
        count, chance = belief.counts.marginal(i)
        chances = dict(zip(count.tolist(), chance.tolist(), strict=True))
        for value in range(int(truth.rows[:, i].max()) + 1):
            expected = truth.chance[truth.rows[:, i] == value].sum()
            assert chances.get(value, 0.0) == pytest.approx(expected, abs=belief.error + ROUNDING)
    total = dc.Belief.of(belief, {"answer": [str(i) for i in every]}).total
    n = truth.rows.sum(axis=1)
    assert total.mean == pytest.approx(float(truth.chance @ n), rel=1e-9)
    assert total.sd == pytest.approx(float(np.sqrt(truth.chance @ (n - truth.chance @ n) ** 2)), rel=1e-7, abs=1e-7)
    for value in (0, 5, 20):
        assert float(total.cdf(value)) == pytest.approx(truth.chance[n <= value].sum(), abs=total.error + ROUNDING)


def test_one_node_is_not_nodes() -> None:
    assert ", at 1 node; " in belief_of([1.0, 1.0], 2.5, [5, 1], "mean=12").method
    assert " nodes; " in belief_of([1.0, 1.0], 2.5, [5, 1], None).method


@pytest.mark.few(1)
@pytest.mark.parametrize("records", [None, (8, 20), "mean=12"])
def test_groups_and_comparisons_of_one_table_are_sums_over_all_data_sets(records: object) -> None:
    alpha, epsilon, z = [1.0, 0.5, 2.0, 1.0], 2.5, [5, 1, 2, 4]
    truth = brute(alpha, epsilon, z, as_records(records))
    posterior = belief_of(alpha, epsilon, z, records)
    belief = dc.Belief.of(posterior, {"arm": ("new", "old"), "outcome": ("yes", "no")})
    new, old = (belief.group(arm)["yes"] for arm in ("new", "old"))
    assert new.mean == pytest.approx(truth.mean_of([0], [0, 1]), abs=1e-8)
    assert belief.group("old").total.mean == pytest.approx(float(truth.chance @ truth.rows[:, 2:].sum(axis=1)))
    assert belief.margin("arm")["new"].mean == pytest.approx(truth.mean_of([0, 1], [0, 1, 2, 3]), abs=1e-8)
    parts, both = truth.parameters, dc.compare(new, old)
    difference = parts[:, 0] / parts[:, :2].sum(axis=1) - parts[:, 2] / parts[:, 2:].sum(axis=1)
    assert both.difference.mean == pytest.approx(float(truth.chance @ difference), abs=1e-8)
    logs = digamma(parts)
    odds = truth.chance @ (logs[:, 0] - logs[:, 1] - logs[:, 2] + logs[:, 3])
    assert both.log_odds_ratio.mean == pytest.approx(float(odds), abs=1e-6)
    assert both.difference.error < 1e-6
    ahead = truth.chance @ betainc(parts[:, 3], parts[:, 0], 0.5)
    assert float(belief.probability("no", "yes")) == pytest.approx(1 - _yes_ahead(truth), abs=1e-7)
    assert float(posterior.probability(0, 3)) == pytest.approx(float(ahead), abs=1e-8)


def _yes_ahead(truth: Brute) -> float:
    parts = truth.parameters
    return float(truth.chance @ betainc(parts[:, [1, 3]].sum(axis=1), parts[:, [0, 2]].sum(axis=1), 0.5))


@pytest.mark.few(1)
@pytest.mark.parametrize("records", [None, (0, 40), "mean=9"])
def test_scores_largest_shares_draws_and_listings_agree_with_all_data_sets(records: object) -> None:
    alpha, epsilon, z = [1.0, 0.5, 2.0], 1.5, [4, -1, 7]
    truth, posterior = brute(alpha, epsilon, z, as_records(records)), belief_of(alpha, epsilon, z, records)
    belief = dc.Belief.of(posterior, {"item": ("low", "middle", "high")})
    parts = truth.parameters
    shares = parts / parts.sum(axis=1, keepdims=True)
    score = belief.score()
    assert score.mean == pytest.approx(float(truth.chance @ (shares @ [1, 2, 3])), abs=1e-8)
    scores, total = np.array([1, 2, 3]) - score.mean, parts.sum(axis=1)
    spread = (shares @ scores**2 - (shares @ scores) ** 2) / (total + 1) + (shares @ scores) ** 2
    assert score.sd == pytest.approx(math.sqrt(float(truth.chance @ spread)), rel=1e-6)
    largest = belief.largest()
    assert sum(largest.values()) == pytest.approx(1, abs=1e-9)
    drawn = posterior.sample(20_000, seed=1)
    for i, label in enumerate(belief.labels):
        near = 7 * math.sqrt(float(largest[label]) * (1 - float(largest[label])) / len(drawn)) + 1e-4
        assert (drawn.argmax(axis=1) == i).mean() == pytest.approx(float(largest[label]), abs=near)
    rows, chance = posterior.counts.listing()
    assert chance @ rows == pytest.approx(truth.chance @ truth.rows, rel=1e-9)
    counts = posterior.counts.draw(HashedBits("private n"), 20_000)
    for i in range(3):
        sd = math.sqrt(float(truth.chance @ (truth.rows[:, i] - truth.chance @ truth.rows[:, i]) ** 2))
        assert counts[:, i].mean() == pytest.approx(float(truth.chance @ truth.rows[:, i]), abs=7 * sd / 141 + 1e-4)


@pytest.mark.parametrize("k", [1, 2, 50])
def test_an_empty_table_is_read_like_any_other(k: int) -> None:
    belief = belief_of([1.0] * k, 1, [0] * k)
    total = dc.Belief.of(belief, {"answer": [str(i) for i in range(k)]}).total
    assert total.interval()[0] == 0.0
    if k > 1:
        assert belief.mean == pytest.approx([1 / k] * k)


def test_one_category_has_a_total_and_no_share() -> None:
    belief = dc.Belief.of(belief_of([1], 1, [12]), {"event": ["death"]})
    assert belief.total.mean == pytest.approx(12, abs=0.01)
    with pytest.raises(InvalidInput, match="no share"):
        _ = belief["death"].mean


@pytest.mark.parametrize(
    ("alpha", "z", "epsilon"),
    [([1e-6, 1e-6], [3, 0], 1.0), ([1e4, 2e4], [3, 40], 0.5), ([0.01, 5], [0, 3], 2.0), ([1, 1], [2000, 31], 1.0)],
)
def test_weak_and_strong_priors_and_large_counts_keep_to_the_stated_error(
    alpha: list[float], z: list[int], epsilon: float
) -> None:
    truth, belief = brute(alpha, epsilon, z, as_records(None)), belief_of(alpha, epsilon, z)
    assert belief.error < 1e-9
    assert belief.mean == pytest.approx([truth.mean_of([i], [0, 1]) for i in range(2)], abs=1e-8)


def test_a_range_that_contradicts_the_release_is_believed_with_a_warning() -> None:
    for range_ in (Between(20, 22), Between(400, 401)):
        truth = brute([1, 1], 0.5, [100, 60], range_)
        with pytest.warns(UserWarning, match="^the noisy counts contradict records: ") as warned:
            belief = belief_of([1, 1], 0.5, [100, 60], range_)
        assert [warning.filename for warning in warned] == [__file__]
        assert belief.mean == pytest.approx([truth.mean_of([i], [0, 1]) for i in range(2)], abs=1e-8)


def test_a_narrow_range_is_nearly_a_public_n() -> None:
    private = belief_of([1, 1], 1, [60, 38], (100, 100))
    count, chance = private.counts.marginal(0)
    far = np.abs(count - 60) + np.abs(100 - count - 38)
    assert chance == pytest.approx(np.exp(-1.0 * far) / np.exp(-1.0 * far).sum(), abs=1e-12)


def test_what_is_held_likely_of_n_is_refused_where_it_makes_no_sense() -> None:
    for wrong in ((5, 3), (-1, 3), "many", 7, (1, 2, 3), "mean=0"):
        with pytest.raises(InvalidInput):
            belief_of([1, 1], 1, [3, 4], wrong)
    public = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=7), epsilon=1)
    with pytest.raises(InvalidInput, match="n is public"):
        dc.noise_aware(public, (3, 4), records=(5, 9))
    with pytest.raises(InvalidInput, match="n is public"):
        _ = dc.Belief.of(dc.noise_aware(public, (3, 4)), {"a": ("x", "y")}).total
