"""Exact privacy loss of a kernel, from the definition (section 3)."""

from collections.abc import Mapping
from dataclasses import dataclass

from .mechanisms import Kernel, Row
from .precision import Exact, Real, mp, real
from .spaces import Counts, neighbours


@dataclass(frozen=True)
class Worst:
    """The largest loss, and where it occurs."""

    epsilon: Real
    counts: Counts
    neighbour: Counts
    output: Counts


def between_rows(row: Mapping[Counts, Real], other: Mapping[Counts, Real]) -> tuple[Real, Counts]:
    """The largest ln P(r)/Q(r), and its r; infinite where Q gives nothing to an outcome of P."""
    largest, at = -mp.inf, next(iter(row))
    for r, p in row.items():
        if p == 0:
            continue
        q = other.get(r, mp.zero)
        here = mp.log(p / q) if q > 0 else mp.inf
        if here > largest:
            largest, at = here, r
    return largest, at


def exact_loss(kernel: Kernel) -> Worst:
    """The largest loss over all adjacent pairs, in both orders."""
    worst = None
    for c, row in kernel.items():
        for other in neighbours(c):
            loss, r = between_rows(row, kernel[other])
            if worst is None or loss > worst.epsilon:
                worst = Worst(loss, c, other, r)
    assert worst is not None
    return worst


def delta_between(row: Row, other: Row, epsilon: Exact | Real) -> Real:
    """The sum over r of max(0, P(r) - e^epsilon Q(r))."""
    factor = mp.exp(real(epsilon))
    return mp.fsum(max(mp.zero, p - factor * other.get(r, mp.zero)) for r, p in row.items())


def exact_delta(kernel: Kernel, epsilon: Exact | Real) -> Real:
    """The largest delta over all adjacent pairs, in both orders."""
    return max(delta_between(row, kernel[other], epsilon) for c, row in kernel.items() for other in neighbours(c))
