"""Exact error of a law, and the bounds on its tail (section 6)."""

from collections.abc import Mapping, Sequence

from .distances import Distance, hellinger
from .mechanisms import Kernel, Row
from .precision import Exact, Real, mp, real
from .sensitivity import between
from .spaces import Counts, candidates


def mean(alpha: Sequence[Exact], c: Counts, row: Row, distance: Distance = hellinger) -> Real:
    """The expected distance of the output from the truth."""
    return mp.fsum(p * between(alpha, c, r, distance) for r, p in row.items())


def mean_under(
    alpha: Sequence[Exact], kernel: Kernel, weights: Mapping[Counts, Real], distance: Distance = hellinger
) -> Real:
    """The expected distance when c itself has these weights."""
    return mp.fsum(weights[c] * mean(alpha, c, row, distance) for c, row in kernel.items())


def worst_mean(alpha: Sequence[Exact], kernel: Kernel, distance: Distance = hellinger) -> Real:
    """The largest expected distance over all c."""
    return max(mean(alpha, c, row, distance) for c, row in kernel.items())


def tail(alpha: Sequence[Exact], c: Counts, row: Row, t: Exact | Real, distance: Distance = hellinger) -> Real:
    """Pr[distance >= t]."""
    return mp.fsum(p for r, p in row.items() if between(alpha, c, r, distance) >= real(t))


def quantile(alpha: Sequence[Exact], c: Counts, row: Row, p: Exact, distance: Distance = hellinger) -> Real:
    """The least t with Pr[distance <= t] >= p."""
    so_far, atoms = mp.zero, sorted((between(alpha, c, r, distance), mass) for r, mass in row.items())
    for t, mass in atoms:
        so_far += mass
        if so_far >= real(p):
            return t
    return atoms[-1][0]


def normaliser(alpha: Sequence[Exact], c: Counts, scale: Exact | Real, sensitivity: Real) -> Real:
    """NL(c): the sum over r of exp(-scale H(c,r) / sensitivity)."""
    return mp.fsum(mp.exp(-real(scale) * between(alpha, c, r) / real(sensitivity)) for r in candidates(len(c), sum(c)))


def bounds(
    alpha: Sequence[Exact], c: Counts, scale: Exact | Real, sensitivities: Mapping[Counts, Real], t: Exact | Real
) -> dict[str, Real]:
    """The upper bounds of section 6 on Pr[H >= t] for the exponential family, by name."""
    size = len(sensitivities)
    least = min(normaliser(alpha, other, scale, value) for other, value in sensitivities.items())
    loose = size * mp.exp(-real(scale) * real(t) / sensitivities[c])
    return {
        "normalised": loose / normaliser(alpha, c, scale, sensitivities[c]),
        "n-normalised": loose / least,
        "loose": loose,
        "data-free": size * mp.exp(-real(scale) * real(t) / max(sensitivities.values())) / least,
    }
