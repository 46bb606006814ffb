"""Claims about local sensitivity along the data: the papers' statements I to III and what the proofs of them say.

All are for prior beta(1,1). x₀ is the balanced count, or the two nearest to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import betaln

from discreet import Beta, PosteriorSpace, hellinger, local_sensitivity
from discreet.posteriors.grid import grid
from discreet_papers.claims.base import Check, Evidence

SIZES = range(1, 41)


def _step(x: int, n: int) -> float:
    """H(BI(x), BI(x+1))."""
    return hellinger(Beta(x + 1, n - x + 1), Beta(x + 2, n - x))


def _steps(n: int) -> list[float]:
    """All steps; those that mirror each other are computed once, so that they are the same float."""
    half = [_step(x, n) for x in range((n + 1) // 2)]
    return half + half[: n // 2][::-1]


def _monotony(claimed: Callable[[int, int], int]) -> Evidence:
    """Whether step x is below (+1) or above (-1) the next one wherever that is claimed; 0 claims nothing."""
    wrong: list[tuple[float, str]] = []
    for n in SIZES:
        steps = _steps(n)
        for x in range(n - 1):
            rise = claimed(x, n) * (steps[x + 1] - steps[x])
            if claimed(x, n) and not rise > 0:
                wrong.append((rise, f"n = {n}, x = {x}: H = {steps[x]:.6f}, then {steps[x + 1]:.6f}"))
    return Evidence(not wrong, _step(20, 40), min(wrong)[1] if wrong else f"strict for all n to {SIZES[-1]}")


def _base_case(formula: Callable[[int], int]) -> Evidence:
    """(n-1)²(n+2)(n+4) > (n+3)²n(n-2) must be the same as n > -1: the difference of the two sides is 8(n+1)."""
    sides = {n: (n - 1) ** 2 * (n + 2) * (n + 4) - (n + 3) ** 2 * n * (n - 2) for n in range(-50, 2000)}
    wrong = (f"n = {n}" for n, difference in sides.items() if formula(n) != difference)
    return Evidence.unless(wrong, formula(10), "the difference is 8(n+1) at every n tried")


def _last_line(shift: int) -> Evidence:
    """The induction ends in 1 - B(…)/sqrt(B·B'), which it calls the next distance: is it, with these B?"""
    n, cases = 20, []
    for m in reversed(range(6)):
        above = betaln((n + 2 * m + 7) / 2, (n - 2 * m - 3) / 2)
        below = [betaln(n / 2 + 2 + m + i + shift, n / 2 - m - i - shift) for i in (0, 1)]
        printed, truth = 1 - math.exp(above - sum(below) / 2), _step(n // 2 + m + 2, n) ** 2
        cases.append((abs(printed - truth), f"n = {n}, m = {m}: {printed:.5f} is printed as H² = {truth:.5f}"))
    return Evidence.at_most(1e-9, cases, tolerance=0.0)


def _outer_distance(neighbour: Callable[[int, int], int]) -> Evidence:
    """Whether LS(x) is the distance to the neighbour that the statement names."""
    wrong = []
    for n in SIZES:
        space, steps = PosteriorSpace(prior=[1, 1], n=n), _steps(n)
        for x in range(n + 1):
            other, local = neighbour(x, n), local_sensitivity(space, [x, n - x])
            if not 0 <= other <= n:
                wrong.append(f"n = {n}, x = {x}: x{other - x:+d} is beta({other + 1}, {n - other + 1})")
            elif abs(local - steps[min(x, other)]) > 1e-12:
                wrong.append(f"n = {n}, x = {x}: LS is {local:.6f}")
    return Evidence.unless(wrong, _step(20, 40), f"LS is that distance for all x and n to {SIZES[-1]}")


def printed_neighbour(x: int, n: int) -> int:
    """Statement II as printed: x+1 from the balanced count on, x-1 up to it."""
    return x + 1 if 2 * x >= n else x - 1


def outer_neighbour(x: int, n: int) -> int:
    """The neighbour away from the balanced count; at the ends the only one there is."""
    return min(max(printed_neighbour(x, n), 1 if x == 0 else 0), n - 1 if x == n else n)


def _minimum(first: int) -> Evidence:
    """Whether LS is strictly least at x₀, for all n from `first` on."""
    wrong = []
    for n in range(first, SIZES[-1] + 1):
        steps = _steps(n)
        local = [max(steps[max(x - 1, 0) : x + 1]) for x in range(n + 1)]
        others = set(range(n + 1)) - {n // 2, (n + 1) // 2}
        wrong += [f"n = {n}: LS({x}) = {local[x]:.6f} = LS(x₀)" for x in others if not local[x] > local[n // 2]]
    return Evidence.unless(wrong, first, f"strict from n = {first} to {SIZES[-1]}")


def _largest_change(choice: Callable[[tuple[int, ...], int], tuple[int, ...]]) -> Evidence:
    """Whether |H(x, r) - H(x', r)| is largest over r at the r that is named, for every x and adjacent x'."""
    wrong, pairs = "", 0
    for space in PosteriorSpace(prior=[1, 1], n=40), PosteriorSpace(prior=[7, 4], n=30), PosteriorSpace([1, 1, 1], n=9):
        table, ranks = grid(space), space.candidates()
        for rank, c in enumerate(map(tuple, ranks)):
            named = ranks.index(choice(c, space.n))
            for other in space.adjacency.neighbours(c):
                gap = np.abs(table.distances(rank) - table.distances(ranks.index(tuple(other))))
                pairs += 1
                if gap[named] < gap.max() * (1 - 1e-9):
                    wrong = f"x = {c}, x' = {tuple(other)}: {gap[named]:.5f} there, {gap.max():.5f} elsewhere"
    return Evidence(not wrong, pairs, wrong or f"largest at r = BI(x) for all {pairs} pairs")


CHECKS: dict[str, Check[Any]] = {
    "000-statement-1-above": Check(_monotony, lambda x, n: 1 if x >= n // 2 else 0),
    "000-statement-1-below": Check(
        _monotony, lambda x, n: -1 if x <= n // 2 else 0, lambda x, n: -1 if 2 * (x + 1) < n else 0
    ),
    "000-statement-1-base": Check(_base_case, lambda n: 8 * (n + 1)),
    "000-statement-1-induction": Check(_last_line, 0),
    "000-statement-2": Check(_outer_distance, printed_neighbour, outer_neighbour),
    "000-statement-3": Check(_minimum, 1, 4),
    "001-reached-at-x": Check(_largest_change, lambda c, n: c),
}
