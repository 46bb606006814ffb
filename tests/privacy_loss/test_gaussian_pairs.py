"""Composed Gaussian noise: by enumeration, by its closed form and beside other mechanisms, never below the truth."""

from __future__ import annotations

from fractions import Fraction

import pytest

import discreet as dc
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
    assert atoms.slack == 0
    monkeypatch.setattr(gaussian_pairs, "MAX_SINGLE", len(GaussianPair(loss).chances(0)[1]))
    assert GaussianPair(loss).is_exact
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
