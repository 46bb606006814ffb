"""What the prior expects of the data: the Dirichlet-multinomial distribution of the counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.distances import stirling_rest
from discreet.posteriors import Dirichlet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


STRONG = 1e3
"""Beyond this prior parameter lnΓ(α+c) - lnΓ(α) is taken by Stirling's series: two large numbers lose its digits."""


def log_predictive(prior: Dirichlet, counts: ArrayLike) -> NDArray[np.float64]:
    """Log-probabilities of counts, one data set a row, when θ comes from the prior.

    >>> import numpy as np
    >>> np.exp(log_predictive(Dirichlet([1, 1]), [[0, 3], [1, 2], [2, 1], [3, 0]])).round(12).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    import numpy as np
    from scipy.special import betaln, gammaln

    rows = np.asarray(counts, dtype=np.float64)
    n, alpha = rows.sum(axis=1), prior.alpha
    if prior.k == 2:  # betaln keeps the digits that differences of large lnΓ lose.
        ways = -betaln(rows[:, 0] + 1, rows[:, 1] + 1) - np.log1p(n)
        if alpha.max() <= STRONG:
            shown: NDArray[np.float64] = (
                ways + betaln(rows[:, 0] + alpha[0], rows[:, 1] + alpha[1]) - betaln(alpha[0], alpha[1])
            )
            return shown
    else:
        ways = gammaln(n + 1) - gammaln(rows + 1).sum(axis=1)
    whole = alpha.sum()
    total: NDArray[np.float64] = ways - _log_rise(np.array([whole]), n[:, None], whole + n[:, None])[:, 0]
    total += _log_rise(alpha, rows, whole + n[:, None]).sum(axis=1)
    return total


def _log_rise(
    alpha: NDArray[np.float64], count: NDArray[np.float64], total: NDArray[np.float64]
) -> NDArray[np.float64]:
    """lnΓ(α+c) - lnΓ(α) - c·ln(total), where the last part cancels between the categories and their sum.

    By Stirling's series the difference is (α-½)·ln(1+c/α) + c·ln(α+c) - c and a small rest: nothing as large as lnΓ(α).
    """
    import numpy as np
    from scipy.special import gammaln

    far = np.maximum(alpha, 10.0)
    rest = stirling_rest(far + count) - stirling_rest(far)
    stirling = (far - 0.5) * np.log1p(count / far) - count + count * np.log((far + count) / total) + rest
    near = gammaln(alpha + count) - gammaln(alpha) - count * np.log(total)
    return np.where(alpha < 10.0, near, stirling)
