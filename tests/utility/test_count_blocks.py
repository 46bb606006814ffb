"""Blocks of counts enclose what enumeration finds, and reach where it does not."""

import numpy as np
import pytest

import discreet as dc
from discreet.arithmetic.growing_blocks import growing_edges
from discreet.utility.count_blocks import CountBlocks
from discreet.utility.error_rows import ErrorLaw
from discreet.utility.error_tables import MAX_CELLS, error_table
from discreet.utility.expected_counts import predictive_weights, stratum_weights
from discreet.utility.metrics import METRIC

PRIORS = ([1, 1], ["1/100", "1/100"], [7, 4], [900, 40])


def mechanisms(prior: list[int], n: int) -> list[dc.Mechanism]:
    space = dc.PosteriorSpace(prior=prior, n=n)
    return [
        dc.Geometric(space, epsilon="0.7"),
        dc.Geometric(space, epsilon="0.003"),
        dc.LaplaceImproved(space, epsilon=1, rounding="floor"),
        dc.ExponentialReciprocal(space, scale="0.9", gamma="0.3"),
        dc.ExponentialLocal(space, scale="0.5"),
        dc.ExponentialSmooth(space, epsilon=2),
        dc.ExponentialGlobal(space, epsilon=2),
    ]


def enclosed(mechanism: dc.Mechanism, metric: str = "hellinger", counts: tuple[int, ...] | None = None) -> ErrorLaw:
    blocks = CountBlocks(mechanism, METRIC[metric], counts)
    return ErrorLaw(blocks.slices, METRIC[metric].diameter(mechanism.space), "")


def assert_holds(law: ErrorLaw, exact: float, within: float) -> None:
    low, high = (float(law.survey.weight @ side) for side in (law.survey.low, law.survey.high))
    assert low * (1 - 1e-9) <= exact <= high * (1 + 1e-9)
    assert high - low < within * exact


@pytest.mark.few(1)
@pytest.mark.parametrize("prior", PRIORS, ids=str)
@pytest.mark.parametrize("place", range(7))
def test_the_enclosure_holds_and_is_narrow(prior: list[int], place: int) -> None:
    mechanism = mechanisms(prior, 900)[place]
    law, exact = enclosed(mechanism), dc.accuracy(mechanism)
    assert_holds(law, exact.mean, 0.03)
    assert exact.worst_mean is not None
    assert law.survey.low.max() * (1 - 1e-9) <= exact.worst_mean <= law.survey.high.max() * (1 + 1e-9)
    for p in (0.5, 0.95):
        assert law.quantile(p) >= exact.quantile(p) * (1 - 1e-9)
    for t in (0.02, 0.2, 0.9):
        assert law.tail(t) >= exact.tail(t) * (1 - 1e-9)
        assert law.worst_tail(t) >= exact.worst_tail(t) * (1 - 1e-9)


@pytest.mark.few(1)
@pytest.mark.parametrize("metric", ["kl", "l1"])
@pytest.mark.parametrize("place", [0, 2, 3])
def test_other_metrics_are_enclosed_too(metric: str, place: int) -> None:
    mechanism = mechanisms([2, 1], 800)[place]
    assert_holds(enclosed(mechanism, metric), dc.accuracy(mechanism, metric=metric).mean, 0.1)


@pytest.mark.parametrize("place", range(7))
def test_one_data_set_is_enclosed_more_narrowly(place: int) -> None:
    mechanism = mechanisms([1, 1], 3000)[place]
    for c in (0, 1, 20, 1400):
        counts = (c, 3000 - c)
        assert_holds(enclosed(mechanism, counts=counts), dc.accuracy(mechanism, counts).mean, 0.005)


@pytest.mark.parametrize("prior", [*PRIORS, [3, 3], ["1/2", 30]], ids=str)
def test_the_weights_of_strata_are_sums_of_the_predictive(prior: list[int]) -> None:
    space = dc.PosteriorSpace(prior=prior, n=20_000)
    edges = growing_edges(0, space.n, lambda at: 1.05 * at)
    cuts = np.unique(np.concatenate([edges, space.n + 1 - edges]))
    first, last = cuts[:-1], cuts[1:] - 1
    sums = np.concatenate([[0.0], np.cumsum(predictive_weights(space))])
    assert stratum_weights(space, first, last) == pytest.approx(sums[last + 1] - sums[first], abs=2e-6)


def test_a_thousand_million_records_get_a_proven_interval() -> None:
    small, large = (dc.PosteriorSpace(prior=[1, 1], n=n) for n in (10**6, 10**9))
    one, other = (dc.accuracy(dc.Geometric(space, epsilon=1)) for space in (small, large))
    assert 0 < other.error < 0.003 * other.mean
    assert "strata" in other.method
    # The mean of 1/sqrt(p(1-p)) is π, and E|v| is 1/sinh(1): H is about |v|/sqrt(8np(1-p)).
    expected = np.pi / np.sqrt(8e9) / np.sinh(1)
    assert other.mean == pytest.approx(expected, rel=2e-3)
    assert one.mean * 1e3**0.5 == pytest.approx(other.mean * 1e3, rel=5e-3)


def test_given_counts_of_any_size_have_their_error() -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=10**12)
    error = dc.accuracy(dc.Geometric(space, epsilon=1), [5 * 10**11, 5 * 10**11])
    assert error.mean == pytest.approx(1 / np.sinh(1) / np.sqrt(2e12), rel=1e-3)
    assert not error.publishable


def test_enumeration_is_used_as_far_as_it_goes() -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=30_000)
    assert (
        error_table(dc.Geometric(space, epsilon=1)).cells
        < MAX_CELLS
        < error_table(dc.ExponentialGlobal(space, epsilon=1)).cells
    )
    assert dc.accuracy(dc.ExponentialGlobal(space, epsilon=1)).error > 0


def test_what_needs_all_candidates_is_refused_where_they_are_too_many() -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=10**6)
    with pytest.raises(dc.TooLarge):
        dc.accuracy(dc.Geometric(space, epsilon=1), metric="total-variation")
    with pytest.raises(dc.TooLarge):
        dc.accuracy(dc.Geometric(space, epsilon=1, way="bayes"))
