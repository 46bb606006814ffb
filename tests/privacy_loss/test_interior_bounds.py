"""Blocks of rows: a bound is never below a loss that enumeration finds in the block, and comes close to it."""

import random

import numpy as np
import pytest

from discreet import ExponentialGlobal, ExponentialLocal, ExponentialReciprocal, PosteriorSpace
from discreet.mechanisms.exponential import Exponential
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
    blocks = [(3, 4), (40, 90), (1000, 5000), (500, bounds.last), (bounds.last - 4000, bounds.last)]
    assert any(high - low > interior_bounds._LISTED for low, high in blocks)
    for low, high in blocks:
        rates = bounds.rates(np.arange(low, high + 1))
        slow, fast, change = bounds._rates(low, high)
        assert slow <= rates.min() * (1 + 1e-12)
        assert fast >= rates.max() * (1 - 1e-12)
        assert change >= np.abs(np.diff(rates)).max() + 1e-12 * fast  # what floats may have lost is added


def test_bounds_of_blocks_are_as_sharp_as_they_were() -> None:
    """They hold by the test above; these are what they were when they were proved, so that a slip shows."""
    space = PosteriorSpace(["1/2", 3], 3000)
    mechanisms = (ExponentialReciprocal(space, scale="0.5"), ExponentialLocal(space, scale=2))
    blocks = ((3, 4), (20, 21), (200, 260), (900, 1400))
    bounds = [[bounds_of(mechanism).bound(low, high) for low, high in blocks] for mechanism in mechanisms]
    assert bounds[0] == pytest.approx([1.768669254758, 0.732522314016, 0.537399617556, 0.509372020057], rel=1e-9)
    assert bounds[1] == pytest.approx([4.164599744952, 2.465862317524, 2.125037861178, 2.032676971134], rel=1e-9)
