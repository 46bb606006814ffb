"""How private a mechanism really is: the exact δ against ε, with the exact loss and the guarantee."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.figures.style import BLUE, VERMILION, one_panel
from discreet.privacy_loss import Audit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 25
LEAST = 1e-12
"""δ below this is not shown."""


@dataclass(frozen=True, slots=True)
class LossNumbers:
    """What the figure shows."""

    name: str
    epsilon: Floats
    delta: Floats
    loss: float
    guarantee: float


def numbers(result: Audit) -> LossNumbers:
    """δ*(ε) from 0 to the exact loss.

    >>> from discreet import Geometric, PosteriorSpace, audit
    >>> values = numbers(audit(Geometric(PosteriorSpace(prior=[1, 1], n=50), epsilon=1)))
    >>> round(float(values.delta[0]), 4), float(values.delta[-1])
    (0.4621, 0.0)
    """
    loss = float(result.epsilon)
    top = loss if np.isfinite(loss) else 2 * float(result.mechanism.epsilon)
    epsilon = np.linspace(0.0, top, POINTS)
    delta = np.array([result.delta(float(at)) for at in epsilon])
    delta[-1] = 0.0 if np.isfinite(loss) else delta[-1]
    return LossNumbers(result.mechanism.name, epsilon, delta, loss, float(result.mechanism.guarantee))


def rounded_up(loss: float) -> str:
    """Five decimals, never below the number.

    >>> rounded_up(0.8767333712), rounded_up(0.1)
    ('0.87674', '0.10000')
    """
    return str(Decimal(repr(float(loss))).quantize(Decimal("1e-5"), ROUND_CEILING))


def paint(values: LossNumbers) -> Figure:
    """The figure, without matplotlib's global state."""
    figure, axes = one_panel(7.0, 4.0, f"Exact privacy of {values.name}: (ε, δ) on and above the curve hold")
    visible = values.delta > LEAST
    axes.semilogy(values.epsilon[visible], values.delta[visible], color=BLUE, linewidth=2, marker="o", markersize=3)
    for at, colour, style, label in (
        (values.loss, BLUE, "-", "exact loss"),
        (values.guarantee, VERMILION, "--", "guarantee"),
    ):
        if np.isfinite(at):
            axes.axvline(at, color=colour, linestyle=style, label=f"{label} {rounded_up(at)}")
    axes.set_xlim(left=0)
    axes.set_xlabel("ε (nats)")
    axes.set_ylabel("least δ (probability)")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False)
    return figure
