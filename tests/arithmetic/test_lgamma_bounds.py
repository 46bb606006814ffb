"""Floats that decide in place of balls are certainly on their side of the truth, from tiny to huge arguments."""

import itertools
import math

import numpy as np
import pytest

from discreet import PosteriorSpace
from discreet.arithmetic.lgamma_bounds import (
    SAFE,
    least_second_difference,
    least_second_differences,
    most_second_difference,
    most_second_differences,
)
from discreet.arithmetic.numbers import fraction_lower, fraction_upper, precision
from tests.oracles.precision import Real, mp
from tests.privacy_loss.families import KINDS, Kind
from tests.support.enumeration import seeded

EXPONENTS = [-9, -6, -3, -1, 0, 1, 2, 4, 6, 9, 12, 15]
STEPS = [1, 2, 3, 17, 10**3, 10**6, 10**9, 10**14]


def truth(low: float, step: int) -> Real:
    """lnΓ(low) + lnΓ(low + step) - 2 lnΓ(low + step/2), with digits to spare."""
    with mp.workdps(90):
        at, half = mp.mpf(low), mp.mpf(step) / 2
        return mp.loggamma(at) + mp.loggamma(at + step) - 2 * mp.loggamma(at + half)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_second_differences_lie_between_their_bounds(exponent: int) -> None:
    source = seeded(f"brackets {exponent}")
    for step in STEPS:
        low = source.uniform(1, 10) * 10.0**exponent
        right = truth(low, step)
        many = np.array([low]), np.array([low + step]), np.array([float(step)])
        for least in (least_second_difference(low, low + step, step), least_second_differences(*many)[0]):
            assert least <= right
        for most in (most_second_difference(low, low + step, step), most_second_differences(*many)[0]):
            assert most >= right


@pytest.mark.parametrize("factor", [1 + 1e-11, 1 - 1e-11])
def test_bounds_are_as_sharp_as_they_say(factor: float) -> None:
    """A bracket that was pushed by a hundred billionth would no longer hold: the test above can fail."""
    right = truth(10.0**9, 10**5)
    held = [
        least_second_difference(1e9, 1e9 + 1e5, 10**5) * factor <= right,
        most_second_difference(1e9, 1e9 + 1e5, 10**5) * factor >= right,
    ]
    assert held.count(False) == 1


@pytest.mark.parametrize(("low", "step"), [(1e9, 10**5), (1e9, 10**9)])
def test_a_lower_bound_gives_away_its_room_for_rounding_and_no_more(low: float, step: int) -> None:
    many = np.array([low]), np.array([low + step]), np.array([float(step)])
    for least in (least_second_difference(low, low + step, step), least_second_differences(*many)[0]):
        assert truth(low, step) * (1 - 1.5 * SAFE) < least <= truth(low, step)


@pytest.mark.parametrize(("low", "step"), [(1e9, 10**5), (1e12, 105 * 10**9)])
def test_an_upper_bound_holds_where_the_series_is_cut_the_most_and_is_sharp_there(low: float, step: int) -> None:
    """The second step is just short of a tenth of the middle, from where on the whole logarithm is taken."""
    many = np.array([low]), np.array([low + step]), np.array([float(step)])
    for most in (most_second_difference(low, low + step, step), most_second_differences(*many)[0]):
        assert truth(low, step) <= most < truth(low, step) * (1 + 2.75 * SAFE)


def spaces() -> list[PosteriorSpace]:
    """Priors of all sizes, few records and many."""
    source = seeded("brackets of sensitivities")
    sizes = [1, 2, 3, 50, 10**3, 10**6, 10**12]
    return [
        PosteriorSpace(prior=[float(f"{10 ** source.uniform(-6, 6):.6g}") for _ in range(k)], n=n)
        for k, n in itertools.product((2, 3, 5), sizes)
    ]


def some_counts(space: PosteriorSpace) -> list[list[int]]:
    """A corner, the record next to it, and the middle."""
    n, k = space.n, space.k
    corner = [n] + [0] * (k - 1)
    beside = [n - 1, 1] + [0] * (k - 2)
    return [corner, beside, [n // k + (i < n % k) for i in range(k)]]


@pytest.mark.parametrize("kind", KINDS)
def test_rates_lie_between_their_bounds(kind: Kind) -> None:
    for space in spaces():
        for counts in some_counts(space):
            law = kind(space, scale="0.5").law(counts)
            low, high = law._rates()
            with precision(256):
                inside = law.rate()
            assert low <= fraction_lower(inside)
            assert fraction_upper(inside) <= high
            assert high / low < 1.3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1000, 10**9])
def test_weights_lie_between_the_floats_that_toss_their_coins(kind: Kind, n: int) -> None:
    space = PosteriorSpace(prior=["0.3", 4], n=n)
    for counts in some_counts(space):
        law = kind(space, scale="0.5").law(counts)
        (least, most), many = law._float_bounds(), law._log_float_bounds()
        reach = [10**e for e in range(int(math.log10(n)) + 1)]
        for offset in [o for size in reach for o in (-size, size) if 0 <= counts[0] + o <= n]:
            with precision(256):
                exponent = law.log_weight((counts[0] + offset, counts[1] - offset))
                weight = exponent.exp()
            logs = (float(end[0]) for end in many(np.array([offset])))
            for (low, high), inside in (((least(offset), most(offset)), weight), (tuple(logs), exponent)):
                assert low <= fraction_lower(inside)
                assert fraction_upper(inside) <= high
