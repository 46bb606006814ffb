"""The slack of a theorem turned into accuracy: the largest scale whose certified loss is at most ε.

For each smoothing rate γ the scale is found whose loss is ε, and for the best γ a scan from above makes sure that no
larger one was missed: the loss is not monotone in s everywhere. A privacy loss changes with s at a rate of at most
1 + Γ + ln|R|/s (its numerator by 1 + Γ; each normaliser's logarithm by the expected score, which is in [0, ln|R|/s]),
so a scale whose loss is too large by x excludes all scales closer than x over that rate. γ is chosen for the least
expected error under the prior predictive: public facts only. The result is audited, and lowered while the audit does
not certify it. Small spaces are searched with all their losses, long lines with those near their ends
(`discreet.privacy_loss.large_n`). The search ends after `WORK` weights, wherever it is then.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.numbers import exact
from discreet.arithmetic.roots import root_between
from discreet.errors import InvalidInput, TooLarge
from discreet.mechanisms import BY_NAME, Mechanism
from discreet.mechanisms.base import read_epsilon
from discreet.mechanisms.exponential import Exponential
from discreet.posteriors.grid import grid
from discreet.posteriors.predictive import log_predictive
from discreet.posteriors.space import PosteriorSpace, exceeds, orbits
from discreet.privacy_loss.audits import audit
from discreet.privacy_loss.large_n import LongLine
from discreet.privacy_loss.scan import MAX_DENSE_CANDIDATES, margin, orbit_pairs, scannable
from discreet.sensitivity.vectorised import Steps
from discreet.typing import Epsilon, Progress

WORK = 1 << 34
"""How many weights a search may compute: two or three minutes' worth, and the same result on every machine."""

_TOLERANCE = 1e-9
_ALIKE = 1e-7
_SECANTS = 12
_CHECKS = 400
_NEAR = 1e-4
_AUDITS = 8
_AT_ONCE = 32


def calibrate(
    name: str, space: PosteriorSpace, *, epsilon: Epsilon, gamma: object = None, progress: Progress | None = None
) -> Mechanism:
    """The family's member with the largest scale found, and the best γ, whose certified loss is at most ε.

    A search ends after `WORK` weights. Then the best member found so far is certified and returned; that of the theorem
    where none was. What is returned is always certified: by an audit, or by the theorem.

    >>> mechanism = calibrate("exponential-global", PosteriorSpace(prior=[1, 1], n=50), epsilon=1)
    >>> mechanism.guarantee <= 1, round(float(mechanism.scale), 3)
    (True, 0.881)
    """
    budget = read_epsilon(epsilon)
    family = BY_NAME.get(name, Mechanism)
    if gamma is not None and not family.largest_gamma:
        raise InvalidInput("only smooth and reciprocal sensitivities have a gamma", hint="leave it out")
    if not issubclass(family, Exponential):
        return family.at_full_loss(space, epsilon=budget)
    return _Search(family, space, budget, progress).mechanism(gamma)


class _SmallSpace:
    """All of a small space: one data set of each orbit, its neighbours in the order of a bound, and all outputs."""

    def __init__(self, space: PosteriorSpace) -> None:
        table = grid(space)
        distances, pairs = table.all_distances(), np.unique(np.sort(np.stack(orbit_pairs(space)), axis=0), axis=1)
        self._near, (self._one, self._other) = np.unique(pairs, return_inverse=True)[0], pairs
        first, self._orbit = np.unique(orbits(space), return_inverse=True)
        self._distances, self._first = distances[self._near], np.searchsorted(self._near, first)
        self._rows = np.searchsorted(self._near, pairs)
        self._apart = distances[self._one, self._other]
        self.steps, self.size = Steps(space, table.rows), space.size
        self.cells = self.size**2 * (1 + math.comb(space.k, 2))
        self._predictive = np.bincount(self._orbit, np.exp(log_predictive(space.prior, table.rows)))
        self._worst = 0

    def loss(self, scale: float, inverse: Floats) -> float:
        """The greatest loss, given 1/S of all data sets."""
        rates = scale * inverse
        logits = self._logits(rates)
        logs = np.log(np.exp(logits[self._first]).sum(axis=1))[self._orbit]
        # The loss is ±[(a'-a)·H' + a·(H'-H) + ln NL' - ln NL], with |H'-H| at most the step and H' at most 1.
        faster = rates[self._other] - rates[self._one]
        moved = logs[self._other] - logs[self._one]
        bounds = np.maximum(np.maximum(faster, 0.0) + moved, np.maximum(-faster, 0.0) - moved)
        bounds += np.minimum(rates[self._one], rates[self._other]) * self._apart + margin(float(rates.max()))
        order, greatest, start = np.argsort(-bounds), 0.0, 0
        while start < len(order) and bounds[order[start]] > greatest:
            at = order[start : start + _AT_ONCE]
            gap = logits[self._rows[0, at]] - logits[self._rows[1, at]]
            losses = np.maximum(gap.max(axis=1) + moved[at], -gap.min(axis=1) - moved[at])
            if losses.max() > greatest:
                greatest, self._worst = float(losses.max()), int(at[losses.argmax()])
            start += _AT_ONCE
        return greatest

    def least_loss(self, scale: float, inverse: Floats) -> float:
        """A lower bound on it: that of the last worst neighbours, which is quicker to have."""
        pair = [self._one[self._worst], self._other[self._worst]]
        logs = -scale * inverse[pair, None] * self._distances[self._rows[:, self._worst]]
        logs -= np.log(np.exp(logs).sum(axis=1))[:, None]
        return float(np.abs(logs[0] - logs[1]).max())

    def error(self, scale: float, inverse: Floats) -> float:
        """The expected distance under the prior predictive."""
        weights = np.exp(self._logits(scale * inverse)[self._first])
        means = np.einsum("ij,ij->i", weights, self._distances[self._first]) / weights.sum(axis=1)
        return float(self._predictive @ means)

    def growth(self, inverse: Floats) -> float:
        """The most that 1/S changes between neighbours."""
        return float(np.abs(inverse[self._one] - inverse[self._other]).max())

    def step(self, inverse: Floats) -> float:
        """The largest H/S of neighbours."""
        return float((self._apart * np.maximum(inverse[self._one], inverse[self._other])).max())

    def _logits(self, rates: Floats) -> Floats:
        """-a·H of all rows that are looked at."""
        return np.multiply(self._distances, -rates[self._near, None])


class _WorkSpent(Exception):
    """The search has used up its work."""


class _Search:
    """All that the search for one family, space and ε shares."""

    def __init__(
        self, family: type[Exponential], space: PosteriorSpace, epsilon: Fraction, progress: Progress | None
    ) -> None:
        self.family, self.space, self.epsilon, self.progress = family, space, epsilon, progress
        long = space.k == 2 and exceeds(space, MAX_DENSE_CANDIDATES)
        if not long and not scannable(space):
            raise TooLarge("this space is too large to scan all its losses", hint="use the setting of the theorem")
        self.scope = LongLine(space, float(epsilon) / 4) if long else _SmallSpace(space)
        self.target = float(epsilon) - 1e-9 * float(epsilon) - 5e-10
        self._left, self._errors = WORK, 0
        self._guess, self._best = float(epsilon) / 2, 0.0

    def mechanism(self, gamma: object) -> Mechanism:
        """The member of the family that the search ends at, certified."""
        options = self._options(gamma)
        by_theorem = self.family(self.space, epsilon=self.epsilon, **options)
        scale = self._scale(self._inverse(float(options.get("gamma", 0))))
        for attempt in range(_AUDITS):
            if scale <= by_theorem.scale:
                break
            member = self.family(self.space, scale=_short(scale), **options)
            result = audit(member)
            if result.epsilon <= self.epsilon:
                proof = result.certificate
                return member.certified(self.epsilon, result.epsilon, proof.statement, method=proof.method)
            # The loss grows about in proportion to the scale, or slower; a strong prior's margin is more than a hair.
            scale *= min(1 - 1e-8, float(self.epsilon / Fraction(result.epsilon)) ** (1 + attempt))
        return by_theorem

    def _options(self, gamma: object) -> dict[str, Fraction]:
        """γ, if the family has one: the caller's, or the best one, for which a quarter of the work is left alone."""
        if not self.family.largest_gamma:
            return {}
        if gamma is not None:
            return {"gamma": exact(gamma, "gamma")}  # the family refuses what is no rate
        reserve = self._left // 4
        self._left -= reserve
        best = _best_gamma(self._error, self.family.largest_gamma)
        self._left += reserve
        return {"gamma": Fraction(f"{best:.6g}")} if self._errors else {}

    def _scale(self, inverse: Floats) -> float:
        """The largest scale that keeps ε, or the best that was met before the work was used up."""
        self._best = 0.0
        try:
            return self._largest(inverse, self._edge(inverse))
        except _WorkSpent:
            return self._best

    def _error(self, gamma: float) -> float:
        try:
            inverse = self._inverse(gamma)
            scale = self._guess = self._near(inverse)
            error = self.scope.error(scale, inverse)
        except _WorkSpent:
            return math.inf
        self._errors += 1
        if self.progress is not None:
            self.progress(self._errors, 35)
        return error

    def _inverse(self, gamma: float) -> Floats:
        return self.scope.steps.inverse(self.family, gamma)

    def _spend(self) -> None:
        self._left -= self.scope.cells
        if self._left < 0:
            raise _WorkSpent

    def _loss(self, scale: float, inverse: Floats) -> float:
        self._spend()
        loss = self.scope.loss(scale, inverse)
        if loss <= self.target:
            self._best = max(self._best, scale)
        return loss

    def _near(self, inverse: Floats) -> float:
        """A scale whose loss is about the target, to compare γ by: secants from the last one.

        Another γ moves it little, and the loss is nearly proportional to the scale, so three or four scans do.
        """
        scale, before = self._guess, (0.0, 0.0)
        for _ in range(_SECANTS):
            loss = self._loss(scale, inverse)
            if abs(loss - self.target) <= _ALIKE * self.target:
                return scale
            run, rise = scale - before[0], loss - before[1]
            before = scale, loss
            moved = scale + (self.target - loss) * run / rise if run * rise > 0 else 0.0
            scale = min(max(moved, scale / 4), 4 * scale)
        return self._edge(inverse)

    def _edge(self, inverse: Floats) -> float:
        """A scale whose loss is at most the target while one slightly larger has more."""
        low, high = 0.0, float(self.epsilon) / 2
        while self._loss(high, inverse) <= self.target:
            low, high = high, 2 * high

        def beyond(scale: float) -> float:
            return (self._loss(scale, inverse) if scale else 0.0) - self.target

        root = root_between(beyond, low, high, _TOLERANCE * high / 4)
        below = root * (1 - _TOLERANCE / 2)
        return below if below > low and beyond(below) <= 0 else self._up(low, root, inverse)

    def _largest(self, inverse: Floats, edge: float) -> float:
        """Walk down from a scale that is surely too large, skipping only what the rate of change excludes."""
        scale, growth = self._surely_too_large(inverse), 1 + self.scope.growth(inverse)
        for _ in range(_CHECKS):
            self._spend()
            excess = self.scope.least_loss(scale, inverse) - self.target
            if excess < _NEAR * self.target:
                excess = self._loss(scale, inverse) - self.target
            if excess < _NEAR * self.target:
                # The steps shrink towards an edge from above and would never cross it: look just beyond.
                for beyond in (0.0, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3):
                    below = scale * (1 - beyond)
                    if self._loss(below, inverse) <= self.target:
                        return self._up(below, below * (1 + 1e-3), inverse)
            step = excess / (growth + math.log(self.scope.size) / edge)
            scale -= step
            if scale <= edge * (1 + 1e-3):
                break
        return edge

    def _up(self, low: float, high: float, inverse: Floats) -> float:
        """From a scale that fits to an edge above it."""
        while high - low > _TOLERANCE * high:
            middle = (low + high) / 2
            if self._loss(middle, inverse) <= self.target:
                low = middle
            else:
                high = middle
        return low

    def _surely_too_large(self, inverse: Floats) -> float:
        """P(c|c) ≥ 1/|R| and P(c|c') ≤ exp(-s·H(c,c')/S(c')), so the loss is at least s·H/S - ln|R|."""
        return (float(self.epsilon) + math.log(self.scope.size)) / self.scope.step(inverse)


def _short(scale: float) -> Fraction:
    """The scale, rounded down to 31 bits: a receipt names it.

    >>> _short(0.97)
    Fraction(1041529569, 1073741824)
    """
    share, power = math.frexp(scale)
    return Fraction(math.floor(share * 2**31)) * Fraction(2) ** (power - 31)


def _best_gamma(error: Callable[[float], float], top: float) -> float:
    """The γ below `top` with the least error found: a coarse grid over six decades, then golden sections.

    >>> round(_best_gamma(lambda gamma: (math.log(gamma) - math.log(0.3)) ** 2, 3.0), 2)
    0.3
    """
    grid = [top * 2.0 ** (-i / 1.5) for i in range(15)] + [top * 2.0**-14, top * 2.0**-20]
    errors = [error(gamma) for gamma in grid]
    place = min(range(len(grid)), key=errors.__getitem__)
    low, high = grid[min(place + 1, len(grid) - 1)], grid[max(place - 1, 0)]
    golden = (math.sqrt(5) - 1) / 2
    a, b = math.log(low), math.log(high)
    x, y = b - golden * (b - a), a + golden * (b - a)
    fx, fy = error(math.exp(x)), error(math.exp(y))
    while b - a > 0.004:
        if fx < fy:
            b, y, fy = y, x, fx
            x = b - golden * (b - a)
            fx = error(math.exp(x))
        else:
            a, x, fx = x, y, fy
            y = a + golden * (b - a)
            fy = error(math.exp(y))
    middle = math.exp(x if fx < fy else y)
    return middle if error(middle) < errors[place] else grid[place]
