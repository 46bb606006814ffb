"""The pictures of snapping: the numbers are exact ones, and they are painted in every format."""

import pytest

import discreet as dc
from discreet.figures.image import FORMATS, render
from discreet_papers.figures import snapping as figure
from discreet_papers.verification.attack import FloatLaplace

SNAPPING = dc.Snapping(epsilon=1, bound=30)


def test_a_pore_is_where_the_exact_probability_of_one_value_alone_is_zero() -> None:
    laplace = FloatLaplace(epsilon=1)
    pores = figure.pore_numbers(laplace, SNAPPING, 0, 1, count=16)
    for value, row in zip((0, 1), pores.possible, strict=True):
        exact = [
            laplace.probability(dc.Snapping(epsilon=1, bound=9).scaled(value), y).mantissa > 0 for y in pores.doubles
        ]
        assert list(row) == exact
    assert any(a != b for a, b in zip(*pores.possible, strict=True))
    assert all(mass > 0 for masses in pores.masses for mass in masses)


def test_the_losses_shown_are_those_of_the_verdict() -> None:
    verdict = SNAPPING.verify(0, 1)
    losses = figure.numbers(verdict)
    assert max(abs(loss) for loss in losses.losses) == pytest.approx(verdict.exact_epsilon, rel=1e-15)
    assert max(losses.excesses) == pytest.approx(verdict.excess, rel=1e-9)
    assert max(losses.excesses) < losses.slack


def test_the_likelihood_of_a_release_looks_at_the_output_alone() -> None:
    likelihood = figure.likelihood(SNAPPING, 30.0)
    assert likelihood.values[-1] == 30.0
    assert max(likelihood.probabilities) == likelihood.probabilities[-1]


@pytest.mark.soak
def test_each_picture_is_painted_in_every_format() -> None:
    pictures = [
        figure.paint_pores(figure.pore_numbers(FloatLaplace(epsilon=1), SNAPPING, 0, 1, count=6)),
        figure.paint(figure.numbers(SNAPPING.verify(0, "0.5"))),
        figure.paint_likelihood(figure.likelihood(SNAPPING, 4.0)),
    ]
    assert all(len(render(picture, kind)) > 1000 for picture in pictures for kind in FORMATS)
