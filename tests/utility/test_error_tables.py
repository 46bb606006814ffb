"""Three categories and more: noisy counts cut where the way back cannot see, and one data set for each orbit."""

import numpy as np
import pytest

import discreet as dc
from discreet.mechanisms.geometric import noise_vectors
from discreet.mechanisms.postprocessing import Postprocess
from discreet.utility.cut_noise import cut_depth, cut_outputs, number_of_outputs
from discreet.utility.error_tables import ErrorTable, NoisySimplex, WeightedTable, error_table


@pytest.mark.parametrize(("k", "n", "epsilon"), [(3, 5, 1), (3, 1, "1/2"), (3, 9, 2), (4, 3, 2)])
def test_the_released_candidates_have_the_law_of_the_mechanism(k: int, n: int, epsilon: str) -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * k, n=n), epsilon=epsilon)
    kernel = NoisySimplex(mechanism, mechanism.noise)
    for rank in range(0, mechanism.space.size, 4):
        expected = np.exp(mechanism.log_pmf(mechanism.space.candidates().unrank(rank)))
        assert kernel.masses(rank) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("way", ["nearest", "bayes"])
def test_cutting_loses_nothing_that_the_way_back_sees(way: Postprocess) -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 2, 1], n=4), epsilon="1.5", postprocess=way)
    moves, norms = noise_vectors(3, 24)
    counts = np.array([2, 0, 2])
    mass = np.exp(-0.75 * norms)
    released = mechanism.space.candidates().ranks(mechanism.postprocess(moves + counts))
    expected = np.bincount(released, mass / mass.sum(), mechanism.space.size)
    rank = mechanism.space.candidates().index((2, 0, 2))
    assert NoisySimplex(mechanism, mechanism.noise).masses(rank) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("top", [False, True])
def test_the_masses_of_cut_outputs_sum_to_one(top: bool) -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 1, 1], n=3), epsilon="0.8")
    outputs, log_rest = cut_outputs(mechanism.space, 0.4, cut_depth(mechanism.noise), top=top)
    for counts in ([3, 0, 0], [1, 1, 1]):
        logs = log_rest - 0.4 * np.abs(outputs - counts).sum(axis=1) - float(mechanism.noise.log_total())
        assert np.exp(logs).sum() == pytest.approx(1, abs=1e-13)
    if not top:
        assert len(outputs) == number_of_outputs(mechanism.space, cut_depth(mechanism.noise))


@pytest.mark.few(1)
@pytest.mark.parametrize("prior", [[1, 1, 1], [2, 1, 2], [1, 2, 3]], ids=str)
def test_one_data_set_for_each_orbit_is_enough(prior: list[int]) -> None:
    mechanism = dc.ExponentialReciprocal(dc.PosteriorSpace(prior=prior, n=6), epsilon=2)
    by_orbits = dc.accuracy(mechanism)
    every = ErrorTable(mechanism)
    assert len(WeightedTable(mechanism).data[0]) <= len(every.data[0])
    expected = sum(
        weight * float(every.masses(rank) @ mechanism.law(every.candidates[rank].tolist()).distances())
        for rank, weight in zip(*every.data, strict=True)
    )
    assert by_orbits.mean == pytest.approx(float(expected), rel=1e-10)


def test_small_epsilons_are_not_enumerated() -> None:
    with pytest.raises(dc.TooLarge, match="too many"):
        error_table(dc.Geometric(dc.PosteriorSpace(prior=[1] * 5, n=5), epsilon="0.01"))
    with pytest.raises(dc.TooLarge, match="post-processing"):
        cut_outputs(dc.PosteriorSpace(prior=[1] * 5, n=40), 0.5, 10, top=True)
