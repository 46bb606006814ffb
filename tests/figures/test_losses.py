"""The picture of a loss: δ against ε, with the exact loss and the guarantee."""

from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.figures import losses
from discreet.figures.image import render

SPACE = dc.PosteriorSpace(prior=[1, 1], n=60)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "mechanism",
    [
        dc.ExponentialReciprocal(SPACE, scale="1/2"),
        dc.LaplaceImproved(dc.PosteriorSpace(prior=[1, 1], n=12), epsilon=1),
        dc.Geometric(dc.PosteriorSpace(prior=[1, 1, 1], n=60), epsilon="0.2"),
    ],
    ids=lambda mechanism: mechanism.name,
)
def test_the_curve_is_the_audit_s_delta_from_zero_to_the_exact_loss(mechanism: dc.Mechanism) -> None:
    result = dc.audit(mechanism)
    values = losses.numbers(result)
    assert values.epsilon[0] == 0
    assert values.epsilon[-1] == pytest.approx(float(result.epsilon))
    assert values.delta[:-1].tolist() == [result.delta(float(at)) for at in values.epsilon[:-1]]
    assert values.delta[-1] == 0
    assert (np.diff(values.delta) <= 0).all()
    assert values.loss == float(result.epsilon)
    assert values.guarantee == float(mechanism.guarantee)


def test_the_picture_names_the_mechanism_the_loss_the_guarantee_and_the_units() -> None:
    result = dc.audit(dc.ExponentialReciprocal(SPACE, scale="1/2"))
    (axes,) = losses.paint(losses.numbers(result)).axes
    assert "exponential-reciprocal" in axes.get_title(loc="left")
    assert "ε" in axes.get_xlabel()
    assert "nats" in axes.get_xlabel()
    assert "δ" in axes.get_ylabel()
    legend = axes.get_legend()
    assert legend is not None
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts[1] == "guarantee 2.00000"
    assert texts[0].startswith("exact loss ")
    printed = Fraction(texts[0].removeprefix("exact loss "))
    assert result.epsilon <= printed < result.epsilon + Fraction(1, 10**5)  # a loss is never printed smaller than it is


def test_deltas_too_small_to_see_are_left_out_rather_than_drawn_at_zero() -> None:
    (axes,) = losses.paint(losses.numbers(dc.audit(dc.Geometric(SPACE, epsilon=1)))).axes
    curve = axes.get_lines()[0]
    assert len(curve.get_xdata()) == losses.POINTS - 1  # type: ignore[arg-type]
    assert np.asarray(curve.get_ydata()).min() > losses.LEAST


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_every_format_is_painted(kind: str) -> None:
    result = dc.audit(dc.Geometric(SPACE, epsilon=1))
    assert len(render(losses.paint(losses.numbers(result)), kind)) > 1000


def test_an_infinite_loss_without_a_guarantee_is_shown_up_to_twice_the_epsilon_asked_for() -> None:
    values = losses.numbers(dc.audit(dc.Optimal(dc.PosteriorSpace(prior=[7, 4], n=30), epsilon=2)))
    assert np.isinf(values.loss)
    assert values.epsilon[-1] == 4
    assert (values.delta > 0).all()
    assert len(render(losses.paint(values), "png")) > 1000  # and no warning


def test_a_space_too_large_for_delta_has_no_picture() -> None:
    with pytest.raises(dc.TooLarge):
        losses.numbers(dc.audit(dc.ExponentialLocal(dc.PosteriorSpace(prior=[1, 1], n=10**6), epsilon=1)))
