"""Laws of sums of many cells, by transforms that wrap, against convolutions that are written out."""

from functools import reduce

import numpy as np
import pytest

import discreet as dc
from discreet.inference.sums import Law, Sums
from discreet.posteriors.mixtures import BetaMixture
from discreet.utility.count_mixtures import mixture_intervals

Array = np.ndarray[tuple[int], np.dtype[np.float64]]


def windows(kinds: int, *, seed: int = 3, longest: int = 40) -> list[Law]:
    """Windows of several lengths, some of them with a mass far from their mean."""
    rng = np.random.default_rng(seed)
    masses = [rng.dirichlet(np.full(int(rng.integers(1, longest)), 0.3)) for _ in range(kinds)]
    return [Law(int(rng.integers(-5, 50)), mass) for mass in masses]


def convolved(laws: list[Law]) -> Law:
    return Law(sum(law.first for law in laws), reduce(np.convolve, [law.masses for law in laws], np.ones(1)))


def distance(one: Law, other: Law) -> float:
    """The greatest difference of two masses."""
    low = min(one.first, other.first)
    high = max(law.first + len(law.masses) for law in (one, other))
    return float(np.abs(one.at(np.arange(low, high)) - other.at(np.arange(low, high))).max())


@pytest.mark.parametrize("cells", [1, 2, 9, 60, 300])
def test_sums_are_convolutions_and_what_is_left_of_all_is_too(cells: int) -> None:
    laws, rng = windows(7), np.random.default_rng(cells)
    kind = rng.integers(0, len(laws), cells)
    sums = Sums(laws, kind)
    everything = [laws[i] for i in kind.tolist()]
    assert distance(sums.of(range(cells)), convolved(everything)) < 1e-14
    for size in {1, cells // 3, cells - 1, cells} - {0}:
        members = rng.permutation(cells)[:size].tolist()
        rest = [i for i in range(cells) if i not in members]
        assert distance(sums.of(members), convolved([everything[i] for i in members])) < 1e-14
        assert distance(sums.without(members), convolved([everything[i] for i in rest])) < 1e-13


def test_many_cells_take_no_longer_transform_than_their_spread_needs() -> None:
    laws = windows(5, longest=30)
    sums = Sums(laws, np.arange(20_000) % 5)
    law = sums.of(range(20_000))
    places = law.first + np.arange(len(law.masses))
    mean = 4000 * sum(float(each.masses @ (each.first + np.arange(len(each.masses)))) for each in laws)
    assert len(law.masses) < 20_000
    assert law.masses.sum() == pytest.approx(1, abs=1e-11)
    assert float(law.masses @ places) == pytest.approx(mean, rel=1e-11)


def test_a_transform_that_is_too_short_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    laws, kind = windows(5, longest=30), np.arange(300) % 5
    everything = [laws[i] for i in kind.tolist()]
    assert distance(Sums(laws, kind).of(range(300)), convolved(everything)) < 1e-14
    monkeypatch.setattr("discreet.inference.sums.OUTSIDE", 1e-2)
    assert distance(Sums(laws, kind).of(range(300)), convolved(everything)) > 1e-8


def test_intervals_that_are_found_together_are_those_that_are_found_alone() -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, "1/2", 3, *["1/7"] * 9], n=500), epsilon="1/4")
    output = (400, 60, 0, *[-3] * 4, *[10] * 4, 12)
    belief = dc.Belief.of(dc.noise_aware(mechanism, output), {"category": list("abcdefghijkl")})
    low, high = belief.interval(0.9)
    for i, share in enumerate(belief.shares().values()):
        assert [low[i], high[i]] == pytest.approx(share.interval(0.9), abs=1e-11)
    gapped = BetaMixture([0.5, 0.5], [1, 2], [3, 3])
    assert mixture_intervals([gapped], 0.5) is None


def test_cells_of_one_kind_share_their_law() -> None:
    belief = dc.noise_aware(dc.Geometric(dc.PosteriorSpace(prior=[1, 1, 2, 1], n=30), epsilon=1), (5, 5, 5, 15))
    assert belief.marginal(0) is belief.marginal(1)
    assert belief.marginal(0) is not belief.marginal(2)
