"""Kernels of tight: closed forms that treat all categories alike."""

import numpy as np
import pytest

import discreet as dc
from discreet.kernels.tight import TightKernel


def kernel(k: int, n: int, epsilon: str) -> TightKernel:
    return TightKernel(dc.TightConstraints(dc.PosteriorSpace(prior=[1] * k, n=n), epsilon=epsilon))


def test_a_closed_row_is_that_of_the_same_counts_in_another_order() -> None:
    tight = kernel(3, 4, "2")
    assert tight.closed
    assert tight.quick
    assert kernel(3, 4, "1e6").quick  # however few counts matter
    outputs = tight.outputs
    assert tight.row((3, 1, 0), outputs).values == pytest.approx(tight.row((0, 3, 1), np.roll(outputs, 1, 1)).values)


def test_a_kernel_names_its_post_processing() -> None:
    tight = dc.TightConstraints(dc.PosteriorSpace(prior=[1, 1], n=4), epsilon=2, postprocess="bayes")
    assert TightKernel(tight).postprocess == "bayes"
