"""The prior predictive on a line of two categories, at real counts and for any n; and how wide a share is in counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.posteriors import Dirichlet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def log_predictive_line(prior: Dirichlet, n: int, c: Floats) -> Floats:
    """ln π(c) at real c: differences of lnΓ that keep their digits for any n.

    >>> import numpy as np
    >>> from discreet.predictive import log_predictive
    >>> c, prior = np.array([0.0, 3.0, 70.0]), Dirichlet(["1/2", 3])
    >>> bool(np.allclose(log_predictive_line(prior, 70, c), log_predictive(prior, np.stack([c, 70 - c], 1)), 1e-13))
    True
    """
    import numpy as np
    from scipy.special import gammaln

    first, second = (float(alpha) for alpha in prior.parameters)
    constant = (
        gammaln(first + second) - gammaln(first) - gammaln(second) - _log_rising(np.array(float(n)), first + second)
    )
    shown: Floats = _log_rising(c, first) + _log_rising(n - c, second) + constant
    return shown


def _log_rising(x: Floats, alpha: float) -> Floats:
    """lnΓ(x+α) - lnΓ(x+1)."""
    import numpy as np
    from scipy.special import gammaln

    low = np.maximum(np.minimum(x + alpha, x + 1), 20.0)
    step = alpha - 1
    one = np.maximum(x + 1, 20.0)
    other = np.maximum(one + step, 20.0)
    stirling = (other - 0.5) * np.log1p(step / one) + step * np.log(one) - step + _rest(other) - _rest(one)
    return np.where(low > 20.0, stirling, gammaln(x + alpha) - gammaln(x + 1))


def _rest(x: Floats) -> Floats:
    w = 1 / (x * x)
    shown: Floats = (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w * (1 / 1680 - w / 1188)))) / x
    return shown


def spread(a: Floats, b: Floats) -> Floats:
    """The least standard deviation, in counts, that a Beta's parameters leave: 1/σ² = ψ'(a) + ψ'(b)."""
    import numpy as np
    from scipy.special import polygamma

    shown: Floats = 1 / np.sqrt(polygamma(1, a) + polygamma(1, b))
    return shown
