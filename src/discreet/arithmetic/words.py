"""Effects in the reader's units, and what an ε means: sentences over public values that every face shares."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

EXPONENT_CAP = 700
"""exp of more than this is no float; a factor of 10^304 has said enough."""

LARGE = 5
"""Above this ε a warning is said."""


def decimal_upper(value: float, digits: int) -> Decimal:
    """So many digits, never below the number.

    >>> decimal_upper(1.00000000001, 10), decimal_upper(1.2345678e-10, 6)
    (Decimal('1.000000001'), Decimal('1.23457E-10'))
    """
    return Context(prec=digits, rounding=ROUND_CEILING).create_decimal_from_float(value)


def exact_text(value: Fraction) -> str:
    """An exact number as people type it: a decimal if it has one of at most twelve places, and otherwise the fraction.

    >>> exact_text(Fraction(1, 2)), exact_text(Fraction(1, 3)), exact_text(Fraction(20)), exact_text(Fraction(1, 10**6))
    ('0.5', '1/3', '20', '0.000001')
    """
    digits = next((places for places in range(13) if (value * 10**places).denominator == 1), None)
    return str(value) if digits is None else f"{Decimal((value * 10**digits).numerator).scaleb(-digits):f}"


def epsilon_text(value: Fraction) -> str:
    """The same, with the fraction beside a decimal that is not whole: of an ε both are exact.

    >>> epsilon_text(Fraction(1, 2)), epsilon_text(Fraction(2)), epsilon_text(Fraction(1, 3))
    ('0.5 (exactly 1/2)', '2', '1/3')
    """
    text = exact_text(value)
    return text if text == str(value) else f"{text} (exactly {value})"


def factor_upper(epsilon: float) -> str:
    """e^ε in three digits, never below it; up to a million it is written out.

    >>> factor_upper(0.5), factor_upper(9), factor_upper(500)
    ('1.65', '8,110', '1.41E+217')
    """
    factor = decimal_upper(math.nextafter(math.exp(epsilon), math.inf), 3)
    return f"{factor:,f}" if factor < 10**6 else str(factor)


def epsilon_meaning(epsilon: Fraction, changing: str = "replacing one record", delta: float = 0.0) -> str:
    """What ε and δ promise: the factor e^ε, and the largest chance (e^ε+δ)/(1+e^ε) of telling two data sets apart.

    >>> print(epsilon_meaning(Fraction(1, 2), "replacing one row"))
    ε = 0.5: replacing one row changes the probability of any output by a factor of at most 1.65. Whoever has to tell \
which of two such data sets it was, and knows all else, is right with a chance of at most 62.3 %.
    >>> print(epsilon_meaning(Fraction(1, 2), delta=1e-6)[:110])
    ε = 0.5, δ = 1e-06: replacing one record changes the probability of any set of outputs by a factor of at most
    """
    size = min(float(epsilon), EXPONENT_CAP)
    bound = (
        f"a factor of at most {factor_upper(size)}" if epsilon <= EXPONENT_CAP else "any factor: this ε protects nobody"
    )
    what, more, also = (
        ("any set of outputs", f", and {delta:g} more", f", δ = {delta:g}") if delta else ("any output", "", "")
    )
    return (
        f"ε = {exact_text(epsilon)}{also}: {changing} changes the probability of {what} by {bound}{more}. "
        "Whoever has to tell which of two such data sets it was, and knows all else, is right with a chance of at "
        f"most {percent_upper((1 - delta) / (1 + math.exp(size)))} %."
    )


def percent_upper(missing: float) -> str:
    """1 less this as a percentage, rounded up, with one digit of what is missing.

    >>> percent_upper(0.3775406), percent_upper(0.00033535), percent_upper(1e-30)
    ('62.3', '99.97', '100')
    """
    left = Decimal(missing) * 100
    places = max(1, -left.adjusted())
    return f"{100 - left.quantize(Decimal(1).scaleb(-places), rounding='ROUND_FLOOR'):f}" if places < 9 else "100"


def epsilon_warning(epsilon: Fraction) -> list[str]:
    """A plain warning where ε is large, and otherwise nothing.

    >>> epsilon_warning(Fraction(5)), len(epsilon_warning(Fraction(51, 10)))
    ([], 1)
    """
    if epsilon <= LARGE:
        return []
    return [f"Warning: ε = {exact_text(epsilon)} is above {LARGE}. It promises little to the people in the data."]


def points(width: float) -> str:
    """A width in percentage points, with as many digits as people read.

    >>> points(0.0618), points(0.5), points(0.000123), points(0.00999)
    ('6.2', '50', '0.012', '1.0')
    """
    digits = Context(prec=2).create_decimal_from_float(100 * width)
    return f"{100 * width:.0f}" if digits >= 10 else f"{digits:f}"


def width_words(width: float, without: float, *, level: float = 0.95, whose: str = "") -> str:
    """How wide intervals will be, with and without privacy.

    >>> width_words(0.0618, 0.0497)
    '95 % intervals will be about 6.2 points wide, 5.0 without privacy'
    """
    return (
        f"{100 * level:g} % intervals{whose} will be about {points(width)} points wide, "
        f"{points(without)} without privacy"
    )


def utc_now() -> str:
    """The time as a ledger and a receipt write it."""
    return datetime.now(UTC).isoformat(timespec="seconds")
