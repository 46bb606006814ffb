"""Powers of the affinity: their weights are those of the Bessel function, and add up to the weight of a distance."""

import math

import numpy as np
import pytest
from mpmath import mp
from numpy.polynomial import Polynomial

from discreet.kernels.powers import FIRST, Powers, _log_power, powers


def log_power(m: float, a: float) -> float:
    """ln π_m in fifty digits."""
    with mp.workdps(50):
        x, order = mp.mpf(a), mp.mpf(m)
        weight = mp.sqrt(2 * x / mp.pi) * (x / 2) ** order / mp.gamma(order + 1) * mp.besselk(order - mp.mpf("0.5"), x)
        return float(mp.log(weight))


def debye(terms: int, order: float, a: float) -> float:
    """The sum of Debye's series for K, its polynomials by their recurrence."""
    t, u, total = Polynomial([0.0, 1.0]), Polynomial([1.0]), 0.0
    for k in range(terms):
        total += float(u(1 / math.hypot(1, a / order))) / (-order) ** k
        u = t**2 * (1 - t**2) * u.deriv() / 2 + ((1 - 5 * t**2) * u).integ() / 8
    return total


@pytest.mark.parametrize("steepest", [40.0, 1e4])
@pytest.mark.parametrize("a", [1e-3, 0.5, 5.0, 60.0])
def test_powers_add_up_to_the_weight(a: float, steepest: float) -> None:
    series = powers(1e6, steepest)
    none, logs, rest = series.log_weights(np.array([a, a / 2]))
    assert np.exp(none) + np.exp(logs).sum(axis=1) + rest == pytest.approx(1, abs=1e-12)
    for z in (0.0, 0.3, 0.9, 0.999):
        value = np.exp(none[0]) + (np.exp(logs[0]) * z**series.exponents).sum()
        assert value == pytest.approx(np.exp(-a * np.sqrt(1 - z)), rel=1e-6)


@pytest.mark.parametrize("m", [1e9, 1e12, 1e15, 1e18])
@pytest.mark.parametrize("a", [1e-3, 1.0, 1e3])
def test_the_weight_of_a_far_power_is_that_of_its_limit(m: float, a: float) -> None:
    """π is Poisson with a Lévy-distributed mean, so far out ln π_m is ln(a/2√π) - 1.5·ln m - a²/4m, and 3/8m more."""
    power = float(_log_power(np.array([m]), np.array([[a]]))[0, 0])
    limit = math.log(a / (2 * math.sqrt(math.pi))) - 1.5 * math.log(m) - a * a / (4 * m) + 3 / (8 * m)
    assert power == pytest.approx(limit, abs=1e-10 + a**4 / m**3 + a * a / m**2)


@pytest.mark.parametrize("a", [0.01, 3.0, 40.0])
def test_the_weight_of_each_power_is_that_of_the_bessel_function(a: float) -> None:
    few = np.arange(1.0, FIRST)
    _, logs, _ = Powers(few, np.ones(len(few))).log_weights(np.array([a]))
    assert logs[0] == pytest.approx([log_power(m, a) for m in few], abs=1e-12)
    far = np.array([16.0, 23.5, 60.0, 400.25])
    _, logs, _ = Powers(far, np.ones(len(far))).log_weights(np.array([a]))
    for m, value in zip(far, logs[0], strict=True):
        assert value == pytest.approx(log_power(m, a), abs=1e-13 + 0.01 / m**5)
    missing = math.log(debye(14, 15.5, a) / debye(5, 15.5, a))
    assert float(_log_power(np.array([16.0]), np.array([[a]]))[0, 0]) == pytest.approx(
        log_power(16, a) - missing, abs=2e-14
    )


def test_powers_reach_to_the_last_one_in_blocks_that_double() -> None:
    series = powers(1000.0, 4.0)
    assert series.times.sum() == pytest.approx(1023)
    assert powers(1024.0, 4.0).times.sum() == pytest.approx(1023)
    assert series.exponents[: FIRST - 1].tolist() == list(range(1, FIRST))
    assert (np.diff(series.exponents) > 0).all()
    assert len(series.exponents) == FIRST - 1 + 6 * 9  # ⌈7 + 0.6·√4⌉ places in each of six blocks
    assert len(powers(1000.0, 1e4).exponents) == FIRST - 1 + 6 * FIRST
