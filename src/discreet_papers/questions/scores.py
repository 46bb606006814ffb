"""The question of paper 001 §8, third: other distances in place of Hellinger as the score.

Every score is given its best smoothing and the largest scale whose exact loss is 1, and is then measured by every
distance: if noise should be calibrated to the distance that accuracy is measured with, the diagonal wins.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from discreet import Geometric, NotPrivate, PosteriorSpace, accuracy
from discreet.arithmetic.arrays import Floats
from discreet.figures.style import figure_of
from discreet.posteriors.predictive import log_predictive
from discreet.utility.metrics import METRIC
from discreet_papers.questions.any_score import SCORES, ScoreMechanism
from discreet_papers.registry import Cell, Figure, Table

EPSILON = 1.0
Place: TypeAlias = tuple[tuple[int, ...], int]
"""A prior and an n."""

SPACES: tuple[Place, ...] = (((1, 1), 60), ((1, 5), 60), ((1, 1, 1), 10))
QUICK: tuple[Place, ...] = (((1, 1), 20), ((1, 5), 20), ((1, 1, 1), 5))
RATES = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, math.inf)
"""γ·D: from global to local sensitivity, in units that do not depend on how a score is scaled."""

MEASURES = ("hellinger", "total-variation", "kl", "l1")


@dataclass(frozen=True, slots=True)
class Row:
    """One score on one space: what the theorem gives, what is true, and the errors at exact loss 1 by measure."""

    prior: tuple[int, ...]
    n: int
    score: str
    diameter: float
    least: float
    greatest: float
    at_theorem: float
    rate: float
    scale: float
    errors: dict[str, float]


@dataclass(frozen=True, slots=True)
class ScoreNumbers:
    """All rows, the errors of geometric by space, and the scores that were refused."""

    rows: list[Row]
    geometric: dict[Place, dict[str, float]]
    refused: list[tuple[tuple[int, ...], int, str]]


def settings(quick: bool) -> dict[str, str]:
    return {
        "spaces": "; ".join(f"prior {prior}, n = {n}" for prior, n in (QUICK if quick else SPACES)),
        "epsilon": "exact loss 1, by enumeration",
        "gamma": "the best for each measure of 0 (global), 0.1, 0.3, 1, 3, 10 over D, and ∞ (local)",
        "scores": ", ".join(SCORES),
        "weight": "errors averaged under the prior predictive",
    }


def numbers(quick: bool) -> ScoreNumbers:
    """Every score on every space. Total variation of three categories takes too long to be measured or to score by."""
    rows: list[Row] = []
    geometric: dict[Place, dict[str, float]] = {}
    refused: list[tuple[tuple[int, ...], int, str]] = []
    for prior, n in QUICK if quick else SPACES:
        space = PosteriorSpace(prior=list(prior), n=n)
        left_out = () if space.k == 2 else ("total-variation",)
        data = space.candidates().array()
        measures = {
            name: np.stack([METRIC[name].distances(space.prior, here, data) for here in data])
            for name in MEASURES
            if name not in left_out
        }
        ours = Geometric(space, epsilon=1)
        geometric[prior, n] = {name: accuracy(ours, metric=name).mean for name in measures}
        for name in SCORES:
            try:
                if name not in left_out:
                    rows.append(_row(ScoreMechanism.of(name, space), measures))
            except NotPrivate:
                refused.append((prior, n, name))
    return ScoreNumbers(rows, geometric, refused)


def _row(scored: ScoreMechanism, measures: dict[str, Floats]) -> Row:
    """Each error by the smoothing that is best for it; what else is told is of the one that is best for Hellinger."""
    weight = np.exp(log_predictive(scored.space.prior, scored.space.candidates().array()))
    trials = []
    for rate in RATES:
        inverse = scored.inverse(rate / scored.diameter)
        scale = scored.largest_scale(EPSILON, inverse)
        chance = np.exp(scored.log_pmf(scale, inverse))
        errors = {name: float(weight @ (chance * distance).sum(axis=1)) for name, distance in measures.items()}
        trials.append((rate, scale, errors))
    rate, scale, _ = min(trials, key=lambda row: row[2]["hellinger"])
    errors = {name: min(row[2][name] for row in trials) for name in measures}
    inverse = scored.inverse(rate / scored.diameter)
    theorem = EPSILON / scored.guarantee(1.0, inverse)
    return Row(
        prior=tuple(int(a) for a in scored.space.prior.parameters),
        n=scored.space.n,
        score=scored.name,
        diameter=scored.diameter,
        least=float(scored.local.min()),
        greatest=float(scored.local.max()),
        at_theorem=scored.loss(theorem, inverse),
        rate=rate,
        scale=scale,
        errors=errors,
    )


def table(result: ScoreNumbers) -> Table:
    """One row per score and space, geometric below, then the refused."""
    rows: list[tuple[Cell, ...]] = []
    for row in result.rows:
        place = (str(row.prior), row.n, row.score)
        numbers = (row.diameter, row.least, row.greatest, row.at_theorem, row.rate, row.scale)
        rows.append((*place, *numbers, *(row.errors.get(name) for name in MEASURES)))
    for (prior, n), errors in result.geometric.items():
        rows.append((str(prior), n, "geometric", *(None,) * 6, *(errors.get(name) for name in MEASURES)))
    rows += [(str(prior), n, f"{score}: refused, infinite", *(None,) * 10) for prior, n, score in result.refused]
    columns = ("prior", "n", "score", "D", "least LS", "GS", "exact loss at the theorem's scale", "γ·D", "scale")
    return Table((*columns, *(f"mean {name}" for name in MEASURES)), tuple(rows))


def sentences(result: ScoreNumbers) -> list[str]:
    best = [(_best(result, place, name), name) for place, errors in result.geometric.items() for name in errors]
    wins = Counter(score for score, _ in best)
    matches = sum(score == measure for score, measure in best)
    first, geometric = next(iter(result.geometric.items()))
    rows = [row for row in result.rows if (row.prior, row.n) == first]
    ratios = {row.score: row.errors["hellinger"] / geometric["hellinger"] for row in rows}
    flatness = max(row.greatest / row.least for row in result.rows if row.score == "l1" and len(row.prior) == 2)
    least, most = (pick(row.at_theorem for row in result.rows) for pick in (min, max))
    refused = sorted({score for _, _, score in result.refused})
    return [
        "At equal exact loss, the score that gives the least error is "
        + ", ".join(f"{name} in {count} of {len(best)} comparisons" for name, count in wins.most_common())
        + f"; the score that is the measure itself gives it in {matches}.",
        f"For prior {first[0]}, n = {first[1]}, mean Hellinger error over that of geometric: "
        + ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
        + f". Among two categories the local sensitivity of L1 is the same everywhere (greatest over least: "
        f"{flatness:.3g}), so its mechanism is geometric noise cut off at the border and normalised.",
        f"At the scale that the theorem 2s(1+ΓD) allows for ε = 1, the exact losses go from {least:.3f} to {most:.3f}. "
        f"Refused, because infinite between candidates: {', '.join(refused) or 'none'}.",
        _bounded_scores(result),
    ]


BOUNDED = ("hellinger", "jensen-shannon", "le-cam")


def _bounded_scores(result: ScoreNumbers) -> str:
    """Which scores could be released, and what that would give."""
    over = {}
    for name in BOUNDED:
        rows = [row for row in result.rows if row.score == name]
        ratios = [row.errors["hellinger"] / result.geometric[row.prior, row.n]["hellinger"] for row in rows]
        over[name] = f"{name} {min(ratios):.2f} to {max(ratios):.2f}"
    return (
        "Any score can be released with the theorem if it is finite on the candidates and can be enclosed: the proof "
        "asks for nothing else, and for a metric the local sensitivity is the distance to a neighbour. Hellinger's, "
        "Jensen–Shannon's and Le Cam's are metrics between 0 and 1 for every prior and n, so D = 1 and Γ is that of "
        "1/S alone; of these Hellinger has a closed form, and the others an integral for each pair of candidates. At "
        f"equal exact loss their mean Hellinger errors are, over that of geometric: {'; '.join(over.values())}. "
        "So no other score is offered: geometric is simpler and better."
    )


def _best(result: ScoreNumbers, place: Place, measure: str) -> str:
    """The score that gives the least error."""
    return min((row for row in result.rows if (row.prior, row.n) == place), key=lambda row: row.errors[measure]).score


def paint(result: ScoreNumbers) -> Figure:
    """A matrix for each space: scores down, measures across, the error over that of geometric."""
    from matplotlib.colors import LogNorm
    from matplotlib.patches import Rectangle

    title = "Other scores: mean error at exact loss 1, over that of geometric noise (outlined: score = measure)"
    figure, (panels,) = figure_of(1, len(result.geometric), title, width=4.8, height=3.6)
    for axes, (place, geometric) in zip(panels, result.geometric.items(), strict=True):
        rows = [row for row in result.rows if (row.prior, row.n) == place]
        ratios = [[row.errors[name] / geometric[name] for name in geometric] for row in rows]
        axes.imshow(ratios, cmap="cividis_r", norm=LogNorm(0.9, 12), aspect="auto")
        for y, row in enumerate(rows):
            for x, name in enumerate(geometric):
                dark = ratios[y][x] > 3
                axes.text(x, y, f"{ratios[y][x]:.2f}", ha="center", va="center", color="white" if dark else "black")
                if row.score == name:
                    corner = (x - 0.48, y - 0.46)
                    axes.add_patch(Rectangle(corner, 0.96, 0.92, fill=False, edgecolor="black", linewidth=2))
        axes.set_xticks(range(len(geometric)), [name.replace("-", "\n") for name in geometric])
        axes.set_yticks(range(len(rows)), [row.score for row in rows])
        axes.set_xlabel("error measured by")
        axes.set_ylabel("score of the mechanism")
        axes.set_title(f"prior {place[0]}, n = {place[1]}", loc="left", fontsize=10)
        axes.tick_params(length=0)
    return figure
