"""δ is rounded up: never below sixty digits of the definition, and next to nothing above."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import count, product

import numpy as np
import pytest
from flint import arb, ctx

from discreet import ExponentialLocal, Geometric, LaplaceImproved, Mechanism, PosteriorSpace, audit
from discreet.arithmetic.numbers import ball
from discreet.mechanisms.law import CandidateLaw
from discreet.privacy_loss import audits, deltas
from discreet.privacy_loss.deltas import Pair, delta_upper, excess
from tests.oracles import loss, mechanisms
from tests.oracles.precision import Real, mp, real
from tests.privacy_loss.families import KINDS, Kind, build, oracle_kernel
from tests.support.enumeration import random_spaces, seeded

SHARES = [Fraction(0), Fraction(1, 4), Fraction(4, 5), Fraction(99_999, 100_000), 1 - Fraction(1, 10**9)]

Case = tuple[Mechanism, mechanisms.Kernel]


def above_the_truth(mechanism: Mechanism, kernel: mechanisms.Kernel, shares: list[Fraction] = SHARES) -> list[Real]:
    """δ over the truth, minus 1, from ε = 0 to where hardly any is left."""
    result, greatest, shares_above = audit(mechanism), loss.exact_loss(kernel).epsilon, []
    for share in shares:
        at = share * Fraction(mp.nstr(greatest, 30))
        truth = loss.exact_delta(kernel, at)
        shares_above.append(mp.mpf(result.delta(at)) / truth - 1)
    return shares_above


def small_spaces(kind: Kind, count: int) -> Iterator[Case]:
    rng = seeded(f"deltas of {kind.__name__}")
    for alpha, n in random_spaces(f"deltas of {kind.__name__}", count, sizes={2: 14, 3: 4, 4: 3}):
        scale, gamma = Fraction(rng.randint(1, 40), 10), Fraction(rng.randint(1, 30), 10)
        yield build(kind, PosteriorSpace(alpha, n), gamma, scale=scale), oracle_kernel(kind, alpha, n, scale, gamma)


def laplace(k: int, n: int, rounding: mechanisms.Rounding) -> Case:
    epsilon = Fraction(4, 5)
    kernel = mechanisms.kernel(k, n, lambda c: mechanisms.laplace(c, mechanisms.improved_scale(k, epsilon), rounding))
    return LaplaceImproved(PosteriorSpace([1] * k, n), epsilon=epsilon, rounding=rounding), kernel


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_never_below_the_truth_and_at_most_1e_12_of_it_above(kind: Kind) -> None:
    with mp.workdps(60):
        for mechanism, kernel in small_spaces(kind, 12):
            off = above_the_truth(mechanism, kernel)
            assert min(off) >= 0, (mechanism, off)
            assert max(off) < 1e-12, (mechanism, off)


@pytest.mark.parametrize("rounding", ["nearest", "floor"])
@pytest.mark.parametrize(("k", "n"), [(2, 12), (3, 4)])
def test_it_is_rounded_up_where_many_pairs_are_alike(k: int, n: int, rounding: mechanisms.Rounding) -> None:
    with mp.workdps(60):
        off = above_the_truth(*laplace(k, n, rounding))
        assert min(off) >= 0
        assert max(off) < 1e-12


def test_a_law_of_its_own_is_summed_from_what_it_returns() -> None:
    class Same(ExponentialLocal):
        pass

    with mp.workdps(60):
        alpha = [Fraction(1), Fraction(1, 3)]
        kernel = oracle_kernel(ExponentialLocal, alpha, 9, Fraction(1), Fraction(1))
        off = above_the_truth(Same(PosteriorSpace(alpha, 9), scale=1), kernel)
        assert 0 <= min(off) <= max(off) < 1e-12


def test_where_more_pairs_are_alike_than_are_enclosed_it_is_still_above(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deltas, "MAX_BALLS", 0)
    with mp.workdps(60):
        off = above_the_truth(*laplace(2, 12, "nearest"), SHARES[:3])
        assert 1e-12 < min(off) <= max(off) < 1e-8


@pytest.mark.parametrize("k", [2, 3, 4, 5])
@pytest.mark.parametrize("epsilon", ["1/10", "1", "7"])
def test_the_closed_form_of_geometric_is_the_sum_of_its_series(k: int, epsilon: str) -> None:
    """P(v_i ≥ 0 ≥ v_j) = Σ_T C(T+k-2, k-2)² x^T over (1-x)²·Σ_T C(T+k-1, k-1)² x^T, with x = e^-ε."""
    with mp.workdps(60):
        x = mp.exp(-real(epsilon))

        def series(m: int) -> Real:
            return mp.nsum(lambda t: mp.binomial(t + m - 1, m - 1) ** 2 * x**t, [0, mp.inf], method="d", tol=1e-50)

        chance = series(k - 1) / ((1 - x) ** 2 * series(k))
        for share, n in product(SHARES, (5, 10**12)):
            result = audit(Geometric(PosteriorSpace([1] * k, n), epsilon=epsilon))
            truth = -mp.expm1(-(1 - real(share)) * real(epsilon)) * chance
            off = mp.mpf(result.delta(share * Fraction(epsilon))) / truth - 1
            assert 0 <= off < 1e-12


@pytest.mark.parametrize(("k", "chance"), [(2, 1 / 2), (3, 1 / 3), (4, 3 / 10)])
def test_the_delta_of_geometric_falls_with_epsilon_as_it_should(k: int, chance: float) -> None:
    """As ε falls to 0, v_i ≥ 0 ≥ v_j has the chance C(2k-4, k-2)/C(2k-2, k-1)."""
    tiny = audit(Geometric(PosteriorSpace([1] * k, 10), epsilon="1e-9"))
    assert tiny.delta(0) == pytest.approx(chance * 1e-9, rel=1e-6)


def below_somewhere() -> bool:
    """Whether any δ of some small spaces is below the truth: what the tests above say never happens."""
    with mp.workdps(60):
        return any(min(above_the_truth(*case)) < 0 for kind in KINDS for case in small_spaces(kind, 2))


def test_a_delta_that_is_rounded_to_the_nearest_float_would_be_found_below(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not below_somewhere()
    monkeypatch.setattr(deltas, "float_upper", float)
    assert below_somewhere()


def test_a_delta_that_is_only_summed_in_floats_would_be_found_below(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audits, "delta_upper", lambda pairs, *_: max(pair.delta for pair in pairs))
    assert below_somewhere()


class Told(CandidateLaw):
    """A law by the enclosures of its log-probabilities."""

    def __init__(self, *logs: arb) -> None:
        super().__init__(PosteriorSpace([1, 1], max(len(logs) - 1, 1)))
        self.logs = logs

    def enclosures(self) -> Iterator[arb]:
        return iter(self.logs)

    def log_weight(self, outcome: tuple[int, ...]) -> arb:
        raise NotImplementedError

    def log_total(self) -> arb:
        return arb(0)


class Shares(Told):
    """A law by its probabilities, enclosed at whatever precision is asked for."""

    def __init__(self, *shares: Fraction) -> None:
        super().__init__(*([arb(0)] * len(shares)))
        self.shares = shares

    def enclosures(self) -> Iterator[arb]:
        return (ball(share).log() if share else arb("-inf") for share in self.shares)


QUARTER, TINY = Fraction(1, 4), Fraction(1, 1 << 120)


@pytest.mark.every
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            [Fraction(1, 4), 0, Fraction(1, 6), Fraction(1, 4), Fraction(1, 4), Fraction(1, 12)],
            [Fraction(1, 6), Fraction(1, 4), 0, Fraction(1, 4), Fraction(1, 3), 0],
        ),
        ([Fraction(1, 2) + TINY, Fraction(1, 2) - TINY], [Fraction(1, 2)] * 2),  # needs more than the first precision
    ],
)
def test_what_one_law_never_returns_and_what_both_do_alike_are_summed_as_the_definition_has_it(
    one: list[Fraction], other: list[Fraction]
) -> None:
    laws = Shares(*one), Shares(*other)
    truth = sum((max(p - q, Fraction(0)) for p, q in zip(one, other, strict=True)), Fraction(0))
    delta = Fraction(delta_upper([Pair(1.0, 0.0, 0, 1)], laws.__getitem__, Fraction(0)))
    assert truth <= delta <= truth * (1 + Fraction(1, 10**12))


def test_where_it_is_too_close_to_tell_which_law_has_more_the_most_is_counted() -> None:
    laws = Told(arb(0)), Told(arb("-0.1", "0.2"))  # a loss between -0.1 and 0.3
    delta = delta_upper([Pair(1.0, 0.0, 0, 1)], laws.__getitem__, Fraction(0))
    assert delta == pytest.approx(-float(mp.expm1(-0.3)), rel=1e-6)


@pytest.mark.every
@pytest.mark.parametrize(
    ("floats", "most_balls", "delta", "enclosed"),
    [
        ([(0.3, 0.0), (0.29, 0.0), (0.2, 0.5)], 0, 0.29, 2),  # the first two by what they may be, whatever they cost
        ([(0.9, 0.5)] * 5, 0, 1.0, 2),
        ([(0.5, 0.0)] * 5, 11, 0.5, 3),  # of four weights each
        ([(0.5, 0.0)] * 5, 100, 0.25, 5),
        ([(0.5, 0.0), (0.2, 0.0)], 100, 0.25, 1),
        ([(0.5, 0.0)] * 5, 8, 0.5, 3),
    ],
)
def test_pairs_are_enclosed_in_the_order_of_what_they_may_be_until_there_are_enough(
    floats: list[tuple[float, float]], most_balls: int, delta: float, enclosed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has a δ of 1/4. Of what is not enclosed, the floats count."""
    monkeypatch.setattr(deltas, "MAX_BALLS", most_balls)
    law, same = Shares(Fraction(3, 4), Fraction(1, 4)), Shares(Fraction(1, 2), Fraction(1, 2))
    asked = count()

    def laws(rank: int) -> CandidateLaw:
        next(asked)
        return (law, same)[rank]

    pairs = [Pair(value, error, 0, 1) for value, error in floats]
    assert delta_upper(pairs, laws, Fraction(0)) == pytest.approx(delta, rel=1e-12)
    assert next(asked) == 2 * enclosed


def test_no_more_than_65536_weights_are_enclosed_unless_two_pairs_have_more() -> None:
    law, same = Shares(Fraction(3, 4), Fraction(1, 4)), Shares(Fraction(1, 2), Fraction(1, 2))
    for n, enclosed in ((1 << 14, 2), ((1 << 14) - 2, 3)):
        law.space = PosteriorSpace([1, 1], n)
        asked: list[int] = []

        def laws(rank: int, asked: list[int] = asked) -> CandidateLaw:
            asked.append(rank)
            return (law, same)[rank]

        delta_upper([Pair(0.5, 0.0, 0, 1)] * 5, laws, Fraction(0))
        assert asked == [0, 1] * enclosed


class Watched(Told):
    """A law that keeps the precisions at which it was enclosed."""

    def __init__(self, *logs: arb) -> None:
        super().__init__(*logs)
        self.bits: list[int] = []

    def enclosures(self) -> Iterator[arb]:
        self.bits.append(ctx.prec)
        return super().enclosures()


ALL_BITS = [128, 256, 512, 1024, 2048]


@pytest.mark.every
@pytest.mark.parametrize(
    ("log", "other", "bits"),
    [
        (arb(0), arb(0), ALL_BITS[:1]),  # nothing, exactly
        (arb(0, 1e-3), arb(0), ALL_BITS),  # no precision tells which is more likely
        (arb(-1, 0.75 * 2.0**-45), arb("-inf"), ALL_BITS[:1]),  # the width of its δ is twice this, of itself
        (arb(-1, 0.75 * 2.0**-44), arb("-inf"), ALL_BITS),
    ],
)
def test_a_delta_is_enclosed_until_it_is_known_to_44_bits_or_2048_do_not_help(
    log: arb, other: arb, bits: list[int]
) -> None:
    laws = Watched(log), Told(other)
    delta_upper([Pair(1.0, 0.0, 0, 1)], laws.__getitem__, Fraction(0))
    assert laws[0].bits == bits


def test_a_pair_that_cannot_exceed_what_another_reaches_is_not_enclosed() -> None:
    laws = Watched(arb(0)), Told(arb("-inf"))
    assert delta_upper([Pair(1.0, 0.0, 0, 1)] * 3, laws.__getitem__, Fraction(0)) == 1
    assert laws[0].bits == [128]


def test_laws_of_different_lengths_are_not_compared() -> None:
    laws = Told(arb(0)), Told(arb(0), arb(0))
    with pytest.raises(ValueError, match="longer"):
        delta_upper([Pair(1.0, 0.0, 0, 1)], laws.__getitem__, Fraction(0))


def test_the_error_of_a_sum_in_floats_is_five_errors_of_what_may_be_above_epsilon() -> None:
    """A term is P·(1 - e^(ε-loss)), and a loss of three errors below ε is certainly below it."""
    error = 2.0**-30
    for gap, counted in ((-1.0, 1), (0.0, 1), (2.9 * error, 1), (3 * error, 0), (3.5 * error, 0)):
        total, off = excess(np.array([0.0]), np.array([gap]), 0.0, error)
        assert off == counted * 5 * error
        assert total == pytest.approx(max(-math.expm1(gap), 0.0))
