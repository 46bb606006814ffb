"""Two categories and many records: p(c | o) of the exponential family from the counts near the output alone.

H grows outward, so NL(c) is a sum over near candidates, and those left out are each below the last. The data sets left
out are bounded in blocks. In a block, P(o | c) ≤ exp(-rate·H)/max(1, (n+1)·exp(-rate')), with the least rate s/S(c) and
the least H of the block and its largest rate'. 1/LS rises to the balanced count and falls beyond it, and so does every
smoothed 1/S (what is cut away around low places of such a function leaves an interval), so the least rate is at an end
of the block. Under the global sensitivity every data set matters, and this refuses.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from discreet.distances import second_difference
from discreet.errors import TooLarge
from discreet.inference.lists import Listed
from discreet.laws import Outcome
from discreet.loss.rates import inverse_sensitivities
from discreet.mechanisms.exponential import Exponential
from discreet.posteriors import Dirichlet
from discreet.predictive import log_predictive

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Wholes = NDArray[np.int64]

LEFT_OUT, ALLOWED = 1e-12, 1e-3
"""Windows grow until they leave out less than the first, if they can, and must leave out less than the second."""

CELLS = 1 << 20
_FIRST = 64


def near(mechanism: Exponential, output: Outcome, prior: Dirichlet) -> Listed:
    """The data sets that matter, weighed, and a bound on all others."""
    import numpy as np

    best: tuple[float, Wholes, Floats] | None = None
    reach, n = _FIRST, mechanism.space.n
    while best is None or best[0] > LEFT_OUT:
        low, high = max(0, output[0] - reach), min(n, output[0] + reach)
        c = np.arange(low, high + 1)
        totals = _totals(mechanism, c)
        if totals is None:
            break
        log_total, rest = totals
        logs = -_rates(mechanism, c) * _distances(mechanism, c, np.array([output[0]]))[:, 0] - log_total
        logs = logs + log_predictive(prior, _rows(c, n))
        inside = float(logs.max()) + math.log(float(np.exp(logs - logs.max()).sum()))
        outside = sum(_beyond(mechanism, output[0], prior, *side) for side in ((0, low - 1), (high + 1, n)))
        error = (math.exp(min(math.log(outside) - inside, 700)) if outside > 0 else 0.0) + 2 * rest
        if best is not None and error > 0.9 * best[0]:
            break  # what is left lies near the ends, and no wider window reaches it
        best, reach = (error, c, logs), 2 * reach
    if best is None or not best[0] < ALLOWED:
        raise TooLarge(f"too many data sets could have led {mechanism.name} here", mend="use geometric")
    error, c, logs = best
    return Listed(_rows(c, n), logs, error=error, method=f"the {len(c):,} data sets nearest to the output")


def _rows(c: Wholes, n: int) -> Wholes:
    import numpy as np

    return np.stack([c, n - c], axis=1)


def _rates(mechanism: Exponential, c: Wholes) -> Floats:
    return float(mechanism.scale) * inverse_sensitivities(mechanism, _rows(c, mechanism.space.n))


def _distances(mechanism: Exponential, c: Wholes, r: Wholes) -> Floats:
    """H from every c, a row, to r: the same few for all, or a row of its own for each."""
    import numpy as np

    (first, second), n = mechanism.space.prior.alpha, mechanism.space.n
    here, there = np.broadcast_arrays(c[:, None], r)
    step = there - here
    gap = second_difference(first + here, first + there, step)
    gap = gap + second_difference(second + (n - here), second + (n - there), -step)
    return np.sqrt(-np.expm1(np.minimum(-0.5 * gap, 0.0)))


def _totals(mechanism: Exponential, c: Wholes) -> tuple[Floats, float] | None:
    """ln NL(c) and a bound on the relative rest; None if the near candidates are too many."""
    import numpy as np

    n, rate, reach = mechanism.space.n, _rates(mechanism, c)[:, None], _FIRST
    while len(c) * (2 * reach + 1) <= CELLS:
        wanted = c[:, None] + np.arange(-reach, reach + 1)
        weight = np.exp(-rate * _distances(mechanism, c, np.clip(wanted, 0, n))) * ((wanted >= 0) & (wanted <= n))
        total = weight.sum(axis=1)
        rest = float((n * np.maximum(weight[:, 0], weight[:, -1]) / total).max())
        if rest < LEFT_OUT:
            return np.log(total), rest
        reach *= 2
    return None


def _beyond(mechanism: Exponential, o: int, prior: Dirichlet, first: int, last: int) -> float:
    """A bound on Σ P(o | c)·DirMult(c) over first ≤ c ≤ last, all on one side of the output."""
    import numpy as np

    if first > last:
        return 0.0
    n = mechanism.space.n
    steps = np.unique(np.geomspace(1, last - first + 1, 400).astype(np.int64))
    starts = np.unique(np.concatenate([[first], first + steps[:-1], last + 1 - steps]))
    starts = starts[(starts >= first) & (starts <= last)]
    ends = np.append(starts[1:] - 1, last)
    rate = np.stack([_rates(mechanism, starts), _rates(mechanism, ends)])
    distance = _distances(mechanism, np.array([o]), ends if last < o else starts)[0]
    alpha = [float(a) for a in mechanism.space.prior.parameters]
    balanced = (starts <= (n + alpha[1] - alpha[0]) / 2 + 1) & (ends >= (n + alpha[1] - alpha[0]) / 2 - 1)
    largest = np.where(balanced, np.inf, rate.max(axis=0))
    log_mass = np.log(ends - starts + 1.0) + _log_most(prior, starts, ends, n)
    log_bound = log_mass - rate.min(axis=0) * distance - np.maximum(0.0, math.log(n + 1) - largest)
    return float(np.exp(np.minimum(log_bound, 700)).sum()) * (1 + 1e-6)


def _log_most(prior: Dirichlet, starts: Wholes, ends: Wholes, n: int) -> Floats:
    """The largest ln DirMult(c) of each block: at an end of it, or where the neighbours' ratio crosses 1."""
    import numpy as np

    most = np.maximum(log_predictive(prior, _rows(starts, n)), log_predictive(prior, _rows(ends, n)))
    first, second = (float(a) for a in prior.parameters)
    if first + second > 2:
        # P(c+1)/P(c) = (n-c)(α₁+c)/((c+1)(α₂+n-c-1)) is 1 where c·(α₁+α₂-2) = n(α₁-1) - (α₂-1).
        crossing = (n * (first - 1) - (second - 1)) / (first + second - 2)
        turn = np.clip(np.round(crossing) + np.arange(-2, 3), 0, n).astype(np.int64)
        height = float(log_predictive(prior, _rows(turn, n)).max())
        most = np.where((starts <= turn[-1]) & (ends >= turn[0]), np.maximum(most, height), most)
    return most
