"""Sums over slices against the library's own accuracy, and runs against the law that they are drawn from."""

import math

import numpy as np
import pytest

import discreet as dc
from discreet.figures.plans import balanced
from discreet.posteriors.distances import hellinger_floats
from discreet.testing import HashedBits, draw_many_with
from discreet_papers.figures.error_laws import Atoms, ListedLaw, Runs, allowed_gap, geometric_law
from discreet_papers.figures.streams import ExponentialStream, LaplaceStream, Stream

SPACES = [dc.PosteriorSpace(prior, n) for prior, n in ((["1", "1"], 60), (["0.5", "2", "1"], 30), (["1"] * 4, 10))]
PLACES = ("balanced", "corner")


def data(space: dc.PosteriorSpace, place: str) -> tuple[int, ...]:
    return balanced(space) if place == "balanced" else (*(0 for _ in range(space.k - 1)), space.n)


def exponential(space: dc.PosteriorSpace, counts: tuple[int, ...]) -> tuple[dc.Mechanism, Stream]:
    mechanism = dc.ExponentialSmooth.as_published(space, epsilon=1)
    rate = float(mechanism.scale) * float(mechanism.inverse_sensitivity(space.counts(counts)))
    return mechanism, ExponentialStream(space, counts, rate=rate)


@pytest.mark.few(1)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("space", SPACES, ids=str)
def test_a_stream_sums_to_the_exact_accuracy(space: dc.PosteriorSpace, place: str) -> None:
    counts = data(space, place)
    mechanism, stream = exponential(space, counts)
    assert stream.mean == pytest.approx(dc.accuracy(mechanism, counts).mean, rel=1e-10)
    for family in (dc.Laplace, dc.LaplaceImproved):
        for additive in (family(space, epsilon=1), family.as_published(space, epsilon=1)):
            assert LaplaceStream(additive, counts).mean == pytest.approx(dc.accuracy(additive, counts).mean, rel=1e-10)
    ours = dc.Geometric(space, epsilon=1)
    assert geometric_law(ours, counts).mean == pytest.approx(dc.accuracy(ours, counts).mean, rel=1e-10)


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_a_stream_holds_every_candidate_once(space: dc.PosteriorSpace) -> None:
    stream = ExponentialStream(space, balanced(space), rate=0.0)
    assert sum(float(weight.sum()) for _, weight in stream.parts()) == pytest.approx(space.size, rel=1e-12)
    chance = stream.atoms.chance
    assert chance.sum() == pytest.approx(1)
    assert chance @ stream.atoms.low - 1e-12 <= stream.mean <= chance @ stream.atoms.high + 1e-12


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_runs_agree_with_the_exact_mean_and_a_shifted_mean_is_rejected(space: dc.PosteriorSpace) -> None:
    counts = balanced(space)
    mechanism, stream = exponential(space, counts)
    additive = dc.LaplaceImproved.as_published(space, epsilon=1)
    summed = LaplaceStream(additive, counts)
    bits = HashedBits(f"runs {space.k}")
    runs_and_laws = [
        (stream.draw_distances(1000, bits), stream),
        (hellinger_floats(space.prior, counts, draw_many_with(mechanism.law(counts), bits, 1000)), stream),
        (summed.draw_distances(1000, bits), summed),
        (hellinger_floats(space.prior, counts, draw_many_with(additive.law(counts), bits, 1000)), summed),
    ]
    for distances, law in runs_and_laws:
        runs = Runs.of(distances, law)
        assert runs.agrees_with(law.mean)
        assert not runs.agrees_with(law.mean + 2 * runs.allowed)
        assert runs.allowed < 0.3 * law.mean


def test_runs_of_a_neighbouring_law_are_rejected() -> None:
    """A planted fault: noise of twice the scale."""
    space, counts = SPACES[0], (30, 30)
    right = LaplaceStream(dc.LaplaceImproved.as_published(space, epsilon=1), counts)
    wrong = LaplaceStream(dc.LaplaceImproved.as_published(space, epsilon="0.5"), counts)
    assert not Runs.of(wrong.draw_distances(1000, HashedBits("a fault")), right).agrees_with(right.mean)


def test_the_allowed_gap_is_never_below_that_of_the_exact_tail() -> None:
    """For a coin the tail is a binomial: at the allowed gap it is below the false-alarm rate, and not far below."""
    from scipy.stats import binom

    coin = Atoms(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([0.7, 0.3]))
    gap = allowed_gap(coin, 0.3, 1000)
    tail = binom.sf(1000 * (0.3 + gap), 1000, 0.3) + binom.cdf(1000 * (0.3 - gap), 1000, 0.3)
    assert 1e-12 < tail < 1e-9
    sure = Atoms(np.array([0.2]), np.array([0.2]), np.ones(1))
    assert allowed_gap(sure, 0.2, 1000) < 1e-9
    assert math.isfinite(gap)


def test_boxes_are_quantiles() -> None:
    law = ListedLaw(np.arange(101) / 100, np.ones(101))
    assert law.box() == pytest.approx((0.05, 0.25, 0.5, 0.75, 0.95), abs=0.011)
