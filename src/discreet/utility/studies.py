"""Three categories or more and too many candidates: a study of drawn data sets, the same ones on every run.

Data sets are drawn from the prior predictive. Where a row of probabilities can be had, each gets its exact error law;
otherwise one exact output is drawn for each. Either way the mean comes with a stated interval.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from discreet.draw import draw_words
from discreet.errors import TooLarge
from discreet.mechanisms import Geometric, Mechanism
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.geometric import rank_rows
from discreet.noise import zero_sum
from discreet.space import Counts, PosteriorSpace
from discreet.testing import HashedBits, draw_many_with
from discreet.utility.metrics import Floats, Metric
from discreet.utility.slices import Slice, Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from discreet.utility.simplices import SimplexKernel

DRAWN = 50_000
"""How many outputs are drawn where that is quick; fewer for many categories."""

_SLOWLY = 2_000
_VERY_SLOWLY = 256
_SMOOTH = 1e6


def study_size(space: PosteriorSpace) -> int:
    """How many data sets a study of quick draws takes."""
    return max(500, min(DRAWN, 500_000 // space.k))


@lru_cache(maxsize=4)
def drawn_data(space: PosteriorSpace, size: int, name: str) -> NDArray[np.int64]:
    """Data sets from the prior predictive, one a row: category by category, a share and then a count by inversion.

    >>> rows = drawn_data(PosteriorSpace(prior=[1, 2, 3], n=60), 2000, "an example")
    >>> rows.sum(axis=1).min(), (rows.mean(axis=0) / [10, 20, 30]).round(1).tolist()
    (np.int64(60), [1.0, 1.0, 1.0])
    """
    import numpy as np
    from scipy.special import betaincinv

    words = draw_words(HashedBits(name), 2 * size * (space.k - 1))
    uniform = (words.astype(np.float64) + 0.5) / 2.0**64
    pairs = np.clip(uniform, 1e-300, 1 - 1e-16).reshape(space.k - 1, 2, size)
    alpha = space.prior.alpha
    left = np.full(size, space.n, dtype=np.int64)
    columns = []
    for i in range(space.k - 1):
        share = betaincinv(alpha[i], alpha[i + 1 :].sum(), pairs[i, 0])
        taken = np.clip(_binomial(pairs[i, 1], left, share), 0, left)
        columns.append(taken)
        left = left - taken
    return np.stack([*columns, left], axis=1)


def _binomial(u: Floats, n: NDArray[np.int64], share: Floats) -> NDArray[np.int64]:
    """Quantiles of binomials; by Cornish and Fisher's expansion where the deviation is above 10³."""
    import numpy as np
    from scipy.special import bdtrik, ndtri

    variance = n * share * (1 - share)
    z = ndtri(u)
    found = n * share + z * np.sqrt(variance) + (z * z - 1) * (1 - 2 * share) / 6
    near = (variance < _SMOOTH) & (n > 0) & (share > 0) & (share < 1)
    found[near] = bdtrik(u[near], n[near], share[near])
    found = np.where(np.isfinite(found), np.ceil(found), np.rint(n * share))
    return found.astype(np.int64)


def row_study(kernel: SimplexKernel, metric: Metric, size: int) -> Source:
    """The exact error laws of drawn data sets."""
    import numpy as np

    ranks = rank_rows(drawn_data(kernel.space, size, "rows"))
    weight = np.full(size, 1 / size)
    method = f"exact laws of {size} data sets drawn from the predictive"
    diameter = metric.diameter(kernel.space)
    return Source(lambda: kernel.slices(metric, ranks, weight), diameter, method, complete=False, sampled=size)


def draw_study(mechanism: Mechanism, metric: Metric, counts: Counts | None) -> Source:
    """One drawn output for each drawn data set, or many for one."""
    import numpy as np

    space = mechanism.space
    if metric.name == "total-variation" or getattr(mechanism, "way", "nearest") != "nearest":
        raise TooLarge("this needs all candidates of a space with too many", mend="use hellinger and nearest")
    size = _VERY_SLOWLY if isinstance(mechanism, Exponential) and counts is None else _SLOWLY
    if isinstance(mechanism, Geometric):
        size = study_size(space)
    data = drawn_data(space, size, "data") if counts is None else np.broadcast_to(np.array(counts), (size, space.k))
    released = _released(mechanism, data, counts)
    value = metric.distances(space.prior, data, released)

    def slices() -> Iterator[Slice]:
        yield Slice.exact(np.full(size, 1 / size), value[:, None], np.ones((size, 1)))

    return Source(slices, metric.diameter(space), f"{size} exact draws", complete=False, sampled=size)


def _released(mechanism: Mechanism, data: NDArray[np.int64], counts: Counts | None) -> NDArray[np.int64]:
    import numpy as np

    bits = HashedBits("outputs")
    if isinstance(mechanism, Geometric):
        noise = zero_sum(mechanism.epsilon / 2, mechanism.space.k).draw_many(bits, len(data))
        return mechanism.way_back(data + noise)
    if counts is not None:
        return draw_many_with(mechanism.law(counts), bits, len(data))
    rows = [draw_many_with(mechanism.law(row), bits, 1) for row in data.tolist()]
    return np.concatenate(rows)
