"""The question of paper 001 §8, second: how tight is the privacy bound, and what does calibrating to the truth buy?

Exact losses come from `audit`, calibrated mechanisms from `calibrate`: the largest scale, and the best γ, whose
certified loss is at most ε.
"""

from __future__ import annotations

from dataclasses import dataclass

from discreet import ExponentialReciprocal, PosteriorSpace, accuracy, audit, calibrate
from discreet.figures.style import BLACK, BLUE, GREEN, PURPLE, SKY, STYLE, dress, figure_of, plain_logs
from discreet.mechanisms import Geometric, LaplaceImproved, Optimal
from discreet.mechanisms.exponential import KINDS
from discreet_papers.registry import Cell, Figure, Table

LOSSES, QUICK_LOSSES = (2, 5, 10, 30, 100, 300, 1000, 3000, 10**5, 10**6), (2, 10, 100, 1000)
ERRORS, QUICK_ERRORS = (10, 20, 50, 100, 200, 500, 1000), (10, 50, 200)
LIMIT = 60
"""The linear programme is solved up to this n."""

THEOREM, GAMMA_ONE, BEST = "M_H at its theorem's scale", "M_H at exact loss 1, γ = 1", "M_H at exact loss 1, best γ"
LABELS = {
    THEOREM: {"color": SKY, "marker": "v", "linestyle": "--"},
    GAMMA_ONE: {"color": PURPLE, "marker": "D", "linestyle": ":"},
    BEST: {"color": BLUE, "marker": "o", "linestyle": "-"},
    "laplace-improved": STYLE["laplace-improved"],
    "geometric": {"color": GREEN, "marker": "X", "linestyle": "-."},
    "least possible": {"color": BLACK, "marker": None, "linestyle": (0, (1, 1))},
}


@dataclass(frozen=True, slots=True)
class TightNumbers:
    """Exact losses at s = ½ by sensitivity, mean errors at ε = 1 by name, and the calibrated (n, s, γ)."""

    losses: dict[str, list[tuple[int, float]]]
    errors: dict[str, list[tuple[int, float]]]
    calibrated: list[tuple[int, float, float]]


def settings(quick: bool) -> dict[str, str]:
    return {
        "prior": "1, 1",
        "losses": "s = 1/2 (the papers' ε = 1), γ = 1; n = " + ", ".join(map(str, QUICK_LOSSES if quick else LOSSES)),
        "errors": "mean H under the prior predictive, ε = 1; n = "
        + ", ".join(map(str, QUICK_ERRORS if quick else ERRORS)),
        "M_H": "exponential-reciprocal",
    }


def numbers(quick: bool) -> TightNumbers:
    """Audits and calibrations."""
    losses = {
        kind.name: [
            (n, float(audit(kind(PosteriorSpace(prior=[1, 1], n=n), scale="1/2")).lower))
            for n in (QUICK_LOSSES if quick else LOSSES)
        ]
        for kind in KINDS[::-1]
    }
    errors: dict[str, list[tuple[int, float]]] = {name: [] for name in LABELS}
    calibrated = []
    for n in QUICK_ERRORS if quick else ERRORS:
        space = PosteriorSpace(prior=[1, 1], n=n)
        best = calibrate("exponential-reciprocal", space, epsilon=1)
        assert isinstance(best, ExponentialReciprocal)
        mechanisms = {
            THEOREM: ExponentialReciprocal(space, epsilon=1),
            GAMMA_ONE: calibrate("exponential-reciprocal", space, epsilon=1, gamma=1),
            BEST: best,
            "laplace-improved": LaplaceImproved(space, epsilon=1),
            "geometric": Geometric(space, epsilon=1),
        }
        if n <= LIMIT:
            mechanisms["least possible"] = Optimal(space, epsilon=1)
        for name, mechanism in mechanisms.items():
            errors[name].append((n, accuracy(mechanism).mean))
        calibrated.append((n, float(best.scale), float(best.gamma)))
    return TightNumbers(losses, errors, calibrated)


def table(result: TightNumbers) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for kind, curves in (("exact loss", result.losses), ("mean H", result.errors)):
        rows += [(kind, name, n, value, None) for name, curve in curves.items() for n, value in curve]
    rows += [("calibrated scale and γ", BEST, n, scale, gamma) for n, scale, gamma in result.calibrated]
    return Table(("what", "name", "n", "value", "gamma"), tuple(rows))


def sentences(result: TightNumbers) -> list[str]:
    curve = result.losses[ExponentialReciprocal.name]
    low, high = min(curve, key=lambda pair: pair[1]), max(curve, key=lambda pair: pair[1])
    n, scale, gamma = result.calibrated[-1]
    last = {name: dict(curve).get(n, float("nan")) for name, curve in result.errors.items()}
    return [
        f"The theorem gives 2ε for M_H at the papers' scale s = ε/2; at ε = 1 its exact loss goes from {low[1]:.4f} at "
        f"n = {low[0]:,} to {high[1]:.4f} at n = {high[0]:,}: the bound is {2 / high[1]:.2f} to {2 / low[1]:.2f} times "
        "the truth.",
        f"Calibrated to an exact loss of 1 at n = {n:,}, M_H takes s = {scale:.4f} and γ = {gamma:.4f} where its "
        f"theorem allows s = 0.25 at γ = 1: the mean error falls from {last[THEOREM]:.4f} to {last[BEST]:.4f}, "
        f"{last[THEOREM] / last[BEST]:.1f} times less. With γ = 1 kept it is {last[GAMMA_ONE]:.4f}.",
        f"Geometric noise at the same loss has {last['geometric']:.4f}: calibration takes M_H from "
        f"{last[THEOREM] / last['geometric']:.1f} to {last[BEST] / last['geometric']:.2f} times that.",
    ]


def paint(result: TightNumbers) -> Figure:
    figure, ((first, second),) = figure_of(1, 2, "The tight privacy loss, and what calibrating to it buys", width=6.0)
    for name, curve in result.losses.items():
        x, y = zip(*curve, strict=True)
        first.plot(x, y, label=name.removeprefix("exponential-"), markerfacecolor="none", **STYLE[name])
    for level, text in ((2.0, "2ε, the theorem for reciprocal"), (1.0, "ε = 1")):
        first.axhline(level, color=BLACK, linewidth=1, zorder=0)
        first.annotate(text, (3, level), xytext=(0, 4), textcoords="offset points", fontsize=9)
    first.set_xscale("log")
    first.set_ylim(0, 2.2)
    dress(first, "exact loss at s = 1/2, prior (1, 1)", "number of records n", "privacy loss (nats)")
    first.legend(frameon=False, fontsize=9, title="sensitivity", loc="center", bbox_to_anchor=(0.78, 0.68))
    for name, curve in result.errors.items():
        x, y = zip(*curve, strict=True)
        second.plot(x, y, label=name, markerfacecolor="none", **LABELS[name])
    plain_logs(second, "x", "y")
    dress(second, "mean error at ε = 1, prior (1, 1)", "number of records n", "expected Hellinger distance")
    second.legend(frameon=False, fontsize=9)
    return figure
