"""The sampler for three categories and more against enumeration: the same law, and not one that is 30 % off."""

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from flint import arb

from bench.spaces import FOUR, counts_at
from discreet import DiscreetError, ExponentialLocal, PosteriorSpace
from discreet.arithmetic.numbers import precision
from discreet.mechanisms.exponential import Exponential
from discreet.samplers import simplex_rejection
from discreet.samplers.bits import CHUNK
from discreet.samplers.simplex_rejection import (
    Blocks,
    SimplexRejection,
    Term,
    _edges,
    _least,
    _moments,
    _tilts,
    whole_masses,
)
from discreet.testing import FixedBits, HashedBits
from tests.mechanisms.test_exponential import off_by_30_percent
from tests.support.statistics import fits, pmf, tally

PRIORS = {3: ["0.01", "1", "100"], 4: ["100", "0.3", "0.01", "2"], 5: ["1", "0.05", "20", "1", "100"]}
SIZES = {3: 24, 4: 11, 5: 7}
CASES = [(k, place) for k in (3, 4, 5) for place in ("centre", "corner", "edge", "anywhere")]


def check(mechanism: Exponential, counts: tuple[int, ...]) -> None:
    """Draws one by one and in bulk have the law; the law at 70 % and at 130 % of the scale is rejected."""
    law, bits = mechanism.law(counts), HashedBits(f"{mechanism.name} {mechanism.space.prior} {counts}")
    truth = pmf(mechanism, counts)
    assert fits(tally(law._simplex_rejection().draw(bits) for _ in range(800)), truth)
    many = tally(law.proposals().draw_many(bits, 40_000).tolist())
    assert fits(many, truth)
    assert not any(fits(many, other) for other in off_by_30_percent(mechanism, counts))


@pytest.mark.few(1)
@pytest.mark.parametrize("family", FOUR)
@pytest.mark.parametrize(("k", "place"), CASES)
def test_draws_have_the_enumerated_law_and_reject_a_scale_that_is_30_percent_off(
    family: type[Exponential], k: int, place: str
) -> None:
    counts = counts_at(random.Random(k), place, k, SIZES[k])  # noqa: S311 - fixed counts
    check(family(PosteriorSpace(PRIORS[k], SIZES[k]), scale=3), counts)


@pytest.mark.few(1)
@pytest.mark.parametrize("family", FOUR)
@pytest.mark.parametrize("counts", [(1, 0, 0, 0, 0), (1, 0, 1, 0, 0), (0, 0, 3, 0, 0), (1, 1, 1, 0)])
def test_fewer_records_than_categories_have_the_same_law(family: type[Exponential], counts: tuple[int, ...]) -> None:
    check(family(PosteriorSpace([1] * len(counts), sum(counts)), scale=3), counts)


@pytest.mark.few(1)
@pytest.mark.parametrize("family", FOUR)
@pytest.mark.parametrize("scale", ["0.001", "40"])
def test_scales_that_are_nearly_flat_or_nearly_certain_have_the_same_law(family: type[Exponential], scale: str) -> None:
    mechanism = family(PosteriorSpace(["1", "2", "0.5"], 15), scale=scale)
    law = mechanism.law((5, 10, 0))
    seen = tally(law.proposals().draw_many(HashedBits(f"{family.name} {scale}"), 20_000).tolist())
    assert fits(seen, pmf(mechanism, (5, 10, 0)))


@pytest.mark.few(1)
@pytest.mark.parametrize("prior", [["1e-6"] * 3, ["1e6"] * 3, ["1e-6", "1", "1e6"]])
def test_tiny_and_huge_priors_have_the_same_law(prior: list[str]) -> None:
    for family in FOUR:
        mechanism = family(PosteriorSpace(prior, 20), scale=2)
        for counts in ((20, 0, 0), (7, 7, 6)):
            seen = tally(mechanism.law(counts).proposals().draw_many(HashedBits(f"{prior} {counts}"), 5000).tolist())
            assert fits(seen, pmf(mechanism, counts)), (family.name, counts)


@pytest.mark.every
@pytest.mark.parametrize(
    ("prior", "counts", "scale", "most"),
    [
        (["1", "1", "1"], (20, 20, 20), "2", 1.6),
        (["1", "2", "3"], (60, 0, 0), "3", 1.05),
        (["0.01", "1", "100"], (0, 1, 59), "3", 1.2),
        (["1", "1", "1"], (1, 1, 58), "0.2", 1.2),
        (["1", "1", "1"], (20, 20, 20), "40", 1.001),
        (["1", "1", "1"], (3, 1, 1), "0.1", 1.2),
    ],
)
def test_no_candidate_outweighs_its_bound_and_tries_are_few(
    prior: list[str], counts: tuple[int, ...], scale: str, most: float
) -> None:
    law = ExponentialLocal(PosteriorSpace(prior, sum(counts)), scale=scale).law(counts)
    sampler, rows, logs = law._simplex_rejection(), law.space.candidates().array(), law.log_weights()
    proposed = sampler.log_proposal(rows)
    assert (logs <= sampler.log_bound + proposed).all()
    # A proposal is kept with the sum of all weights over the bound: no draws are needed to count the tries.
    assert math.exp(sampler.log_bound) * sampler.choices[-1] / np.exp(logs).sum() < most
    with precision(3 * CHUNK):  # what a coin asks for when its first toss decides nothing
        for i in (law.space.candidates().index(counts), 0, len(rows) // 3):
            r = tuple(rows[i].tolist())
            assert abs(sampler._enclosed_log_proposal(r) - proposed[i]) < sampler.room / 4
            assert sampler.chance(r) <= 1
        assert sampler.chance(counts) > 0.99


def test_a_weight_slightly_above_its_bound_is_an_error() -> None:
    law = ExponentialLocal(PosteriorSpace([1, 1, 1], 60), scale=40).law([20, 20, 20])
    fault = SimplexRejection(law.space, law.counts, law._rates()[0], lambda r: law.log_weight(r) + 2**-20)
    with pytest.raises(DiscreetError, match="too low"):
        fault.chance((20, 20, 20))


@pytest.mark.parametrize("counts", [(3, 4, 2, 0), (9, 0, 0, 0), (1, 1, 6, 1)])
def test_the_nearest_candidate_is_as_near_as_any_found_by_enumeration(counts: tuple[int, ...]) -> None:
    space = PosteriorSpace(["0.5", "2", "40", "1"], 9)
    distances = ExponentialLocal(space, scale=1).law(counts).distances()
    nearest = -math.log1p(-(np.partition(distances, 1)[1] ** 2))
    assert 0.98 * nearest < _least(space, space.counts(counts)) < nearest


def blocks_of(prior: list[str], counts: tuple[int, ...]) -> Blocks:
    space = PosteriorSpace(prior, sum(counts))
    return Blocks(space, space.counts(counts), 1.0)


@pytest.mark.every
@pytest.mark.parametrize(
    ("prior", "counts", "near"),
    [
        (["1"] * 3, (20, 20, 20), 0.05),
        (["1", "2", "3"], (120, 0, 0), 0.05),
        (["0.01", "1", "100"], (0, 2, 28), 0.05),
        (["0.3", "10", "0.3"], (0, 3, 0), 0.05),
        (["100", "100", "1e4"], (1, 2, 27), 0.05),
        (["1"] * 30, (40,) * 30, 0.05),
        (["100", "1e-6", "1e-6"], (60, 0, 0), 5.0),  # none or nearly all: the middles of wide blocks tell little
    ],
)
def test_tilted_counts_sum_to_n_on_average_and_steps_are_close_to_their_factors(
    prior: list[str], counts: tuple[int, ...], near: float
) -> None:
    blocks, rates, x = blocks_of(prior, counts), np.array([0.3, 2.0, 15.0, 400.0]), np.arange(sum(counts) + 1)
    pairs = list(zip(map(float, prior), counts, strict=True))
    losses = {
        (a, c): np.array([(math.lgamma(a + y) + math.lgamma(a + c)) / 2 - math.lgamma(a + (y + c) / 2) for y in x])
        for a, c in set(pairs)
    }
    for rate, tilt in zip(rates, _tilts(blocks, rates), strict=True):
        tilted = np.array([-tilt * (x - c) for c in counts])
        steps = np.exp(rate * np.repeat(blocks.log_factor, blocks.size.astype(int)).reshape(tilted.shape) + tilted)
        chance = steps / steps.sum(axis=1, keepdims=True)
        mean = chance @ x
        deviation = math.sqrt(float((chance @ x**2 - mean**2).sum()))
        assert abs(float(mean.sum()) - sum(counts)) <= near * max(1.0, deviation)
        heights, tops = blocks.heights(rate, tilt)
        short = np.ldexp(np.frexp(heights)[0], 12)  # so few bits that the mass of a block below 2**41 is an exact float
        assert (short == short.round()).all()
        masses = np.log(np.add.reduceat(heights * blocks.size, blocks.first)) + tops + tilt * np.array(counts)
        least = np.log(np.exp(tilted - rate * np.array([losses[pair] for pair in pairs])).sum(axis=1))
        assert 0 <= float((masses - least).sum()) < 0.4 + near


@pytest.mark.every
@pytest.mark.parametrize("counts", [(2, 1, 1), (90, 0, 30)])
def test_moments_are_those_of_counts_that_all_lie_in_the_middle_of_their_block(counts: tuple[int, ...]) -> None:
    blocks = blocks_of(["1", "2", "0.5"], counts)
    for rate, tilt in ((0.3, 0.0), (2.0, 0.05), (40.0, -0.4)):
        means, variances = [], []
        for i, centre in enumerate(counts):
            part = slice(blocks.starts[i], blocks.starts[i + 1])
            x = np.repeat((blocks.low[part] + blocks.high[part]) / 2 - centre, blocks.high[part] - blocks.low[part] + 1)
            chance = np.exp(rate * np.repeat(blocks.log_factor[part], blocks.size[part].astype(int)) - tilt * x)
            chance /= chance.sum()
            means.append(chance @ x)
            variances.append(chance @ (x - means[-1]) ** 2)
        assert _moments(blocks, rate, tilt) == pytest.approx((sum(means), sum(variances)))


def test_blocks_are_single_near_the_centre_then_grow_with_the_distance_and_double_beyond_their_reach() -> None:
    assert _edges(20, 70, 0.25, 12.0) == [0, 8, 10, *range(12, 29), 30, 32, 44, 68, 71]
    # A law of few records has no deviation to count in: its tail is long, and no block doubles.
    blocks = blocks_of(["1"] * 3, (49, 50, 10**6))
    for i, doubles in ((0, False), (1, True)):
        right = slice(int(blocks.find(i, np.array([51]))[0]), blocks.starts[i + 1])
        grown = blocks.size[right] > np.maximum(1.0, 0.25 * (blocks.low[right] - 49 - i))
        assert bool(grown.any()) == doubles


@pytest.mark.every
@pytest.mark.parametrize(
    ("prior", "counts", "rate", "log_mass", "blocks", "terms", "moments"),
    [
        (["1"] * 3, (60, 40, 30), 30.0, 0.8635, 109, 8, 9),
        (["1/2"] * 10, (300, 100, 51, 50, 49, 20, 5, 2, 2, 2), 100.0, 0.1557, 426, 10, 11),
        (["1"] * 20, tuple(range(55, 75)), 100.0, 8.3264, 1998, 15, 17),
        (["1", "2", "3", "4"], (2000, 90, 90, 30), 40.0, 1.7381, 196, 11, 11),
        (["1", "2", "3", "4"], (4, 1, 1, 0), 10.0, 0.9610, 28, 14, 10),
        (["2", "1", "1"], (10**7, 10**4, 50), 300.0, 0.7479, 197, 12, 12),
        (["1", "2", "3", "4"], (20, 9, 9, 3), 0.5, 9.2672, 93, 6, 9),
        (["0.1", "0.1", "10"], (0, 0, 10**4), 25.0, 0.0009, 124, 8, 32),  # a flat law: hard to find the tilts of
    ],
)
def test_an_envelope_is_no_higher_and_no_longer_in_the_making_than_it_was(
    prior: list[str],
    counts: tuple[int, ...],
    rate: float,
    log_mass: float,
    blocks: int,
    terms: int,
    moments: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Pinned: e^log_mass over the law's normaliser are the tries of a draw, the others are what the envelope costs."""
    made = Counter[str]()

    def counted(name: str, make: Callable[..., object], *values: object) -> object:
        made[name] += 1
        return make(*values)

    for name in ("Term", "_moments"):
        monkeypatch.setattr(simplex_rejection, name, partial(counted, name, getattr(simplex_rejection, name)))
    space = PosteriorSpace(prior, sum(counts))
    sampler = SimplexRejection(space, space.counts(counts), rate, lambda _: arb(0))
    assert sampler.log_bound + math.log(sampler.choices[-1]) <= log_mass
    assert len(sampler.blocks.low) <= blocks
    assert made["Term"] <= terms
    assert made["_moments"] <= moments


@pytest.mark.every
@pytest.mark.parametrize(("k", "each", "rate"), [(20, 5, 100.0), (40, 50, 3.0)])
def test_choices_share_all_words_and_none_is_without_a_share(k: int, each: int, rate: float) -> None:
    """Of 40 categories an even draw is nearly all: the chances of the other choices are far below 2**-62."""
    space = PosteriorSpace(["1"] * k, k * each)
    choices = SimplexRejection(space, space.counts((each,) * k), rate, lambda _: arb(0)).choices
    assert choices[-1] == pytest.approx(2**62, rel=1e-12)
    assert min(high - low for low, high in itertools.pairwise([0, *choices])) >= 1


def test_a_billion_records_are_cut_into_few_blocks_that_at_most_double_the_distance() -> None:
    space = PosteriorSpace(["1"] * 40, 10**9)
    counts = space.counts((25 * 10**6,) * 40)
    blocks = SimplexRejection(space, counts, 1e4, lambda _: arb(0)).blocks
    near, far = blocks.low - counts[0], blocks.high - counts[0]
    assert max(blocks.lengths) < 400
    assert (far[near > 0] < 2 * near[near > 0]).all()


@pytest.mark.every
@pytest.mark.parametrize("tilt", [0.0, 0.3, -1.0, 1.0])
def test_the_mass_of_a_term_is_rounded_up_and_its_logs_are_no_larger_than_stated(tilt: float) -> None:
    blocks, n = blocks_of(["1"] * 3, (10**7, 9, 9)), 10**7 + 18
    for rate in (1e4, 1.1e4, 1.2e4, 1.3e4, 1.4e4):
        term, tops = Term(blocks, 0, rate, -20.0, tilt, n), blocks.heights(rate, tilt)[1]
        with precision(200):
            free = [sum(map(arb, term.masses(i).tolist()), arb(0)).log() for i in (1, 2)]
            parts = [arb(-20), arb(tilt) * n, *map(arb, tops.tolist()), *free]
            above = float(arb(term.log_mass) - sum(parts, arb(0)))
            assert above == pytest.approx(2.0**-36 * (1 + abs(tilt) * n), rel=0.05)
            assert sum(map(abs, parts), arb(0)) <= term.size_of_logs * (1 + 1e-12)


def test_the_room_of_the_floats_holds_for_hundreds_of_categories() -> None:
    space, r = PosteriorSpace(["1"] * 400, 2), (1, 1) + (0,) * 398
    sampler = SimplexRejection(space, space.counts(r), 3.0, lambda _: arb(0))
    with precision(3 * CHUNK):
        exact = sampler._enclosed_log_proposal(r)
        assert abs(exact - sampler.log_proposal(np.array([r]))[0]) < sampler.room / 4
        assert exact.rad() < 2.0**-100  # for the second toss
    with precision(2 * CHUNK):  # a coin's first toss, for which floats are enough
        first = sampler._enclosed_log_proposal(r)
        assert first.contains(exact)
        assert float(first.rad()) == pytest.approx(sampler.room)
    # The logarithms of equal categories are all off the same way: each has hundreds of units in the last place.
    logs = max(term.size_of_logs for term in sampler.terms) + 64 * 400 + math.log(space.size)
    assert sampler.room == pytest.approx(1e-9 + 2.0**-44 * logs, rel=1e-6)


@pytest.mark.every
@pytest.mark.parametrize(
    ("counts", "rate", "tilt"),
    [
        ((60, 60, 60), 9.0, 0.0),
        ((60, 60, 60), 5.0, 0.1),
        ((60, 60, 60), 5.0, -0.1),
        ((0, 10**6, 0), 1e-4, -5e-4),
        ((10**7, 9, 9), 1e4, 1.0),
        ((10**7, 9, 9), 1e4, -1.0),
    ],
)
def test_steps_are_above_their_factors_by_far_more_than_floats_are_off(
    counts: tuple[int, ...], rate: float, tilt: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Heights are rounded up to few bits: just above a power of two that is no help, so here they keep all bits."""
    monkeypatch.setattr(simplex_rejection, "_MANTISSA", 53)
    blocks = blocks_of(["1", "1", "1"], counts)
    heights, tops = blocks.heights(rate, tilt)
    tops = np.repeat(tops, blocks.lengths)
    with precision(200):
        for block in range(0, len(heights), 3):
            factor, low, high = float(blocks.log_factor[block]), int(blocks.low[block]), int(blocks.high[block])
            step = arb(float(heights[block])).log() + float(tops[block])
            least = arb(rate) * factor - arb(tilt) * (low if tilt > 0 else high)
            padding = 2.0**-36 * (rate * abs(factor) + abs(tilt) * high + 2)
            if heights[block] > math.exp(-599):
                assert float(step - least) == pytest.approx(padding, rel=0.02)
            else:
                assert step > least


@pytest.mark.every
@pytest.mark.parametrize(("counts", "rate"), [((3, 2, 2), 1.0), ((7, 0, 0), 1200.0), ((10**4, 0, 20), 0.5)])
def test_blocks_are_drawn_by_their_exact_shares_on_both_sides_of_every_edge(
    counts: tuple[int, ...], rate: float
) -> None:
    blocks = blocks_of(["1", "1", "1"], counts)
    term = Term(blocks, 0, rate, 0.0, 0.0, sum(counts))
    for i in range(3):
        whole = whole_masses(term.masses(i))
        sums, room = term._running_sums(i)
        assert room > 2 * len(sums) * 2.0**-53 * sums[-1]  # a sum and the total may each be off by half of it
        edges = [Fraction(edge << 2 * CHUNK, sum(whole)) for edge in itertools.accumulate([0, *whole])]
        for block, (low, high) in enumerate(itertools.pairwise(edges), start=blocks.starts[i]):
            assert term.exact_share(i, block) == (high - low) / edges[-1]
            for bits in (math.ceil(low), math.floor(high) - 1):
                if low <= bits <= high - 1:
                    assert term.draw_blocks(FixedBits(f"{bits:0128b}"), i, 1) == [block]
            if high - low > 2.0**-40 * edges[-1]:
                word = int(low + high) >> (CHUNK + 1)
                assert term.draw_blocks(FixedBits(f"{word:064b}"), i, 1) == [block]


def test_a_proposal_has_every_count_of_a_block_alike() -> None:
    law = ExponentialLocal(PosteriorSpace([1, 1, 1], 90), scale=1).law([20, 20, 50])
    sampler = law._simplex_rejection()
    blocks, term, (i, j) = sampler.blocks, sampler.terms[0], sampler.free

    def word(i: int, block: int) -> str:
        below = sum((term.exact_share(i, other) for other in range(blocks.starts[i], block)), Fraction(0))
        return f"{int((below + term.exact_share(i, block) / 2) * 2**CHUNK):064b}"

    first = "0" * (sampler.choices[-1] - 1).bit_length()
    stay = word(j, int(blocks.find(j, np.array([20]))[0]))
    block = next(b for b in range(blocks.starts[i], blocks.starts[i + 1]) if blocks.size[b] == 3)
    low = int(blocks.low[block])
    for offset in range(3):
        text = first + word(i, block) + "11" + f"{offset:02b}" + stay  # there is no fourth count: it is drawn again
        assert sampler.propose(FixedBits(text)) == (low + offset, 20, 70 - low - offset)
