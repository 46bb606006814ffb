"""Gaussian kernels: outputs drawn for many data sets at once, noise in a list, and factors that fall from their top."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from discreet import ExponentialLocal, Gaussian, Geometric, Mechanism, Optimal, PosteriorSpace, TooLarge
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
    factors = mechanism.kernel.factors((-3, 0, 1, 22))
    assert factors is not None
    for factor, z in zip(factors, (-3, 0, 1, 22), strict=True):
        at = np.arange(0, 31 if n is None else n + 1)
        top, logs = int(np.abs(at - z).argmin()), factor.log(at)
        assert (factor.first, factor.last, logs[top]) == (top, top, 0)
        squares = (at - z) ** 2 - (top - z) ** 2
        assert logs == pytest.approx(-squares / (2 * float(mechanism.sigma) ** 2))
        assert [factor.right_at(x) for x in at[top:-1]] == pytest.approx(-np.diff(logs[top:]))
        assert [factor.left_at(x) for x in at[1 : top + 1]] == pytest.approx(np.diff(logs[: top + 1]))


@pytest.mark.parametrize("family", [ExponentialLocal, Geometric, Optimal])
def test_where_noise_is_wide_all_counts_from_none_to_all_records_matter(family: Callable[..., Mechanism]) -> None:
    assert family(PosteriorSpace([1, 1], 6), epsilon=1).kernel.reach == 7


@pytest.mark.parametrize(("sigma", "n"), [(3, 5), (1, 7)])
def test_noise_is_listed_above_the_stated_weight_and_where_it_leads_from_candidate_to_candidate(
    sigma: int, n: int
) -> None:
    kernel = Gaussian(PosteriorSpace([1, 1, 1], n), sigma=sigma).kernel
    moves, logs = kernel.noise_list()
    between = {tuple(move) for counts in kernel.candidates for move in (kernel.candidates - counts).tolist()}
    grid = ((a, b, -a - b) for a in range(-20, 21) for b in range(-20, 21))
    heavy = {move for move in grid if Fraction(sum(v * v for v in move), 2 * sigma**2) < 36}
    assert sorted(map(tuple, moves.tolist())) == sorted(between | heavy)
    assert logs == pytest.approx(kernel.row((n, 0, 0), moves + np.array([n, 0, 0])).values)
    assert np.exp(logs).sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(("n", "reason"), [(256, "too many to list"), (None, "gaussian was not made")])
def test_noise_that_is_too_much_to_list_is_refused(n: int | None, reason: str) -> None:
    with pytest.raises(TooLarge, match=reason):
        Gaussian(PosteriorSpace([1, 1, 1], n), sigma=1).kernel.noise_list()


def test_as_much_noise_is_listed_as_is_stated() -> None:
    moves = Gaussian(PosteriorSpace([1, 1, 1], 255), sigma=1).kernel.noise_list().moves
    assert len(moves) == 1 + 6 * sum(range(256))  # a hexagon in a square of 511², less than 2^18
