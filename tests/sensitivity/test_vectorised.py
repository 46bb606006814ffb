"""1/S for whole spaces at once is 1/S for each data set, and what the definitions make of it."""

from fractions import Fraction

import numpy as np
import pytest

from discreet import ExponentialLocal, ExponentialReciprocal, ExponentialSmooth, PosteriorSpace
from discreet.arithmetic.numbers import precision
from discreet.mechanisms.exponential import Exponential
from discreet.sensitivity.vectorised import Steps
from tests.privacy_loss.families import KINDS, Kind, build, inverse_by_enumeration
from tests.support.enumeration import enumerate_space, random_spaces, seeded, telling_counts

CLOSE = 1e-12
"""Relative; a scan's stated error allows for more."""

PRIORS = [("1", "1"), ("1e-9", "1e12"), ("0.3", "7"), ("9.5", "10"), ("0.001", "2", "50"), ("1e-9", "3", "1e9", "1")]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.few(1)
@pytest.mark.parametrize("batch", range(3))
def test_whole_spaces_meet_the_definitions_on_random_small_spaces(kind: Kind, batch: int) -> None:
    rng = seeded(f"rates {batch}")
    for alpha, n in random_spaces(f"rates {batch}", 12):
        gamma = Fraction(str(round(10 ** rng.uniform(-3, 1.5), 6)))
        space, every = PosteriorSpace(alpha, n), enumerate_space(alpha, n)
        found = build(kind, space, gamma, scale=1).inverse_sensitivities(space.candidates().array())
        assert found == pytest.approx(inverse_by_enumeration(kind, every, float(gamma)), rel=CLOSE)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("alpha", PRIORS, ids=",".join)
def test_whole_spaces_meet_the_enclosures_that_laws_are_made_of(kind: Kind, alpha: tuple[str, ...]) -> None:
    n = {2: 2000, 3: 40, 4: 12}[len(alpha)]
    space = PosteriorSpace(alpha, n)
    mechanism = build(kind, space, "1/7", scale=1)
    rows = [tuple(row) for row in space.candidates().array().tolist()]
    found = mechanism.inverse_sensitivities(space.candidates().array())
    for rank in telling_counts(seeded(f"rates of {alpha}"), rows, 40):
        assert found[rank] == pytest.approx(_enclosed(mechanism, rows[rank]), rel=CLOSE)


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_rows_that_are_asked_for_are_worked_out(kind: Kind) -> None:
    n = 10**12
    mechanism = build(kind, PosteriorSpace([1, "0.5", 3], n), "1e-6", scale=1)
    rows = [(a, b, n - a - b) for a, b in ((0, 0), (1, 0), (5, n - 6), (10**6, 10**9), (n // 3, n // 3))]
    found = mechanism.inverse_sensitivities(np.array(rows))
    assert found == pytest.approx([_enclosed(mechanism, row) for row in rows], rel=CLOSE)


def test_steps_are_made_once_and_serve_every_gamma() -> None:
    space = PosteriorSpace(["0.4", 1, 6], 9)
    rows = space.candidates().array()
    steps = Steps(space, rows)
    for gamma in (0.01, 0.3, 2.0):
        for kind in (ExponentialSmooth, ExponentialReciprocal):
            alone = Steps(space, rows).inverse(kind, gamma)
            assert steps.inverse(kind, gamma).tolist() == alone.tolist()
    assert steps.inverse(ExponentialLocal, 0.0).tolist() == steps.local.tolist()


@pytest.mark.parametrize("kind", [ExponentialSmooth, ExponentialReciprocal])
def test_a_huge_gamma_is_the_local_sensitivity_without_overflow(kind: Kind) -> None:
    space = PosteriorSpace([1, 1], 3000)
    steps = Steps(space, space.candidates().array())
    assert steps.inverse(kind, 1e6).tolist() == steps.local.tolist()


def test_a_kind_with_a_sensitivity_of_its_own_is_not_taken_for_its_family() -> None:
    class Bolder(ExponentialReciprocal):
        pass

    space = PosteriorSpace([1, 1], 5)
    with pytest.raises(TypeError):
        Steps(space, space.candidates().array()).inverse(Bolder, 1.0)


def _enclosed(mechanism: Exponential, counts: tuple[int, ...]) -> float:
    with precision(128):
        return float(mechanism.inverse_sensitivity(mechanism.space.counts(counts)))
