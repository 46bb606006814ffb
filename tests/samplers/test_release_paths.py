"""Every way to draw has exactly the law that is meant: each coin and each table is read off, and no sample is taken.

`tests/faults/test_sampling_faults.py` plants faults of a per cent in all of them.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet import ExponentialLocal, ExponentialReciprocal, PosteriorSpace
from discreet.arithmetic.numbers import dyadic, precision
from discreet.mechanisms.exponential_law import LISTED, ExponentialLaw
from discreet.samplers.line_rejection import UNIT
from discreet.samplers.noise import Geometric, RoundedLaplace, TwoSided, ZeroSum
from discreet.testing import HashedBits, draw_many_with
from discreet.typing import Outcome
from tests.oracles.precision import mp, real
from tests.privacy_loss.families import KINDS, Kind
from tests.support.release_paths import (
    EXACT,
    by_blocks,
    by_inversion,
    by_terms,
    kept,
    off,
    rounded_laplace,
    sizes_of,
    totals_of,
    two_sided,
    weights_of,
)
from tests.support.statistics import fits, tally


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("way", "scale", "prior", "counts"),
    [
        (by_inversion, 3, [1, "0.5"], [7, 33]),
        (by_inversion, 3, [1, 2, "0.1"], [0, 3, 4]),
        (by_blocks, 2, [1, "0.5"], [7, LISTED - 7]),
        (by_blocks, 2, [1, 1], [LISTED // 2, LISTED - LISTED // 2]),
        (by_blocks, 2, ["1e5", "0.02"], [0, LISTED]),
        (by_blocks, 2, [30, 2], [LISTED, 0]),
        (by_terms, 3, [1, "0.5", 2], [2, 3, 4]),
        (by_terms, 3, [1, 1, 7, 3], [0, 5, 0, 1]),
    ],
)
def test_a_law_is_drawn_exactly_by_inversion_from_its_blocks_and_from_its_terms(
    kind: Kind, way: Callable[[ExponentialLaw], dict[Outcome, Fraction]], scale: int, prior: list[object], counts: Any
) -> None:
    law = kind(PosteriorSpace(prior, sum(counts)), scale=scale).law(counts)
    drawn = way(law)
    assert len(drawn) == law.space.size
    assert off(drawn, weights_of(law, law.space.candidates())) < EXACT


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("prior", "n", "first"),
    [([1, 1], 10**6, 10**6 // 3), (["0.02", "1e6"], 10**9, 5), ([1, 3], 10**12, 10**12 // 2), ([1, 1], 10**12, 0)],
)
def test_the_blocks_of_a_very_long_line_cover_it_and_bound_its_weights(
    kind: Kind, prior: list[object], n: int, first: int
) -> None:
    """Weights fall outward, so a bound at a block's near end holds for all of it; the coin is read off at both ends."""
    law = kind(PosteriorSpace(prior, n), scale="1/2").law([first, n - first])
    line = law._line_rejection()
    covered: dict[int, int] = {-1: 0, 1: 0}
    for index, (side, near, far) in sorted(enumerate(line._blocks), key=lambda item: item[1][1]):
        if side == 0:
            continue
        assert near == covered[side] + 1
        covered[side] = far
        size, bound = far - near + 1, Fraction(line._bounds[index], 1 << UNIT)
        with precision(192):
            weights = [dyadic(law._weight_at(side * at).mid()) for at in (near, far)]
        assert max(weights) <= bound
        for at, weight in zip((0, size - 1), weights, strict=True):
            coin = kept(line, "_choice", index, (at, (size - 1).bit_length()))
            assert abs(coin - weight / bound) < Fraction(1, 1 << 62)
    assert covered == {-1: first, 1: n - first}


@pytest.mark.parametrize("rate", ["2", "1", "1/3", "1/20", "1/300"])
def test_noise_on_one_count_is_drawn_exactly(rate: str) -> None:
    own, last = Fraction(rate), 40
    decay = {t: Fraction(mp.nstr(mp.exp(-real(own) * t), 40)) for t in range(last + 1)}
    beyond = decay[last] * decay[1] / (1 - decay[1])
    assert all_of(sizes_of(Geometric(own), last), decay, beyond) < EXACT
    both = {d: decay[abs(d)] for d in range(-last, last + 1)}
    assert all_of(two_sided(TwoSided(own), last), both, 2 * beyond) < EXACT


@pytest.mark.parametrize("rate", ["2", "1/3", "1/20"])
@pytest.mark.parametrize("rounding", ["nearest", "floor"])
def test_rounded_laplace_noise_is_drawn_exactly(rate: str, rounding: str) -> None:
    noise = RoundedLaplace(Fraction(rate), rounding)  # type: ignore[arg-type]  # a literal that pytest hands in
    drawn = rounded_laplace(noise, 30)

    def below(y: Fraction) -> Fraction:
        tail = Fraction(mp.nstr(mp.exp(-real(rate) * abs(real(y))) / 2, 40))
        return tail if y < 0 else 1 - tail

    shift = Fraction(1, 2) if rounding == "nearest" else Fraction(0)
    meant = {t: below(t + 1 - shift) - below(t - shift) for t in drawn}
    assert all_of(drawn, meant, 1 - sum(meant.values(), Fraction(0))) < EXACT


@pytest.mark.parametrize(("k", "rate"), [(3, "1/2"), (3, "1/10"), (5, "1"), (10, "1/2")])
def test_noise_that_sums_to_zero_moves_as_much_as_is_meant(k: int, rate: str) -> None:
    """P(T) ∝ C(T+k-1, k-1)²·e^(-2·rate·T); given T both halves are even compositions (`test_bits.py`)."""
    last = 150
    drawn = totals_of(ZeroSum(Fraction(rate), k), last)
    decay = mp.exp(-2 * real(rate))
    meant = {t: math.comb(t + k - 1, k - 1) ** 2 * Fraction(mp.nstr(decay**t, 40)) for t in range(last + 1)}
    assert off(drawn, meant) < 1e-10  # beyond the last there is this much


def all_of(drawn: dict[int, Fraction], meant: dict[int, Fraction], beyond: Fraction) -> float:
    """`off`, with what is beyond the last one as one more outcome."""
    end = max(meant) + 1
    return off({**drawn, end: 1 - sum(drawn.values(), Fraction(0))}, {**meant, end: beyond})


BULKS = [
    ExponentialLocal(PosteriorSpace([1, "0.5"], 300), scale=1).law([40, 260]),
    ExponentialReciprocal(PosteriorSpace([1, 2, "0.5"], 80), scale=3).law([20, 20, 40]),
]


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("draws", "scale", "more"), [(10**5, 1.05, 1.1), pytest.param(10**6, 1.01, 1.03, marks=pytest.mark.soak)]
)
@pytest.mark.parametrize("law", BULKS, ids=["blocks", "terms"])
def test_many_draws_at_once_have_the_law_and_would_show_a_few_per_cent(
    law: ExponentialLaw, draws: int, scale: float, more: float
) -> None:
    """Fixed bits. The laws that are rejected have a scale that is larger by this, or so much more at the data."""
    chances = np.exp(law.log_pmf())
    meant = dict(zip(law.space.candidates(), chances.tolist(), strict=True))
    seen = tally(draw_many_with(law, HashedBits(f"a million of {law.space}"), draws).tolist())
    assert fits(seen, meant)
    steeper = np.exp(scale * law.log_weights())
    assert not fits(seen, dict(zip(meant, (steeper / steeper.sum()).tolist(), strict=True)))
    centre = tuple(law.counts)
    raised = {key: mass * (more if key == centre else 1) for key, mass in meant.items()}
    total = math.fsum(raised.values())
    assert not fits(seen, {key: mass / total for key, mass in raised.items()})
