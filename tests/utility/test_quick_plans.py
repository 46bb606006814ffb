"""Quick answers: what they leave to approximation stays within what they state."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import bdtrik, betainc

import discreet as dc
from discreet.utility import studies
from discreet.utility.differences import difference_width, group_lines
from discreet.utility.measure import accuracy_statement
from discreet.utility.widths import cell_rate, expected_width, quick_width


@pytest.mark.few(1)
@pytest.mark.parametrize(("k", "n", "epsilon"), [(3, 10, "1"), (3, 30, "1"), (3, 10, "4"), (3, 1000, "0.1")])
def test_the_noise_of_one_count_tells_the_width_within_the_stated_error(k: int, n: int, epsilon: str) -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * k, n=n), epsilon=epsilon)
    quick, exact = quick_width(mechanism), expected_width(mechanism)
    assert quick.method == "the noise of one count"
    assert abs(quick.value - exact.value) <= quick.error + exact.error


def test_the_rate_of_one_count_has_the_variance_of_its_noise() -> None:
    half, reach = 0.7, 40
    t = np.arange(-reach, reach + 1)
    one = np.exp(-half * np.abs(t))
    law = one * np.convolve(one, one)[reach:-reach]  # of three counts, whose noises sum to zero
    q = np.exp(-cell_rate(half, 3))
    assert law @ t**2 / law.sum() == pytest.approx(2 * q / (1 - q) ** 2, rel=1e-6)


def test_the_width_of_a_difference_is_the_mean_over_all_pairs_of_outputs() -> None:
    """By sums over all counts, on a grid of shares."""
    x, q, n = np.linspace(0, 1, 801), np.exp(-1.0), (6, 8)
    chances, laws = [], []
    for size in n:
        c = np.arange(size + 1)
        noise = q ** np.abs(c[:, None] - c) * (1 - q) / (1 + q)  # from the count in a row to the output in a column
        noise[:, 0], noise[:, -1] = q**c / (1 + q), q ** (size - c) / (1 + q)
        joint = noise / (size + 1)
        below = betainc(1 + c[:, None], 1 + size - c[:, None], x)
        chances.append(joint.sum(axis=0))
        laws.append(np.diff((joint / joint.sum(axis=0)).T @ below, axis=1))
    expected = 0.0
    for p, one in zip(chances[0], laws[0], strict=True):
        for r, other in zip(chances[1], laws[1], strict=True):
            sums = np.cumsum(np.convolve(one, other[::-1]))
            low, high = np.interp([0.025, 0.975], sums, np.arange(len(sums)) / 800)
            expected += float(p * r * (high - low))
    one_group, other_group = group_lines(dc.PosteriorSpace(prior=[1, 1], n=sum(n)), n, Fraction(1), public=True)
    width = difference_width(one_group, other_group, 0.95)
    assert abs(width.value - expected) <= width.error + 0.003
    assert width.error < 0.02 * width.value


def test_drawn_counts_are_the_exact_quantiles_of_binomials() -> None:
    """What earlier receipts state of their errors rests on these very draws."""
    rng = np.random.default_rng(11)
    n = np.exp(rng.uniform(0, np.log(1e6), 20_000)).astype(np.int64)
    share, u = rng.beta(0.5, 1.5, len(n)), rng.random(len(n))
    assert np.array_equal(studies._binomial(u, n, share), np.ceil(bdtrik(u, n, share)).astype(np.int64))


def test_a_plan_answers_with_one_row_and_in_points() -> None:
    answer = dc.plan(dc.PosteriorSpace(prior=[1] * 10, n=10**5), epsilon=6)
    assert [row.name for row in answer.mechanisms] == ["geometric"]
    assert answer.sentences()[0].startswith("95 % intervals will be about 0.33 points wide")
    assert answer.sentences()[-1].startswith("Warning: ε = 6 is above 5")


@pytest.mark.soak
def test_the_width_of_any_category_and_level_can_be_wanted() -> None:
    space, target = dc.PosteriorSpace(prior=[1, 3], n=60), Fraction("0.3")
    answer = dc.plan(space, target_width=target, level="0.99", category=2)
    turned = dc.Geometric(dc.PosteriorSpace(prior=[3, 1], n=60), epsilon=answer.epsilon)
    assert expected_width(turned, "0.99").value <= target
    assert expected_width(dc.Geometric(turned.space, epsilon=answer.epsilon * Fraction(99, 100)), "0.99").value > target
    assert answer.space == space


def test_private_groups_need_a_larger_epsilon_than_public_ones() -> None:
    space, sizes = dc.PosteriorSpace(prior=[1, 1], n=100), {"new": 40, "old": 60}
    public, private = (
        dc.plan(space, epsilon="0.5", groups=sizes, group_public=known).answer["interval_width"]
        for known in (True, False)
    )
    assert public < private
    least = dc.plan(space, target_width=public, groups=sizes, group_public=True).epsilon
    assert Fraction("0.49") <= least <= Fraction("0.51")


@pytest.mark.every
@pytest.mark.parametrize(
    "question",
    [
        {"of": "difference"},
        {"of": "ratio"},
        {"groups": {"a": 20, "b": 20, "c": 10}, "of": "difference"},
        {"groups": {"a": 20, "b": 20}},
        {"group_public": True},
        {"category": 3},
        {"level": 1},
    ],
    ids=str,
)
def test_what_cannot_be_meant_is_refused(question: dict[str, object]) -> None:
    with pytest.raises(dc.InvalidInput):
        dc.plan(dc.PosteriorSpace(prior=[1, 1], n=50), epsilon=1, **question)  # type: ignore[arg-type]


def test_a_statement_of_accuracy_has_widths_and_the_former_one_has_none() -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 1, 1], n=100), epsilon=1)
    now, former = accuracy_statement(mechanism), accuracy_statement(mechanism, former=True)
    assert now["interval_width_without_privacy"] < now["interval_width"] < 0.2
    assert "interval_width" not in former
    assert abs(now["mean"] - former["mean"]) <= now["error"] + former["error"]


def test_priors_have_names() -> None:
    assert dc.PosteriorSpace(prior="jeffreys:3", n=9) == dc.PosteriorSpace(prior=["1/2"] * 3, n=9)
    assert dc.PosteriorSpace(prior="uniform", n=9) == dc.PosteriorSpace(prior=[1, 1], n=9)
    with pytest.raises(dc.InvalidInput):
        dc.PosteriorSpace(prior="haldane", n=9)
