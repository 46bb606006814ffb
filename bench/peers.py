"""What the peers' callers have to write to get a release, each in the fastest form that its library offers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import opendp.prelude as dp
from diffprivlib import mechanisms as diffprivlib
from numpy.typing import NDArray
from scipy.special import gammaln

dp.enable_features("contrib")

Call = Callable[[], object]


def hellinger_scores(n: int, count: int) -> NDArray[np.float64]:
    """The distances from the posterior of (count, n - count) to all n + 1 candidates, prior Beta(1, 1).

    BC = B((a+x)/2, (b+y)/2) / sqrt(B(a, b)·B(x, y)); all sums a + b and x + y are n + 2, so their gammas are one number
    each, and Γ(y) is Γ(x) read backwards: three passes of gammaln are all that is needed.
    """
    x = np.arange(1.0, n + 2)
    a, b = 1.0 + count, 1.0 + n - count
    one = gammaln(x)
    log_affinity = gammaln((a + x) / 2) + gammaln((b + x[::-1]) / 2) - (one + one[::-1] + gammaln(a) + gammaln(b)) / 2
    distances: NDArray[np.float64] = np.sqrt(np.maximum(-np.expm1(log_affinity), 0))
    return distances


def selections(n: int, count: int, sensitivity: float, scale: float) -> dict[str, Call]:
    """Every peer's way to draw a candidate with weight exp(-scale·H/sensitivity), from the count.

    The sensitivity is handed to them: no peer computes it. OpenDP's measurements are built once for scores in units of
    the sensitivity, which its users could do too. With exponential noise it permutes and flips, with Gumbel noise it is
    the exponential mechanism; diffprivlib has both under these names.
    """
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float)
    exponential = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=1 / scale, negate=True)
    gumbel = dp.m.make_noisy_max(*space, dp.zero_concentrated_divergence(), scale=1 / scale, negate=True)

    def noisy_max(measurement: Any) -> object:
        return measurement(hellinger_scores(n, count) / sensitivity)

    def select(family: Any) -> object:
        utility = (-hellinger_scores(n, count)).tolist()
        return family(epsilon=2 * scale, sensitivity=sensitivity, utility=utility).randomise()

    calls: dict[str, Call] = {
        "OpenDP noisy max, exponential noise": lambda: noisy_max(exponential),
        "OpenDP noisy max, Gumbel noise": lambda: noisy_max(gumbel),
        "diffprivlib Exponential": lambda: select(diffprivlib.Exponential),
    }
    if n < 10**5:
        # It removes flipped candidates from a list one by one, so its time grows as n²: minutes at a million.
        calls["diffprivlib PermuteAndFlip"] = lambda: select(diffprivlib.PermuteAndFlip)
    return calls


def discrete_laplace(counts: Sequence[int], epsilon: float) -> dict[str, Call]:
    """Every peer's integer noise on counts.

    For two categories one noisy count of scale 1/ε is enough, since the other is n minus it. For more, each count gets
    noise of scale 2/ε. The peers' noisy counts do not keep the total, which is less work than ours.
    """
    if len(counts) == 2:
        whole = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=1 / epsilon)
        value = int(counts[0])
        geometric = diffprivlib.Geometric(epsilon=epsilon)
        return {
            "OpenDP discrete Laplace": lambda: whole(value),
            "diffprivlib Geometric (floats, not exact)": lambda: geometric.randomise(value),
        }
    vector = dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), scale=2 / epsilon)
    values, array = [int(count) for count in counts], np.array(counts, dtype=np.int32)
    return {
        "OpenDP vector, from a list": lambda: vector(values),
        "OpenDP vector, from an array": lambda: vector(array),
    }
