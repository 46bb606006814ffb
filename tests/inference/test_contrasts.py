"""Contrasts of several shares: equal to sums over all data sets."""

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

import discreet as dc
from discreet.errors import InvalidInput
from tests.inference.test_comparisons import STEPS, beta_below
from tests.inference.test_posterior import brute

Floats = NDArray[np.float64]
LABELS = ("a", "b", "c")


def item(name: str, prior: list[str], output: tuple[int, ...]) -> tuple[dc.Belief, Floats, Floats]:
    """A belief of three labels, and all data sets as parameters of Dirichlets with their weights."""
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=prior, n=sum(output)), epsilon=1)
    rows, weight = brute(mechanism, [output], mechanism.space.prior)
    belief = dc.Belief.of(dc.noise_aware(mechanism, output), {"answer": LABELS})
    return belief, mechanism.space.prior.alpha + rows, weight


ITEMS = [
    ("geometric", ["1", "1", "1"], (5, -1, 3)),
    ("geometric", ["0.5", "2", "0.7"], (1, 1, 0)),
    ("exponential-global", ["1", "0.5", "2"], (4, 1, 3)),
]


def score_below(shape: Floats, scores: tuple[float, float, float], t: float) -> float:
    """P(Σ s·θ ≤ t): with θ_1 = x the other two share 1 - x by a Beta; by trapezia in the logit of x between kinks."""
    a, b, c = shape.tolist()
    low, middle, high = scores

    def other(x: Floats) -> Floats:
        """The chance of (1-x)·(middle·v + high·(1-v)) ≤ t - low·x for v the share of the second."""
        with np.errstate(divide="ignore", invalid="ignore"):
            least = (high - (t - low * x) / (1 - x)) / (high - middle)
        above: Floats = 1 - special.betainc(b, c, np.clip(least, 0.0, 1.0))
        return above

    kinks = sorted({0.0, 1.0, *(min(max((s - t) / (s - low), 0.0), 1.0) for s in (middle, high))})
    above = 0.0
    for start, end in itertools.pairwise(kinks):
        share, left = special.expit(STEPS), special.expit(-STEPS)
        x, rest = start + (end - start) * share, (1 - end) + (end - start) * left
        with np.errstate(divide="ignore", under="ignore", invalid="ignore"):
            logs = special.xlogy(a - 1, x) + special.xlogy(b + c - 1, rest) - special.betaln(a, b + c)
            parts = np.exp(logs) * other(x) * (end - start) * share * left
        above += float(np.nan_to_num(parts).sum()) * float(STEPS[1] - STEPS[0])
    return above


@pytest.mark.few(1)
@pytest.mark.parametrize(("name", "prior", "output"), ITEMS)
def test_a_mean_score_is_a_sum_over_all_data_sets(name: str, prior: list[str], output: tuple[int, ...]) -> None:
    belief, shapes, weight = item(name, prior, output)
    scores = (-1.0, 0.5, 2.0)
    score = belief.score(dict(zip(LABELS, scores, strict=True)))
    for t in (-0.7, 0.2, 0.9, 1.6):
        truth = sum(w * score_below(shape, scores, t) for w, shape in zip(weight, shapes, strict=True))
        assert float(score.cdf(t)) == pytest.approx(truth, abs=score.error + 1e-8)
        rise = float(score.cdf(t + 1e-4) - score.cdf(t - 1e-4)) / 2e-4
        assert float(score.pdf(t)) == pytest.approx(rise, rel=1e-4)
    total = shapes.sum(axis=1)
    mean = shapes @ scores / total
    square = (mean**2 * total + shapes @ np.square(scores) / total) / (total + 1)
    assert score.mean == pytest.approx(weight @ mean, abs=1e-9)
    assert score.sd == pytest.approx(math.sqrt(weight @ square - (weight @ mean) ** 2), rel=1e-6)
    assert score.error < 1e-8
    low, high = score.interval()
    assert score.cdf([low, high]) == pytest.approx([0.025, 0.975], abs=1e-9)
    assert belief.score().mean == pytest.approx(1 + 1 * belief["b"].mean + 2 * belief["c"].mean)
    drawn = np.sort(score.sample(2000, seed=3))[::200]
    assert np.abs(score.cdf(drawn) - np.arange(0, 1, 0.1)).max() < 0.06


def test_the_order_in_which_labels_are_chosen_changes_no_probability() -> None:
    posterior = dc.noise_aware(dc.Geometric(dc.PosteriorSpace(prior=[1, 1, 1], n=30), epsilon=1), (15, 10, 5))
    belief = dc.Belief.of(posterior, {"answer": ("a", "b", "c")})
    forth, back = belief.among(["a", "c"]), belief.among(["c", "a"])
    assert list(back) == ["c", "a"]
    assert back.mean.tolist() == pytest.approx(forth.mean[::-1].tolist())
    assert back.largest()["a"] == pytest.approx(forth.largest()["a"])
    assert back.score({"a": 1, "c": 2}).mean == pytest.approx(forth.score({"a": 1, "c": 2}).mean)


def test_a_score_among_some_labels_is_that_of_their_share() -> None:
    belief, _, _ = item(*ITEMS[0])
    part = belief.among(["a", "c"])
    score, share = part.score({"a": 0, "c": 1}), part["c"]
    assert score.cdf([0.1, 0.4, 0.8]) == pytest.approx(share.cdf([0.1, 0.4, 0.8]), abs=1e-9)
    assert [score.mean, score.sd] == pytest.approx([share.mean, share.sd], rel=1e-6)
    assert score.pdf([0.3, 0.6]) == pytest.approx(share.pdf([0.3, 0.6]), rel=1e-7)


@pytest.mark.parametrize(("name", "prior", "output"), ITEMS)
def test_the_largest_and_the_median_label_are_sums_over_all_data_sets(
    name: str, prior: list[str], output: tuple[int, ...]
) -> None:
    belief, shapes, weight = item(name, prior, output)
    s = np.linspace(-60, 6, 6601)
    x = np.exp(s)
    truth = np.zeros(3)
    for w, shape in zip(weight, shapes, strict=True):
        for i in range(3):
            others = [special.gammainc(shape[j], x) for j in range(3) if j != i]
            truth[i] += (
                w * float((np.exp(shape[i] * s - x - special.gammaln(shape[i])) * others[0] * others[1]).sum()) * 0.01
            )
    chances = belief.largest()
    assert list(chances.values()) == pytest.approx(truth, abs=1e-8)
    assert max(one.error for one in chances.values()) < 1e-7
    first, two = (weight @ special.betainc(shapes[:, :m].sum(axis=1), shapes[:, m:].sum(axis=1), 0.5) for m in (1, 2))
    assert list(belief.median_category().values()) == pytest.approx([1 - first, first - two, two], abs=1e-9)
    assert list(belief.cumulative()) == ["a", "b"]
    assert belief.cumulative()["b"].mean == pytest.approx(1 - belief["c"].mean)


def test_the_largest_of_two_is_the_one_above_a_half() -> None:
    belief, _, _ = item(*ITEMS[0])
    part = belief.among(["a", "c"])
    assert part.largest()["a"] == pytest.approx(part["a"].probability_above(0.5), abs=1e-9)


def weighted_below(
    one: tuple[float, float], other: tuple[float, float], weights: tuple[float, float], x: float
) -> float:
    """P(v·X + w·Y ≤ x) for Betas: X is at most (x - wY)/v."""
    v, w = weights
    low, high = max(0.0, (x - v) / w), min(1.0, x / w)
    sure = float(special.betainc(*other, low))
    return sure + beta_below(one, other, low, high, lambda y: (x - w * y) / v)


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["geometric", "exponential-global"])
def test_a_post_stratified_share_of_a_joint_table_is_a_sum_over_all_data_sets(name: str) -> None:
    output = (3, 1, 2, 2)
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=[1, 2, "1.5", 1], n=8), epsilon=1)
    belief = dc.Belief.of(dc.noise_aware(mechanism, output), {"region": ("north", "south"), "vote": ("yes", "no")})
    share = belief.post_stratified("yes", {"north": 0.3, "south": 0.7})
    rows, weight = brute(mechanism, [output], mechanism.space.prior)
    shapes = mechanism.space.prior.alpha + rows
    for x in (0.15, 0.4, 0.62, 0.9):
        truth = sum(
            w * weighted_below((a, b), (c, d), (0.3, 0.7), x) for w, (a, b, c, d) in zip(weight, shapes, strict=True)
        )
        assert float(share.cdf(x)) == pytest.approx(truth, abs=share.error + 1e-8)
    assert share.error < 1e-5
    parts = shapes[:, ::2] / (shapes[:, ::2] + shapes[:, 1::2])
    means = parts @ [0.3, 0.7]
    inside = parts * (1 - parts) / (shapes[:, ::2] + shapes[:, 1::2] + 1)
    variance = weight @ (inside @ np.square([0.3, 0.7]) + means**2) - (weight @ means) ** 2
    assert [share.mean, share.sd] == pytest.approx([weight @ means, math.sqrt(variance)], rel=1e-6)
    middle = float(share.cdf(0.5 + 1e-4) - share.cdf(0.5 - 1e-4)) / 2e-4
    assert float(share.pdf(0.5)) == pytest.approx(middle, rel=1e-2)


def test_a_post_stratified_share_of_public_groups_has_the_law_of_its_draws() -> None:
    axes = {"region": ("n", "s", "w"), "vote": ("yes", "no")}
    cells: dict[tuple[str, ...], tuple[dc.NoiseAware, tuple[int, ...]]] = {}
    for region, output in {"n": (20, 10), "s": (35, 25), "w": (4, 6)}.items():
        mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=sum(output)), epsilon=1)
        posterior = dc.noise_aware(mechanism, output)
        cells |= {(region, vote): (posterior, (i,)) for i, vote in enumerate(("yes", "no"))}
    belief = dc.Belief(axes, cells)
    weights = {"n": 0.5, "s": 0.3, "w": 0.2}
    share = belief.post_stratified("yes", weights)
    spread = math.sqrt(sum((w * belief.group(g)["yes"].sd) ** 2 for g, w in weights.items()))
    assert share.sd == pytest.approx(spread, rel=1e-6)
    assert share.error < 1e-8
    drawn = np.sort(share.sample(4000, seed=1))[::40]
    assert np.abs(share.cdf(drawn) - np.arange(0, 1, 0.01)).max() < 0.05
    alone = belief.post_stratified("yes", {"n": 1, "s": 0, "w": 0})
    assert alone.cdf([0.5, 0.7]) == pytest.approx(belief.group("n")["yes"].cdf([0.5, 0.7]), abs=alone.error + 1e-8)


def log_evidence(alpha: Floats, counts: Floats) -> float:
    """ln B(α+c)/B(α)."""
    after, before = (float(special.gammaln(x).sum() - special.gammaln(x.sum())) for x in (alpha + counts, alpha))
    return after - before


def test_the_bayes_factor_of_independence_is_a_ratio_of_sums_over_all_data_sets() -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 2, 1, "0.5"], n=9), epsilon=1)
    output, alpha = (4, 0, 1, 4), mechanism.space.prior.alpha.reshape(2, 2)
    belief = dc.Belief.of(dc.noise_aware(mechanism, output), {"g": ("u", "v"), "y": ("a", "b")})
    rows, weight = brute(mechanism, [output], mechanism.space.prior)
    truth = 0.0
    for w, row in zip(weight, rows, strict=True):
        c = row.reshape(2, 2)
        apart = sum(log_evidence(alpha.sum(axis=i), c.sum(axis=i)) for i in (0, 1))
        truth += w * math.exp(apart - log_evidence(alpha.ravel(), row))
    factor = belief.independence()
    assert factor == pytest.approx(truth, rel=1e-8)
    assert factor.error < 1e-7


def test_a_bayes_factor_from_draws_is_the_same_for_the_same_seed_and_states_its_error() -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * 6, n=500), epsilon="1/2")
    outputs = {False: (90, 80, 85, 75, 88, 82), True: (150, 20, 80, 80, 20, 150)}
    axes = {"g": ("u", "v", "w"), "y": ("a", "b")}
    same, other = (dc.Belief.of(dc.noise_aware(mechanism, outputs[key]), axes).independence() for key in (False, True))
    again = dc.Belief.of(dc.noise_aware(mechanism, outputs[False]), axes).independence()
    assert (same, same.error) == (again, again.error)
    assert other < 1e-3 < 1 < same
    assert 0 < same.error < same


def test_contrasts_that_cannot_be_meant_are_refused() -> None:
    belief, _, _ = item(*ITEMS[0])
    for scores in ({"a": 1, "b": 2}, {"a": 1, "b": 1, "c": 1}, {"a": 1, "b": math.nan, "c": 2}):
        with pytest.raises(InvalidInput, match="scores are"):
            belief.score(scores)
    with pytest.raises(InvalidInput, match="two axes"):
        belief.independence()
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * 4, n=8), epsilon=1)
    table = dc.Belief.of(dc.noise_aware(mechanism, (3, 1, 2, 2)), {"g": ("u", "v"), "y": ("a", "b")})
    for weights in ({"u": 1.0}, {"u": 0.7, "v": 0.7}, {"u": -1, "v": 2}):
        with pytest.raises(InvalidInput, match="weights are"):
            table.post_stratified("a", weights)
