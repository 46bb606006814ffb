"""ρ is never below the Rényi divergence at any order: from the losses themselves, in fifty digits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any

import pytest
from flint import arb

import discreet as dc
from discreet.arithmetic.numbers import ball, dyadic, precision
from discreet.mechanisms.loss_pairs import CurvePair, GeometricPair, LaplacePair, LinearPair, LossPair, RangePair
from discreet.privacy_loss import renyi_bounds, rho_upper
from discreet.privacy_loss.prices import loss_pairs
from discreet.privacy_loss.renyi_bounds import pure_rho, rho_of_pair
from tests.oracles import composition
from tests.oracles.losses import Atoms, geometric_atoms, laplace_atoms
from tests.oracles.precision import Real, mp, real
from tests.oracles.spaces import neighbours
from tests.privacy_loss.families import oracle_kernel

ORDERS = ("1.000001", "1.01", "1.1", "1.5", "2", "3", "5", "10", "30", "100", "1000")
UNIT = mp.mpf(2) ** -128


def greatest_ratio(atoms: Atoms, orders: Sequence[str] = ORDERS) -> Real:
    """The greatest D_a/a at these orders: D_a = ln E_P[e^((a-1)L)]/(a-1)."""
    return max(
        mp.log(mp.fsum(p * mp.exp((real(a) - 1) * loss) for loss, p in atoms)) / (real(a) - 1) / real(a) for a in orders
    )


@pytest.mark.parametrize("k", [2, 3, 7, 20, 50])
@pytest.mark.parametrize("epsilon", ["1/100", "1/2", "1", "4", "16"])
def test_the_rho_of_geometric_is_its_divergence_at_order_one_and_no_order_exceeds_it(k: int, epsilon: str) -> None:
    rho, atoms = real(rho_of_pair(GeometricPair(Fraction(epsilon), k))), geometric_atoms(epsilon, k)
    divergence = mp.fsum(p * loss for loss, p in atoms)
    assert greatest_ratio(atoms) <= rho
    assert mp.zero <= rho - divergence < 4 * UNIT


@pytest.mark.parametrize("epsilon", ["299", "301", "2000", "1000000"])
@pytest.mark.parametrize("k", [2, 3, 20])
def test_an_epsilon_that_protects_nobody_has_a_rho_all_the_same(k: int, epsilon: str) -> None:
    rho = rho_of_pair(GeometricPair(Fraction(epsilon), k))
    assert Fraction(99, 100) * pure_rho(Fraction(epsilon)) <= rho <= pure_rho(Fraction(epsilon))


def test_a_charge_of_geometric_is_this_share_of_half_of_epsilon_squared() -> None:
    shares = [float(2 * rho_of_pair(GeometricPair(Fraction(1), k))) for k in (2, 3, 7, 20)]
    assert [round(share, 3) for share in shares] == [0.924, 0.663, 0.535, 0.503]


@pytest.mark.parametrize("epsilon", ["1e-9", "1/10", "1", "30", "1e6"])
def test_whatever_is_private_is_no_worse_than_randomised_response(epsilon: str) -> None:
    rho = pure_rho(Fraction(epsilon))
    assert mp.zero <= real(rho) - real(epsilon) * mp.tanh(real(epsilon) / 2) < 2 * UNIT
    assert rho <= Fraction(epsilon) ** 2 / 2 + Fraction(1, 1 << 128)


def test_a_tiny_epsilon_has_half_of_its_square() -> None:
    tiny = Fraction(1, 3 << 40)
    assert pure_rho(tiny) == tiny**2 / 2


@pytest.mark.parametrize("rounding", ["nearest", "floor"])
@pytest.mark.parametrize("rate", ["1/10", "1", "4"])
def test_no_order_exceeds_the_rho_of_laplace_noise(rounding: Any, rate: str) -> None:
    rho = real(rho_of_pair(LaplacePair(Fraction(rate), rounding)))
    truth = greatest_ratio(laplace_atoms(rate, nearest=rounding == "nearest"))
    assert truth <= rho < mp.mpf("1.1") * truth


@dataclass(frozen=True)
class Told(LossPair):
    """A pair by the chances of its losses."""

    epsilon: Fraction
    parts: tuple[Fraction, ...]

    def chances(self, points: int) -> tuple[Fraction, list[arb]]:
        return self.epsilon / len(self.parts), [ball(part) for part in self.parts]


@pytest.mark.every
@pytest.mark.parametrize(
    ("pair", "sharp"),
    [
        (LinearPair(Fraction(1), Fraction(1, 10)), True),  # much is told by nobody: ρ is above the order one
        (LinearPair(Fraction(3), Fraction(1, 50)), True),
        (LinearPair(Fraction(12), Fraction(1, 10**6)), False),
        (LinearPair(Fraction(3), Fraction(9, 20)), True),  # at an order just above one
        (Told(Fraction(1), (Fraction(1, 5),)), True),  # p₀ is just below 3c, and order three has 4 % more than one
        (Told(Fraction(12), (Fraction(3, 5), *[Fraction(0)] * 10, Fraction(1, 10**5))), False),
        (RangePair(Fraction(1), Fraction(3, 2)), False),
    ],
)
def test_where_the_greatest_order_is_not_one_the_bound_still_holds(pair: LossPair, sharp: bool) -> None:
    step, chances = pair.chances(64)
    atoms: Atoms = []
    for i, chance in enumerate(chances, 1):
        loss, p = real(i * step), mp.mpf(float(chance))
        atoms += [(loss, p), (-loss, p * mp.exp(-loss))]
    atoms.append((mp.zero, 1 - mp.fsum(p for _, p in atoms)))
    rho = real(rho_of_pair(pair))
    if not isinstance(pair, RangePair):  # whose chords have a greater one than what they dominate
        assert greatest_ratio(atoms) <= rho
        assert rho < mp.mpf("1.4") * greatest_ratio(atoms) or not sharp
    assert rho <= real(pure_rho(pair.epsilon))


@pytest.mark.parametrize("kind", [dc.ExponentialGlobal, dc.ExponentialReciprocal])
@pytest.mark.parametrize("build", [dc.mechanism, dc.calibrate])
def test_no_order_exceeds_the_audited_rho_of_an_enumerable_mechanism(kind: Any, build: Callable[..., Any]) -> None:
    mechanism = build(kind.name, dc.PosteriorSpace(prior=[1, 1], n=8), epsilon=1)
    gamma = getattr(mechanism, "gamma", Fraction(1))
    kernel = oracle_kernel(kind, mechanism.space.prior.parameters, 8, mechanism.scale, gamma)
    assert isinstance(loss_pairs(mechanism)[0], CurvePair)
    rho = real(rho_upper(mechanism))
    for order in ORDERS:
        pairs = ((kernel[c], kernel[other]) for c in kernel for other in neighbours(c))
        assert max(composition.renyi(p, q, order) for p, q in pairs) / real(order) <= rho
    assert rho <= real(min(pure_rho(Fraction(1)), mechanism.loss_range() ** 2 / 8))


def test_the_divergence_at_order_one_would_be_too_little_where_the_condition_fails() -> None:
    pair = LinearPair(Fraction(3), Fraction(1, 50))
    p = real("1/50") / (1 - mp.exp(-3))
    atoms = [(mp.mpf(3), p), (mp.mpf(-3), p * mp.exp(-3)), (mp.zero, 1 - p * (1 + mp.exp(-3)))]
    divergence = mp.fsum(chance * loss for loss, chance in atoms)  # the planted fault: the condition is not checked
    assert divergence < greatest_ratio(atoms) <= real(rho_of_pair(pair))


def test_what_cannot_be_proved_is_charged_by_epsilon_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renyi_bounds, "MAX_WORK", 0)
    pair = LinearPair(Fraction(3), Fraction(1, 51))
    assert rho_of_pair(pair) == pure_rho(Fraction(3))
    rho_of_pair.cache_clear()


def test_with_several_losses_too_it_is_the_divergence_at_order_one_where_no_order_has_more() -> None:
    parts = Fraction(1, 4), Fraction(1, 3)
    rho = real(rho_of_pair(Told(Fraction(1), parts)))
    divergence = mp.fsum(
        real(p) * (1 - mp.exp(-loss)) * loss for p, loss in zip(parts, (mp.mpf("0.5"), 1), strict=True)
    )
    assert mp.zero <= rho - divergence < 4 * UNIT


def test_growth_and_its_slope_are_those_of_the_logarithm_of_all_moments() -> None:
    weights = {"1/2": "1/5", "3/2": "1/7"}

    def log_moments(u: Real) -> Real:
        return mp.log(real("1/3") + mp.fsum(real(c) * mp.cosh(u * real(loss)) for loss, c in weights.items()))

    with precision(192):
        terms = [(ball(Fraction(loss)), ball(Fraction(c))) for loss, c in weights.items()]
        for at in ("1/2", "2", "9"):
            growth = renyi_bounds._growth(terms, ball(Fraction(1, 3)), ball(Fraction(at)))
            u, first = real(at), mp.diff(log_moments, real(at))
            truth = first / (2 * u), mp.diff(log_moments, u, 2) / (2 * u) - first / (2 * u * u)
            for enclosure, expected in zip(growth, truth, strict=True):
                assert enclosure.rel_accuracy_bits() > 150
                assert abs(real(dyadic(enclosure.mid())) - expected) < mp.mpf(10) ** -20


@pytest.mark.every
@pytest.mark.parametrize(
    "pair", [LinearPair(Fraction(1), Fraction(1, 10)), LinearPair(Fraction(12), Fraction(1, 10**6))]
)
def test_a_guess_below_the_greatest_growth_is_not_proved(pair: LossPair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renyi_bounds, "MAX_WORK", 1000)
    honest = renyi_bounds._by_floats
    rho_of_pair.cache_clear()
    assert rho_of_pair(pair) < pure_rho(pair.epsilon)
    monkeypatch.setattr(renyi_bounds, "_by_floats", lambda *terms: 0.94 * honest(*terms))
    rho_of_pair.cache_clear()
    assert rho_of_pair(pair) == pure_rho(pair.epsilon)
    rho_of_pair.cache_clear()


@pytest.mark.every
@pytest.mark.parametrize("at", [0.499, 0.5, 0.5625, 0.6, 0.9375, 1.0, 1.4375, 2.3, 2.4, 2.5])
def test_a_proof_looks_at_every_order_from_a_half_to_its_end_and_at_five_intervals_if_it_can(
    at: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G exceeds the bound at one place alone. So it holds if that is outside; otherwise it is looked at in vain."""
    looks = []

    def growth(_terms: object, _rest: object, u: arb) -> tuple[arb, arb]:
        looks.append(u)
        return arb(2 if u.contains(arb(at)) else 1), arb(0)

    monkeypatch.setattr(renyi_bounds, "_growth", growth)
    monkeypatch.setattr(renyi_bounds, "MAX_WORK", 90)
    outside = not 0.5 <= at <= 2.4
    assert renyi_bounds._holds([(arb(1), arb(1))], arb(0), arb(1), Fraction("2.42")) == outside
    assert len(looks) == (5 if outside else 90)


def test_bounds_a_thousandth_a_hundredth_and_a_twentieth_above_what_floats_found_are_tried_in_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each as far as ε/(2u), which is no less than G, exceeds it."""
    pair, tried = LinearPair(Fraction(3), Fraction(1, 52)), []

    def refused(_terms: object, _rest: object, target: arb, end: Fraction) -> bool:
        tried.append(pair.epsilon / (2 * end))
        assert target.overlaps(ball(tried[-1]))
        return False

    monkeypatch.setattr(renyi_bounds, "_by_floats", lambda *_: 1000.0)
    monkeypatch.setattr(renyi_bounds, "_holds", refused)
    assert rho_of_pair(pair) == pure_rho(Fraction(3))
    assert tried == [1001, 1010, 1050]
    rho_of_pair.cache_clear()


def test_a_bound_is_sought_for_losses_up_to_300_and_others_are_charged_by_epsilon_alone() -> None:
    for epsilon, is_sought in ((Fraction(300), True), (Fraction(601, 2), False)):
        rho = rho_of_pair(LinearPair(epsilon, Fraction(1, 50)))
        assert (rho < Fraction(19, 20) * epsilon) is is_sought
        assert is_sought or rho == pure_rho(epsilon)


def test_an_attempt_to_prove_a_bound_takes_32000_terms_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = count()

    def growth(*_: object) -> tuple[arb, arb]:
        next(looks)
        return arb(2), arb(0)

    monkeypatch.setattr(renyi_bounds, "_growth", growth)
    assert not renyi_bounds._holds([(arb(1), arb(1))] * 3, arb(0), arb(1), Fraction(9))
    assert next(looks) == 10_666


@pytest.mark.parametrize("above", [-1, 1])
def test_a_rho_that_is_a_hair_above_a_multiple_is_rounded_up_to_the_next(above: int) -> None:
    """It takes more digits to tell than are asked for at first."""
    multiple = (1 << 127) + 12345
    with mp.workdps(200):
        root = mp.findroot(lambda x: x * mp.tanh(x / 2) - mp.mpf(multiple) / (1 << 128), 1)
        epsilon = Fraction(int(mp.floor(root * (1 << 500))) + above * (1 << 100), 1 << 500)
    assert pure_rho(epsilon) == Fraction(multiple + (above > 0), 1 << 128)
