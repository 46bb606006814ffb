"""The expected width of the noise-aware interval, from the definitions: every output, every count (section 7)."""

from math import exp, tanh
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import betainc

from .precision import Exact, exact
from .spaces import prior_predictive


def mixture_width(weights: NDArray[np.float64], a: NDArray[Any], b: NDArray[Any], level: float) -> float:
    """The width of the equal-tailed interval of a mixture of Betas, by bisection."""
    share = weights / weights.sum()

    def quantile(p: float) -> float:
        return float(brentq(lambda x: float(share @ betainc(a, b, x)) - p, 0.0, 1.0, xtol=1e-15))

    return quantile((1 + level) / 2) - quantile((1 - level) / 2)


def geometric_kernel(n: int, epsilon: Exact) -> NDArray[np.float64]:
    """P(output | c) of two categories, a row for each c: two-sided geometric noise, cut at 0 and n."""
    q = exp(-float(exact(epsilon)))
    c = np.arange(n + 1)
    kernel: NDArray[np.float64] = tanh(float(exact(epsilon)) / 2) * q ** np.abs(c[:, None] - c)
    kernel[:, 0], kernel[:, n] = q**c / (1 + q), q ** (n - c) / (1 + q)
    return kernel


def expected_width(
    alpha: tuple[Exact, Exact], n: int, kernel: NDArray[np.float64], level: float = 0.95
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """The mean width, and the probability and the width of each output."""
    predictive = np.array([float(p) for p in prior_predictive(list(alpha), n).values()])
    joint = predictive[:, None] * kernel
    first, second = (float(exact(x)) for x in alpha)
    c = np.arange(n + 1)
    widths = np.array([mixture_width(joint[:, o], first + c, second + n - c, level) for o in range(joint.shape[1])])
    return float(joint.sum(axis=0) @ widths), joint.sum(axis=0), widths
