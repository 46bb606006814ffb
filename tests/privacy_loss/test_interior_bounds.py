"""Blocks of rows: a bound is never below a loss that enumeration finds in the block, and comes close to it."""

import random

import numpy as np
import pytest

from discreet import ExponentialGlobal, ExponentialLocal, ExponentialReciprocal, ExponentialSmooth, PosteriorSpace
from discreet.mechanisms.exponential import Exponential
from discreet.privacy_loss.interior_bounds import InteriorBounds
from discreet.privacy_loss.scan import Dense


def families(space: PosteriorSpace, scale: str) -> list[Exponential]:
    return [
        ExponentialReciprocal(space, scale=scale),
        ExponentialReciprocal(space, scale=scale, gamma="0.1"),
        ExponentialReciprocal(space, scale=scale, gamma="0.3"),
        ExponentialLocal(space, scale=scale),
        ExponentialGlobal(space, scale=scale),
        ExponentialSmooth(space, scale=scale),
        ExponentialSmooth(space, scale=scale, gamma="0.1"),
    ]


def middle(mechanism: Exponential) -> InteriorBounds:
    gamma = float(getattr(mechanism, "gamma", 0))
    return InteriorBounds(mechanism.space, type(mechanism), float(mechanism.scale), gamma)


def losses(scan: Dense, mechanism: Exponential) -> np.ndarray:
    """The loss of every pair (c, c+1), in both orders, by enumeration."""
    log_pmf = scan.log_pmf(float(mechanism.scale) * mechanism.inverse_sensitivities(scan.rows))
    found: np.ndarray = np.abs(np.diff(log_pmf, axis=0)).max(axis=1)
    return found


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", range(6))
def test_no_pair_of_a_block_loses_more_than_its_bound(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a fixed sample of spaces
    prior = [f"{10 ** chance.uniform(-2, 2 if seed % 2 else 7):.3g}" for _ in range(2)]
    space = PosteriorSpace(prior, chance.randint(200, 900))
    scan = Dense(space)
    for mechanism in families(space, chance.choice(["0.1", "0.5", "2"])):
        bounds, truth = middle(mechanism), losses(scan, mechanism)
        for _ in range(40):
            low = chance.randint(0, max(bounds.last - 2, 0))
            high = min(bounds.last, low + chance.choice([1, 1, 2, 5, 20, 100]))
            assert truth[low:high].max() <= bounds.bound(low, high), (mechanism, low, high)


def test_a_bound_on_a_single_pair_is_near_its_loss() -> None:
    space = PosteriorSpace([1, 1], 2400)
    scan = Dense(space)
    for mechanism in families(space, "0.5"):
        bounds, truth = middle(mechanism), losses(scan, mechanism)
        excess = [bounds.bound(c, c + 1) / truth[c] - 1 for c in range(300, 1200, 60)]
        assert max(excess) < (0.05 if isinstance(mechanism, ExponentialLocal | ExponentialGlobal) else 0.25), mechanism


def test_a_bound_that_forgets_the_change_of_the_rates_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    space = PosteriorSpace([1, 1], 600)
    mechanism = ExponentialReciprocal(space, scale="0.5")
    truth = losses(Dense(space), mechanism)
    assert truth[2] <= middle(mechanism).bound(2, 3)
    monkeypatch.setattr(InteriorBounds, "_change", lambda *_: 0.0)
    assert truth[2] > middle(mechanism).bound(2, 3)
