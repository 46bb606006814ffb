"""Figures 2 to 4 of paper 003: boxes of the error of four mechanisms on balanced data.

Its program computes the Hellinger distance rightly, unlike that of paper 001, and takes n for |R| in γ. For three
categories its global sensitivity, 0.239992747797, is the distance from DL(7,4,5) to DL(8,3,5): a record is taken from a
category that holds none, and no data leads there. Figure 4 carries the γ of 120 records over to 150. Its Laplace
mechanism adds noise of scale 2/ε for every k. Figure 2 does not print δ; it is taken equal to ε, as in Figure 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from discreet import ExponentialGlobal, ExponentialLocal, ExponentialSmooth, Laplace, LaplaceImproved, Mechanism
from discreet.arithmetic.arrays import Wholes
from discreet.figures.plans import balanced
from discreet.posteriors import Dirichlet
from discreet.posteriors.distances import hellinger
from discreet.posteriors.space import PosteriorSpace
from discreet.sensitivity.exact import global_sensitivity, local_sensitivity, published_gamma, smooth_sensitivity
from discreet.sensitivity.vectorised import Steps
from discreet.utility.metrics import METRIC, MetricName
from discreet_papers.figures.boxes import Box, box_figure, box_means, box_table
from discreet_papers.figures.error_laws import RUNS, ListedLaw
from discreet_papers.figures.readings import PRINTED, RIGHT, prior_name
from discreet_papers.legacy import legacy_gamma
from discreet_papers.registry import Figure, Table

CAPTIONS = {100: ("0.08", "0.09"), 120: ("0.0945", "0.096")}
"""By n: the local and the smooth sensitivity as printed under Figure 3."""

UNIT: dict[MetricName, str] = {
    "hellinger": "Hellinger distance to the truth",
    "l1": "L1 distance of the parameters (records)",
}


def impossible_sensitivity() -> float:
    """What the paper takes for the global sensitivity of DL(7,4,5)."""
    return hellinger(Dirichlet([7, 4, 5]), Dirichlet([8, 3, 5]))


def has_both(space: PosteriorSpace, gamma: float, rows: Wholes) -> NDArray[np.bool_]:
    """Which data sets have the printed local and smooth sensitivity, to half a unit of the last printed digit."""
    steps = Steps(space, rows)
    both = np.ones(len(rows), dtype=bool)
    for inverse, printed in zip((steps.local, steps.inverse(ExponentialSmooth, gamma)), CAPTIONS[space.n], strict=True):
        both &= np.abs(1 / inverse - float(printed)) <= 0.5 * 10.0 ** -len(printed.partition(".")[2])
    return both


@dataclass(frozen=True, slots=True)
class NotesNumbers:
    """The boxes, and by n the sensitivities that were used and how many data sets have the printed ones."""

    boxes: list[Box]
    used: dict[int, dict[str, float]]
    data_with_both: dict[int, int]


@dataclass(frozen=True, slots=True)
class Notes:
    """One figure: a panel for each n, or for each metric; `gamma_of` is the n whose γ is printed for another."""

    prior: tuple[int, ...]
    sizes: tuple[int, ...]
    epsilon: str
    words: dict[str, str]
    metrics: tuple[MetricName, ...] = ("hellinger",)
    gamma_of: Mapping[int, int] = field(default_factory=dict)
    top: float | None = 1.03

    def settings(self, quick: bool) -> dict[str, str]:
        """What the figure is made from; δ equals ε."""
        return {
            "prior": ", ".join(map(str, self.prior)),
            "data": "balanced",
            "n": ", ".join(map(str, self.sizes)),
            "epsilon": self.epsilon,
            "delta": self.epsilon,
            **self.words,
            "laplace": "noise of scale 2/ε, rounded down",
            "runs": str(RUNS),
        }

    def numbers(self, quick: bool) -> NotesNumbers:
        """The exact laws and the runs."""
        boxes: list[Box] = []
        used, both = {}, {}
        for n in self.sizes:
            space = PosteriorSpace(prior=self.prior, n=n)
            used[n] = self._sensitivities(space)
            for metric in self.metrics:
                boxes += self._boxes(space, metric, used[n])
            if n in CAPTIONS:
                both[n] = int(has_both(space, self._gamma(n), space.candidates().array()).sum())
        return NotesNumbers(boxes, used, both)

    def _gamma(self, n: int) -> float:
        return legacy_gamma(self.gamma_of.get(n, n), self.epsilon, self.epsilon)

    def _sensitivities(self, space: PosteriorSpace) -> dict[str, float]:
        """What each exponential mechanism divides by at the balanced data, as printed."""
        counts = balanced(space)
        return {
            "exponential-global": global_sensitivity(space) if space.k == 2 else impossible_sensitivity(),
            "exponential-local": local_sensitivity(space, counts),
            "exponential-smooth": smooth_sensitivity(space, counts, self._gamma(space.n)),
        }

    def _boxes(self, space: PosteriorSpace, metric: MetricName, used: Mapping[str, float]) -> list[Box]:
        """As printed with the sensitivities used: laws, but no mechanisms of this package. Put right by mechanisms."""
        counts, panel, epsilon = balanced(space), self._panel(space.n, metric), self.epsilon
        rows = space.candidates().array()
        score, error = (METRIC[name].distances(space.prior, counts, rows) for name in ("hellinger", metric))
        boxes = []
        for name, sensitivity in used.items():
            law = ListedLaw(error, np.exp(-float(epsilon) / 2 / sensitivity * score))
            boxes.append(Box.of(panel, PRINTED, name, law, law.draw_distances(RUNS)))
        gamma = published_gamma(space, epsilon, epsilon)
        laplace = (Laplace if space.k == 2 else LaplaceImproved).as_published(space, epsilon=epsilon)  # scale 2/ε
        mechanisms: list[tuple[str, Mechanism]] = [
            (PRINTED, laplace),
            (RIGHT, ExponentialGlobal.as_published(space, epsilon=epsilon)),
            (RIGHT, ExponentialLocal.as_published(space, epsilon=epsilon)),
            (RIGHT, ExponentialSmooth.as_published(space, epsilon=epsilon, gamma=gamma)),
            (RIGHT, laplace),
        ]
        for reading, mechanism in mechanisms:
            name = "laplace" if mechanism is laplace else mechanism.name
            law = ListedLaw(error, np.exp(mechanism.log_pmf(counts)))
            runs = METRIC[metric].distances(space.prior, counts, mechanism.simulate(counts, RUNS))
            boxes.append(Box.of(panel, reading, name, law, runs))
        return boxes

    def _panel(self, n: int, metric: str) -> str:
        return f"n = {n}" if len(self.metrics) == 1 else f"n = {n}, {metric}"

    def table(self, result: NotesNumbers) -> Table:
        return box_table(result.boxes)

    def sentences(self, result: NotesNumbers) -> list[str]:
        """The printed numbers explained, and the means."""
        lines = []
        if len(self.prior) > 2:
            right = global_sensitivity(PosteriorSpace(prior=self.prior, n=self.sizes[0]))
            lines.append(
                f"The printed global sensitivity is H(DL(7,4,5), DL(8,3,5)) = {impossible_sensitivity():.12f}, the "
                f"distance to a posterior that no data has; the largest between neighbours is {right:.12f}."
            )
        lines += [self._gamma_sentence(n) for n in self.sizes]
        for n, both in result.data_with_both.items():
            used, (local, smooth) = result.used[n], CAPTIONS[n]
            lines.append(
                f"n = {n}: balanced data has a local sensitivity of {used['exponential-local']:.4f} and a smooth one "
                f"of {used['exponential-smooth']:.4f}; the printed {local} and {smooth} belong to {both} of all "
                "data sets."
            )
        return [*lines, *box_means(result.boxes, "{panel}, {place}, mean error")]

    def _gamma_sentence(self, n: int) -> str:
        source = self.gamma_of.get(n, n)
        budget = (self.epsilon, self.epsilon)
        carried = "" if source == n else f" (that of n = {source}; this n has {legacy_gamma(n, *budget):.13f})"
        beta, right = (published_gamma(PosteriorSpace(prior=p, n=n), *budget) for p in ([1, 1], self.prior))
        return (
            f"n = {n}: the printed γ is {self._gamma(n):.13f}{carried}, with 2n in the logarithm; the text's 2(n+1) "
            f"gives {beta:.10f}, and the true number of candidates {right:.10f}."
        )

    def paint(self, result: NotesNumbers) -> Figure:
        panels = [(self._panel(n, metric), UNIT[metric]) for n in self.sizes for metric in self.metrics]
        labels = {panel: (panel, "settings", unit) for panel, unit in panels}
        title = f"Error with prior {prior_name(self.prior)}, ε = δ = {self.epsilon}"
        return box_figure(result.boxes, title, labels, self.top)


_GLOBAL = {"global sensitivity": "H(DL(7,4,5), DL(8,3,5)) as printed, the largest between neighbours put right"}

FIGURE_2 = Notes((7, 4), (500, 300), "0.5", {"gamma": "n for |R| as printed, n + 1 put right"})
FIGURE_3 = Notes((7, 4, 5), (100, 120), "0.8", {**_GLOBAL, "gamma": "n for |R| as printed, C(n+2, 2) put right"})
FIGURE_4 = Notes(
    (7, 4, 5),
    (150,),
    "0.8",
    {**_GLOBAL, "gamma": "that of n = 120, with n for |R|, as printed; that of n = 150, with C(n+2, 2), put right"},
    metrics=("hellinger", "l1"),
    gamma_of={150: 120},
    top=None,
)
