"""No two neighbours are told apart better than the pair that is said to dominate them: from the laws themselves."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb

import discreet as dc
from discreet.arithmetic.numbers import fraction_upper, precision, working_bits
from discreet.mechanisms.loss_pairs import CurvePair, GeometricPair, LaplacePair, LinearPair, LossPair, RangePair
from discreet.privacy_loss import loss_distribution
from discreet.privacy_loss.loss_distributions import LossDistribution, compose_pairs
from discreet.privacy_loss.prices import loss_pairs
from tests.oracles.losses import delta_of_all, geometric_atoms, laplace_atoms
from tests.oracles.mechanisms import Kernel
from tests.oracles.precision import Real, mp, real
from tests.oracles.spaces import neighbours
from tests.privacy_loss.families import KINDS, Kind, build, oracle_kernel

AT = ("0", "1/5", "1/2", "9/10")
LAST_DIGITS = mp.mpf(10) ** -40


def true_delta(kernel: Kernel, at: str) -> Real:
    """The greatest Σ max(0, P - e^ε P') over all neighbours."""
    factor = mp.exp(real(at))
    return max(
        mp.fsum(max(mp.zero, row[r] - factor * kernel[other][r]) for r in row)
        for counts, row in kernel.items()
        for other in neighbours(counts)
    )


@pytest.mark.parametrize(("alpha", "n"), [((1, 1), 7), (("1/2", 3), 6), ((1, 1, 1), 3)])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("enumerated", [True, False])
def test_no_neighbours_of_the_exponential_family_are_told_apart_better_than_its_pair(
    kind: Kind, alpha: tuple[int | str, ...], n: int, enumerated: bool
) -> None:
    mechanism = build(kind, dc.PosteriorSpace(prior=list(alpha), n=n), Fraction(1), epsilon=1)
    kernel = oracle_kernel(kind, mechanism.space.prior.parameters, n, mechanism.scale, Fraction(1))
    pairs = loss_pairs(mechanism) if enumerated else mechanism.loss_pairs()
    assert isinstance(pairs[0], CurvePair if enumerated else RangePair)
    curve = compose_pairs(dict.fromkeys(pairs, 1))
    for at in AT:
        assert true_delta(kernel, at) <= real(curve.delta(at).exact) + LAST_DIGITS
    if enumerated:  # close to the truth, on either side of a corner
        assert real(curve.delta("0").exact) <= true_delta(kernel, "0") + mp.mpf(10) ** -9


@pytest.mark.parametrize("rounding", ["nearest", "floor"])
@pytest.mark.parametrize("rate", ["1/10", "1", "5"])
def test_the_losses_of_laplace_noise_are_those_of_its_law(rounding: Any, rate: str) -> None:
    atoms = laplace_atoms(rate, nearest=rounding == "nearest")
    for times in (1, 2):
        curve = compose_pairs({LaplacePair(Fraction(rate), rounding): times})
        for share in ("0", "1/3", "2/3", "9/10"):
            at = str(Fraction(share) * Fraction(rate))
            truth, bound = delta_of_all([atoms] * times, at), curve.delta(at)
            assert bound.lower <= truth <= real(bound.exact) + LAST_DIGITS
            assert bound <= truth + 2e-6 * float(Fraction(rate))


def test_two_categories_with_clamped_laplace_noise_reach_the_losses_of_the_noise() -> None:
    mechanism = dc.LaplaceImproved(dc.PosteriorSpace(prior=[1, 1], n=9), epsilon=1)
    curve, audited = loss_distribution(mechanism), dc.audit(mechanism)
    for at in AT:
        assert audited.delta(at) == pytest.approx(float(curve.delta(at)), abs=1e-6)


@pytest.mark.parametrize(("epsilon", "width"), [("1", "1"), ("1", "3/2"), ("1", "2"), ("1/4", "1/4")])
def test_a_range_of_losses_is_told_apart_best_by_the_worst_place_of_it(epsilon: str, width: str) -> None:
    """Against all two-point laws with losses t and t-η, on a grid of t."""
    pair = RangePair(Fraction(epsilon), Fraction(width))
    curve, largest, wide = compose_pairs({pair: 1}), float(Fraction(epsilon)), float(Fraction(width))
    t = np.linspace(wide - largest, largest, 2001)
    for at in np.linspace(0, largest, 9)[:-1]:
        worst = np.max(-np.expm1(t - wide) * np.maximum(-np.expm1(at - t), 0) / -np.expm1(-wide))
        bound = curve.delta(str(at))
        assert worst <= bound + 1e-12 <= worst + 1e-3 * largest  # the worst is a float here


def test_half_of_a_range_would_be_below_the_truth() -> None:
    mechanism = dc.ExponentialGlobal(dc.PosteriorSpace(prior=[1, 1], n=7), epsilon=1)
    kernel = oracle_kernel(dc.ExponentialGlobal, mechanism.space.prior.parameters, 7, mechanism.scale, Fraction(1))
    halved = compose_pairs({RangePair(Fraction(1, 2), Fraction(1, 2)): 1})  # the planted fault: the range is halved
    assert halved.delta("0") < true_delta(kernel, "0")


@pytest.mark.parametrize(
    "pair",
    [
        GeometricPair(Fraction(1), 5),
        LinearPair(Fraction(1, 2), Fraction(1, 10)),
        LaplacePair(Fraction(1, 3), "nearest"),
        RangePair(Fraction(2), Fraction(3)),
        CurvePair(Fraction(1), (Fraction(1, 4), Fraction(1, 5), Fraction(3, 20), Fraction(1, 100))),
    ],
)
@pytest.mark.parametrize("points", [1, 3, 64])
def test_no_chance_is_negative_and_fewer_points_never_tell_less(pair: LossPair, points: int) -> None:
    with precision(256):
        _, chances = pair.chances(points)
        assert all(not chance < 0 for chance in chances)
    (fine, coarse) = (_single(pair, each) for each in (512, points))
    for at in ("0", "1/10", "1/4"):
        assert fine.delta(at).lower <= coarse.delta(at)
    assert pair.variation_upper <= Fraction(coarse.delta(0).exact) + Fraction(1, 1 << 60)
    assert (pair.variation_upper * (1 << 64)).denominator == 1 or isinstance(pair, CurvePair | LinearPair)


def _single(pair: LossPair, points: int) -> LossDistribution:
    class Cut(LossPair):
        epsilon, is_exact = pair.epsilon, pair.is_exact

        def chances(self, _: int) -> tuple[Fraction, list[arb]]:
            return pair.chances(points)

    return compose_pairs({Cut(): 1})


def test_a_point_below_its_neighbours_chord_only_is_kept() -> None:
    """A point above the chord of its neighbours is left out: chords through what is left are above it all the same."""
    bent = CurvePair(Fraction(1), (Fraction(1, 4), Fraction(6, 25), Fraction(23, 100), Fraction(1, 20)))
    with precision(128):
        step, chances = bent.chances(4)
        assert step == Fraction(1, 4)
        assert [bool(chance > 0) for chance in chances] == [False, False, True, True]
    assert all(compose_pairs({bent: 1}).delta(i * step) >= 0.05 for i in range(4))


def test_a_total_variation_is_the_same_fraction_however_it_is_computed() -> None:
    one, other = GeometricPair(Fraction(1, 4), 3), GeometricPair(Fraction(1, 4), 3)
    assert one == other
    assert one.variation_upper == other.variation_upper == _variation("1/4", 3)
    assert GeometricPair(Fraction(1, 4), 4).variation_upper < one.variation_upper
    mechanism = dc.mechanism("snapping", dc.PosteriorSpace(prior=[1, 1], n=20), epsilon=1)
    assert loss_pairs(mechanism) == (GeometricPair(Fraction(mechanism.guarantee)),)


def _variation(epsilon: str, k: int) -> Fraction:
    (loss, p), *_ = geometric_atoms(epsilon, k)
    return Fraction(int(mp.ceil(p * (1 - mp.exp(-loss)) * 2**64)), 1 << 64)


def test_a_variation_that_was_rounded_down_would_be_below_the_truth() -> None:
    pair = GeometricPair(Fraction(1), 3)
    with precision(400):
        truth = fraction_upper(pair.variation())
    assert pair.variation_upper - Fraction(1, 1 << 64) < truth <= pair.variation_upper


@pytest.mark.parametrize(
    ("count", "points", "parts"), [(8, 8, 8), (8, 7, 4), (8, 4, 4), (8, 3, 2), (6, 2, 3), (5, 2, 5)]
)
def test_of_many_points_every_second_or_fourth_is_taken_until_they_are_few(count: int, points: int, parts: int) -> None:
    pair = CurvePair(Fraction(1), tuple(Fraction((count - i) ** 2, 300) for i in range(count)))
    with precision(128):
        step, chances = pair.chances(points)
    assert (step, len(chances)) == (Fraction(1, parts), parts)


def test_a_mechanism_known_by_its_epsilon_alone_is_randomised_response() -> None:
    with precision(128):
        step, (chance,) = GeometricPair(Fraction(1)).chances(64)
        assert step == 1
        assert chance.overlaps(1 / (1 + arb(-1).exp()))


def test_pairs_say_whether_their_losses_were_split_or_cut() -> None:
    one = Fraction(1)
    exact = [GeometricPair(one), LinearPair(one, one / 10), LaplacePair(one, "floor")]
    cut = [LaplacePair(one, "nearest"), RangePair(one, one), CurvePair(one, (one / 4,))]
    assert [pair.is_exact for pair in (*exact, *cut)] == [True] * 3 + [False] * 3


@pytest.mark.every
@pytest.mark.parametrize(
    ("count", "points", "chords"), [(8, 1, 1), (6, 1, 3), (4, 1, 1), (4, 2, 2), (5, 1, 5), (12, 4, 3), (12, 12, 12)]
)
def test_points_of_a_curve_are_left_out_by_halves_down_to_what_is_asked_for(
    count: int, points: int, chords: int
) -> None:
    pair = CurvePair(Fraction(1), tuple(Fraction((count - i) ** 2, 4 * count**2) for i in range(count)))
    with precision(128):
        step, chances = pair.chances(points)
    assert (step, len(chances)) == (Fraction(1, chords), chords)


def test_the_grid_of_laplace_noise_has_no_more_steps_than_are_asked_for() -> None:
    """Of one step or two, one fits a loss of ¾ rates better; three would fit ⅔ of a rate."""
    for rate, points, parts in (("1/10", 2, 1), ("1/10", 1, 1), ("1/10", 4, 4), ("3/2", 2, 1)):
        with precision(128):
            step, chances = LaplacePair(Fraction(rate), "nearest").chances(points)
        assert (Fraction(rate) / step, len(chances)) == (Fraction(parts), parts)


def test_a_variation_is_rounded_once_its_enclosure_is_narrow_enough() -> None:
    class Wide(LossPair):
        epsilon = Fraction(1)

        def chances(self, points: int) -> tuple[Fraction, list[arb]]:
            raise NotImplementedError

        def variation(self) -> arb:
            return arb(1) / 3 + arb(0, 2.0**-50 if working_bits() < 1000 else 0)

    assert Wide().variation_upper == Fraction(-(-(2**64) // 3), 2**64)
