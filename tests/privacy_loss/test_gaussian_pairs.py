"""Composed Gaussian noise: by enumeration, by its closed form and beside other mechanisms, never below the truth."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb

import discreet as dc
from discreet.arithmetic.numbers import ball, fraction_lower, fraction_upper, precision
from discreet.mechanisms.gaussian_loss import GaussianLoss
from discreet.privacy_loss import gaussian_pairs
from discreet.privacy_loss.gaussian_pairs import GaussianPair
from discreet.privacy_loss.loss_distributions import GaussianLosses, LossDistribution, compose_pairs
from tests.oracles import gaussian as oracle
from tests.oracles.precision import mp, real

LINE, PLANE = (dc.PosteriorSpace(prior=[1] * k, n=30) for k in (2, 3))


@pytest.mark.parametrize(("space", "sigma", "times"), [(LINE, "1/2", 3), (PLANE, "7/10", 2), (PLANE, "2", 2)])
def test_a_few_releases_have_the_enumerated_delta(space: dc.PosteriorSpace, sigma: str, times: int) -> None:
    law = one = {loss: p for loss, p in oracle.losses(space.k, sigma).items() if p > 1e-18}
    for _ in range(times - 1):
        law = oracle.added(law, one)
    together = dc.compose([dc.Gaussian(space, sigma=sigma)] * times)
    for epsilon in ("1/2", "2"):
        delta = together.delta(epsilon)
        truth = float(oracle.delta(law, epsilon))
        assert delta >= truth * (1 - 1e-12)
        assert delta == pytest.approx(truth, rel=1e-9)


def test_noise_of_several_kinds_has_the_enumerated_delta() -> None:
    losses = {loss: p for loss, p in oracle.losses(3, "2").items() if p > 1e-18}
    x = mp.exp(real("1/2"))
    law = oracle.added(losses, {real("1/2"): x / (1 + x), real("-1/2"): 1 / (1 + x)})
    together = dc.compose([dc.Gaussian(PLANE, sigma=2), dc.Geometric(LINE, epsilon="1/2")])
    assert isinstance(together, LossDistribution)
    for epsilon in ("1/2", "1"):
        truth = float(oracle.delta(law, epsilon))
        assert together.delta(epsilon) == pytest.approx(truth, rel=1e-9)
        assert together.delta(epsilon) >= truth * (1 - 1e-12)


@pytest.mark.parametrize("k", [2, 3])
def test_atoms_and_the_closed_form_agree(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    loss = GaussianLoss(Fraction(400), k, 30)
    closed, atoms = GaussianLosses(loss), compose_pairs({GaussianPair(loss): 1})
    assert atoms.epsilon("1e-6") == pytest.approx(float(closed.epsilon("1e-6")), rel=1e-10)
    assert atoms.slack == closed.slack == 0
    monkeypatch.setattr(gaussian_pairs, "MAX_SINGLE", len(GaussianPair(loss).chances(0)[1]))
    assert GaussianPair(loss).is_exact
    monkeypatch.setattr(gaussian_pairs, "MAX_SINGLE", gaussian_pairs.MAX_SINGLE - 1)
    assert not GaussianPair(loss).is_exact
    monkeypatch.setattr(gaussian_pairs, "MAX_SINGLE", 0)
    monkeypatch.setattr(gaussian_pairs, "MAX_GROUPS", 512)
    coarse = compose_pairs({GaussianPair(loss): 1})
    assert coarse.epsilon("1e-6") >= closed.epsilon("1e-6").lower
    assert coarse.epsilon("1e-6").lower <= closed.epsilon("1e-6") <= coarse.epsilon("1e-6")
    assert coarse.epsilon("1e-6") <= 1.02 * closed.epsilon("1e-6")
    assert coarse.slack > 0


def test_without_a_delta_there_is_no_epsilon() -> None:
    for together in (dc.compose([dc.Gaussian(LINE, sigma=9)] * 3), dc.compose([dc.Gaussian(LINE, sigma="1/2")] * 3)):
        with pytest.raises(dc.InvalidInput, match="no ε without a δ"):
            together.epsilon(0)


def test_no_pair_with_a_largest_loss_stands_for_it() -> None:
    with pytest.raises(dc.NotPrivate, match="no largest loss"):
        dc.Gaussian(LINE, epsilon=1, delta="1e-6").loss_pairs()


@pytest.mark.every
@pytest.mark.parametrize(("k", "times"), [(2, 1), (3, 1), (2, 3), (3, 2)])
def test_all_chances_are_kept_in_groups_or_alone_and_those_beyond_are_counted(
    k: int, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    loss = GaussianLoss(Fraction(9), k, times)
    pair, (tails, variance, _) = GaussianPair(loss), loss.spread
    many = gaussian_pairs.MAX_GROUPS
    monkeypatch.setattr(gaussian_pairs, "MAX_GROUPS", 23)
    with precision(192):

        def chance(d: int) -> arb:
            parts = [weight for weight, residue, stride in tails if (d - residue) % stride == 0]
            return sum(parts, arb(0)) * (-ball(Fraction(d * d) / (2 * variance))).exp()

        step, single = pair.chances(0)
        last = len(single) - times
        assert step == 1 / loss.variance
        assert all(part.overlaps(chance(d)) for d, part in enumerate(single, 1 - times))
        far = sum(map(chance, range(last + 1, last + 99)), arb(0))
        beyond = fraction_upper(pair.beyond())
        assert fraction_upper(far) <= beyond < Fraction(1, 2**200)
        if (k, times) == (3, 2):  # every whole D has a chance, so what is kept ends where it falls below e^-139
            assert single[-1] < single[times - 1] * arb(-139).exp() < single[-2]
            assert beyond < 2 * fraction_lower(far)
        monkeypatch.setattr(gaussian_pairs, "MAX_SINGLE", 0)
        for most in (many, len(single) - 1, 23):
            monkeypatch.setattr(gaussian_pairs, "MAX_GROUPS", most)
            step, groups = pair.chances(0)
            size = int(step * loss.variance)
            assert len(groups) <= most
            for i, group in enumerate(groups[:-1]):
                assert group.overlaps(sum(single[i * size : (i + 1) * size], arb(0)))
            kept = sum(single[size * (len(groups) - 1) :], arb(0))
            assert fraction_lower(kept) <= fraction_upper(groups[-1])


def test_releases_are_one_pair_where_their_bounds_are_sharp() -> None:
    wide, narrow = GaussianLoss(Fraction(400), 2), GaussianLoss(Fraction(1, 4), 2)
    assert gaussian_pairs.gaussian_pairs(wide, 30) == {GaussianPair(GaussianLoss(Fraction(400), 2, 30)): 1}
    assert gaussian_pairs.gaussian_pairs(narrow, 30) == {GaussianPair(narrow): 30}


def test_up_to_2_to_the_15_losses_have_a_step_each_and_more_are_in_2_to_the_12_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The last that is kept is one more than the root of 4·139·variance."""
    monkeypatch.setattr(gaussian_pairs, "tail_sum", lambda *_: arb(0))
    for last, is_exact in (((1 << 15) - 1, True), (1 << 15, False)):
        pair = GaussianPair(GaussianLoss(Fraction((last - 1) ** 2, 4 * 139), 2))
        assert pair.is_exact is is_exact
    assert len(pair.chances(0)[1]) == math.ceil(((1 << 15) + 1) / 9)
