"""A plan as a picture: the expected error against ε and against n, and the exact law of one data set against H."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.numbers import exact
from discreet.errors import DiscreetError
from discreet.figures.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, dress, figure_of
from discreet.kernels import family_kernel
from discreet.mechanisms import Mechanism, mechanism
from discreet.posteriors.grid import grid
from discreet.posteriors.space import PosteriorSpace, exceeds
from discreet.typing import Epsilon, Progress
from discreet.utility.measure import accuracy
from discreet.utility.plans import CATEGORIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Curve: TypeAlias = tuple[Floats, Floats]

SHOWN = ("geometric", "laplace-improved", "exponential-reciprocal", "exponential-global")
HOLLOW = {"markersize": 7, "markerfacecolor": "none"}  # improved Laplace often lies on geometric: both must be seen
STYLE: dict[str, dict[str, Any]] = {
    "geometric": {"color": BLUE, "marker": "o", "linestyle": "-", "markersize": 4},
    "laplace-improved": {"color": ORANGE, "marker": "s", "linestyle": "--", **HOLLOW},
    "exponential-reciprocal": {"color": GREEN, "marker": "^", "linestyle": "-.", "markersize": 5},
    "exponential-global": {"color": PURPLE, "marker": "D", "linestyle": ":", "markersize": 4},
    "optimal": {"color": BLACK, "linestyle": (0, (1, 1))},
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
    against_epsilon: dict[str, Curve]
    against_n: dict[str, Curve]
    law: dict[str, Curve]
    left_out: dict[str, str] = field(default_factory=dict)


def numbers(
    space: PosteriorSpace,
    epsilon: Epsilon,
    *,
    known: Mapping[str, float] | None = None,
    progress: Progress | None = None,
) -> PlanningNumbers:
    """Expected Hellinger errors under the prior predictive, and the law at the most balanced counts.

    `known` are the errors at ε by mechanism, from a plan that was made before: they are not computed again.

    >>> values = numbers(PosteriorSpace(prior=[1, 1], n=20), 1)
    >>> sorted(values.law)
    ['exponential-global', 'exponential-reciprocal', 'geometric', 'laplace-improved']
    """
    loss = exact(epsilon, "epsilon", above=0)
    few = space.k > 2 and exceeds(space, ENUMERATED)
    prices = sorted({*map(Fraction, FEW_EPSILONS if few else EPSILONS), loss})
    records = sorted({max(2, min(10**12, round(space.n * Fraction(share)))) for share in (FEW_SIZES if few else SIZES)})
    names = [name for name in SHOWN if space.k <= CATEGORIES or not family_kernel(name).weighted]
    slow = f"drawing its error for more than {CATEGORIES} categories takes minutes"
    left_out = {name: slow for name in SHOWN if name not in names}
    means = {(name, space.n, loss): mean for name, mean in (known or {}).items()}
    steps, counter = len(names) * (len(prices) + len(records)), itertools.count(1)

    def curve(name: str, points: Mapping[float, tuple[int, Fraction]]) -> Curve:
        """The errors against the places on the axis, each computed once; a point that is refused is left out."""
        at, errors = [], []
        for place, (n, price) in points.items():
            try:
                if (name, n, price) not in means:
                    sized = PosteriorSpace(prior=space.prior, n=n)
                    means[name, n, price] = accuracy(mechanism(name, sized, epsilon=price)).mean
                at.append(place)
                errors.append(means[name, n, price])
            except DiscreetError as refusal:
                left_out[f"some points of {name}"] = refusal.message
            if progress is not None:
                progress(min(next(counter), steps), steps)
        return np.array(at), np.array(errors)

    limit = [] if exceeds(space, LIMIT) else ["optimal"]
    by_epsilon = {name: curve(name, {float(price): (space.n, price) for price in prices}) for name in (*names, *limit)}
    by_n = {name: curve(name, {float(n): (n, loss) for n in records}) for name in names}
    counts, most, law = balanced(space), LONGEST_LAW if space.k == 2 else ENUMERATED, {}
    if exceeds(space, most):
        left_out["the exact law"] = f"it is listed for at most {most:,} candidates"
    else:
        law = {name: _law(mechanism(name, space, epsilon=loss), counts) for name in names}
    return PlanningNumbers(space, loss, counts, by_epsilon, by_n, law, left_out)


def balanced(space: PosteriorSpace) -> tuple[int, ...]:
    """The counts that are as even as they can be."""
    share, rest = divmod(space.n, space.k)
    return tuple(share + (i < rest) for i in range(space.k))


def small_print(values: PlanningNumbers) -> str:
    """What the picture leaves out, in a sentence; nothing, if it shows all.

    >>> small_print(numbers(PosteriorSpace(prior=[1, 1], n=20), 1))
    ''
    """
    reasons: dict[str, list[str]] = {}
    for what, reason in values.left_out.items():
        reasons.setdefault(reason, []).append(what)
    parts = [f"{', '.join(names)} ({reason})" for reason, names in reasons.items()]
    return f"left out of the picture: {'; '.join(parts)}" if parts else ""


def _law(release: Mechanism, counts: tuple[int, ...]) -> Curve:
    """Distances of the candidates from the balanced one, in order, and their probabilities."""
    distance = grid(release.space).distances(release.space.candidates().index(counts))
    chance = np.exp(release.log_pmf(counts))
    order = np.argsort(distance, kind="stable")
    return distance[order], chance[order]


def paint(values: PlanningNumbers) -> Figure:
    """Three panels, or two where candidates are too many to list; made without matplotlib's global state."""
    prior = ", ".join(f"{float(parameter):g}" for parameter in values.space.prior.parameters[:6])
    more = ", …" if values.space.k > 6 else ""
    title = f"Planning a release: prior ({prior}{more}), each mechanism at its theorem's scale"
    panels = 3 if values.law else 2
    figure, ((first, second, *rest),) = figure_of(1, panels, title, width=4.4)
    epsilon, n, up = float(values.epsilon), values.space.n, "expected Hellinger distance"
    _paint_curves(first, values.against_epsilon, epsilon)
    dress(first, f"error against ε, at n = {n:,}", "privacy loss ε", up)
    _paint_curves(second, values.against_n, n)
    dress(second, f"error against n, at ε = {epsilon:g}", "number of records n", up)
    for axes in rest:
        _paint_law(axes, values)
    handles, labels = first.get_legend_handles_labels()
    small: dict[str, Any] = {"ncols": len(labels), "frameon": False, "title_fontsize": 9}
    footnote = "\n".join(textwrap.wrap(small_print(values), int(4.4 * panels * WIDTH)))
    figure.legend(handles, labels, loc="outside lower center", title=footnote, **small)
    return figure


def _paint_curves(axes: Axes, curves: Mapping[str, Curve], marked: float) -> None:
    for name, (x, y) in curves.items():
        axes.plot(x, y, label=LABEL.get(name, name), **STYLE[name])
    axes.axvline(marked, color="#999999", linewidth=1, zorder=0)
    axes.set_xscale("log")
    axes.set_yscale("log")


def _paint_law(axes: Axes, values: PlanningNumbers) -> None:
    for name, (distance, chance) in values.law.items():
        visible = chance >= LEAST_SHOWN
        axes.plot(distance[visible], chance[visible], **{**STYLE[name], "linestyle": "none"})
    axes.set_yscale("log")
    axes.set_xlim(-0.02, 1.02)
    counts = ", ".join(f"{count:,}" for count in values.counts[:3]) + (", …" if len(values.counts) > 3 else "")
    title, across = f"exact law, were the data ({counts})", "Hellinger distance of a candidate from the truth"
    dress(axes, title, across, "probability of releasing it")
