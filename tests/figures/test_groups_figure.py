"""The picture of groups: one panel for each, its numbers the posterior's and the belief's."""

import numpy as np
import pytest

from discreet import Dirichlet, Geometric, PosteriorSpace, noise_aware
from discreet.figures.groups import numbers, paint
from discreet.figures.image import render
from discreet.figures.style import TALLEST
from discreet.inference.groups import EmptyGroup

NAMES = ["yes", "$no$"]


def test_a_panel_shows_both_posteriors_in_percent() -> None:
    belief = noise_aware(Geometric(PosteriorSpace(prior=[1] * 4, n=100), epsilon=1), (30, 10, 20, 40)).within([0, 1])
    panel = numbers("women", NAMES, Dirichlet([31, 11]), belief)
    assert panel.belief is not None
    assert np.array(panel.belief[1:]) == pytest.approx(100 * np.array(belief.interval(0.95)))
    assert panel.plug_in.mean == pytest.approx(100 * np.array([31 / 42, 11 / 42]))
    assert numbers("women", NAMES, Dirichlet([31, 11]), None).belief is None
    nobody = numbers("nobody", NAMES, Dirichlet([1, 3]), EmptyGroup(Dirichlet([1, 3]))).belief
    assert nobody is not None
    assert nobody.mean == pytest.approx([25, 75])


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_there_is_a_panel_for_each_group_with_its_name_as_it_is(kind: str) -> None:
    panels = [numbers(f"${name}$", NAMES, Dirichlet([2, 3]), EmptyGroup(Dirichlet([2, 3]))) for name in ("a", "b", "c")]
    figure = paint(panels, title="$title$")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["$a$", "$b$", "$c$"]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == NAMES
    assert len(render(figure, kind)) > 1000


def test_a_picture_of_many_groups_stays_of_a_size_that_can_be_painted() -> None:
    panels = [numbers(str(i), NAMES, Dirichlet([2, 3]), None) for i in range(40)]
    assert paint(panels, title="many").get_size_inches()[1] <= TALLEST
