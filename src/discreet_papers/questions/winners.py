"""The question of paper 001 §8, first: when does M_H beat which baseline?

M_H and both Laplace mechanisms are taken as published, geometric as it is; each cell of the map is one exact
comparison of expected Hellinger distances for one data set. At the same nominal ε they lose different amounts of
privacy. So where losses can be enumerated, a second map compares them at equal exact loss: M_H at the scale that
spends all of ε, and Laplace, whose baseline then is the improved one.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache

from discreet import ExponentialSmooth, Geometric, PosteriorSpace, accuracy, calibrate
from discreet.figures.style import BLUE, GREEN, GREY, ORANGE, figure_of
from discreet.mechanisms import Mechanism
from discreet_papers.figures.readings import DELTA, NAMES, RIGHT, stream
from discreet_papers.registry import Axes, Figure, Table

EPSILONS = ("0.2", "0.5", "1", "2", "3", "5")
SIZES = {2: (30, 100, 300, 1000, 3000, 10_000), 3: (12, 30, 60, 120, 240)}
QUICK = {2: (30, 300, 3000), 3: (12, 60)}
LARGEST = {2: 1000, 3: 30}
"""For each k the most records for which losses are enumerated."""

PRIORS = (1, 20)
SHARES = {"balanced": 0.0, "one category holds 90 %": 0.9}
RIVALS = ("laplace", "laplace-improved", "geometric")
BEATEN = ("beats none", "beats baseline Laplace", "beats improved Laplace too", "beats geometric too")
COLOURS = (GREY, ORANGE, BLUE, GREEN)


@dataclass(frozen=True, slots=True)
class Cell:
    """One comparison: where, and the mean error of each mechanism."""

    k: int
    prior: int
    data: str
    n: int
    epsilon: float
    errors: dict[str, float]
    equal: float | None = None
    """The mean error of M_H at an exact loss of ε."""

    @property
    def beaten(self) -> int:
        """How many rivals, from the weakest on, M_H beats."""
        return self._beaten(self.errors["M_H"], RIVALS)

    @property
    def beaten_at_loss(self) -> int | None:
        """The same at equal exact loss, where both forms of Laplace are the improved one."""
        return None if self.equal is None else self._beaten(self.equal, (RIVALS[1], *RIVALS[1:]))

    def _beaten(self, error: float, rivals: tuple[str, ...]) -> int:
        return sum(1 for _ in itertools.takewhile(lambda rival: error < self.errors[rival], rivals))


def settings(quick: bool) -> dict[str, str]:
    sizes = QUICK if quick else SIZES
    return {
        "n": "; ".join(f"k = {k}: {', '.join(map(str, sizes[k]))}" for k in sizes),
        "epsilon": ", ".join(EPSILONS),
        "prior": " or ".join(f"{prior} for every category" for prior in PRIORS),
        "data": ", ".join(SHARES),
        "M_H": f"exponential-smooth as published, s = ε/2, δ = {DELTA}",
        "laplace": "as published, rounded down",
        "equal exact loss": "; ".join(f"k = {k}: n ≤ {most}" for k, most in LARGEST.items()),
    }


def numbers(quick: bool) -> list[Cell]:
    """Every cell of the map, exactly."""
    return [
        _cell(k, prior, data, n, epsilon)
        for k, sizes in (QUICK if quick else SIZES).items()
        for prior, data, n, epsilon in itertools.product(PRIORS, SHARES, sizes, EPSILONS)
    ]


def _cell(k: int, prior: int, data: str, n: int, epsilon: str) -> Cell:
    space = PosteriorSpace(prior=[prior] * k, n=n)
    counts = counts_of(n, k, SHARES[data])
    errors = {name: stream(RIGHT, name, space, counts, epsilon).mean for name in NAMES}
    errors["geometric"] = accuracy(Geometric(space, epsilon=epsilon), counts).mean
    equal = accuracy(at_exact_loss(space, epsilon), counts).mean if n <= LARGEST[k] else None
    return Cell(k, prior, data, n, float(epsilon), errors, equal)


@lru_cache(maxsize=4)
def at_exact_loss(space: PosteriorSpace, epsilon: str) -> Mechanism:
    """M_H with the papers' γ, at the largest scale found whose exact loss is at most ε."""
    gamma = ExponentialSmooth.as_published(space, epsilon=epsilon).gamma
    return calibrate("exponential-smooth", space, epsilon=epsilon, gamma=gamma)


def counts_of(n: int, k: int, share: float) -> list[int]:
    """Counts of which the first category holds this share, or as even as they can be.

    >>> counts_of(30, 3, 0.9), counts_of(31, 3, 0.0)
    ([27, 2, 1], [11, 10, 10])
    """
    first = [round(n * share)] if share else []
    each, rest = divmod(n - sum(first), k - len(first))
    return first + [each + (i < rest) for i in range(k - len(first))]


def table(result: list[Cell]) -> Table:
    names = ("M_H", *RIVALS)
    columns = ("k", "prior", "data", "n", "epsilon", *names, "verdict", "M_H at equal loss", "verdict at equal loss")
    rows = []
    for cell in result:
        place, errors = (cell.k, cell.prior, cell.data, cell.n, cell.epsilon), [cell.errors[name] for name in names]
        at_loss = None if cell.beaten_at_loss is None else BEATEN[cell.beaten_at_loss]
        rows.append((*place, *errors, BEATEN[cell.beaten], cell.equal, at_loss))
    return Table(columns, tuple(rows))


def sentences(result: list[Cell]) -> list[str]:
    total = len(result)
    counts = [sum(cell.beaten >= level for cell in result) for level in range(4)]
    balanced, uneven = (sum(c.beaten >= 1 for c in result if c.data == data) for data in SHARES)
    weak, strong = (sum(c.beaten >= 1 for c in result if c.prior == prior) for prior in PRIORS)
    turn = 2 * math.acosh(2)
    above = [cell.beaten >= 2 for cell in result if cell.epsilon > turn]
    below = [cell for cell in result if cell.beaten >= 2 and cell.epsilon < turn]
    return [
        f"Of {total} settings M_H beats baseline Laplace in {counts[1]}, improved Laplace too in {counts[2]}, and "
        f"geometric too in {counts[3]}.",
        f"It beats the baseline for balanced data in {balanced} settings and for uneven data in {uneven}; under priors "
        f"of {PRIORS[0]} in {weak} and of {PRIORS[1]} in {strong}: it gains where the local sensitivity is already "
        "flat, by many records, even data or a strong prior.",
        f"Improved Laplace is beaten in {sum(above)} of {len(above)} settings with ε above {turn:.2f}. There the "
        "papers' rounding down, which moves a release by half a record on average whatever ε is, costs more than the "
        "noise: well inside the space the errors' ratio is 2/cosh(ε/2), and that is 1 at this ε.",
        f"Below it, improved Laplace is beaten in {len(below)} settings" + _where(below) + " There additive noise is "
        "wider than the space and ends at its border, while M_H draws nearly at random from all candidates, and "
        "balanced data is nearest to all of them.",
        _at_equal_loss(result),
    ]


def _at_equal_loss(result: list[Cell]) -> str:
    """The second map in a sentence."""
    comparisons = [(cell, beaten) for cell in result if (beaten := cell.beaten_at_loss) is not None]
    laplace, geometric = (sum(beaten >= level for _, beaten in comparisons) for level in (2, 3))
    nominal = sum(cell.beaten >= 2 for cell, _ in comparisons)
    gains = [cell.errors["M_H"] / cell.equal for cell, _ in comparisons if cell.equal]
    return (
        f"At equal exact loss, in the {len(comparisons)} settings whose losses are enumerated, M_H beats improved "
        f"Laplace (which the baseline then is) in {laplace}, where at equal nominal ε it does in {nominal}, and "
        f"geometric in {geometric}. What it loses in truth is less than its ε, and spending the rest divides its error "
        f"by {min(gains):.2f} to {max(gains):.2f}."
    )


def _where(cells: list[Cell]) -> str:
    if not cells:
        return "."
    data, kinds = ({getattr(cell, name) for cell in cells} for name in ("data", "k"))
    most, epsilon = max(cell.n for cell in cells), max(cell.epsilon for cell in cells)
    categories = ", ".join(f"k = {k}" for k in sorted(kinds))
    return f", all with {categories}, n ≤ {most}, ε ≤ {epsilon:g} and {' or '.join(sorted(data))} data."


def paint(result: list[Cell]) -> Figure:
    """A map for each prior, number of categories and imbalance; colours say what M_H beats, numbers by how much."""
    from matplotlib.patches import Patch

    columns = list(itertools.product(SIZES, SHARES))
    title = "When M_H beats which baseline: its error over improved Laplace's, in each cell"
    rows = list(itertools.product(PRIORS, (False, True)))
    figure, grid = figure_of(len(rows), len(columns), title, width=4.2, height=3.3)
    for axes_row, (prior, at_loss) in zip(grid, rows, strict=True):
        for axes, (k, data) in zip(axes_row, columns, strict=True):
            cells = [c for c in result if (c.k, c.prior, c.data) == (k, prior, data)]
            _paint_map(axes, cells, at_loss)
            equal = "equal exact loss" if at_loss else "equal nominal ε"
            axes.set_title(f"k = {k}, prior {prior}, {data}\n{equal}", loc="left", fontsize=10)
    handles = [Patch(facecolor=colour, alpha=0.55, label=name) for colour, name in zip(COLOURS, BEATEN, strict=True)]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize=10)
    return figure


def _paint_map(axes: Axes, cells: list[Cell], at_loss: bool) -> None:
    from matplotlib.patches import Rectangle

    across = sorted({cell.n for cell in cells})
    up = sorted({cell.epsilon for cell in cells})
    for cell in cells:
        x, y = across.index(cell.n), up.index(cell.epsilon)
        beaten, error = (cell.beaten_at_loss, cell.equal) if at_loss else (cell.beaten, cell.errors["M_H"])
        if beaten is None or error is None:
            continue
        colour = COLOURS[beaten]
        axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, alpha=0.55, edgecolor="white"))
        ratio = error / cell.errors["laplace-improved"]
        axes.text(x, y, f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}", ha="center", va="center", fontsize=8)
    axes.set_xlim(-0.5, len(across) - 0.5)
    axes.set_ylim(-0.5, len(up) - 0.5)
    axes.set_xticks(range(len(across)), [f"{n:,}" for n in across])
    axes.set_yticks(range(len(up)), [f"{epsilon:g}" for epsilon in up])
    axes.set_xlabel("number of records n")
    axes.set_ylabel("ε (nats)")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
