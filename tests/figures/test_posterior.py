"""The picture of a released posterior."""

from pathlib import Path

import numpy as np
import pytest

import discreet as dc
from discreet.figures import posterior
from discreet.figures.image import picture_format, render


@pytest.mark.parametrize("alpha", [[49, 43], [0.5, 0.5], [0.001, 3], [5e11, 5e11]])
def test_the_curve_of_a_beta_holds_all_of_its_mass(alpha: list[float]) -> None:
    values = posterior.numbers(dc.Dirichlet(alpha), ["yes", "no"])
    assert values.grid is not None
    assert values.density is not None
    assert np.isfinite(values.density).all()
    assert (values.shares.low[0] <= values.shares.mean[0]) or alpha[0] < 1
    if min(alpha) >= 1:
        assert np.trapezoid(values.density, values.grid) == pytest.approx(1, abs=1e-3)


def test_a_density_that_is_no_curve_in_floats_is_shown_by_mean_and_interval() -> None:
    values = posterior.numbers(dc.Dirichlet(["1e299", 11]), ["yes", "no"])
    assert values.grid is None
    assert len(render(posterior.paint(values, title="t"), "png")) > 1000


def test_more_than_two_categories_are_shown_by_mean_and_interval() -> None:
    values = posterior.numbers(dc.Dirichlet([71, 51, 31]), ["a", "b", "c"])
    assert values.grid is None
    assert values.shares.mean.sum() == pytest.approx(100)
    figure = posterior.paint(values, title="a title")
    (axes,) = figure.axes
    assert axes.get_title(loc="left") == "a title"
    assert "%" in axes.get_xlabel()
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b", "c"]


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
@pytest.mark.parametrize("k", [2, 3])
def test_labels_that_look_like_formulas_are_painted_as_they_are(kind: str, k: int) -> None:
    names = ["$x^$", r"\frac{", "平均"][:k]
    values = posterior.numbers(dc.Dirichlet([3] * k), names)
    assert len(render(posterior.paint(values, title="$\\alpha^$"), kind)) > 1000


@pytest.mark.every
@pytest.mark.parametrize("name", ["release", "release.bmp", "release.png.gz", ".png"])
def test_a_name_that_says_no_format_is_refused(name: str) -> None:
    with pytest.raises(dc.InvalidInput, match="png"):
        picture_format(Path(name))
