"""Calibration of two categories beyond enumeration.

The greatest losses sit near an end of the line, or come close to s in its middle. So the scale and γ are searched for
with the rows near the ends and s itself; what is found is then audited by bounds on all rows, and lowered until the
certified loss is at most ε. Only the audit is trusted. The bounds are within a few per cent of the loss, and so is the
scale of the largest one there is.

γ is chosen for the least expected error over 200 counts spread evenly over the prior predictive, each with its outputs
in groups of growing distance: an estimate to within a few per cent, and no claim rests on it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.arithmetic.numbers import exact
from discreet.errors import NotPrivate
from discreet.mechanisms.base import EPSILON_RANGE
from discreet.mechanisms.exponential import Exponential, ExponentialReciprocal, ExponentialSmooth
from discreet.posteriors.space import PosteriorSpace
from discreet.privacy_loss.audits import audit
from discreet.privacy_loss.best_gamma import best_gamma
from discreet.privacy_loss.edge_rows import ROWS, Side
from discreet.privacy_loss.interior_bounds import distance_groups
from discreet.sensitivity.vectorised import Steps
from discreet.typing import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_STRATA = 200
_TRIES = 12


class LongSearch:
    """The search for one family, space and ε."""

    def __init__(
        self, family: type[Exponential], space: PosteriorSpace, epsilon: Fraction, progress: Progress | None
    ) -> None:
        self.family, self.space, self.epsilon, self.progress = family, space, epsilon, progress
        self._ends = [_End(side) for side in Side.both(space)]
        self._sample = _Sample(space)
        self._done = 0

    def found(self, gamma: object) -> Exponential:
        """The member found, with its certified loss."""
        options = {}
        if self.family in (ExponentialReciprocal, ExponentialSmooth):
            asked = None if gamma is None else exact(gamma, "gamma", above=0, between=EPSILON_RANGE)
            top = 3.0 if self.family is ExponentialReciprocal else 1.0
            options["gamma"] = Fraction(f"{best_gamma(self._error, top):.6g}") if asked is None else asked
        scale = self._scale(float(options.get("gamma", 0)), 1e-9)
        for _ in range(_TRIES):
            mechanism = self.family(self.space, scale=Fraction(scale), **options)
            result = audit(mechanism)
            if result.epsilon <= self.epsilon:
                by = result.certificate
                return mechanism.certified(self.epsilon, result.epsilon, by.statement, method=by.method)
            # The loss grows about in proportion to the scale.
            scale *= float(self.epsilon / Fraction(result.epsilon)) * (1 - 1e-7)
        raise NotPrivate("calibration could not be certified", hint="use the nominal setting")

    def _error(self, gamma: float) -> float:
        self._done += 1
        if self.progress is not None:
            self.progress(self._done, 36)
        return self._sample.mean_error(self._scale(gamma, 1e-4) * self._sample.steps.inverse(self.family, gamma))

    def _scale(self, gamma: float, tolerance: float) -> float:
        """The scale at which the greatest loss near the ends, or s itself, is ε."""
        inverses = [end.steps.inverse(self.family, gamma) for end in self._ends]
        low, high = 0.0, float(self.epsilon)
        while high - low > tolerance * high:
            middle = (low + high) / 2
            losses = [end.loss(middle * inverse) for end, inverse in zip(self._ends, inverses, strict=True)]
            low, high = (middle, high) if max(losses) <= float(self.epsilon) else (low, middle)
        return low


class _End:
    """All distances between the first rows of a side and the outputs in their window."""

    def __init__(self, side: Side) -> None:
        import numpy as np

        count = min(ROWS, side.space.n)
        outputs = np.arange(side.window(count) + 1)
        self._distance = np.stack([np.sqrt(-np.expm1(-side.losses(c, outputs))) for c in range(count + 1)])
        self._beyond = side.space.n - int(outputs[-1])
        rows = np.arange(count + 1)
        self.steps = Steps(side.space, np.stack([rows, side.space.n - rows], axis=1))

    def loss(self, rates: Floats) -> float:
        """The greatest loss of two adjacent rows among these."""
        import numpy as np

        logs = -rates[:, None] * self._distance
        logs -= np.log(np.exp(logs).sum(axis=1) + self._beyond * np.exp(-rates))[:, None]
        return float(np.abs(np.diff(logs, axis=0)).max())


class _Sample:
    """Counts spread evenly over the predictive, and the distances of outputs around them."""

    def __init__(self, space: PosteriorSpace) -> None:
        import numpy as np
        from scipy.special import betaincinv

        first, second = (float(parameter) for parameter in space.prior.parameters)
        n = space.n
        share = betaincinv(first, second, (np.arange(_STRATA) + 0.5) / _STRATA)
        counts = np.clip(np.rint(share * n), 0, n).astype(np.int64)
        self.steps = Steps(space, np.stack([counts, n - counts], axis=1))
        edges = distance_groups(n)
        near, far = edges[:-1], edges[1:] - 1
        side = Side(space)
        parts, numbers = [np.zeros((_STRATA, 1))], [np.ones((_STRATA, 1))]
        for sign, room in ((1, n - counts), (-1, counts)):
            reach = np.minimum(far, room[:, None])
            number = np.maximum(reach - near + 1, 0)
            middle = np.minimum((near + reach) // 2, room[:, None])
            loss = np.stack([side.losses(int(c), c + sign * middle[i]) for i, c in enumerate(counts)])
            parts.append(np.sqrt(-np.expm1(-loss)))
            numbers.append(number.astype(np.float64))
        self._distance, self._number = np.concatenate(parts, axis=1), np.concatenate(numbers, axis=1)

    def mean_error(self, rates: Floats) -> float:
        """About E[H]."""
        import numpy as np

        chance = self._number * np.exp(-rates[:, None] * self._distance)
        mean = (chance * self._distance).sum(axis=1) / chance.sum(axis=1)
        return float(mean.mean()) if math.isfinite(float(mean.sum())) else math.inf
