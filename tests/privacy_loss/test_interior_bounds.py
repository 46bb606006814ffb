"""Blocks of rows: a bound is never below a loss that enumeration finds in the block, and comes close to it."""

import random

import pytest

from discreet import ExponentialGlobal, ExponentialLocal, ExponentialReciprocal, PosteriorSpace
from discreet.mechanisms.exponential import Exponential
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
