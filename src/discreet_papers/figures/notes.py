"""The four mechanisms of seed 003 on balanced data: exponential with three sensitivities, and Laplace.

Its program computes the Hellinger distance rightly, unlike that of seed 001, but takes a global sensitivity of an
impossible posterior, and n for |R| in γ. Its Laplace mechanism adds noise of scale 2/ε for every k.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.figures.plans import balanced
from discreet.mechanisms import (
    ExponentialGlobal,
    ExponentialLocal,
    ExponentialSmooth,
    Laplace,
    LaplaceImproved,
    Mechanism,
)
from discreet.posteriors.space import PosteriorSpace
from discreet.sensitivity.exact import local_sensitivity, published_gamma, smooth_sensitivity
from discreet.utility.metrics import METRIC, MetricName
from discreet_papers.figures.boxes import Box
from discreet_papers.figures.error_laws import RUNS, ErrorLaw
from discreet_papers.figures.style import PRINTED, RIGHT

SCALE = "2/ε"


class Notes:
    """One setting of the notes: a space, its balanced data, ε and how errors are measured."""

    def __init__(self, space: PosteriorSpace, epsilon: str, metric: MetricName = "hellinger") -> None:
        self.space, self.epsilon, self.counts = space, epsilon, balanced(space)
        self._metric = METRIC[metric]
        rows = space.candidates().array()
        self._score = METRIC["hellinger"].distances(space.prior, self.counts, rows)
        self._measured = self._metric.distances(space.prior, self.counts, rows)

    def sensitivities(self, everywhere: float, gamma: float) -> dict[str, float]:
        """What each exponential mechanism divides by, at the balanced data."""
        return {
            "exponential-global": everywhere,
            "exponential-local": local_sensitivity(self.space, self.counts),
            "exponential-smooth": smooth_sensitivity(self.space, self.counts, gamma),
        }

    def as_printed(self, panel: str, *, everywhere: float, gamma: float) -> list[Box]:
        """With a global sensitivity and a γ of the seeds' own: these are laws, but no mechanisms of ours."""
        found = []
        for name, sensitivity in self.sensitivities(everywhere, gamma).items():
            law = ErrorLaw.of(self._measured, np.exp(-float(self.epsilon) / 2 / sensitivity * self._score))
            found.append(Box.of(panel, PRINTED, name, law, law.draw_distances(RUNS)))
        return [*found, self._box(panel, PRINTED, "laplace", self._laplace())]

    def put_right(self, panel: str, *, delta: str) -> list[Box]:
        """With the true global sensitivity and the γ of the text."""
        gamma = published_gamma(self.space, self.epsilon, delta)
        made = (
            ExponentialGlobal.as_published(self.space, epsilon=self.epsilon),
            ExponentialLocal.as_published(self.space, epsilon=self.epsilon),
            ExponentialSmooth.as_published(self.space, epsilon=self.epsilon, gamma=gamma),
        )
        found = [self._box(panel, RIGHT, mechanism.name, mechanism) for mechanism in made]
        return [*found, self._box(panel, RIGHT, "laplace", self._laplace())]

    def _laplace(self) -> Mechanism:
        family = Laplace if self.space.k == 2 else LaplaceImproved  # whichever has the scale 2/ε
        return family.as_published(self.space, epsilon=self.epsilon)

    def _box(self, panel: str, place: str, name: str, mechanism: Mechanism) -> Box:
        law = ErrorLaw.of(self._measured, np.exp(mechanism.log_pmf(self.counts)))
        return Box.of(panel, place, name, law, self._distances(mechanism.simulate(self.counts, RUNS)))

    def _distances(self, outputs: NDArray[np.int64]) -> NDArray[np.float64]:
        return self._metric.distances(self.space.prior, self.counts, outputs)
