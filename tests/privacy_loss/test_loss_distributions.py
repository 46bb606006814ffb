"""What many releases cost together: exact sums, never below the truth, and on no coarser footing than it states."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest

import discreet as dc
from discreet.errors import InvalidInput, NotPrivate
from discreet.privacy_loss import loss_distributions
from discreet.privacy_loss.loss_distributions import compose, largest_loss_chance, loss_distribution
from discreet.typing import Epsilon


def geometric(k: int, epsilon: Epsilon) -> dc.Geometric:
    return dc.Geometric(dc.PosteriorSpace(prior=[1] * k, n=30), epsilon=epsilon)


def true_delta(releases: Sequence[dc.Mechanism], epsilon: mpmath.mpf | float) -> mpmath.mpf:
    """Σ P(L)·max(0, 1 - e^(ε-L)) over all combinations of losses, in fifty digits."""
    with mpmath.workdps(50):
        atoms = []
        for release in releases:
            loss, k = mpmath.mpf(release.epsilon.numerator) / release.epsilon.denominator, release.loss_categories
            x = mpmath.exp(-loss)
            parts = [mpmath.fsum(math.comb(m, j) ** 2 * x**j for j in range(m + 1)) for m in (k - 2, k - 1)]
            p = parts[0] / parts[1]
            atoms.append([(loss, p), (-loss, x * p), (mpmath.mpf(0), 1 - (1 + x) * p)])
        total = mpmath.mpf(0)
        for choice in product(*atoms):
            sum_, chance = mpmath.fsum(loss for loss, _ in choice), mpmath.fprod(p for _, p in choice)
            total += chance * max(mpmath.mpf(0), 1 - mpmath.exp(epsilon - sum_))
        return total


@pytest.mark.parametrize(
    ("times", "epsilon", "k", "expected"),
    [
        (100, "1/10", 2, 4.7746),
        (100, "1/10", 3, 3.8265),
        (100, "1/10", 7, 3.4333),
        (20, "1/2", 2, 9.9868),
        (20, "1/2", 3, 8.8095),
        (20, "1/2", 7, 7.9758),
    ],
)
def test_a_year_of_releases_costs_what_it_costs(times: int, epsilon: str, k: int, expected: float) -> None:
    together = compose([geometric(k, epsilon)] * times)
    bound = together.epsilon("1e-6")
    assert round(bound, 4) == expected
    assert bound.lower <= bound <= bound.lower + 1e-12
    assert together.delta(bound.exact).lower <= 1e-6
    assert together.delta(bound.exact - Fraction(1, 10**6)) > 1e-6
    assert together.epsilon(0) == pytest.approx(times * float(Fraction(epsilon)))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_losses_of_geometric_are_those_of_its_law(k: int) -> None:
    """P(v_i ≥ 0, v_j ≤ 0) over all noise whose tail is above 1e-13."""
    epsilon, reach = 1.5, 40 if k < 4 else 24
    steps = np.arange(-reach, reach + 1)
    v = np.stack(np.meshgrid(*[steps] * (k - 1), indexing="ij"), axis=-1).reshape(-1, k - 1)
    v = np.column_stack([v, -v.sum(axis=1)])
    chance = np.exp(-epsilon / 2 * np.abs(v).sum(axis=1))
    inside = chance[(v[:, 0] >= 0) & (v[:, 1] <= 0)].sum() / chance.sum()
    assert float(largest_loss_chance(Fraction(3, 2), k)) == pytest.approx(inside, abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_mixes_of_releases_are_never_below_the_truth_and_close_to_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    epsilons, size = ["1/10", "1/4", "1/3", "2/7", "1", "13/97"], int(rng.integers(1, 6))
    releases = [geometric(int(rng.integers(2, 6)), epsilons[int(rng.integers(6))]) for _ in range(size)]
    together = compose(releases)
    for at in ("0", "1/5", "1/2", "11/10"):
        bound = together.delta(at)
        with mpmath.workdps(50):
            truth = true_delta(releases, mpmath.mpf(Fraction(at).numerator) / Fraction(at).denominator)
            proved = mpmath.mpf(bound.exact.numerator) / bound.exact.denominator
            assert bound.lower <= truth <= proved + mpmath.mpf(10) ** -45
        assert bound <= truth + 3 * float(together.slack) + 1e-15


def test_losses_without_a_common_step_are_rounded_up(monkeypatch: pytest.MonkeyPatch) -> None:
    releases = [geometric(2, epsilon) for epsilon in ("1/97", "1/3", "1/4")]
    exact = compose(releases)
    assert exact.slack == 0
    monkeypatch.setattr(loss_distributions, "MAX_ATOMS", 1 << 9)
    coarse = compose(releases)
    assert 0 < coarse.slack < 1e-1
    assert exact.epsilon("1e-3") <= coarse.epsilon("1e-3") <= float(exact.epsilon("1e-3")) + float(coarse.slack)
    assert coarse.epsilon("1e-3").lower <= exact.epsilon("1e-3")

    def floor(law: loss_distributions.LossDistribution, step: Fraction) -> loss_distributions.LossDistribution:
        placed = on_grid(law, step)
        return loss_distributions.LossDistribution(step, placed.first - 1, placed.chances, placed.slack)

    on_grid = loss_distributions._on_grid
    monkeypatch.setattr(loss_distributions, "_on_grid", floor)  # the planted fault: losses are rounded down
    assert compose(releases).epsilon("1e-3") < exact.epsilon("1e-3")


def test_an_average_or_a_lost_atom_would_be_below_the_truth() -> None:
    releases = [geometric(3, "1/10"), geometric(3, 1)]
    truth = float(true_delta(releases, 0.3))
    assert float(compose([geometric(3, "11/20")] * 2).delta("0.3")) < truth  # the planted fault: ε is averaged
    assert float(compose(releases).delta("0.3")) >= truth
    alone = loss_distribution(geometric(3, 1))
    without = [chance if i != 1 else chance * 0 for i, chance in enumerate(alone.chances.coeffs())]
    assert sum(map(float, without)) < 0.9  # the planted fault: the atom at 0 is dropped, and chances no longer sum to 1
    assert sum(map(float, alone.chances.coeffs())) == pytest.approx(1)


@pytest.mark.parametrize("name", ["exponential-global", "exponential-reciprocal", "laplace-improved", "geometric"])
def test_no_pair_of_neighbours_is_told_apart_better_than_the_dominating_pair(name: str) -> None:
    space = dc.PosteriorSpace(prior=[1, "0.5", 2], n=5)
    mechanism = dc.mechanism(name, space, epsilon=1)
    losses, audited = loss_distribution(mechanism), dc.audit(mechanism)
    for at in ("0", "1/4", "1/2", "9/10"):
        assert audited.delta(at) <= losses.delta(at) + 1e-12


def test_what_has_no_guarantee_or_no_meaning_is_refused() -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=50)
    with pytest.raises(NotPrivate):
        compose([dc.ExponentialLocal.as_published(space, epsilon=1)])
    with pytest.raises(InvalidInput, match="nothing to compose"):
        compose([])
    with pytest.raises(InvalidInput, match="delta must be less than 1"):
        loss_distribution(geometric(2, 1)).epsilon(1)
