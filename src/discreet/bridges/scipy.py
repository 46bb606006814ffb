"""One category's share, as a reader may believe it, as a frozen SciPy distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.inference import NoiseAware


def to_scipy(belief: NoiseAware, i: int = 0) -> Any:
    """The frozen distribution of category i's share: a mixture of Betas with SciPy's whole interface.

    >>> from discreet import Geometric, PosteriorSpace, noise_aware
    >>> belief = noise_aware(Geometric(PosteriorSpace(prior=[1, 1], n=100), epsilon=1), (60, 40))
    >>> share = to_scipy(belief)
    >>> bool(abs(share.mean() - belief.mean[0]) < 1e-12), bool(abs(share.cdf(share.ppf(0.1)) - 0.1) < 1e-9)
    (True, True)
    """
    from scipy import stats

    mixture = belief.marginal(i)

    class Share(stats.rv_continuous):  # type: ignore[misc]
        def _pdf(self, x: Floats) -> Floats:
            return mixture.pdf(x)

        def _cdf(self, x: Floats) -> Floats:
            return mixture.cdf(x)

        def _ppf(self, q: Floats) -> Floats:
            inside = np.clip(q, 1e-300, 1 - 1e-16)
            return np.where(q <= 0, 0.0, np.where(q >= 1, 1.0, mixture.quantile(inside)))

        def _stats(self) -> tuple[float, float, None, None]:
            return float(mixture.mean), float(mixture.sd) ** 2, None, None

    return Share(a=0.0, b=1.0, name="share")()
