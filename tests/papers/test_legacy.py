"""The papers' distance: sensitivities against their definition, and the scan of losses against all pairs."""

import math

import numpy as np
import pytest

from discreet.posteriors.distances import legacy_hellinger
from discreet.posteriors.space import PosteriorSpace
from discreet_papers.figures.figure6 import legacy_losses
from discreet_papers.legacy import LegacyLine, LegacySensitivity, legacy_floats

SPACES = [
    PosteriorSpace(prior, n) for prior, n in (([1, 1], 40), (["0.5", 3], 33), ([1, 1, 1], 14), ([7, 4, 5], 11))
] + [PosteriorSpace([1, "0.2", 2, 1], 7)]


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_sensitivities_are_the_extremes_over_all_data_sets(space: PosteriorSpace) -> None:
    rows = space.candidates().array()
    rank = {tuple(row): i for i, row in enumerate(rows.tolist())}
    distance = np.stack([legacy_floats(space, tuple(row), rows) for row in rows.tolist()])
    local = np.array([max(distance[i, rank[tuple(c)]] for c in space.neighbours(row)) for row, i in rank.items()])
    apart = np.abs(rows[:, None, :] - rows[None, :, :]).sum(axis=2) // 2
    sensitivity = LegacySensitivity(space, rows)
    assert sensitivity.local == pytest.approx(local, rel=1e-10)
    assert sensitivity.everywhere == pytest.approx(local.max(), rel=1e-10)
    for gamma in (0.002, 0.02, 0.3, 2.0):
        assert sensitivity.smooth(gamma) == pytest.approx((local * np.exp(-gamma * apart)).max(axis=1), rel=1e-10)
        assert 1 / sensitivity.reciprocal(gamma) == pytest.approx((1 / local + gamma * apart).min(axis=1), rel=1e-10)


@pytest.mark.parametrize("space", SPACES[:3], ids=str)
def test_floats_are_the_distance_of_two_posteriors(space: PosteriorSpace) -> None:
    rows = space.candidates().array()
    here = tuple(rows[len(rows) // 3].tolist())
    truth = [legacy_hellinger(space.posterior(here), space.posterior(row)) for row in rows.tolist()]
    assert legacy_floats(space, here, rows) == pytest.approx(truth, abs=1e-12)


def test_the_papers_distance_is_a_metric() -> None:
    """The triangle inequality, on which the pruned scan rests; a square of it would not do."""
    space = PosteriorSpace([1, "0.3"], 25)
    distance = np.stack([LegacyLine(space).distances(i) for i in range(space.size)])
    assert (distance[:, None, :] + distance.T[None, :, :] - distance[:, :, None] > -1e-12).all()
    square = distance**2
    assert not (square[:, None, :] + square.T[None, :, :] - square[:, :, None] > -1e-12).all()


def test_the_pruned_scan_finds_the_extreme_of_all_pairs_and_outputs() -> None:
    space = PosteriorSpace([1, 1], 3000)
    line, theirs = LegacyLine(space), LegacySensitivity(space, space.candidates().array())
    losses = legacy_losses(space)
    for name, sensitivity in (("M_H", theirs.reciprocal(1.0)), ("exponential-local", theirs.local)):
        worst, before = -math.inf, None
        for c in range(space.size):
            logs = -0.5 / sensitivity[c] * line.distances(c)
            logs -= math.log(np.exp(logs).sum())
            if before is not None:
                worst = max(worst, float(np.abs(logs - before).max()))
            before = logs
        assert losses[name].loss == pytest.approx(worst, abs=1e-9)
