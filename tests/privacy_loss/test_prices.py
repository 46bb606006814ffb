"""The range of a mechanism's loss, and its ρ: against all losses of small spaces, from the definitions."""

import math
from fractions import Fraction
from typing import Any

import pytest

from discreet import (
    ExponentialReciprocal,
    Gaussian,
    Geometric,
    Laplace,
    LaplaceImproved,
    NotPrivate,
    PosteriorSpace,
    audit,
    calibrate,
    privacy_loss,
)
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.loss_pairs import GeometricPair, RangePair
from discreet.privacy_loss import compose, loss_range, rho_upper
from discreet.privacy_loss.loss_distributions import GaussianLosses
from discreet.privacy_loss.prices import Price, enumerated_pair, loss_pairs
from discreet.privacy_loss.renyi_bounds import pure_rho
from tests.oracles import composition, gaussian, geometric
from tests.oracles.losses import delta_of_all, laplace_atoms
from tests.oracles.mechanisms import Kernel
from tests.oracles.precision import Real, mp, real
from tests.oracles.spaces import neighbours
from tests.privacy_loss.families import KINDS, Kind, build, oracle_kernel

GAMMA = Fraction(1)
LAST_DIGITS = mp.mpf(10) ** -40


def true_range(kernel: Kernel) -> Real:
    """The greatest difference between the losses at two outputs, over all neighbours."""
    widest = mp.zero
    for counts, row in kernel.items():
        for other in neighbours(counts):
            losses = [mp.log(row[r] / kernel[other][r]) for r in row]
            widest = max(widest, max(losses) - min(losses))
    return widest


def true_rho(kernel: Kernel, order: str) -> Real:
    """The greatest Rényi divergence between neighbours, divided by its order."""
    pairs = ((kernel[c], kernel[other]) for c in kernel for other in neighbours(c))
    return max(composition.renyi(p, q, order) for p, q in pairs) / real(order)


def assert_holds(mechanism: Exponential, kind: Kind) -> None:
    """No loss ranges wider than is said, and no divergence exceeds ρ."""
    kernel = oracle_kernel(kind, mechanism.space.prior.parameters, mechanism.space.n, mechanism.scale, GAMMA)
    assert true_range(kernel) <= real(loss_range(mechanism)) + LAST_DIGITS
    for order in ("1.1", "4", "50"):
        assert true_rho(kernel, order) <= real(rho_upper(mechanism))


@pytest.mark.few(1)
@pytest.mark.parametrize(("alpha", "n"), [((1, 1), 7), (("1/2", 3), 6), ((1, 1, 1), 4)])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("epsilon", ["1/4", "2"])
def test_no_loss_of_the_exponential_family_ranges_wider_than_epsilon(
    kind: Kind, alpha: tuple[int | str, ...], n: int, epsilon: str
) -> None:
    mechanism = build(kind, PosteriorSpace(prior=list(alpha), n=n), GAMMA, epsilon=epsilon)
    assert loss_range(mechanism) == Fraction(epsilon)
    assert rho_upper(mechanism) <= Fraction(epsilon) ** 2 / 8
    assert_holds(mechanism, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_a_larger_space_of_the_exponential_family_is_priced_by_its_range(kind: Kind) -> None:
    mechanism = build(kind, PosteriorSpace(prior=[1, 1], n=500), GAMMA, epsilon="1/4")
    assert rho_upper(mechanism) == Fraction(1, 128)


def test_up_to_128_data_sets_are_priced_by_32_deltas_up_to_their_loss_in_short_numbers() -> None:
    pair = enumerated_pair(ExponentialReciprocal(PosteriorSpace(prior=[1, 1], n=5), epsilon=1))
    assert len(pair.deltas) == 32
    result = audit(ExponentialReciprocal(PosteriorSpace(prior=[1, 1], n=5), epsilon=1))
    assert Fraction(pair.epsilon) * 2**40 == math.ceil(result.epsilon * 2**40)
    assert pair.deltas[:2] == (Fraction(result.delta(0)), Fraction(result.delta(pair.epsilon / 32)))
    [larger] = loss_pairs(ExponentialReciprocal(PosteriorSpace(prior=[1, 1], n=128), epsilon=1))
    assert isinstance(larger, RangePair)


@pytest.mark.parametrize("kind", KINDS)
def test_a_calibrated_scale_is_priced_by_the_better_of_two_bounds(kind: Kind) -> None:
    space = PosteriorSpace(prior=[1, 1], n=8)
    options: dict[str, Any] = {"gamma": GAMMA} if kind in KINDS[2:] else {}
    mechanism = calibrate(kind.name, space, epsilon="1/2", **options)
    assert isinstance(mechanism, Exponential)
    assert loss_range(mechanism) <= 1
    assert rho_upper(mechanism) <= Fraction(1, 8)
    assert_holds(mechanism, kind)


def test_others_are_priced_by_their_epsilon_and_half_of_it_would_be_false() -> None:
    space = PosteriorSpace(prior=[1, 1], n=30)
    mechanism = Geometric(space, epsilon="1/3")
    assert loss_range(mechanism) == Fraction(2, 3)
    assert rho_upper(mechanism) == pure_rho(Fraction(1, 3)) < Fraction(1, 18)
    outputs = [(z, 30 - z) for z in range(31)]
    here, there = ([geometric.probability(c, z, "1/3") for z in outputs] for c in ((10, 20), (11, 19)))
    losses = [mp.log(p / q) for p, q in zip(here, there, strict=True)]
    assert real(Fraction(1, 3)) < max(losses) - min(losses) <= real(loss_range(mechanism)) + LAST_DIGITS
    other = Laplace(space, epsilon="1/3")
    assert loss_range(other) == 2 * other.guarantee


def test_what_has_no_guarantee_has_no_price() -> None:
    with pytest.raises(NotPrivate):
        rho_upper(ExponentialReciprocal.as_published(PosteriorSpace(prior=[1, 1], n=20), epsilon=1))


def test_the_needs_of_a_part_are_the_most_that_any_of_its_mechanisms_has() -> None:
    plane = PosteriorSpace(prior=[1, 1, 1], n=30)
    small, large = (Geometric(plane, epsilon=epsilon) for epsilon in ("1/10", "1/5"))
    noisy = LaplaceImproved(plane, epsilon="1/5", rounding="floor")  # two counts: a pair for each
    [alone, either, both, mixed] = Price(((large,), (small, large), (noisy,), (small, noisy))).needs
    assert alone == either == (Fraction(1, 5), GeometricPair(Fraction(1, 5), 3).variation_upper)
    truth = delta_of_all([laplace_atoms(noisy.rate, nearest=False)] * 2, 0) * 2**64
    assert both == (Fraction(1, 5), Fraction(int(mp.ceil(truth)), 2**64))
    assert mixed == (Fraction(1, 5), GeometricPair(Fraction(noisy.guarantee)).variation_upper)


def test_the_sum_of_all_epsilons_is_kept_without_any_delta() -> None:
    part = (Geometric(PosteriorSpace(prior=[1, 1], n=30), epsilon="1/10"),)
    assert Price((part,) * 3, together=(Fraction(3, 10), Fraction(0))).delta == 0


def test_gaussian_noise_of_one_kind_has_a_closed_form_and_of_two_kinds_is_composed() -> None:
    line = PosteriorSpace(prior=[1, 1], n=30)
    one, other = Gaussian(line, sigma=2), Gaussian(line, sigma="1/2")
    together = compose([Gaussian(line, sigma=9)] * 3)
    assert isinstance(together, GaussianLosses)
    assert together.slack == 0
    law = gaussian.added(gaussian.losses(2, "2"), gaussian.losses(2, "1/2"))
    assert compose([one, other]).delta(2) == pytest.approx(float(gaussian.delta(law, "2")), rel=1e-9)


def test_every_name_that_the_room_offers_is_there() -> None:
    assert all(hasattr(privacy_loss, name) for name in privacy_loss.__all__)
