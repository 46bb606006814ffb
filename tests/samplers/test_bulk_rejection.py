"""Proposals in bulk: brackets on their chances that hold, normalisers within their interval, draws with few tries."""

import math
import random
from functools import partial

import numpy as np
import pytest

from bench.spaces import FOUR, counts_at, random_case
from discreet import DiscreetError, ExponentialLocal, ExponentialSmooth, PosteriorSpace
from discreet.arithmetic.lgamma_bounds import least_second_differences, most_second_differences
from discreet.arithmetic.numbers import precision
from discreet.samplers import bulk_rejection
from discreet.samplers.bits import CHUNK, Bits, draw_bernoulli
from discreet.samplers.bulk_rejection import Batch, BulkRejection
from discreet.samplers.simplex_rejection import SimplexRejection
from discreet.testing import FixedBits, HashedBits, draw_many_with


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", range(8))
def test_the_floats_that_decide_bracket_the_exact_chance_and_the_room_holds(seed: int) -> None:
    law = random_case(random.Random(seed), categories=(3, 4, 5, 10, 30), digits=9).law  # noqa: S311
    sampler = law._simplex_rejection()
    batch = law.proposals().batch(HashedBits(f"brackets {seed}"), 15)
    for row, low, high in zip(batch.rows.tolist(), batch.low, batch.high, strict=True):
        r = tuple(row)
        with precision(300):
            exact, chance = sampler._enclosed_log_proposal(r), sampler.chance(r).log()
            assert abs(exact - sampler.log_proposal(np.array([r]))[0]) < sampler.room / 4
            assert low <= chance <= high
            assert chance <= 0
        with precision(2 * CHUNK):  # the first toss of a coin
            assert sampler._enclosed_log_proposal(r).contains(exact)
        assert high - low < 0.3 * (1 + abs(high))


@pytest.mark.parametrize(("k", "scale"), [(30, "1e-9"), (3, "1/2")])
def test_the_brackets_leave_room_for_the_rounding_of_every_part(k: int, scale: str) -> None:
    """Counts this large have second differences without a gap; what is known of ln Q is taken for exact here."""
    counts = np.full(k, 10**8)
    law = ExponentialLocal(PosteriorSpace([1] * k, k * 10**8), scale=scale).law(counts.tolist())
    sampler, (slow, fast) = law._simplex_rejection(), law._rates()
    sampler.room = 0.0
    rows = np.stack([counts, counts, counts, 0 * counts])
    rows[0, :2] += 3, -3
    rows[1, :2] += 10**8, -(10**8)
    rows[2, :3] += 10**7, 10**7, -2 * 10**7
    rows[3, 0] = counts.sum()
    low, high = BulkRejection(sampler, (slow, fast))._chances(rows)
    with precision(300):
        for row, least, most in zip(rows.tolist(), low, high, strict=True):
            assert least <= sampler.chance(tuple(row)).log() <= most
    lowest, highest = BulkRejection(sampler, (0.9 * slow, 1.1 * fast))._chances(rows)
    for rate in (0.9 * slow, fast, 1.1 * fast):
        low, high = BulkRejection(sampler, (rate, rate))._chances(rows)
        assert (lowest <= low).all()
        assert (high <= highest).all()


def test_the_bounds_on_a_sum_over_categories_hold_its_parts_without_rounding() -> None:
    alpha, counts = 0.3, (3, 1, 4, 1, 5, 9, 2, 6, 5, 3)
    law = ExponentialLocal(PosteriorSpace([str(alpha)] * 10, sum(counts)), scale=1).law(counts)
    rows = law.proposals().batch(HashedBits("sums"), 60).rows
    near, far = alpha + np.minimum(rows, counts), alpha + np.maximum(rows, counts)
    least, most = (
        [math.fsum(part) / 2 for part in bound(near, far, np.abs(rows - counts).astype(float))]
        for bound in (least_second_differences, most_second_differences)
    )
    low, high = bulk_rejection._log_affinity_bounds(law._simplex_rejection(), rows)
    assert (low <= least).all()
    assert (high >= most).all()


def test_the_first_number_of_a_share_is_its_own_and_the_last_is_not_the_next_one_s() -> None:
    """Floats cannot tell these numbers from each other."""
    proposals = ExponentialLocal(PosteriorSpace([1, 1, 1], 300), scale=1).law([100, 100, 100]).proposals()
    choices = proposals.sampler.choices
    width = (choices[-1] - 1).bit_length()
    for chosen, is_centre in ((choices[-2], True), (choices[-2] - 1, False)):
        bits = FixedBits(f"{chosen:0{width}b}".ljust(64, "0"), then=HashedBits("an even draw"))
        assert (proposals.batch(bits, 1).rows == 100).all() == is_centre


def test_a_batch_may_be_weighed_in_parts_and_may_be_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    proposals = ExponentialLocal(PosteriorSpace([1, 1, 1], 10), scale="0.1").law([4, 3, 3]).proposals()
    whole = proposals.batch(HashedBits("parts"), 40)
    monkeypatch.setattr(bulk_rejection, "_CELLS", 100)
    parts = proposals.batch(HashedBits("parts"), 40)
    assert (parts.rows == whole.rows).all()
    assert (parts.low == whole.low).all()
    assert (parts.high == whole.high).all()
    none = proposals.batch(HashedBits("none"), 0)
    assert (none.rows.shape, none.low.shape, none.high.shape, none.tried) == ((0, 3), (0,), (0,), 0)


def test_even_draws_of_few_records_among_many_categories_come_to_an_end() -> None:
    proposals = ExponentialLocal(PosteriorSpace([1] * 30, 5), scale=1).law([1] * 5 + [0] * 25).proposals()
    rows = proposals._draw_even(HashedBits("few"), 40)
    assert rows.shape == (40, 30)
    assert (rows.sum(axis=1) == 5).all()


def test_a_toss_goes_to_the_exact_coin_wherever_floats_cannot_tell_it_from_its_chance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    proposals, bits = (
        ExponentialLocal(PosteriorSpace([1, 1, 1], 100), scale=1).law([98, 1, 1]).proposals(),
        HashedBits(""),
    )
    cases = [(5, math.log(5.5 / 2**64), math.log(5.5 / 2**64))]
    for word in (5, 2**44, 2**63):
        first, end = math.log(word / 2**64), math.log((word + 1) / 2**64)
        cases += [(word, end - 1e-13 * (end - 1), 0.0), (word, -math.inf, first + 1e-13 * (first - 1))]
    unclear = [word for word, *_ in cases]
    cases += [(5, math.log(6.5 / 2**64), 0.0), (2**60, -0.1, -0.1), (2**63, -30.0, -30.0)]
    rows, tossed = np.arange(3 * len(cases)).reshape(-1, 3), []

    def coin(source: Bits, chance: partial[object], drawn: int | None = None) -> bool:
        tossed.append((source, chance.args, drawn))
        return True

    words, low, high = (np.array(column) for column in zip(*cases, strict=True))
    monkeypatch.setattr(BulkRejection, "batch", lambda *_: Batch(rows, low, high, len(rows)))
    monkeypatch.setattr(bulk_rejection, "draw_words", lambda *_: words.astype(np.uint64))
    monkeypatch.setattr(bulk_rejection, "draw_bernoulli", coin)
    assert (proposals.draw_many(bits, len(rows) - 1) == rows[:-1]).all()
    assert tossed == [(bits, (tuple(row),), word) for row, word in zip(rows.tolist(), unclear, strict=False)]


def test_a_toss_of_zeros_decides_against_no_chance_however_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """64 zeros may go on with zeros: a candidate whose chance is far below 2**-64 must still be possible."""
    law = ExponentialLocal(PosteriorSpace(["1", "1", "1"], 100), scale=100).law([98, 1, 1])
    proposals, coins = law.proposals(), iter([True] * 3)
    rows = np.array([[98, 1, 1], [0, 100, 0], [0, 0, 100], [33, 33, 34]])
    low, high = proposals._chances(rows)
    assert low[0] > -64 * math.log(2) > -65.1 > high[1]

    monkeypatch.setattr(bulk_rejection.BulkRejection, "batch", lambda *_: Batch(rows, low, high, len(rows)))
    monkeypatch.setattr(bulk_rejection, "draw_words", lambda *_: np.zeros(len(rows), dtype=np.uint64))
    monkeypatch.setattr(bulk_rejection, "draw_bernoulli", lambda *_: next(coins))
    assert (proposals.draw_many(HashedBits("zeros"), len(rows)) == rows).all()
    assert not list(coins)


@pytest.mark.parametrize("family", FOUR)
@pytest.mark.parametrize(
    ("prior", "place", "n"),
    [
        (["1", "1", "1"], "centre", 90),
        (["0.01", "100", "3"], "corner", 90),
        (["0.5", "1", "2", "7"], "edge", 25),
        (["1", "1", "1", "1", "1"], "ones", 12),
    ],
)
def test_the_interval_of_a_normaliser_holds_the_enumerated_one(
    family: type[ExponentialLocal], prior: list[str], place: str, n: int
) -> None:
    space = PosteriorSpace(prior, n)
    counts = counts_at(random.Random(1), place, space.k, n)  # noqa: S311
    law = family(space, scale=2).law(counts)
    truth = math.log(np.exp(law.log_weights()).sum())
    found = law.proposals().log_normaliser(HashedBits(f"{family.name} {place}"), 20_000)
    assert found.log_lower <= truth <= found.log_upper
    assert found.log_upper - found.log_lower < 0.1
    assert abs(found.log_value - truth) < 0.03
    wrong = family(space, scale="2.6").law(counts)
    if abs(math.log(np.exp(wrong.log_weights()).sum()) - truth) > 0.1:
        other = wrong.proposals().log_normaliser(HashedBits("30 percent more"), 20_000)
        assert not other.log_lower <= truth <= other.log_upper


def test_the_interval_is_as_wide_as_the_bound_of_maurer_and_pontil_on_both_sides() -> None:
    law, size = ExponentialLocal(PosteriorSpace([1, 1, 1], 90), scale=2).law([30, 30, 30]), 2000
    batch = law.proposals().batch(HashedBits("both sides"), size)
    chances = np.zeros(size)
    chances[: len(batch.rows)] = np.exp((batch.low + batch.high) / 2)
    sure = math.log(2 / (0.1 / 2))
    reach = math.sqrt(2 * chances.var(ddof=1) * sure / size) + 7 * sure / (3 * (size - 1))
    rounding = float(np.exp(batch.high).sum() - chances.sum()) / size
    found = law.proposals().log_normaliser(HashedBits("both sides"), size, 0.9)
    assert (found.confidence, found.proposals) == (0.9, size)
    for end, sign in ((found.log_upper, 1), (found.log_lower, -1)):
        half = sign * (math.exp(end - found.log_value) - 1) * chances.mean()
        assert half == pytest.approx(reach + rounding, rel=1e-9)


def test_few_proposals_are_certain_of_the_atom_at_the_centre_alone() -> None:
    law = ExponentialLocal(PosteriorSpace([1, 1, 1], 90), scale=2).law([30, 30, 30])
    assert law.proposals().log_normaliser(HashedBits("few"), 3).log_lower == 0


def test_a_mean_that_is_no_more_than_its_error_is_certain_of_that_atom_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    proposals = ExponentialLocal(PosteriorSpace([1, 1, 1], 90), scale=2).law([30, 30, 30]).proposals()
    monkeypatch.setattr(BulkRejection, "batch", lambda *_: Batch(np.full((8, 3), 30), np.zeros(8), np.zeros(8), 8))
    found = proposals.log_normaliser(HashedBits("all kept"), 8, 1 - 4 / math.exp(3))
    assert found.log_upper - found.log_value == pytest.approx(math.log(2))  # the error is the mean, 1
    assert found.log_lower == 0


def test_a_majorant_of_smaller_weights_is_found_too_low() -> None:
    space = PosteriorSpace([1, 1, 1], 300)
    law = ExponentialLocal(space, scale=1).law([100, 100, 100])
    fault = SimplexRejection(space, law.counts, 1.3 * float(law.rate()), law.log_weight)
    bits = HashedBits("a fault")
    with pytest.raises(DiscreetError, match="too low"):
        [fault.draw(bits) for _ in range(1000)]


@pytest.mark.parametrize("cases", [20, pytest.param(60, marks=pytest.mark.soak)])
def test_a_draw_takes_at_most_four_times_the_root_of_k_tries_on_average(cases: int) -> None:
    chance = random.Random(1000)  # noqa: S311 - a fixed sample of spaces
    ratios = []
    for at in range(cases):
        case = random_case(chance, categories=(3, 4, 5, 7, 10, 15, 30), digits=9)
        proposals = case.law.proposals()
        batch = proposals.batch(HashedBits(f"tries {at}"), 400)
        kept = float(np.exp(batch.high).sum()) / batch.tried
        ratios.append(1 / kept / math.sqrt(case.mechanism.space.k))
    assert np.mean(ratios) < 1
    assert max(ratios) < 4


def test_many_draws_propose_little_more_than_they_need_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    proposals, bits = (
        ExponentialLocal(PosteriorSpace([1, 1, 1], 100), scale=1).law([34, 33, 33]).proposals(),
        HashedBits(""),
    )
    propose, sizes = proposals.batch, list[int]()
    first = propose(bits, 2000)
    share = float(np.exp(first.high).sum()) / first.tried

    def batch(source: Bits, size: int) -> Batch:
        sizes.append(size)
        return propose(source, size)

    proposals.draw_many(bits, 500)
    monkeypatch.setattr(proposals, "batch", batch)
    proposals.draw_many(bits, 500)
    assert len(sizes) <= 2
    assert sum(sizes) < 1.3 * 500 / share


def test_a_corner_where_a_tilt_would_lead_away_is_drawn_from_all_the_same() -> None:
    space = PosteriorSpace(["0.0155"] * 3, 342_915)
    law = ExponentialSmooth(space, scale="27.4").law((0, 0, 342_915))
    batch = law.proposals().batch(HashedBits("a corner"), 400)
    assert float(np.exp(batch.high).sum()) > 100


def test_draws_one_by_one_and_in_bulk_keep_as_many_proposals() -> None:
    law = ExponentialLocal(PosteriorSpace([1] * 5, 10**4), scale="1/2").law([2000] * 5)
    bits, sampler = HashedBits("one by one"), law._simplex_rejection()
    kept = 0
    for _ in range(800):
        r = sampler.propose(bits)
        kept += r is not None and draw_bernoulli(bits, partial(sampler.chance, r))
    batch = law.proposals().batch(HashedBits("in bulk"), 8000)
    share = float(np.exp(batch.high).sum()) / batch.tried
    assert abs(kept / 800 - share) < 6 * math.sqrt(share / 800)


def test_the_bulk_is_the_same_law_as_single_draws_where_means_can_tell() -> None:
    law = ExponentialLocal(PosteriorSpace([1, 2, 3], 10**6), scale="1/2").law([10**5, 3 * 10**5, 6 * 10**5])
    many = law._draw_many(HashedBits("means"), 20_000)
    few = np.array([law._draw(HashedBits(f"mean {i}")) for i in range(400)])
    assert (many.sum(axis=1) == 10**6).all()
    spread = many.std(axis=0)
    assert (np.abs(few.mean(axis=0) - many.mean(axis=0)) < 6.5 * spread / 20).all()
    assert few.std(axis=0) == pytest.approx(spread, rel=0.5)


def test_a_batch_that_is_cut_short_favours_no_kind_of_proposal() -> None:
    """Many small samples: were proposals grouped by their term, the first few of each would come too often."""
    space, counts = PosteriorSpace([7, 4, 5], 100), (34, 33, 33)
    law = ExponentialLocal(space, scale="0.4").law(counts)
    chance, distance = np.exp(law.log_pmf()), law.distances()
    mean = float(chance @ distance)
    spread = math.sqrt(float(chance @ (distance - mean) ** 2))
    bits = HashedBits("cut short")
    ranks = [space.candidates().index(row) for _ in range(400) for row in draw_many_with(law, bits, 5).tolist()]
    assert abs(float(distance[ranks].mean()) - mean) < 6.2 * spread / math.sqrt(len(ranks))
