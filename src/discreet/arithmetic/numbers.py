"""Exact numbers at the door, enclosures inside, and one way to raise the precision until certain.

Text and whole numbers mean themselves; a float means the decimal that Python prints for it, so 0.1 is 1/10.
Everything that a privacy claim rests on is an integer, a `Fraction`, or a ball (`flint.arb`) that provably
contains the real number it stands for.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Iterable
from fractions import Fraction
from types import TracebackType
from typing import NamedTuple, TypeVar

from flint import arb, ctx, fmpq

from discreet.errors import InvalidInput, Undecided

T = TypeVar("T")

MAX_LENGTH = 64
"""Longer numbers are refused unread: no honest parameter needs more digits."""

MAX_EXPONENT = 300
"""Numbers are kept within 1e±300, so that no text can ask for a gigabyte of digits."""

_PLAIN = 1 << 64
_HUGE = 10**MAX_EXPONENT

START_BITS = 64
CAP_BITS = 1 << 16

_DECIMAL = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?"
_RATIO = re.compile(r"[+-]?[0-9]+/[0-9]+")
_NUMBER = re.compile(f"{_DECIMAL}|{_RATIO.pattern}")


def exact(
    value: object, name: str, *, above: int | None = None, minimum: int | None = None, between: Range | None = None
) -> Fraction:
    """Read a number without losing any of it; refuse what has no one meaning.

    `above` bounds it strictly, `minimum` and `between` weakly. Tested in `tests/arithmetic/test_numbers.py` on
    the corpus of numbers that an attacker would try.

    >>> exact(0.1, "epsilon"), exact("1/3", "epsilon"), exact("2.5e-3", "epsilon")
    (Fraction(1, 10), Fraction(1, 3), Fraction(1, 400))
    """
    number = Fraction(value) if type(value) is int else _read(value, name)
    top, bottom = number.numerator, number.denominator  # whole numbers compare many times faster than fractions
    plain = bottom == 1 and -_PLAIN < top < _PLAIN
    if not plain and not (bottom <= abs(top) * _HUGE and abs(top) <= bottom * _HUGE):
        raise InvalidInput(
            f"{name} is out of range", hint=f"stay between 1e-{MAX_EXPONENT} and 1e{MAX_EXPONENT}", parameter=name
        )
    if above is not None and not top > above * bottom:
        raise InvalidInput(f"{name} must be greater than {above}", hint="give a larger number", parameter=name)
    if minimum is not None and not top >= minimum * bottom:
        raise InvalidInput(f"{name} must be at least {minimum}", hint="give a larger number", parameter=name)
    if between is not None:
        between.require(number, name)
    return number


class Range:
    """The numbers from one to another, both included, as texts.

    >>> Range("1e-9", "1e12").require(Fraction(1, 3), "a third")
    """

    __slots__ = ("_high", "_hint", "_low")

    def __init__(self, low: str, high: str) -> None:
        self._low, self._high = Fraction(low).as_integer_ratio(), Fraction(high).as_integer_ratio()
        self._hint = f"stay between {low} and {high}"

    def require(self, number: Fraction, name: str) -> None:
        """Refuse a number that is outside."""
        top, bottom = number.numerator, number.denominator
        if not (self._low[0] * bottom <= top * self._low[1] and top * self._high[1] <= self._high[0] * bottom):
            raise InvalidInput(f"{name} is out of range", hint=self._hint, parameter=name)


def exact_share(value: object, name: str, *, hint: str = "give it as a share, such as 0.95") -> Fraction:
    """The same for a number between 0 and 1, neither of them included: a level or a probability."""
    share = exact(value, name, above=0)
    if share >= 1:
        raise InvalidInput(f"{name} must be below 1", hint=hint, parameter=name)
    return share


def exact_datum(value: object, name: str) -> Fraction:
    """The same for a number that is data: whoever clamps it refuses no size, because a refusal would tell.

    >>> exact_datum(5e-324, "value") > 0, exact_datum("1e999", "value") == 10**999
    (True, True)
    """
    return _read(value, name)


def whole(value: object, name: str, *, minimum: int = 0) -> int:
    """Read a whole number; 3.0 and "1e3" are whole, 2.5 and True are not.

    >>> whole("1e12", "n"), whole(150, "n")
    (1000000000000, 150)
    """
    if type(value) is int and minimum <= value < _PLAIN:  # the common case, and there may be a million of them
        return value
    number = exact(_read(value, name, "must be a whole number", "1000 or 1e6"), name, minimum=minimum)
    if number.denominator != 1:
        raise InvalidInput(f"{name} must be a whole number", hint="drop the fraction", parameter=name)
    return number.numerator


def as_items(values: object, name: str) -> list[object]:
    """The items of any array-like (list, tuple, NumPy array, pandas or Polars series), one dimension deep."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InvalidInput(
            f"{name} must be a list of numbers", hint="give one number for each category", parameter=name
        )
    return list(values)


def _read(value: object, name: str, refusal: str = "is not a number", like: str = "0.5, 1e-6 or 1/3") -> Fraction:
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, float) and math.isfinite(value):
        return Fraction(repr(float(value) + 0.0))  # a subclass may print itself otherwise
    # NumPy's scalars, and decimal.Decimal: the text that they print is what their owner sees.
    text = value if isinstance(value, str) else str(value) if _prints_as_number(value) else ""
    if len(text) > MAX_LENGTH:
        raise InvalidInput(f"{name} has more than {MAX_LENGTH} characters", hint="round it", parameter=name)
    if _RATIO.fullmatch(text) and int(text.partition("/")[2]) == 0:
        raise InvalidInput(f"{name} divides by zero", hint="give a denominator that is not 0", parameter=name)
    if not _NUMBER.fullmatch(text):
        raise InvalidInput(f"{name} {refusal}", hint=f"write it like {like}, in ASCII digits", parameter=name)
    return Fraction(text)


def _prints_as_number(value: object) -> bool:
    kind = type(value)
    return kind.__module__ == "decimal" or (kind.__module__ == "numpy" and kind.__name__ not in ("bool", "ndarray"))


# flint keeps one working precision for the whole process, so whoever changes it holds this lock.
_PRECISION = threading.RLock()


class precision:  # noqa: N801 - it is used like a function
    """Compute balls with this many bits, one thread at a time.

    >>> with precision(200):
    ...     root = arb(2).sqrt()
    >>> root.rel_accuracy_bits() > 190
    True
    """

    __slots__ = ("_before", "_bits")

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def __enter__(self) -> None:
        _PRECISION.acquire()
        self._before = ctx.prec
        ctx.prec = self._bits

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        ctx.prec = self._before
        _PRECISION.release()


def working_bits() -> int:
    """The precision that balls are computed with at this moment."""
    return ctx.prec


def decide(question: Callable[[], T | None], *, start: int = START_BITS, cap: int = CAP_BITS) -> T:
    """Ask again with twice the bits until the answer is not None.

    `question` computes with balls at the working precision and answers None while they are too wide to tell.
    At the cap it stops with `Undecided`, whose text depends on nothing but the cap.

    >>> decide(lambda: True if (arb(2).sqrt() ** 2 - 2).rad() < 1e-30 else None)
    True
    """
    bits = start
    while bits <= cap:
        with precision(bits):
            answer = question()
        if answer is not None:
            return answer
        bits *= 2
    raise Undecided(f"undecided at {cap} bits", hint="this is almost surely an exact tie: please report it")


def ball(number: Fraction | int) -> arb:
    """The enclosure of a rational number at the working precision."""
    return arb(number if isinstance(number, int) else rational(number))


def rational(number: Fraction) -> fmpq:
    """The same number as FLINT has it, which adds and compares several times faster."""
    return fmpq(number.numerator, number.denominator)


def dyadic(point: arb) -> Fraction:
    """The rational number that an exact ball (a midpoint, say) is."""
    return _dyadic_fraction(*mantissa_and_exponent(point))


def mantissa_and_exponent(point: arb) -> tuple[int, int]:
    """The same as whole numbers m and e, for m·2^e."""
    mantissa, exponent = point.man_exp()
    return int(mantissa), int(exponent)


def _ends(enclosure: arb) -> tuple[int, int, int]:
    """The lower and the upper end of a ball as whole numbers of 2**exponent: exact, at any working precision."""
    (middle, at), (radius, by) = mantissa_and_exponent(enclosure.mid()), mantissa_and_exponent(enclosure.rad())
    exponent = min(at, by)
    middle, radius = middle << (at - exponent), radius << (by - exponent)
    return middle - radius, middle + radius, exponent


def _dyadic_fraction(end: int, exponent: int) -> Fraction:
    return Fraction(end << exponent) if exponent >= 0 else Fraction(end, 1 << -exponent)


class Enclosure(NamedTuple):
    """A real number between two rational ones; exact where they are the same. As a float it is rounded up.

    >>> Enclosure(Fraction(1, 10), Fraction(1, 10)).is_exact, float(Enclosure(Fraction(0), Fraction(1, 4)))
    (True, 0.25)
    """

    lower: Fraction
    upper: Fraction

    @property
    def is_exact(self) -> bool:
        """Whether nothing is left open."""
        return self.lower == self.upper

    def __float__(self) -> float:
        return float_upper(self.upper)


def fraction_upper(enclosure: arb) -> Fraction:
    """A rational number that is certainly not below the enclosed one."""
    _, end, exponent = _ends(enclosure)
    return _dyadic_fraction(end, exponent)


def fraction_lower(enclosure: arb) -> Fraction:
    """A rational number that is certainly not above the enclosed one."""
    end, _, exponent = _ends(enclosure)
    return _dyadic_fraction(end, exponent)


def float_upper(number: Fraction | float) -> float:
    """The least float that is not below the number: how an ε is shown.

    >>> float_upper(Fraction(1, 10)) >= Fraction(1, 10)
    True
    """
    nearest = float(number)
    return nearest if nearest >= number else math.nextafter(nearest, math.inf)


def fixed_lower(enclosure: arb, bits: int) -> int:
    """⌊2^bits · x⌋ or less, never more, for the enclosed x: as sharp as the ball, at any working precision."""
    end, _, exponent = _ends(enclosure)
    return _shift(end, exponent + bits)


def fixed_upper(enclosure: arb, bits: int) -> int:
    """⌈2^bits · x⌉ or more, never less, for the enclosed x."""
    _, end, exponent = _ends(enclosure)
    return -_shift(-end, exponent + bits)


def _shift(number: int, shift: int) -> int:
    return number << shift if shift >= 0 else number >> -shift


def nearest_float(enclosure: Callable[[], arb], *, accuracy: int = 60) -> float:
    """The float next to a computable real: its ball is narrowed to `accuracy` bits, then rounded once.

    >>> nearest_float(lambda: arb.pi())
    3.141592653589793
    """

    def narrow() -> float | None:
        value = enclosure()
        if value.is_zero():
            return 0.0
        return float(value.mid()) if value.rel_accuracy_bits() >= accuracy else None

    return decide(narrow, start=2 * START_BITS)


def _open_flint() -> None:
    """FLINT works out its constants when they are first needed: let that be now, and not during somebody's release."""
    with precision(4 * START_BITS):
        for number in (Fraction(1, 3), Fraction(22501, 3), Fraction(7500), Fraction(15001, 2)):
            at = ball(number)
            _ = at.lgamma(), at.log(), (-at).exp(), (-at).expm1(), at.sqrt()


_open_flint()
