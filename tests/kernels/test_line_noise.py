"""The closed tails of line noise are those of the laws that are drawn from."""

import math
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.arithmetic.numbers import precision
from discreet.kernels.line_noise import GaussianNoise, LineNoise

SPACE = dc.PosteriorSpace(prior=[1, 1], n=12)
MECHANISMS = [
    dc.Geometric(SPACE, epsilon="0.7"),
    dc.Geometric(SPACE, epsilon="1e-3"),
    dc.LaplaceImproved(SPACE, epsilon="0.7"),
    dc.Laplace(SPACE, epsilon=2, rounding="floor"),
    dc.Gaussian(SPACE, sigma="3/4"),
    dc.Gaussian(SPACE, sigma=3),
    dc.Gaussian(SPACE, sigma=70),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_masses_are_the_noise_of_the_law_and_sum_to_one(mechanism: dc.Mechanism) -> None:
    noise = mechanism.kernel.noise
    assert noise is not None
    masses = noise.masses(6)
    assert masses.sum() == pytest.approx(1, abs=1e-12)
    with precision(96):
        inside = [float(mechanism.law([6, 6]).log_probability((6 + t, 6 - t)).exp()) for t in range(-5, 6)]
    assert masses[1:-1] == pytest.approx(np.array(inside), rel=1e-9)


def test_only_additive_mechanisms_on_two_categories_have_line_noise() -> None:
    assert dc.ExponentialGlobal(SPACE, epsilon=1).kernel.noise is None
    assert dc.Geometric(dc.PosteriorSpace(prior=[1, 1, 1], n=5), epsilon=1).kernel.noise is None


def test_an_enormous_epsilon_leaves_no_noise() -> None:
    noise = dc.Geometric(SPACE, epsilon="1e5").kernel.noise
    assert noise is not None
    assert noise.masses(2).tolist() == pytest.approx([0, 0, 1, 0, 0], abs=1e-300)


def test_noise_is_symmetric_unless_it_is_rounded_down() -> None:
    for mechanism in MECHANISMS:
        noise = mechanism.kernel.noise
        assert noise is not None
        masses = noise.masses(4)
        assert noise.symmetric == bool((masses == masses[::-1]).all()) == ("floor" not in repr(mechanism))


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_blocks_have_the_masses_of_their_counts(mechanism: dc.Mechanism) -> None:
    noise = mechanism.kernel.noise
    assert noise is not None
    near = np.concatenate([np.arange(1, 100), np.arange(100, 600, 2)])  # blocks grow by a hundredth
    blocks, single = noise.block_masses(near, np.append(near[1:] - 1, 601)), noise.masses(601)
    above = [single[601 + first : 601 + last].sum() for first, last in zip(near, [*near[1:], 602], strict=True)]
    assert blocks[len(near) + 1 :] == pytest.approx(np.array(above), rel=1e-9)
    assert blocks.sum() == pytest.approx(1, abs=1e-9)
    short = np.arange(1, 31)  # the noise goes on beyond the last
    masses = noise.masses(30)
    outward = np.concatenate([masses[:30][::-1], masses[30:]])
    assert noise.block_masses(short, short) == pytest.approx(outward, rel=1e-9, abs=1e-15)


def beyond(noise: LineNoise | GaussianNoise, h: int) -> float:
    """P(noise ≥ h), also where it is smaller than a rounding of 1."""
    if isinstance(noise, GaussianNoise):
        return float(np.exp(noise.log_masses(np.arange(h, 3 * h, dtype=np.float64))).sum())
    return float(noise.masses(h)[-1])


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_ends_stand_for_at_least_what_is_at_them(mechanism: dc.Mechanism) -> None:
    noise = mechanism.kernel.noise
    assert noise is not None
    for h in (1, 2, 8, 20):
        steps = np.arange(1, h + 1)
        for masses in (noise.masses(h), noise.block_masses(steps, steps)):
            assert masses[-1] >= beyond(noise, h) * (1 - 1e-9) - 1e-16
            assert masses[-1] >= noise.masses(h + 1)[-2] > 0


@pytest.mark.parametrize(("mechanism", "least"), [(MECHANISMS[1], -43), (MECHANISMS[3], -46), (MECHANISMS[6], -46)])
def test_windows_end_where_what_is_left_is_lost_and_not_long_after(mechanism: dc.Mechanism, least: float) -> None:
    noise, n = mechanism.kernel.noise, 10**6
    assert noise is not None
    assert [noise.reach(few) for few in (1, 5)] == [1, 5]
    assert least < math.log(beyond(noise, noise.reach(n))) + 2 * math.log(n) < -42
    if isinstance(noise, GaussianNoise):
        assert least < math.log(beyond(noise, noise.extent)) < -42


def test_a_window_ends_at_the_first_count_beyond_which_no_more_is_left_than_may_be_lost() -> None:
    # At these n one record more takes the window one count further.
    geometric, gaussian = LineNoise.geometric(Fraction(1, 100)), GaussianNoise(100.0**2)
    assert [geometric.reach(n) for n in (5941, 5942, 5943)] == [5939, 5939, 5940]
    assert [gaussian.reach(n) for n in (1077, 1078, 1079)] == [1059, 1059, 1060]
    assert gaussian.extent == 918
