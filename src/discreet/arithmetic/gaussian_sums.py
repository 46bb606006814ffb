"""Sums of e^(-t²/2v) over whole numbers, and over whole vectors that sum to zero, as enclosures.

With θ(x) = Σ_t e^(-t²/2v)·cos(2πtx), the sum over whole t₁ … t_k of total u is R(u) = ∫₀¹ θ(x)^k·cos(2πux) dx. N equal
nodes give Σ_l R(lN) instead of R(0), exactly. Vectors of total u are a shift of those of total 0, u²/k farther out, and
a lattice's Gaussian sum is greatest unshifted: R(u) ≤ e^(-u²/2kv)·R(0). So N nodes are off by a known share, which
falls faster than any power. θ is positive and falls from 0 to ½ (Jacobi's product), so the nodes that are left out are
bounded by the first of them: some fifty are summed, whatever v and k are.

`tests/arithmetic/test_gaussian_sums.py` compares with plain sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

from flint import arb

from discreet.arithmetic.numbers import ball, working_bits

_TURN = Fraction(1, 6)
"""From this variance on, the terms of Poisson's sum fall faster than the plain ones."""

_SMOOTH = 1024
"""From this variance on, in steps of the sum, a tail is an integral and Euler and Maclaurin's corrections."""

_CORRECTIONS = 16


def wave_sum(variance: Fraction, wave: Fraction = Fraction(0)) -> arb:
    """θ: the sum of e^(-t²/2·variance)·cos(2π·t·wave) over all whole t.

    >>> from discreet.arithmetic.numbers import precision
    >>> with precision(64):
    ...     [wave_sum(Fraction(2), wave).str(12, radius=False) for wave in (Fraction(0), Fraction(1, 3))]
    ['3.54490770181', '0.0441140570080']
    """
    v, x = ball(variance), wave - math.floor(wave)
    if variance >= _TURN:
        rate = 2 * arb.pi() ** 2 * v
        return (2 * arb.pi() * v).sqrt() * (_outward(rate, x) + _outward(rate, 1 - x))
    rate, total = 1 / (2 * v), ball(1)
    for t, weight, rest in _falling_weights(rate, Fraction(1)):
        total += 2 * weight * (2 * arb.pi() * ball(t * x)).cos()
        if _is_lost(rest):
            return total + 2 * arb(0, rest.abs_upper())
    raise AssertionError("terms fall")


def zero_sum_total(variance: Fraction, k: int) -> arb:
    """The sum of e^(-‖t‖²/2·variance) over whole t₁ … t_k that sum to zero.

    >>> from discreet.arithmetic.numbers import precision
    >>> with precision(64):
    ...     print(zero_sum_total(Fraction(1), 3).str(12, radius=False))
    3.62764067385
    """
    nodes = _number_of_nodes(variance, k)
    [total] = _mean_over_nodes(nodes, lambda _: [ball(1)], variance, k)
    return total / (1 + _aliases(nodes, variance, k))


def parity_sums(variance: Fraction, k: int) -> tuple[arb, arb]:
    """The sum over t with t₁ - t₂ = d is e^(-d²/4·variance) times the first of these if d is even, else the second.

    t₁ and t₂ have d and s = t₁ + t₂ of the same parity, and t₁² + t₂² = (s² + d²)/2; the others sum to -s.
    """
    if k == 2:
        return ball(1), ball(0)
    nodes = _number_of_nodes(variance, k)

    def parts(x: Fraction) -> list[arb]:
        even = wave_sum(variance / 2, 2 * x)
        return [even, wave_sum(2 * variance, x) - even]

    even, odd = _mean_over_nodes(nodes, parts, variance, k - 2)
    wrong = (even + odd) * _aliases(nodes, variance, k)  # what sums to lN is a shift of both parities together
    return even - wrong, odd - wrong


def tail_sum(variance: Fraction, start: int, step: int = 1) -> arb:
    """The sum of e^(-t²/2·variance) over t = start, start + step, …

    A narrow one is added up. For a wide one Euler and Maclaurin's formula is off by at most
    2ζ(2p)/(2π)^2p·∫|f^(2p)|, and ∫|f^(2p)| ≤ sqrt(2πw·(2p)!)·w^-p for a Gaussian f of variance w.

    >>> from discreet.arithmetic.numbers import precision
    >>> with precision(64):
    ...     print(tail_sum(Fraction(2), 1).str(12, radius=False), tail_sum(Fraction(5000), -3, 2).str(12, radius=False))
    1.27245385091 46.3103466825
    """
    wide = variance / step**2
    if wide >= _SMOOTH:
        return _smooth_tail(wide, Fraction(start, step))
    rate, total = ball(1 / (2 * wide)), ball(0)
    at = Fraction(start, step)
    while at < 0:
        total += (-rate * ball(at * at)).exp()
        at += 1
    return total + _outward(rate, at)


def _smooth_tail(variance: Fraction, start: Fraction) -> arb:
    v, a = ball(variance), ball(start)
    y, start_weight = a / v.sqrt(), (-a * a / (2 * v)).exp()
    total = (arb.pi() * v / 2).sqrt() * (a / (2 * v).sqrt()).erfc() + start_weight / 2
    hermite, last = y, ball(1)  # He_1 and He_0; f^(n) = (-1)^n·v^(-n/2)·He_n(y)·f
    for i in range(1, _CORRECTIONS + 1):
        order = 2 * i - 1
        total += arb.bernoulli(2 * i) / math.factorial(2 * i) * hermite * start_weight / v.sqrt() ** order
        for n in (order, order + 1):
            hermite, last = y * hermite - n * last, hermite
    p = _CORRECTIONS
    wrong = ball(Fraction(11, 5)) / (2 * arb.pi()) ** (2 * p) / v**p
    wrong *= (2 * arb.pi() * v * math.factorial(2 * p)).sqrt()
    return total + arb(0, wrong.abs_upper())


def _outward(rate: arb, start: Fraction) -> arb:
    """The sum of e^(-rate·t²) over t = start, start + 1, …, for a start that is not negative."""
    total = ball(0)
    for _, weight, rest in _falling_weights(rate, start):
        total += weight
        if _is_lost(rest):
            return total + arb(0, rest.abs_upper())
    raise AssertionError("terms fall")


def _falling_weights(rate: arb, start: Fraction) -> Iterator[tuple[Fraction, arb, arb]]:
    """t, e^(-rate·t²), and a bound on the sum of all later ones: their ratios fall."""
    t, weight = start, (-rate * ball(start * start)).exp()
    ratio, change = (-rate * ball(2 * start + 1)).exp(), (-2 * rate).exp()
    while True:
        later = weight * ratio
        yield t, weight, later / (1 - ratio)
        t, weight, ratio = t + 1, later, ratio * change


def _is_lost(rest: arb) -> bool:
    return bool(rest.abs_upper() < arb(2) ** -(working_bits() + 16))


def _number_of_nodes(variance: Fraction, k: int) -> int:
    """So many that the share of the aliases is below the working precision."""
    return 2 + math.isqrt(math.ceil(2 * k * variance * Fraction(7, 10) * (working_bits() + 16)))


def _aliases(nodes: int, variance: Fraction, k: int) -> arb:
    """What N nodes find too much, as a share: between 0 and 2·Σ_l e^(-l²N²/2kv)."""
    first = (-ball(Fraction(nodes**2) / (2 * k * variance))).exp()
    return (4 * first).union(arb(0))


def _mean_over_nodes(nodes: int, parts: Callable[[Fraction], list[arb]], variance: Fraction, power: int) -> list[arb]:
    """The means of part(x)·θ(x)^power over N nodes of a period, where parts are even, and greatest at 0."""
    most, first = parts(Fraction(0)), wave_sum(variance) ** power
    totals = [part * first for part in most]
    for j in range(1, nodes // 2 + 1):
        x = Fraction(j, nodes)
        falling = wave_sum(variance, x) ** power
        weight = (1 if 2 * j == nodes else 2) * falling
        totals = [total + weight * part for total, part in zip(totals, parts(x), strict=True)]
        rest = [(nodes - 2 * j) * falling * part for part in most]
        if all(_is_lost(left / totals[0]) for left in rest):
            totals = [total + arb(0, left.abs_upper()) for total, left in zip(totals, rest, strict=True)]
            break
    return [total / nodes for total in totals]
