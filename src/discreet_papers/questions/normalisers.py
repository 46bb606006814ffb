"""The question of paper 001 §6.2: what is N(n), which may stand for the normaliser in a bound without data?

It is the least normaliser over all data sets. Well inside the space a release is noise of weight exp(-s|v|), so N(n)
tends to Σ exp(-s|v|) = coth(s/2), whatever the prior and however the sensitivity is smoothed; under global sensitivity
it grows with n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet import ExponentialGlobal, ExponentialReciprocal, PosteriorSpace, accuracy, reciprocal_sensitivity
from discreet.figures.style import BLACK, BLUE, GREEN, ORANGE, STYLE, dress, figure_of, plain_logs
from discreet.mechanisms.exponential import KINDS
from discreet.posteriors.distances import hellinger_floats
from discreet.utility.normaliser import normaliser
from discreet_papers.registry import Cell, Figure, Table

SIZES, QUICK = (5, 10, 20, 50, 100, 200, 500, 1000, 10**6, 10**9), (5, 10, 50, 200, 1000)
SCALES = tuple(Fraction(text) for text in ("0.1", "0.2", "0.5", "1", "2", "4"))
LEVELS = tuple(Fraction(step, 20) for step in range(1, 20, 2))
MANY, BOUNDED = 1000, 50
"""The n of the curve over scales, and that of the bounds."""

THREE, MORE, WINDOW = (12, 30, 60, 90), (3000, 3 * 10**6), 60
"""Three categories: n that are enumerated, n of even data alone, and how far from it weights matter."""


@dataclass(frozen=True, slots=True)
class NormaliserNumbers:
    """N by mechanism and n at s = ½; N by scale at n = 1000; bounds on Pr[H ≥ t] at s = 1, n = 50, for all data."""

    by_size: dict[str, list[tuple[int, float]]]
    by_scale: list[tuple[float, float, float]]
    bounds: list[tuple[float, dict[str, float]]]
    limit: float
    by_simplex: list[tuple[int, float, tuple[int, ...] | None]]
    """Three categories at s = 1: n, N(n) and where it is; or NL of even data."""
    lattice: float


def settings(quick: bool) -> dict[str, str]:
    return {
        "prior": "1, 1",
        "scale": "1/2 against n; " + ", ".join(str(float(s)) for s in SCALES) + f" at n = {MANY}",
        "n": ", ".join(map(str, QUICK if quick else SIZES)),
        "gamma": "1 for reciprocal, the papers' at δ = 1e-8 for smooth",
        "three categories": f"n = {', '.join(map(str, THREE))}; even data at n = {', '.join(map(str, MORE))}",
        "bounds": f"exponential-reciprocal, s = 1, n = {BOUNDED}, the worst over all data sets",
    }


def numbers(quick: bool) -> NormaliserNumbers:
    """N(n) exactly: by enumeration, or beyond it at the data sets where it is least."""
    by_size = {
        kind.name: [
            (n, normaliser(kind(PosteriorSpace(prior=[1, 1], n=n), scale="1/2")).value)
            for n in (QUICK if quick else SIZES)
        ]
        for kind in KINDS[::-1]
    }
    space = PosteriorSpace(prior=[1, 1], n=MANY)
    by_scale = [
        (float(s), normaliser(ExponentialReciprocal(space, scale=s)).value, 1 / math.tanh(float(s) / 2)) for s in SCALES
    ]
    three = [(n, normaliser(ExponentialReciprocal(PosteriorSpace(prior=[1, 1, 1], n=n), scale=1))) for n in THREE]
    more = [(n, balanced_normaliser(PosteriorSpace(prior=[1, 1, 1], n=n))) for n in MORE]
    everywhere = accuracy(ExponentialReciprocal(PosteriorSpace(prior=[1, 1], n=BOUNDED), scale=1))
    bounds = [(float(t), everywhere.bounds(t)) for t in LEVELS]
    by_simplex = [*((n, least.value, least.counts) for n, least in three), *((n, value, None) for n, value in more)]
    return NormaliserNumbers(by_size, by_scale, bounds, 1 / math.tanh(0.25), by_simplex, lattice_sum(1.0))


def balanced_normaliser(space: PosteriorSpace) -> float:
    """NL of balanced data of three categories at s = 1 and γ = 1: the weights of all outputs within `WINDOW` of it."""
    third = space.n // 3
    moves = np.array([(i, j, -i - j) for i in range(-WINDOW, WINDOW + 1) for j in range(-WINDOW, WINDOW + 1)])
    rate = float(1 / reciprocal_sensitivity(space, [third] * 3, 1))
    return float(np.exp(-rate * hellinger_floats(space.prior, [third] * 3, third + moves)).sum())


def lattice_sum(scale: float) -> float:
    """Σ exp(-s·‖v‖₂/√2) over whole v of three categories with Σv = 0.

    >>> round(lattice_sum(1.0), 5)
    7.46124
    """
    moves = np.arange(-WINDOW, WINDOW + 1.0)
    one, other = np.meshgrid(moves, moves)
    return float(np.exp(-scale * np.sqrt(one * one + other * other + one * other)).sum())


def table(result: NormaliserNumbers) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, curve in result.by_size.items():
        rows += [("against n", name, n, 0.5, value) for n, value in curve]
    rows += [("against s", ExponentialReciprocal.name, MANY, s, value) for s, value, _ in result.by_scale]
    rows += [("k = 3 against n", ExponentialReciprocal.name, n, 1.0, value) for n, value, _ in result.by_simplex]
    for t, bounds in result.bounds:
        rows += [("bound on Pr[H ≥ t]", name, BOUNDED, t, value) for name, value in bounds.items()]
    return Table(("panel", "name", "n", "s or t", "value"), tuple(rows))


def sentences(result: NormaliserNumbers) -> list[str]:
    last_n, last = result.by_size[ExponentialReciprocal.name][-1]
    first_n, first = result.by_size[ExponentialGlobal.name][-2]
    end_n, end = result.by_size[ExponentialGlobal.name][-1]
    far, near = (max(abs(value / limit - 1) for _, value, limit in result.by_scale[start:]) for start in (0, 2))
    slowest = max(result.by_scale, key=lambda row: abs(row[1] / row[2] - 1))[0]
    t, bounds = result.bounds[len(result.bounds) // 2]
    return [
        f"N(n) = min NL exists and has a limit: at s = 1/2 it is {last:.5f} at n = {last_n:,} and tends to "
        f"coth(s/2) = {result.limit:.5f}, the normaliser of noise of weight exp(-s|v|). Under global sensitivity it "
        f"grows with n, from {first:.5g} at n = {first_n:,} to {end:.5g} at n = {end_n:,}.",
        f"At n = {MANY} it is within {near:.2%} of coth(s/2) for s from {result.by_scale[2][0]:g} to "
        f"{result.by_scale[-1][0]:g}; for smaller s the noise still reaches the ends, and N is up to {far:.0%} away "
        f"(s = {slowest:g}).",
        f"What it buys: at s = 1, n = {BOUNDED} and t = {t:g} the bound that may be published, "
        f"|R|·exp(-st/max S)/N(n), is {bounds['data-free']:.3g} where the loose one is {bounds['loose']:.3g}; the "
        f"exact worst case is {bounds['exact']:.3g}.",
        _three(result),
    ]


def _three(result: NormaliserNumbers) -> str:
    """More categories in a sentence."""
    enumerated = [(n, value, counts) for n, value, counts in result.by_simplex if counts is not None]
    texts = ", ".join(f"{value:.5f} at n = {n}" for n, value, _ in enumerated)
    even = all(max(counts) - min(counts) <= 1 for _, _, counts in enumerated)
    far_n, far, _ = result.by_simplex[-1]
    return (
        f"With three categories, prior (1, 1, 1), s = 1 and γ = 1, N(n) is {texts}, "
        f"{'each at' if even else 'not always at'} the most even data set; NL of that data set is {far:.5f} at n = "
        f"{far_n:,}, and its limit is the sum of exp(-s‖v‖₂/√2) over whole v with Σv = 0, {result.lattice:.5f}: near "
        "even data H²·8n/k tends to ‖v‖₂², and S to the distance of a neighbour, whose ‖v‖₂ is √2; the weights are "
        "dominated by exp(-s·c‖v‖) with some c > 0, so the sums converge. So N(n) is at most that in the limit, for "
        "any k with the sum over k categories. That no other data set goes below is known from the enumeration, and "
        "not proved."
    )


def paint(result: NormaliserNumbers) -> Figure:
    figure, ((first, second, third),) = figure_of(1, 3, "N(n), the normaliser that depends on no data", width=4.6)
    for name, curve in result.by_size.items():
        x, y = zip(*curve, strict=True)
        first.plot(x, y, label=name.removeprefix("exponential-"), markerfacecolor="none", **STYLE[name])
    first.axhline(result.limit, color=BLACK, linewidth=1, zorder=0)
    below = {"xytext": (0, -14), "textcoords": "offset points", "ha": "center", "fontsize": 9}
    first.annotate("coth(s/2)", (2e8, result.limit), **below)
    first.set_xscale("log")
    first.set_ylim(2.5, 60)  # global sensitivity goes on as a straight line
    dress(first, "N(n) at s = 1/2, prior (1, 1)", "number of records n", "N(n)")
    plain_logs(first, "y")
    first.legend(frameon=False, fontsize=9, title="sensitivity", loc="upper right")
    scale, value, _ = zip(*result.by_scale, strict=True)
    fine = [scale[0] * math.pow(scale[-1] / scale[0], i / 60) for i in range(61)]
    second.plot(fine, [1 / math.tanh(s / 2) for s in fine], color=BLACK, linewidth=1, label="coth(s/2)")
    second.plot(scale, value, color=BLUE, marker="o", linestyle="none", label=f"N({MANY})")
    plain_logs(second, "x", "y")
    dress(second, f"N(n) at n = {MANY}, reciprocal, γ = 1", "scale s", "N(n)")
    second.legend(frameon=False, fontsize=9)
    styles = {"exact": (GREEN, "-"), "normalised": (BLUE, "-."), "data-free": (ORANGE, "--"), "loose": (BLACK, ":")}
    levels = [t for t, _ in result.bounds]
    for name, (colour, style) in styles.items():
        third.plot(levels, [bounds[name] for _, bounds in result.bounds], color=colour, linestyle=style, label=name)
    third.set_yscale("log")
    title = f"bounds on Pr[H ≥ t] for all data, s = 1, n = {BOUNDED}"
    dress(third, title, "Hellinger distance t", "probability, or above 1")
    third.legend(frameon=False, fontsize=9)
    return figure
