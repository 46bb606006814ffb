"""The prior of a request: one number, a name or one parameter for every cell of a cross table."""

from fractions import Fraction

import pytest

import discreet as dc
from discreet.requests.prepare import whole_prior


@pytest.mark.parametrize("prior", [0.5, "0.5", Fraction(1, 2), "jeffreys", ["1/2"] * 6, "0.5,0.5,0.5,0.5,0.5,0.5"])
def test_a_cross_table_has_a_prior_for_each_cell(prior: object) -> None:
    declaration = dc.Question(cross={"sex": ["f", "m"], "vote": ["a", "b", "c"]}, epsilon=1).declaration(None)
    assert whole_prior(declaration, prior).parameters == (Fraction(1, 2),) * 6
