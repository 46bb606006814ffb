"""A plan as a picture: the expected error against ε and against n, and the exact law of one data set against H."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.arithmetic.numbers import exact
from discreet.errors import DiscreetError
from discreet.mechanisms import Mechanism, Optimal, mechanism
from discreet.posteriors.grid import grid
from discreet.posteriors.space import PosteriorSpace, exceeds
from discreet.utility import accuracy
from discreet.utility.plans import CATEGORIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Curve = tuple[NDArray[np.float64], NDArray[np.float64]]

SHOWN = ("geometric", "laplace-improved", "exponential-reciprocal", "exponential-global")
STYLE: dict[str, dict[str, Any]] = {  # colours from Okabe and Ito; markers and dashes for those who print in grey
    "geometric": {"color": "#0072B2", "marker": "o", "linestyle": "-", "markersize": 4},
    # hollow and larger: it often lies on geometric, which must still be seen
    "laplace-improved": {
        "color": "#E69F00",
        "marker": "s",
        "linestyle": "--",
        "markersize": 7,
        "markerfacecolor": "none",
    },
    "exponential-reciprocal": {"color": "#009E73", "marker": "^", "linestyle": "-.", "markersize": 5},
    "exponential-global": {"color": "#CC79A7", "marker": "D", "linestyle": ":", "markersize": 4},
    "optimal": {"color": "#000000", "linestyle": (0, (1, 1))},
}
LABEL = {"optimal": "least possible (linear programme)"}

EPSILONS = ("0.05", "0.1", "0.2", "0.5", "1", "2", "5")
SIZES = ("1/30", "1/10", "1/3", "1", "3", "10", "30")
FEW_EPSILONS, FEW_SIZES = ("0.1", "0.3", "1", "3"), ("1/10", "1", "10")
"""Where every point takes a second or two of draws."""

LIMIT = 61
ENUMERATED = 3000
LONGEST_LAW = 1 << 14
LEAST_SHOWN = 1e-9
WIDTH = 14
"""Characters of the small print that fit an inch."""


@dataclass(frozen=True)
class PlanningNumbers:
    """Curves by mechanism: pairs of arrays. `counts` is the most balanced data set, nobody's in particular.

    `left_out` is what is not shown, and why.
    """

    space: PosteriorSpace
    epsilon: Fraction
    counts: tuple[int, ...]
    against_epsilon: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
    against_n: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
    law: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
    left_out: dict[str, str] = field(default_factory=dict)


def numbers(
    space: PosteriorSpace,
    epsilon: object,
    *,
    known: Mapping[str, float] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> PlanningNumbers:
    """Expected Hellinger errors under the prior predictive, and the law at the most balanced counts.

    `known` are the errors at ε by mechanism, from a plan that was made before: they are not computed again.

    >>> shown = numbers(PosteriorSpace(prior=[1, 1], n=20), 1)
    >>> sorted(shown.law)
    ['exponential-global', 'exponential-reciprocal', 'geometric', 'laplace-improved']
    """
    asked = exact(epsilon, "epsilon", above=0)
    few = space.k > 2 and exceeds(space, ENUMERATED)
    epsilons = sorted({*(Fraction(text) for text in (FEW_EPSILONS if few else EPSILONS)), asked})
    shares = FEW_SIZES if few else SIZES
    sizes = sorted({max(2, min(10**12, round(space.n * Fraction(text)))) for text in shares})
    spaces = [PosteriorSpace(prior=space.prior, n=n) for n in sizes]
    names = [name for name in SHOWN if space.k <= CATEGORIES or not name.startswith("exponential")]
    steps, done = len(names) * (len(epsilons) + len(sizes)), 0
    means = {(name, space.n, asked): mean for name, mean in (known or {}).items()}
    slow = f"drawing its error for more than {CATEGORIES} categories takes minutes"
    left_out = {name: slow for name in SHOWN if name not in names}

    def curve(name: str, points: list[tuple[PosteriorSpace, Fraction]], against: str) -> Curve:
        nonlocal done
        found = []
        for other, price in points:
            key = (name, other.n, price)
            try:
                if key not in means:
                    means[key] = accuracy(_made(name, other, price)).mean
                found.append((float(price) if against == "ε" else other.n, means[key]))
            except DiscreetError as refusal:
                left_out[f"some points of {name}"] = refusal.message
            done += 1
            if progress is not None:
                progress(min(done, steps), steps)
        x, y = (np.array(column) for column in zip(*found, strict=True)) if found else (np.zeros(0), np.zeros(0))
        return x, y

    by_epsilon = {name: curve(name, [(space, price) for price in epsilons], "ε") for name in names}
    if not exceeds(space, LIMIT):
        by_epsilon["optimal"] = curve("optimal", [(space, price) for price in epsilons], "ε")
    by_n = {name: curve(name, [(other, asked) for other in spaces], "n") for name in names}
    counts, most = balanced(space), LONGEST_LAW if space.k == 2 else ENUMERATED
    law = {}
    if exceeds(space, most):
        left_out["the exact law"] = f"it is listed for at most {most:,} candidates"
    else:
        law = {name: _law(mechanism(name, space, epsilon=asked), counts) for name in names}
    return PlanningNumbers(space, asked, counts, by_epsilon, by_n, law, left_out)


def balanced(space: PosteriorSpace) -> tuple[int, ...]:
    """The counts that are as even as they can be."""
    share, rest = divmod(space.n, space.k)
    return tuple(share + (i < rest) for i in range(space.k))


def small_print(shown: PlanningNumbers) -> str:
    """What the picture leaves out, in a sentence; nothing, if it shows all.

    >>> small_print(numbers(PosteriorSpace(prior=[1, 1], n=20), 1))
    ''
    """
    reasons: dict[str, list[str]] = {}
    for what, reason in shown.left_out.items():
        reasons.setdefault(reason, []).append(what)
    said = [f"{', '.join(names)} ({reason})" for reason, names in reasons.items()]
    return f"left out of the picture: {'; '.join(said)}" if said else ""


def _made(name: str, space: PosteriorSpace, epsilon: Fraction) -> Mechanism:
    return Optimal(space, epsilon=epsilon) if name == "optimal" else mechanism(name, space, epsilon=epsilon)


def _law(made: Mechanism, counts: tuple[int, ...]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distances of the candidates from the balanced one, in order, and their probabilities."""
    distance = grid(made.space).distances(made.space.candidates().index(counts))
    chance = np.exp(made.log_pmf(counts))
    order = np.argsort(distance, kind="stable")
    return distance[order], chance[order]


def paint(shown: PlanningNumbers) -> Figure:
    """Three panels, or two where candidates are too many to list; made without matplotlib's global state."""
    from matplotlib.figure import Figure

    panels = 3 if shown.law else 2
    figure = Figure(figsize=(4.4 * panels, 4.6), layout="constrained")
    first, second, *rest = figure.subplots(1, panels)
    _paint_curves(first, shown.against_epsilon)
    first.axvline(float(shown.epsilon), color="#999999", linewidth=1, zorder=0)
    first.set_xlabel("privacy loss ε")
    first.set_ylabel("expected Hellinger distance")
    first.set_title(f"error against ε, at n = {shown.space.n:,}", loc="left", fontsize=11)
    _paint_curves(second, shown.against_n)
    second.axvline(shown.space.n, color="#999999", linewidth=1, zorder=0)
    second.set_xlabel("number of records n")
    second.set_ylabel("expected Hellinger distance")
    second.set_title(f"error against n, at ε = {float(shown.epsilon):g}", loc="left", fontsize=11)
    for axes in rest:
        _paint_law(axes, shown)
    prior = ", ".join(f"{float(parameter):g}" for parameter in shown.space.prior.parameters[:6])
    more = ", …" if shown.space.k > 6 else ""
    figure.suptitle(f"Planning a release: prior ({prior}{more}), each mechanism at its theorem's scale", fontsize=12)
    handles, labels = first.get_legend_handles_labels()
    said = "\n".join(textwrap.wrap(small_print(shown), int(4.4 * panels * WIDTH)))
    figure.legend(
        handles, labels, loc="outside lower center", ncols=len(labels), frameon=False, title=said, title_fontsize=9
    )
    return figure


def _paint_curves(axes: Axes, curves: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]) -> None:
    for name, (x, y) in curves.items():
        axes.plot(x, y, label=LABEL.get(name, name), **STYLE[name])
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.grid(True, which="major", color="#E5E5E5", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _paint_law(axes: Axes, shown: PlanningNumbers) -> None:
    for name, (distance, chance) in shown.law.items():
        kept = chance >= LEAST_SHOWN
        axes.plot(distance[kept], chance[kept], **{**STYLE[name], "linestyle": "none"})
    axes.set_yscale("log")
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel("Hellinger distance of a candidate from the truth")
    axes.set_ylabel("probability of releasing it")
    counts = ", ".join(f"{count:,}" for count in shown.counts[:3]) + (", …" if len(shown.counts) > 3 else "")
    axes.set_title(f"exact law, were the data ({counts})", loc="left", fontsize=11)
    axes.grid(True, which="major", color="#E5E5E5", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
