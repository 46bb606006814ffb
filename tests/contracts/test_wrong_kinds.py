"""Public functions refuse an argument of another kind in words, and say what to give instead."""

from collections.abc import Callable

import pytest

import discreet as dc

SPACE = dc.PosteriorSpace([1, 1], n=20)
BELIEF = dc.Geometric(SPACE, epsilon=1).release([12, 8]).belief()
SLIPS: dict[str, tuple[Callable[..., object], tuple[object, ...]]] = {
    "mechanism must be a Mechanism, not a str; build one": (dc.audit, ("geometric",)),
    "mechanism must be a Mechanism, not a PosteriorSpace": (dc.accuracy, (SPACE,)),
    "mechanism must be a Mechanism, not a Belief": (dc.noise_aware, (BELIEF, (12, 8))),
    "must be a Mechanism, not a float": (dc.compose, ([0.5, 0.5],)),
    "must be a Mechanism, not an int": (dc.loss_distribution, (1,)),
    "only releases and receipts are combined; give what `release` returned": (dc.combine, ([BELIEF],)),
    "space must be a PosteriorSpace, not a list; build one": (lambda: dc.plan([1, 1], epsilon=1), ()),  # type: ignore[arg-type]
    "a distribution must be a Dirichlet, not a list": (dc.hellinger, ([1, 1], dc.Beta(1, 1))),
    "must be a Dirichlet, not a tuple": (dc.total_variation, (dc.Beta(1, 1), (1, 1))),
    "compare takes two shares, or two rates; name a category": (dc.compare, (BELIEF, BELIEF)),
    "two shares, or two rates": (dc.compare, (BELIEF["1"], 0.5)),
    "there is no axis 'region'; there are category": (lambda: BELIEF.given(region="north"), ()),
}


@pytest.mark.every
@pytest.mark.parametrize("message", SLIPS)
def test_a_wrong_kind_of_argument_is_refused_with_what_to_give(message: str) -> None:
    function, arguments = SLIPS[message]
    with pytest.raises(dc.InvalidInput) as refusal:
        function(*arguments)
    assert message in str(refusal.value)
    assert refusal.value.hint
