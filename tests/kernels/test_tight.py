"""Kernels of tight: closed forms that treat all categories alike."""

import numpy as np
import pytest

import discreet as dc
from discreet.kernels.tight import TightKernel
from discreet.mechanisms.tight_weights import MOST_PARTITIONS
from discreet.posteriors.partitions import number_of_partitions


def kernel(k: int, n: int, epsilon: str) -> TightKernel:
    return TightKernel(dc.TightConstraints(dc.PosteriorSpace(prior=[1] * k, n=n), epsilon=epsilon))


def test_a_closed_row_is_that_of_the_same_counts_in_another_order() -> None:
    tight = kernel(3, 4, "2")
    assert tight.closed is True
    assert tight.quick is True
    outputs = tight.outputs
    assert tight.row((3, 1, 0), outputs).values == pytest.approx(tight.row((0, 3, 1), np.roll(outputs, 1, 1)).values)


@pytest.mark.parametrize("n", [1, 8, 1278])
def test_a_space_of_solved_weights_is_quick_as_two_parts_alone_have_many_partitions(n: int) -> None:
    assert 2 * number_of_partitions(n, 2, MOST_PARTITIONS) >= n


def test_a_kernel_names_its_post_processing() -> None:
    tight = dc.TightConstraints(dc.PosteriorSpace(prior=[1, 1], n=4), epsilon=2, postprocess="bayes")
    assert TightKernel(tight).postprocess == "bayes"


def test_a_row_of_noisy_counts_is_about_every_order_of_its_outputs() -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=2)
    noisy = TightKernel(dc.TightConstraints(space, epsilon=2, postprocess="noisy"))
    assert sorted(noisy.outputs.tolist()) == [[0, 2], [1, 1], [2, 0]]


def test_weights_of_noisy_outputs_are_probabilities_and_products_of_factors() -> None:
    space = dc.PosteriorSpace(prior=[1, 1, 1], n=4)
    noisy = TightKernel(dc.TightConstraints(space, epsilon="1/10", postprocess="noisy"))
    assert noisy.signed is True
    assert kernel(3, 4, "1").signed is False
    none = noisy.log_normaliser((4, 0, 0))
    assert (float(none.values), float(none.errors)) == (0, 0)
    for counts in noisy.candidates:
        row = noisy.row(counts, noisy.outputs)
        assert np.exp(row.values).sum() == pytest.approx(1, abs=1e-12)
        assert noisy.row(counts, noisy.outputs.copy()).values.tolist() == row.values.tolist()
    factors = noisy.factors((3, -1, 2))
    assert [(factor.first, factor.left) for factor in factors] == [(3, 0.05), (0, 0.05), (2, 0.05)]
    product = sum(factor.log(noisy.candidates[:, i]) for i, factor in enumerate(factors))
    assert np.ptp(noisy.column((3, -1, 2)).values - product) < 1e-12
    with pytest.raises(dc.InvalidInput, match="no output of the mechanism"):
        noisy.factors((9, 9, 9))
