"""Two categories in blocks of counts: the same as all counts one by one, within what is stated, for every mechanism."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.arithmetic.discrete_gauss_rule import block_rule, gauss_rule
from discreet.inference import line
from discreet.inference.coarse import Part, coarse_part
from discreet.inference.line import Line, line_posterior
from discreet.kernels import kernel_of
from discreet.kernels.line_normalisers import LineNormalisers
from discreet.testing import HashedBits

FAMILIES = ["exponential-global", "exponential-local", "exponential-smooth", "exponential-reciprocal"]
NOISES = ["geometric", "laplace", "laplace-improved"]
N = 1200


@pytest.fixture
def _fresh() -> Iterator[None]:
    kernel_of.cache_clear()
    yield
    kernel_of.cache_clear()


def apart(one: dc.NoiseAware, other: dc.NoiseAware) -> float:
    """Half the L1 distance of the shares' laws on forty cells of equal probability."""
    edges = one.marginal(0).quantile(np.linspace(0.001, 0.999, 41))
    return float(0.5 * np.abs(np.diff(one.cdf(edges)) - np.diff(other.cdf(edges))).sum())


def both(name: str, prior: list[object], epsilon: str, output: int) -> tuple[dc.NoiseAware, dc.NoiseAware]:
    """In blocks, and from all counts."""
    space = dc.PosteriorSpace(prior=prior, n=N)
    mechanism = dc.mechanism(name, space, epsilon=epsilon)
    blocks = line_posterior([(mechanism, (output, N - output))], space)
    assert blocks is not None
    return dc.NoiseAware(space.prior, N, blocks), dc.noise_aware(mechanism, (output, N - output))


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("prior", "epsilon"), [([1, 1], "1"), (["1/2", 3], "0.01"), (["1/2", 3], "1"), ([50, 400], "20")], ids=str
)
@pytest.mark.parametrize("name", [*FAMILIES, *NOISES])
def test_blocks_agree_with_all_counts_within_what_they_state(name: str, prior: list[object], epsilon: str) -> None:
    for output in (0, 5, 400, N):
        blocks, whole = both(name, prior, epsilon, output)
        assert isinstance(blocks.counts, Line)
        assert not isinstance(whole.counts, Line)
        assert apart(whole, blocks) < 1e-9 < blocks.error < 1e-6
        assert blocks.mean == pytest.approx(whole.mean, abs=1e-10)
        assert blocks.sd == pytest.approx(whole.sd, rel=1e-8)


@pytest.mark.usefixtures("_fresh")
def test_totals_that_are_off_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right = LineNormalisers.directly
    monkeypatch.setattr(LineNormalisers, "directly", lambda self, c: right(self, c) + 1e-3 * np.log1p(c))
    blocks, whole = both("exponential-reciprocal", [1, 1], "1", 5)
    assert apart(whole, blocks) > 100 * blocks.error


def test_blocks_without_the_kink_of_the_law_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right = line._blocks
    monkeypatch.setattr(line, "_blocks", lambda n, kinks: right(n, []))
    blocks, whole = both("geometric", [1, 1], "0.01", 400)
    assert apart(whole, blocks) > 1e-7
    assert blocks.error > 1e-5, "halves disagree, and it is stated"


WIDE: list[tuple[str, int, str]] = [
    ("geometric", 10**6, "1e-5"),
    ("geometric", 10**6, "1e-7"),
    ("exponential-smooth", 10**6, "0.1"),
    ("exponential-local", 10**6, "0.02"),
]


def wide(name: str, n: int, epsilon: str) -> tuple[dc.NoiseAware, Callable[[], dc.NoiseAware]]:
    """A belief over very many counts, and how it is worked out again."""
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=["1/2", 3], n=n), epsilon=epsilon)
    again = partial(dc.noise_aware, mechanism, (n // 3, n - n // 3))
    return again(), again


@pytest.mark.few(1)
@pytest.mark.parametrize(("name", "n", "epsilon"), WIDE)
def test_far_counts_may_stand_for_fewer_records(
    name: str, n: int, epsilon: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, again = wide(name, n, epsilon)
    monkeypatch.setattr(line, "PLACES_IN_ALL", 5_000)
    monkeypatch.setattr(line, "ALLOWED", math.inf)
    coarser = again()
    assert isinstance(coarser.counts, Line)
    assert coarser.counts.sizes.min() < n
    assert whole.error < 1e-6
    assert apart(whole, coarser) < coarser.error < 0.01
    assert np.abs(coarser.mean - whole.mean).max() < coarser.mean_errors.max()
    assert coarser.sd == pytest.approx(whole.sd, rel=1e-3)
    draws = coarser._sample(HashedBits("coarse"), 4000)[:, 0]
    assert draws.mean() == pytest.approx(coarser.mean[0], abs=6 * coarser.sd[0] / 4000**0.5)


def test_fewer_records_with_the_weights_of_others_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, again = wide(*WIDE[1])
    monkeypatch.setattr(line, "PLACES_IN_ALL", 5_000)
    right = coarse_part

    def wrong(*arguments: Any) -> Part:
        part = right(*arguments)
        return replace(part, mass=part.mass * 1.2)

    monkeypatch.setattr(line, "coarse_part", wrong)
    coarser = again()
    assert apart(whole, coarser) > 2 * coarser.error


def test_what_is_too_much_to_blur_is_counted_as_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, again = wide(*WIDE[0])
    monkeypatch.setattr(line, "PLACES_IN_ALL", 200)
    with pytest.raises(dc.TooLarge, match="even in blocks"):
        again()
    monkeypatch.setattr(line, "ALLOWED", math.inf)
    lumpy = again()
    assert 1e-4 < apart(whole, lumpy) < lumpy.error


@pytest.mark.few(1)
@pytest.mark.parametrize("n", [10**9, 10**12])
@pytest.mark.parametrize("name", [*FAMILIES, *NOISES])
def test_any_number_of_records_has_a_posterior(name: str, n: int) -> None:
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=[1, 1], n=n), epsilon=1)
    belief = dc.noise_aware(mechanism, (n // 3, n - n // 3))
    assert belief.error < 1e-5
    assert belief.mean.sum() == pytest.approx(1, abs=1e-12)
    if name == "exponential-global":
        assert belief.mean[0] == pytest.approx(0.5, abs=0.01), "it hardly says anything about so many"
    elif name != "exponential-smooth":
        assert belief.mean[0] == pytest.approx(1 / 3, abs=0.002)


def test_noise_of_a_million_counts_is_no_obstacle() -> None:
    n = 10**12
    belief = dc.noise_aware(dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=n), epsilon="1e-7"), (n // 10, n - n // 10))
    assert belief.error < 1e-6
    assert belief.sd[0] == pytest.approx(2**0.5 * 10**7 / n, rel=1e-3), (
        "that of the noise, which is Laplace's in the limit"
    )


def test_an_output_that_says_nothing_leaves_the_prior() -> None:
    mechanism = dc.ExponentialGlobal(dc.PosteriorSpace(prior=[2, 5], n=10**9), epsilon="0.01")
    belief = dc.noise_aware(mechanism, (10**8, 9 * 10**8))
    assert belief.counts.prior_weight > 0.9999
    assert belief.mean == pytest.approx([2 / 7, 5 / 7], abs=1e-5)
    assert belief.probability(0, 1) == pytest.approx(float(dc.Beta(5, 2).to_scipy().cdf(0.5)), abs=1e-4)


def test_two_releases_about_the_same_records_meet_on_the_line() -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=10**9)
    kinds: list[dc.Mechanism] = [dc.Geometric(space, epsilon="1e-6"), dc.ExponentialReciprocal(space, epsilon=1)]
    outputs = [(10**9 // 4, 3 * 10**9 // 4)] * 2
    together = [dc.Released(kind.posterior(o), o, kind) for kind, o in zip(kinds, outputs, strict=True)]
    both_, alone = dc.combine(together), dc.noise_aware(kinds[0], outputs[0])
    assert isinstance(both_.counts, Line)
    assert both_.sd[0] < alone.sd[0] / 10


def test_the_rule_sums_polynomials_exactly() -> None:
    for length in (8, 9, 50, 10**6):
        at, weight = gauss_rule([length])
        x = np.arange(length) / length
        for power in range(16):
            assert weight[0] @ (at[0] / length) ** power == pytest.approx((x**power).sum(), rel=1e-12)
    places, weights, block = block_rule([0, 3, 100], [3, 97, 5])
    assert weights.sum() == pytest.approx(105)
    assert np.bincount(block, weights) == pytest.approx([3, 97, 5])
    assert (np.diff(places) > 0).all()
