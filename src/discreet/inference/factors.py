"""P(o | c) as a product of one factor for each category, where a mechanism has one: additive noise always does.

Geometric noise is independent but for its total, and a sequentially clamped count looks only at its own noise, because
what is left for it is known from the output. Far from the output every factor falls by a known rate at each step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.arithmetic.numbers import precision
from discreet.mechanisms import Geometric, Laplace, LaplaceImproved, Mechanism
from discreet.mechanisms.snapping.counts import BITS, SnappedCounts
from discreet.samplers.noise import RoundedLaplace
from discreet.typing import Outcome

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST_SNAPPED = 1 << 12
"""Exact masses of snapped counts are worked out one by one, for at most this many counts."""


@dataclass(frozen=True)
class Factor:
    """ln h(x) for counts x of one category.

    To the left of `first` - 1, ln h falls by `left` at each step outward, and to the right of `last` + 1 by `right`.
    A rate of 0 promises nothing.
    """

    first: int
    last: int
    left: float
    right: float
    log: Callable[[NDArray[Any]], NDArray[np.float64]]


def factors(mechanism: Mechanism, output: Outcome) -> list[Factor] | None:
    """One factor for each category; None for a mechanism whose law is not a product."""
    if isinstance(mechanism, Geometric):
        rate = float(mechanism.epsilon) / 2
        return [_around(z, rate, mechanism.space.n) for z in output]
    if isinstance(mechanism, Laplace | LaplaceImproved):
        noise = RoundedLaplace(mechanism.rate, mechanism.rounding)
        return _in_turn(output, mechanism.space.n, lambda value, left: _clamped(noise, value, left))
    if isinstance(mechanism, SnappedCounts) and mechanism.space.n <= LONGEST_SNAPPED:
        return _in_turn(output, mechanism.space.n, lambda value, left: _snapped(mechanism, value, left))
    return None


def together(parts: Sequence[Sequence[Factor]]) -> list[Factor]:
    """The factors of several outputs that were drawn from the same data."""
    return [_product(column) for column in zip(*parts, strict=True)]


def _product(column: Sequence[Factor]) -> Factor:
    logs = [factor.log for factor in column]
    return Factor(
        min(factor.first for factor in column),
        max(factor.last for factor in column),
        sum(factor.left for factor in column),
        sum(factor.right for factor in column),
        lambda x: sum((log(x) for log in logs[1:]), logs[0](x)),
    )


def _around(z: int, rate: float, n: int) -> Factor:
    """exp(-rate·|z-x|); a z outside 0 … n falls from the end on."""
    import numpy as np

    inside = min(max(z, 0), n)
    return Factor(inside, inside, rate, rate, lambda x: -rate * np.abs(x - inside).astype(np.float64))


def _in_turn(output: Outcome, n: int, factor: Callable[[int, int], Factor]) -> list[Factor]:
    """One factor after the other; once nothing is left, and for the last, a category's count was not looked at."""
    found, left = [], n
    for value in output[:-1]:
        found.append(factor(value, left) if left else _silent(n))
        left -= value
    return [*found, _silent(n)]


def _silent(n: int) -> Factor:
    import numpy as np

    return Factor(0, n, 0.0, 0.0, lambda x: np.zeros(len(x)))


def _clamped(noise: RoundedLaplace, value: int, left: int) -> Factor:
    which = 1 if value == 0 else 2 if value == left else 0
    rate = float(noise.rate)

    def log(x: NDArray[np.int64]) -> NDArray[np.float64]:
        return noise.log_floats(value - x)[which]

    # A count that was clamped to what was left may be any larger one.
    return Factor(value, value, rate, 0.0 if which == 2 else rate, log)


def _snapped(mechanism: SnappedCounts, value: int, left: int) -> Factor:
    space = mechanism.space

    def log(x: NDArray[np.int64]) -> NDArray[np.float64]:
        import numpy as np

        law = mechanism.law([space.n, *[0] * (space.k - 1)])  # `_mass` takes the count itself
        found = []
        with precision(BITS):
            for count in x.tolist():
                mass = law._mass(count, value, left)
                found.append(float(mass.ball().log()) if mass.mantissa else -math.inf)
        return np.array(found)

    return Factor(0, space.n, 0.0, 0.0, log)
