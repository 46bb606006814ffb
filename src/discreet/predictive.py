"""What the prior expects of the data: the Dirichlet-multinomial distribution of the counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.posteriors import Dirichlet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


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
        shown: NDArray[np.float64] = (
            betaln(rows[:, 0] + alpha[0], rows[:, 1] + alpha[1])
            - betaln(alpha[0], alpha[1])
            - betaln(rows[:, 0] + 1, rows[:, 1] + 1)
            - np.log1p(n)
        )
        return shown
    each = gammaln(rows + alpha) - gammaln(alpha) - gammaln(rows + 1)
    total: NDArray[np.float64] = each.sum(axis=1) + gammaln(n + 1) + gammaln(alpha.sum()) - gammaln(n + alpha.sum())
    return total
