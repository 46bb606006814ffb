"""Windows of counts of independent categories with masses ∝ u(x)·t^x, and bounds on what lies outside, for many t.

u(x) = h(x)·Γ(α+x)/(Γ(α)·x!) with h the likelihood of a count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln, logsumexp

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import TooLarge
from discreet.inference.boxes import log_mass, steps_to
from discreet.kernels.base import Factor

MAX_CELLS = 1 << 25
"""The windows of all categories that differ are not larger than this together."""

_START, _STEEP = 36.0, -600.0


@dataclass(frozen=True, eq=False)
class TiltedWindows:
    """Windows of categories that differ from each other, padded to one width; `times` each occurs."""

    factors: list[Factor]
    alpha: Floats
    times: Wholes
    lows: Wholes
    widths: Wholes
    logs: Floats
    """Of u, over its greatest value in the window."""

    @classmethod
    def within(cls, factors: list[Factor], alpha: Floats, times: Wholes, reach: Wholes) -> TiltedWindows:
        """Windows that reach so far to either side of what each factor points to."""
        first, last = (np.array([getattr(factor, side) for factor in factors]) for side in ("first", "last"))
        # A window that comes close to 0 begins there.
        left = np.array([factor.left for factor in factors])
        lows = np.where((left > 0) & (first > 2 * reach[:, 0]), first - reach[:, 0], 0)
        widths = last + reach[:, 1] + 1 - lows
        if len(factors) * int(widths.max()) > MAX_CELLS:
            raise TooLarge("the counts that matter to a reader are too many to list", hint="use a larger epsilon")
        logs = np.full((len(factors), int(widths.max())), -np.inf)
        for row, factor, a, low, width in zip(logs, factors, alpha, lows, widths, strict=True):
            masses = log_mass(factor, float(a), int(low), int(low + width - 1))
            row[:width] = masses - masses.max()
        return cls(factors, alpha, times, lows, widths, logs)

    @cached_property
    def weights(self) -> Floats:
        """The same as they are."""
        with np.errstate(under="ignore"):
            return np.exp(self.logs)

    def sums(self, log_t: Floats) -> tuple[Floats, Floats]:
        """ln Σ u(x)·t^x and the mean of x, for each category and each t."""
        step = np.arange(self.weights.shape[1])[:, None]
        with np.errstate(under="ignore", divide="ignore", invalid="ignore"):
            powers = np.exp(step * log_t[None, :])
            total = self.weights @ powers
            log_sums, means = np.log(total), self.weights @ (step * powers) / total
            for i in np.flatnonzero(self.logs[:, 0] < _STEEP):  # a strong prior: its first weights are not told from 0
                each = self.logs[i][:, None] + step * log_t
                log_sums[i] = logsumexp(each, axis=0)
                means[i] = (step * np.exp(each - log_sums[i])).sum(axis=0)
        return log_sums + self.lows[:, None] * log_t, self.lows[:, None] + means

    def tails(self, log_t: Floats, log_sums: Floats) -> tuple[Floats, Floats]:
        """Bounds on what lies to the left and to the right of each window, over what is in it, for each t.

        Ratios of neighbours are at most the first outside, or its limit if they rise to it. Below α = 1, Γ(α+x)/x!
        rises toward 0, and all of it is below its value there.
        """
        low, high = self.lows[:, None].astype(np.float64), (self.lows + self.widths - 1)[:, None].astype(np.float64)
        alpha = self.alpha[:, None]
        edges = list(zip(self.factors, low[:, 0].astype(int), high[:, 0].astype(int), strict=True))
        left = np.array([[factor.left_at(first)] for factor, first, _ in edges])
        right = np.array([[factor.right_at(last)] for factor, _, last in edges])
        with np.errstate(divide="ignore", invalid="ignore"):
            edge = np.take_along_axis(self.logs, self.widths[:, None] - 1, axis=1)
            step = np.minimum(log_t - right + np.log(np.maximum(1.0, (alpha + high) / (high + 1))), 700.0)
            after = edge + high * log_t - log_sums + step - np.log(-np.expm1(np.minimum(step, -1e-300)))
            after = np.where(step < 0, after, np.inf)
            step = -log_t - left + np.where(alpha >= 1, np.log(low / (low + alpha - 1)), 0.0)
            rise = np.where(alpha < 1, gammaln(alpha) - gammaln(alpha + low) + gammaln(low + 1) + 1e-4, 0.0)
            near = np.where(step < 0, step - np.log(-np.expm1(np.minimum(step, -1e-300))), low * step + np.log(low))
            before = self.logs[:, :1] + low * log_t - log_sums + rise + near
        capped = np.exp(np.minimum(np.where(low > 0, before, -np.inf), 50.0))
        return capped, np.exp(np.minimum(after, 50.0))


def first_reach(factors: Sequence[Factor]) -> Wholes:
    """Windows to begin with, to the left and to the right: where a factor has fallen by e^-36."""
    return np.array(
        [[steps_to(_START, rate, factor.bend) for rate in (factor.left, factor.right)] for factor in factors]
    )
