"""The prior predictive on a line of two categories, at real counts and for any n; and how wide a share is in counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.posteriors import Dirichlet
from discreet.posteriors.predictive import log_predictive

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def log_predictive_line(prior: Dirichlet, n: int, c: Floats) -> Floats:
    """ln π(c) at real c, for any n.

    >>> import numpy as np
    >>> np.exp(log_predictive_line(Dirichlet([1, 1]), 99, np.array([0.0, 33.5, 99.0]))).round(12).tolist()
    [0.01, 0.01, 0.01]
    """
    import numpy as np

    return log_predictive(prior, np.stack([c, n - c], axis=-1))


def spread(a: Floats, b: Floats) -> Floats:
    """The least standard deviation, in counts, that a Beta's parameters leave: 1/σ² = ψ'(a) + ψ'(b)."""
    import numpy as np
    from scipy.special import polygamma

    shown: Floats = 1 / np.sqrt(polygamma(1, a) + polygamma(1, b))
    return shown
