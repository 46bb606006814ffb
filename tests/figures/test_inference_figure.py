"""The picture of both posteriors says of each what it leaves in or out."""

import numpy as np
import pytest

import discreet as dc
from discreet.figures import inference
from discreet.figures.image import render


@pytest.mark.parametrize("output", [(60, 30), (50, 30, 10)])
def test_both_posteriors_are_labelled_with_what_they_include(output: tuple[int, ...]) -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * len(output), n=90), epsilon="1/5")
    belief, posterior = dc.noise_aware(mechanism, output), mechanism.posterior(output)
    values = inference.numbers(belief, posterior, ["a", "b", "c"][: len(output)])
    assert (values.belief.high - values.belief.low > values.plug_in.high - values.plug_in.low).all()
    figure = inference.paint(values, title="a title")
    (legend,) = figure.legends
    labels = {text.get_text().replace("\n", " ") for text in legend.get_texts()}
    assert "what a reader may believe (privacy noise included)" in labels
    assert "released posterior at face value (privacy noise not included)" in labels
    assert len(render(figure, "png")) > 1000


def test_the_curves_hold_their_mass() -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=90), epsilon="1/5")
    values = inference.numbers(dc.noise_aware(mechanism, (60, 30)), mechanism.posterior((60, 30)), ["a", "b"])
    assert values.densities is not None
    for density in (values.densities.belief, values.densities.plug_in):
        assert np.trapezoid(density, values.densities.grid) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("output", [(60, 30), (50, 30, 10)])
def test_the_truth_is_drawn_only_where_it_is_given_and_is_marked_as_public(output: tuple[int, ...]) -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * len(output), n=90), epsilon="1/5")
    values = inference.numbers(dc.noise_aware(mechanism, output), mechanism.posterior(output), "abc"[: len(output)])
    truth = [12.5, 87.5] if len(output) == 2 else [12.5, 37.5, 50]
    for given in (None, truth):
        (axes,) = inference.paint(values, title="a title", truth=given).axes
        drawn = [np.asarray(line.get_xdata()) for line in axes.lines if line.get_label() == "public data: true shares"]
        assert len(drawn) == (given is not None)
        assert all(x.tolist() == ([12.5, 12.5] if len(output) == 2 else truth) for x in drawn)
