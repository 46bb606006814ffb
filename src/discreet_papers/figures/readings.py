"""The two readings of a figure: as the papers' program computes it, and put right.

As printed: the papers' distance, γ with n for |R|, s = ε/2. Put right: the Hellinger distance and γ as the text has it.
A mechanism has its exact error law under either reading, and a thousand runs of it beside the law.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from numpy.typing import ArrayLike

from discreet import Geometric, Laplace, LaplaceImproved, PosteriorSpace
from discreet.arithmetic.arrays import Floats
from discreet.figures.style import dress, legend_below, two_panels
from discreet.mechanisms.exponential import Exponential, ExponentialSmooth
from discreet.posteriors.distances import hellinger_floats
from discreet_papers.figures.error_laws import RUNS, ErrorLaw, geometric_law
from discreet_papers.figures.streams import ExponentialStream, LaplaceStream, Stream
from discreet_papers.legacy import LegacySensitivity, legacy_floats, legacy_gamma, legacy_power
from discreet_papers.registry import Axes, Figure

PRINTED, RIGHT = "as printed", "put right"
READINGS = (PRINTED, RIGHT)
DISTANCE = {PRINTED: "papers' distance", RIGHT: "Hellinger distance"}
DISTANCE_SETTING = "sqrt(1 - BC^(1/ln(n+Σα))) as printed, Hellinger put right"

DELTA = "1e-8"
NAMES = ("M_H", "laplace", "laplace-improved")
"""The mechanisms that the papers compare; M_H is exponential-smooth at s = ε/2."""

MECHANISMS = {PRINTED: NAMES, RIGHT: (*NAMES, "geometric")}
EPSILON = {PRINTED: "0.8", RIGHT: "1"}
"""What is compared in Figures 4 and 5, and at which ε."""

_FAMILY: dict[str, type[ExponentialSmooth] | type[Laplace] | type[LaplaceImproved]] = {
    "M_H": ExponentialSmooth,
    "laplace": Laplace,
    "laplace-improved": LaplaceImproved,
}


def common_settings(
    epsilon: str = f"{EPSILON[PRINTED]} as printed, {EPSILON[RIGHT]} put right", **more: str
) -> dict[str, str]:
    """What the figures of paper 001 that compare errors have in common."""
    mechanism = "exponential-smooth, s = ε/2"
    return {"epsilon": epsilon, "delta": DELTA, "M_H": mechanism, **more, "distance": DISTANCE_SETTING}


def prior_name(parameters: Iterable[object]) -> str:
    """A prior as the papers write it."""
    texts = [str(parameter) for parameter in parameters]
    return f"{'beta' if len(texts) == 2 else 'DL'}({','.join(texts)})"


def distances(reading: str, space: PosteriorSpace, counts: Sequence[int], rows: ArrayLike) -> Floats:
    """From the candidate with these counts to many others, by the distance of the reading."""
    return legacy_floats(space, counts, rows) if reading == PRINTED else hellinger_floats(space.prior, counts, rows)


def stream(reading: str, name: str, space: PosteriorSpace, counts: Sequence[int], epsilon: str) -> Stream:
    """The exact error of one of the papers' mechanisms on one data set."""
    power = legacy_power(space) if reading == PRINTED else 1.0
    mechanism = _FAMILY[name].as_published(space, epsilon=epsilon)
    if not isinstance(mechanism, ExponentialSmooth):
        return LaplaceStream(mechanism, counts, power=power)
    if reading == RIGHT:
        return exponential_stream(mechanism, counts)
    smooth = LegacySensitivity(space, [counts]).smooth(legacy_gamma(space.n, epsilon, DELTA))
    return ExponentialStream(space, counts, rate=float(epsilon) / 2 / float(smooth[0]), power=power)


def exponential_stream(mechanism: Exponential, counts: Sequence[int]) -> ExponentialStream:
    """The exact error of any exponential mechanism on one data set, in Hellinger distance."""
    return ExponentialStream(mechanism.space, counts, rate=float(mechanism.law(counts).rate()))


def law_and_runs(reading: str, name: str, space: PosteriorSpace, counts: Sequence[int]) -> tuple[ErrorLaw, Floats]:
    """The exact law of a mechanism's error at the ε of the reading, and the distances of a thousand runs."""
    epsilon = EPSILON[reading]
    if name == "geometric":
        ours = Geometric(space, epsilon=epsilon)
        released = ours.postprocess(ours.simulate(counts, RUNS))
        return geometric_law(ours, counts), distances(RIGHT, space, counts, released)
    law = stream(reading, name, space, counts, epsilon)
    if (reading, name) == (PRINTED, "M_H"):  # a law, but no mechanism of this package
        return law, law.draw_distances(RUNS)
    outputs = _FAMILY[name].as_published(space, epsilon=epsilon).simulate(counts, RUNS)
    return law, distances(reading, space, counts, outputs)


def paint_readings(title: str, paint: Callable[[Axes, str], tuple[str, str, str]]) -> Figure:
    """A panel for each reading, painted by a function that returns its title and the labels of its axes."""
    figure, panels = two_panels(title)
    for axes, reading in zip(panels, READINGS, strict=True):
        dress(axes, *paint(axes, reading))
    legend_below(figure, *panels[::-1])
    return figure
