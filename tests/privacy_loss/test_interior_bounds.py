"""Blocks of rows: a bound is never below a loss that enumeration finds in the block, and comes close to it."""

import random

import numpy as np
import pytest

from discreet import ExponentialGlobal, ExponentialLocal, ExponentialReciprocal, ExponentialSmooth, PosteriorSpace
from discreet.mechanisms.exponential import Exponential
from discreet.posteriors.grid import grid
from discreet.privacy_loss import interior_bounds
from discreet.privacy_loss.interior_bounds import InteriorBounds
from tests.privacy_loss.families import losses_of_pairs, members


def bounds_of(mechanism: Exponential) -> InteriorBounds:
    return InteriorBounds(mechanism.space, type(mechanism), float(mechanism.scale), mechanism.smoothing)


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(6))
def test_no_pair_of_a_block_loses_more_than_its_bound(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a fixed sample of spaces
    prior = [f"{10 ** chance.uniform(-2, 2 if seed % 2 else 7):.3g}" for _ in range(2)]
    space = PosteriorSpace(prior, chance.randint(200, 900))
    for mechanism in members(space, chance.choice(["0.1", "0.5", "2"])):
        bounds, truth = bounds_of(mechanism), losses_of_pairs(mechanism)
        for _ in range(40):
            low = chance.randint(0, max(bounds.last - 2, 0))
            high = min(bounds.last, low + chance.choice([1, 1, 2, 5, 20, 100]))
            assert truth[low:high].max() <= bounds.bound(low, high), (mechanism, low, high)


@pytest.mark.soak
def test_a_bound_on_a_single_pair_is_near_its_loss() -> None:
    for mechanism in members(PosteriorSpace([1, 1], 2400)):
        bounds, truth = bounds_of(mechanism), losses_of_pairs(mechanism)
        excess = [bounds.bound(c, c + 1) / truth[c] - 1 for c in range(300, 1200, 60)]
        assert max(excess) < (0.05 if isinstance(mechanism, ExponentialLocal | ExponentialGlobal) else 0.25), mechanism


def test_a_bound_that_forgets_the_change_of_the_rates_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = ExponentialReciprocal(PosteriorSpace([1, 1], 600), scale="0.5")
    truth = losses_of_pairs(mechanism)
    assert truth[2] <= bounds_of(mechanism).bound(2, 3)
    monkeypatch.setattr(InteriorBounds, "_change", lambda *_: 0.0)
    assert truth[2] > bounds_of(mechanism).bound(2, 3)


@pytest.mark.parametrize("kind", [ExponentialLocal, ExponentialReciprocal])
def test_the_rates_of_a_block_lie_between_its_bounds_and_change_no_faster(kind: type[Exponential]) -> None:
    mechanism = kind(PosteriorSpace(["1/2", 3], 12_000), scale="0.5")
    bounds = bounds_of(mechanism)
    blocks = [(3, 4), (40, 41), (40, 90), (1000, 5000), (500, bounds.last), (bounds.last - 4000, bounds.last)]
    assert any(high - low > interior_bounds._LISTED for low, high in blocks)
    for low, high in blocks:
        rates = bounds.rates(np.arange(low, high + 1))
        slow, fast, change = bounds._rates(low, high)
        assert slow <= rates.min() * (1 + 1e-12)
        assert fast >= rates.max() * (1 - 1e-12)
        assert change >= np.abs(np.diff(rates)).max() + 1e-12 * fast  # what floats may have lost is added


@pytest.mark.parametrize("balanced", [150, 299, 300])
def test_rates_that_turn_within_a_block_lie_between_its_bounds_though_they_are_not_listed(
    balanced: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are greatest at the balanced count, which may be the last row."""
    monkeypatch.setattr(interior_bounds, "_LISTED", 0)
    space = PosteriorSpace([3, 3 + 2 * balanced - 300], 300)
    for kind in (ExponentialLocal, ExponentialReciprocal, ExponentialGlobal):
        bounds = bounds_of(kind(space, scale=1))
        rates = bounds.rates(np.arange(100, bounds.last + 1))
        slow, fast, change = bounds._rates(100, bounds.last)
        assert slow <= rates.min() * (1 + 1e-12)
        assert fast >= rates.max() * (1 - 1e-12)
        assert (change == 0) == (kind is ExponentialGlobal)  # whose rates are all the same


def test_bounds_of_blocks_are_as_sharp_as_they_were() -> None:
    """They hold by the test above; these are what they were when they were proved, so that a slip shows."""
    space = PosteriorSpace(["1/2", 3], 3000)
    mechanisms = (ExponentialReciprocal(space, scale="0.5"), ExponentialLocal(space, scale=2))
    blocks = ((3, 4), (20, 21), (200, 260), (900, 1400))
    bounds = [[bounds_of(mechanism).bound(low, high) for low, high in blocks] for mechanism in mechanisms]
    assert bounds[0] == pytest.approx([1.768669254758, 0.732522314016, 0.537399617556, 0.509372020057], rel=1e-9)
    assert bounds[1] == pytest.approx([4.164599744952, 2.465862317524, 2.125037861178, 2.032676971134], rel=1e-9)


def kinds(prior: list[str], n: int) -> list[Exponential]:
    space = PosteriorSpace(prior, n)
    return [
        ExponentialReciprocal(space, scale="0.2", gamma="0.1"),
        ExponentialLocal(space, scale="0.5"),
        ExponentialSmooth(space, scale="0.5", gamma="0.05"),
        ExponentialGlobal(space, scale=2),
    ]


@pytest.mark.every
@pytest.mark.parametrize(
    ("prior", "n", "blocks", "listed", "proved"),
    [
        (
            ["0.01", "0.2"],
            400,
            [(0, 1), (0, 6), (7, 40), (100, 200), (195, 202)],
            100,
            [1.18567211237, 24.48226984467, 7.83775022253, 4.793058106184],
        ),
        (
            ["0.01", "0.2"],
            400,
            [(0, 1), (0, 6), (7, 40), (100, 200), (195, 202)],
            0,
            [3.692135434059, 94.89933284267, 64.6709318684, 4.793058106184],
        ),
        (
            ["2", "1e5"],
            300,
            [(0, 3), (10, 200), (150, 300), (299, 300)],
            200,
            [9.17685986952, 28.38809206747, 53.03835617537, 5.642261593088],
        ),
        (
            ["2", "1e5"],
            300,
            [(0, 3), (10, 200), (150, 300), (299, 300)],
            0,
            [158.593409789, 212.0778121855, 513.4246925674, 5.642261593088],
        ),
        (["8", "3"], 12, [(0, 6), (2, 5)], 0, [1.218165283454, 1.866155069083, 2.593912970898, 3.518334496664]),
        (["1e4", "3"], 150, [(0, 1), (0, 2)], 0, [0.4149553828282, 1.444034402894, 1.514611616407, 0.9248685897564]),
    ],
)
def test_bounds_hold_and_are_as_sharp_as_they_were_whether_rates_are_listed_or_not(
    prior: list[str],
    n: int,
    blocks: list[tuple[int, int]],
    listed: int,
    proved: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(interior_bounds, "_LISTED", listed)
    sums = []
    for mechanism in kinds(prior, n):
        truth, bounds = losses_of_pairs(mechanism), [bounds_of(mechanism).bound(*block) for block in blocks]
        assert all(truth[low:high].max() <= bound for (low, high), bound in zip(blocks, bounds, strict=True))
        sums.append(sum(bounds))
    assert sums == pytest.approx(proved, rel=1e-9)


def test_outputs_beyond_a_window_lose_no_more_than_their_bound_and_it_is_as_sharp_as_it_was() -> None:
    found = []
    for mechanism in kinds(["0.5", "3"], 300):
        bounds, distances = bounds_of(mechanism), grid(mechanism.space).all_distances()
        for c, below, above, offset in ((90, 20, 70, 0.1), (3, 0, 290, -0.3), (150, 40, 300, 0.02), (1, 300, 5, -1.0)):
            rates = bounds.rates(np.array([c, c + 1]))
            loss = np.abs(rates[1] * distances[c + 1] - rates[0] * distances[c] + offset)
            outputs = np.arange(301)
            there = loss[(outputs < c - below) | (outputs > c + 1 + above)]
            found.append(bounds.beyond(c, below, above, float(rates[1] - rates[0]), offset))
            assert there.max() <= found[-1]
    assert found == pytest.approx(
        [
            0.1710427456168,
            0.4077611741757,
            0.05536278753654,
            1.184220029082,
            0.4048654206647,
            0.7254165542238,
            0.07733266397517,
            0.9737922228859,
            0.4048654206647,
            0.5735602966964,
            0.07733266397517,
            1.455046366392,
            0.2088428101549,
            1.282593993301,
            0.04047704454017,
            3.0000000297,
        ],
        rel=1e-9,
    )


def test_the_bounds_of_one_half_go_as_far_as_the_balanced_count() -> None:
    """Beyond it the steps are those of the other half again."""
    for prior, n, balanced in (
        (["3", "0.5"], 100, 48.75),
        (["0.5", "3"], 100, 51.25),
        (["2", "1e5"], 40, 40),
        (["1e5", "2"], 40, 0),
    ):
        last = bounds_of(ExponentialLocal(PosteriorSpace(prior, n), scale=1)).last
        assert min(balanced + 1, n) <= last < balanced + 3
