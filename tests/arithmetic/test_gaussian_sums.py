"""Gaussian sums are enclosures of plain sums, whatever the variance, the number of terms and the precision."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from flint import arb

from discreet.arithmetic import gaussian_sums
from discreet.arithmetic.gaussian_sums import parity_sums, tail_sum, wave_sum, zero_sum_total
from discreet.arithmetic.numbers import ball, precision

VARIANCES = ["1/400", "1/30", "1/6", "1", "7/3", "40"]


def plain(variance: Fraction, t: int) -> arb:
    return (-ball(Fraction(t * t) / (2 * variance))).exp()


def reach(variance: Fraction) -> int:
    return 3 + math.isqrt(int(2 * variance * 150))


def agree(one: arb, other: arb, scale: float = 1e-30) -> bool:
    """What is left out of a plain sum is below the scale."""
    return bool(abs(one - other) < scale) and float(one.rad()) < scale


@pytest.mark.parametrize("variance", VARIANCES)
def test_a_wave_sum_is_the_plain_sum_of_cosines(variance: str) -> None:
    v = Fraction(variance)
    with precision(128):
        for wave in (Fraction(0), Fraction(1, 7), Fraction(1, 2), Fraction(-9, 4)):
            whole = range(-reach(v), reach(v) + 1)
            terms = [plain(v, t) * (2 * arb.pi() * ball(t * wave)).cos() for t in whole]
            assert agree(wave_sum(v, wave), sum(terms, arb(0)))


@pytest.mark.parametrize("variance", VARIANCES[:-1])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_sums_over_vectors_of_total_zero_are_the_plain_ones(variance: str, k: int) -> None:
    v = Fraction(variance)
    far = 3 + math.isqrt(int(2 * v * 60))
    with precision(128):
        weights = {t: plain(v, t) for t in range(-k * far, k * far + 1)}
        total, parts = arb(0), [arb(0), arb(0)]
        for free in product(range(-far, far + 1), repeat=k - 1):
            t = (*free, -sum(free))
            weight = math.prod((weights[x] for x in t[1:]), start=weights[t[0]])
            total += weight
            if t[0] - t[1] in (0, 1):
                parts[t[0] - t[1]] += weight
        assert agree(zero_sum_total(v, k), total, 1e-20)
        even, odd = parity_sums(v, k)
        assert agree(even, parts[0], 1e-20)
        assert agree(odd * (-ball(1 / (4 * v))).exp(), parts[1], 1e-20)


@pytest.mark.parametrize(
    ("variance", "start", "step"), [("1/30", -2, 1), ("40", -3, 2), ("3000", 77, 1), ("9000", 5, 2)]
)
def test_a_tail_is_the_plain_sum_from_its_start_on(variance: str, start: int, step: int) -> None:
    v = Fraction(variance)
    with precision(160):
        terms = (plain(v, t) for t in range(start, start + step * reach(v), step))
        assert agree(tail_sum(v, start, step), sum(terms, arb(0)))


def test_a_wide_sum_takes_no_longer_than_a_narrow_one() -> None:
    """Fifty nodes, and not σ·sqrt(k) of them: this would not end otherwise."""
    with precision(192):
        for k in (3, 1000):
            v = Fraction(10**14)
            ratio = zero_sum_total(v, k) * arb(k).sqrt() / (2 * arb.pi() * ball(v)).sqrt() ** (k - 1)
            assert bool(abs(ratio - 1) < 1e-45)  # the lattice's volume


@pytest.mark.parametrize("bits", [64, 300])
def test_nodes_are_as_few_as_the_precision_allows(bits: int) -> None:
    """With N nodes a share of e^(-N²/2kv), but for a small factor, is found too much."""
    v, k = Fraction(10**8), 5
    with precision(bits):
        nodes, lost = gaussian_sums._number_of_nodes(v, k), arb(2) ** -(bits + 16)
        shares = [(-ball(Fraction(few**2) / (2 * k * v))).exp() for few in (nodes, nodes * 97 // 100)]
        assert shares[0] < lost < shares[1]


def test_corrections_that_are_left_out_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    v, fewer = Fraction(3000), 2
    with precision(160):
        right = tail_sum(v, 77)
        monkeypatch.setattr(gaussian_sums, "_CORRECTIONS", fewer)
        assert tail_sum(v, 77).overlaps(right)  # the stated error says so
        assert float(tail_sum(v, 77).rad()) > 1e-15


@pytest.mark.parametrize("corrections", [2, 16])
def test_the_error_of_a_smooth_tail_is_the_one_of_the_theorem_and_hardly_more(
    monkeypatch: pytest.MonkeyPatch, corrections: int
) -> None:
    """2ζ(2p)/(2π)^2p·∫|f^(2p)|, with the bound on the integral, for p corrections."""
    monkeypatch.setattr(gaussian_sums, "_CORRECTIONS", corrections)
    v, order = Fraction(3000), 2 * corrections
    with precision(600):
        integral = (2 * arb.pi() * ball(v) * math.factorial(order)).sqrt() / ball(v) ** corrections
        error = 2 * ball(order).zeta() / (2 * arb.pi()) ** order * integral
        found = tail_sum(v, 77).rad()
        assert error < found < ball(Fraction(10, 9)) * error


def test_terms_that_are_left_out_are_within_the_stated_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with precision(160):
        for v in map(Fraction, VARIANCES):

            def sums(v: Fraction = v) -> list[arb]:
                return [wave_sum(v, Fraction(1, 7)), tail_sum(v, 1), zero_sum_total(v, 3), *parity_sums(v, 4)]

            right = sums()
            with monkeypatch.context() as patch:
                patch.setattr(gaussian_sums, "_is_lost", lambda rest: bool(rest.abs_upper() < 0.5))
                coarse = sums()
            assert all(one.contains(other) for one, other in zip(coarse, right, strict=True))
            assert any(float(one.rad()) > 1e-9 for one in coarse)


@pytest.mark.parametrize("variance", VARIANCES)
def test_what_few_nodes_find_too_much_is_within_the_stated_error(
    variance: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    v = Fraction(variance)
    for k in (3, 4):
        with precision(320):
            right = [zero_sum_total(v, k), *parity_sums(v, k)]
        for nodes in (1 + math.isqrt(math.ceil(2 * k * v)), 1 + math.isqrt(math.ceil(9 * k * v))):
            with precision(160), monkeypatch.context() as patch:
                patch.setattr(gaussian_sums, "_number_of_nodes", lambda v, k, nodes=nodes: nodes)
                coarse = [zero_sum_total(v, k), *parity_sums(v, k)]
            assert all(one.contains(other) for one, other in zip(coarse, right, strict=True))


@pytest.mark.parametrize("nodes", [9, 30, 100])
def test_the_share_that_nodes_find_too_much_is_bounded_within_a_factor_of_two(nodes: int) -> None:
    v, k = Fraction(4), 5
    with precision(160):
        terms = [(-ball(Fraction((times * nodes) ** 2) / (2 * k * v))).exp() for times in range(1, 30)]
        share, bound = gaussian_sums._aliases(nodes, v, k), 2 * sum(terms, arb(0))
        assert bool(share.lower() <= 0)
        assert bool(bound < share.upper())
        assert bool(share.upper() < (2 + ball(Fraction(1, 1000))) * bound)


def test_sums_are_as_sharp_as_the_working_precision_allows() -> None:
    for bits in (64, 128):
        with precision(bits):
            for v in map(Fraction, ("1/8", "4/25", "1/5", "1", "40")):
                for found in (wave_sum(v), tail_sum(v, 1), zero_sum_total(v, 3), parity_sums(v, 4)[0]):
                    assert found.rel_accuracy_bits() > bits - 12


def test_what_a_plain_sum_leaves_out_is_all_of_its_stated_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a wave all terms are positive, and the first that is left out outweighs the others."""
    monkeypatch.setattr(gaussian_sums, "_is_lost", lambda rest: True)
    v = Fraction(1, 8)
    with precision(160):
        left_out = 2 * sum((plain(v, t) for t in range(2, 30)), arb(0))
        stated = wave_sum(v).rad()
        assert bool(left_out < stated)
        assert bool(stated < ball(Fraction(101, 100)) * left_out)


def test_a_wave_sum_has_a_dozen_terms_at_most_whatever_its_variance(monkeypatch: pytest.MonkeyPatch) -> None:
    is_lost, asked = gaussian_sums._is_lost, 0

    def count(rest: arb) -> bool:
        nonlocal asked
        asked += 1
        return is_lost(rest)

    monkeypatch.setattr(gaussian_sums, "_is_lost", count)
    with precision(128):
        for variance in ("1/1000", "1/10", "1/6", "1/2", "0.95", "5", "1000"):
            asked = 0
            wave_sum(Fraction(variance), Fraction(1, 7))
            assert asked <= 12
