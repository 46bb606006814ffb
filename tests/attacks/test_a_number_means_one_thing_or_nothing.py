"""Numbers as text: what has no one meaning is refused by every door, at once, with InvalidInput and nothing else."""

import math
import time
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from discreet import Dirichlet, InvalidInput, PosteriorSpace, published_gamma, reciprocal_sensitivity, renyi
from discreet.arithmetic.numbers import exact, whole
from discreet.mechanisms import ExponentialReciprocal, Geometric

CORPUS: list[object] = [
    *("nan", "NaN", "-nan", "inf", "-inf", "Infinity", math.nan, math.inf, -math.inf),
    *("1e400", "1e-400", "1e1000000", "1e99999999999999999999", "9" * 65, "9" * 5000, "0" * 10**6 + "1"),
    *(10**400, 1e301, 5e-324, "-1", -1, "1/0", "0/0", "1/-2", "1/2/3", "1.5/2", "1.2.3"),
    *("٣", "３", "²", "³", "½", "1_000", "1,5", "1,000", "1 000", " 1", "1 ", "1\n", "1\n2", "\t1", "1\x00", "1\u00a0"),
    *("0x10", "0b1", "1e", "e1", ".", "+", "-", "--1", "+-1", "", "one", "1j", "True", "None"),
    *("__import__('os')", "1+1", "2**3", None, True, False, 1j, b"1", [1], (1,), {}, object()),
]
PROBES = ["nan", "1e1000000", True, object()]
"""One of each kind, for the doors that leave the reading to the parser."""

PARSERS: list[Callable[[object], object]] = [
    lambda value: exact(value, "x", above=0),
    lambda value: whole(value, "n", minimum=1),
]

DOORS: list[Callable[[Any], object]] = [
    lambda value: PosteriorSpace([1, 1], value),
    lambda value: Dirichlet([1, value]),
    lambda value: Dirichlet([1, 1]).update([1, value]),
    lambda value: PosteriorSpace([1, 1], 2).counts([1, value]),
    lambda value: Geometric(PosteriorSpace([1, 1], 2), epsilon=value),
    lambda value: ExponentialReciprocal(PosteriorSpace([1, 1], 2), epsilon=1, gamma="" if value is None else value),
    lambda value: published_gamma(PosteriorSpace([1, 1], 2), value, "1e-8"),
    lambda value: reciprocal_sensitivity(PosteriorSpace([1, 1], 2), [1, 1], value),
    lambda value: renyi(Dirichlet([1, 2]), Dirichlet([2, 1]), value),
]


@pytest.mark.parametrize("parser", PARSERS)
def test_every_bad_number_is_refused_at_once(parser: Callable[[object], object]) -> None:
    for value in CORPUS:
        began = time.process_time()
        with pytest.raises(InvalidInput):
            parser(value)
        assert time.process_time() - began < 1, value


@pytest.mark.parametrize("reader", [float, Fraction, Decimal, int])
def test_what_python_reads_as_a_number_is_more_than_has_one_meaning(reader: Callable[[Any], Any]) -> None:
    """The planted fault: Python's own readers take blanks, underscores and the digits of every script."""
    for value in ("٣", "1_000", "1 ", "３"):
        assert value in CORPUS
        assert reader(value) > 0


@pytest.mark.parametrize("door", DOORS)
def test_every_door_asks_the_parser(door: Callable[[object], object]) -> None:
    for value in PROBES:
        with pytest.raises(InvalidInput):
            door(value)


def test_refusals_are_one_short_line_that_says_how_to_mend_it_and_does_not_repeat_the_value() -> None:
    for value in CORPUS:
        with pytest.raises(InvalidInput) as refused:
            exact(value, "epsilon", above=0)
        text = str(refused.value)
        assert text.startswith("epsilon ")
        assert "\n" not in text
        assert len(text) < 120
        assert refused.value.hint
        assert not (isinstance(value, str) and len(value) > 4 and value in text)


@pytest.mark.parametrize("value", ["1", "0.5", "1e-3", "1/3", 2, 0.25])
def test_the_doors_are_not_simply_closed(value: Any) -> None:
    assert exact(value, "x", above=0) > 0
    assert Geometric(PosteriorSpace([1, 1], 2), epsilon=value).epsilon > 0
