"""What an output leads to is derived anew: a posterior that a receipt states counts only where it was searched for."""

from typing import Literal

import pytest

import discreet as dc
from discreet.errors import InvalidInput
from discreet.receipts.verification import _derive_release

SPACE = dc.PosteriorSpace(prior=[1, 1], n=12)


def test_a_stated_posterior_is_taken_only_of_free_post_processing_and_only_if_it_is_near() -> None:
    output = (5, 7)
    cases: list[tuple[Literal["free", "nearest"], float, bool]]
    cases = [("free", 1e-6, True), ("free", 1e-4, False), ("nearest", 1e-6, False)]
    for postprocess, share, is_taken in cases:
        mechanism = dc.Geometric(SPACE, epsilon=1, postprocess=postprocess)
        derived = mechanism.posterior(output)
        stated = dc.Dirichlet([str(float(parameter) * (1 + share)) for parameter in derived.parameters])
        assert _derive_release(mechanism, output, stated).posterior == (stated if is_taken else derived)


def test_a_stated_posterior_of_other_categories_and_an_output_of_another_n_are_refused() -> None:
    mechanism = dc.Geometric(SPACE, epsilon=1, postprocess="free")
    stated = dc.Dirichlet([*mechanism.posterior((5, 7)).parameters, 1])
    with pytest.raises(ValueError, match=r"shorter|longer"):
        _derive_release(mechanism, (5, 7), stated)
    for output in ((5, 8), (5, 6, 1), (12,)):
        with pytest.raises(InvalidInput):
            _derive_release(mechanism, output, None)
