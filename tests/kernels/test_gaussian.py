"""Gaussian kernels: outputs drawn for many data sets at once, and factors that fall from where they are greatest."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from discreet import ExponentialLocal, Gaussian, Mechanism, Optimal, PosteriorSpace
from discreet.testing import HashedBits


@pytest.mark.parametrize("n", [2000, None])
def test_outputs_of_several_data_sets_are_theirs_with_noise(n: int | None) -> None:
    mechanism = Gaussian(PosteriorSpace([1, 1, 1], n), epsilon=1, delta=Fraction(1, 10**6))
    data = np.array([[700, 600, 700], [1000, 800, 200]])
    outputs = mechanism.kernel.draw_outputs(data, 300, HashedBits("several"))
    assert outputs.shape == (2, 300, 3)
    if n is not None:
        assert (outputs.sum(axis=2) == n).all()
    wide = float(mechanism.sigma) / 300**0.5
    assert (np.abs(outputs.mean(axis=1) - data) < 7 * wide).all()


@pytest.mark.parametrize("n", [20, None])
def test_a_factor_is_greatest_at_its_place_and_falls_from_there_as_stated(n: int | None) -> None:
    mechanism = Gaussian(PosteriorSpace([1, 1, 1, 1], n), epsilon=1, delta=Fraction(1, 10**6))
    factors = mechanism.kernel.factors((-3, 0, 9, 14))
    assert factors is not None
    for factor, z in zip(factors, (-3, 0, 9, 14), strict=True):
        at = np.arange(0, 21)
        logs = factor.log(at)
        assert logs.max() == logs[max(z, 0)] == 0
        squares = (at - z) ** 2 - min((at - z) ** 2)
        assert logs == pytest.approx(-squares / (2 * float(mechanism.sigma) ** 2))
        assert logs[z + 1] - logs[z + 2] == pytest.approx(factor.right_at(z + 1)) if z >= 0 else factor.right > 0
        assert logs[z - 1] - logs[z - 2] == pytest.approx(factor.left_at(z - 1)) if z >= 2 else factor.left > 0


@pytest.mark.parametrize("family", [ExponentialLocal, Optimal])
def test_an_output_may_be_as_far_from_the_counts_as_there_are_records(family: Callable[..., Mechanism]) -> None:
    assert family(PosteriorSpace([1, 1], 6), epsilon=1).kernel.reach > 6
