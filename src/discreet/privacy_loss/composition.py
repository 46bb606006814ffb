"""Zero-concentrated privacy: what many releases cost together, by exact sums.

A mechanism is ρ-zCDP if the Rényi divergence of order a between its laws on neighbours is at most ρa, for every a > 1.
ρ adds up, whoever chooses the next mechanism and however. Two facts lead there and back:

- If the loss ln P(r|c)/P(r|c') differs by at most η between any two outputs r, then ρ = η²/8. The loss of an ε-DP
  mechanism lies between -ε and ε, so η = 2ε and ρ ≤ ε²/2; the exponential mechanism has η = ε, a quarter of the price.
  What is known of the losses themselves gives less (`discreet.privacy_loss.renyi_bounds`).
- ρ-zCDP is (ε, δ)-DP with ε = ρa + [ln 1/δ - ln a]/(a-1) + ln(1-1/a), for every order a > 1.

docs/composition.md proves both. Every order is valid, so the best one is sought with floats, and what is said of it is
computed with enclosures. Tests: `tests/privacy_loss/test_composition.py`, against 50 digits and against exact laws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction

from flint import arb

from discreet.arithmetic.numbers import ball, exact, fraction_lower, fraction_upper, precision
from discreet.errors import InvalidInput
from discreet.typing import Epsilon

STEP_BITS = 128
"""A ρ that needs a longer denominator is rounded up to a multiple of 2^-128, so that sums never grow long."""

KEPT_BITS = 64
"""Of the ρ that a budget allows, this many bits are kept, rounded down."""

WORKING_BITS = 384


def rounded_up(rho: Fraction) -> Fraction:
    """The same ρ, or if its denominator is long, the next multiple of 2^-128.

    >>> rounded_up(Fraction(1, 200)), rounded_up(Fraction(1, 3**100)) == Fraction(1, 2**128)
    (Fraction(1, 200), True)
    """
    return rho if rho.denominator.bit_length() <= STEP_BITS else multiple_upper(rho, STEP_BITS)


def multiple_upper(number: Fraction, bits: int) -> Fraction:
    """The number, rounded up to a multiple of 2^-bits.

    >>> multiple_upper(Fraction(1, 3), 4)
    Fraction(3, 8)
    """
    return Fraction(math.ceil(number * (1 << bits)), 1 << bits)


def rho_of_range(width: Fraction) -> Fraction:
    """ρ = η²/8, rounded up if its denominator is long.

    >>> rho_of_range(2 * Fraction(1, 10)), rho_of_range(Fraction(1, 10))
    (Fraction(1, 200), Fraction(1, 800))
    """
    return rounded_up(width * width / 8)


def epsilon_upper(rho: object, delta: Epsilon) -> Fraction:
    """An ε that is certainly not below the one of the best order: ρ-zCDP is (ε, δ)-DP.

    >>> hundred = 100 * rho_of_range(2 * Fraction(1, 10))  # a hundred releases at ε = 0.1
    >>> round(float(epsilon_upper(hundred, "1e-6")), 6)  # and not 10
    5.221534
    """
    total_rho, slack = exact(rho, "rho", minimum=0), _slack(delta)
    if total_rho == 0:
        return Fraction(0)
    order = _root(lambda t: -math.log(slack) - math.log1p(t) - float(total_rho) * t * t, slack)
    with precision(WORKING_BITS):
        epsilon = ball(total_rho) * ball(1 + order) + _rest(order, slack)
        return max(Fraction(0), fraction_upper(epsilon))


def rho_lower(epsilon: Epsilon, delta: Epsilon) -> Fraction:
    """A ρ that is certainly (ε, δ)-DP, and the largest such but for its last bits.

    It is one unit in the last place below what was found, so that whoever checks it with `epsilon_upper` agrees,
    whichever order their floats lead to.

    >>> allowed = rho_lower(1, "1e-6")
    >>> round(float(allowed), 6), bool(epsilon_upper(allowed, "1e-6") <= 1)
    (0.024356, True)
    """
    target, slack = exact(epsilon, "epsilon", above=0), _slack(delta)

    def excess(t: float) -> float:
        """How far the ε whose best order is 1 + t lies above what is asked: it falls with t."""
        return (-math.log(slack) - math.log1p(t)) * (2 / t + 1 / t / t) - math.log1p(1 / t) - float(target)

    order = _root(excess, slack)
    with precision(WORKING_BITS):
        rho = fraction_lower((ball(target) - _rest(order, slack)) / ball(1 + order))
    if rho <= 0:  # no float came near the best order; nothing is what can be certified
        return Fraction(0)
    shift = KEPT_BITS - (rho.numerator.bit_length() - rho.denominator.bit_length())
    unit = Fraction(1 << max(-shift, 0), 1 << max(shift, 0))
    return (rho // unit - 1) * unit


def six_digits(number: Fraction, rounding: str) -> str:
    """Six digits for people, rounded in the direction that promises no more than is true.

    >>> from decimal import ROUND_CEILING, ROUND_FLOOR
    >>> six_digits(Fraction(2, 3), ROUND_CEILING), six_digits(Fraction(2, 3), ROUND_FLOOR)
    ('0.666667', '0.666666')
    """
    rounded = Context(prec=6, rounding=rounding).divide(Decimal(number.numerator), Decimal(number.denominator))
    return f"{rounded.normalize():f}"


def _slack(delta: Epsilon) -> Fraction:
    slack = exact(delta, "delta", above=0)
    if slack >= 1:
        raise InvalidInput("delta must be less than 1", hint="give a small number, like 1e-8", parameter="delta")
    return slack


def _rest(order: Fraction, slack: Fraction) -> arb:
    """[ln 1/δ - ln a]/(a-1) + ln(1-1/a), for a = 1 + `order`."""
    t, a = ball(order), ball(1 + order)
    return (-ball(slack).log() - a.log()) / t + t.log() - a.log()


def _root(falling: Callable[[float], float], slack: Fraction) -> Fraction:
    """Where a falling function of t = a - 1 is zero, between the least t that can matter and a = 1/δ."""
    low, high = -360.0, -math.log(slack) + 1
    for _ in range(200):
        middle = (low + high) / 2
        if falling(math.exp(middle)) > 0:
            low = middle
        else:
            high = middle
    return Fraction(math.exp(low))
