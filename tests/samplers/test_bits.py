"""Samplers are exact: fed with all strings of bits, they give exactly their probabilities."""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import Undecided
from discreet.arithmetic.numbers import ball
from discreet.samplers.bits import (
    CHUNK,
    SYSTEM,
    Bits,
    Inverter,
    SystemBits,
    Table,
    draw_below,
    draw_below_many,
    draw_bernoulli,
    draw_choice,
    draw_composition,
    draw_subset,
    draw_words,
    tabulate,
)
from discreet.testing import CountedBits, FixedBits, HashedBits
from tests.support.release_paths import UNDECIDED, distribution
from tests.support.statistics import Outcome, fits, tally

pytestmark = pytest.mark.every


@pytest.mark.parametrize("bound", range(1, 18))
def test_whole_numbers_below_a_bound_are_equally_likely(bound: int) -> None:
    """A power of two costs its bits, and one costs none: nothing is missed."""
    width = (bound - 1).bit_length()
    found = distribution(lambda bits: draw_below(bits, bound), 2 * width)
    missed = found.pop(UNDECIDED, Fraction(0))
    assert missed == Fraction(2**width - bound, 2**width) ** 2
    assert found == dict.fromkeys(range(bound), (1 - missed) / bound)


def even(sampler: Callable[[Bits], Hashable], length: int, outcomes: int) -> bool:
    """Whether all outcomes that strings of this length decide are equally likely, and most strings decide."""
    found = distribution(sampler, length)
    decided = 1 - found.pop(UNDECIDED, Fraction(0))
    return decided > Fraction(1, 2) and list(found.values()) == [decided / outcomes] * outcomes


@pytest.mark.parametrize("weights", [(3, 1, 4), (1, 0, 2, 0, 5), (1,), (0, 0, 1), (2, 3), (7, 7, 7)])
def test_choices_are_proportional_to_their_weights(weights: tuple[int, ...]) -> None:
    sums = list(itertools.accumulate(weights))
    width = (sums[-1] - 1).bit_length()
    found = distribution(lambda bits: draw_choice(bits, sums), 2 * width)
    decided = 1 - found.pop(UNDECIDED, Fraction(0))
    assert found == {i: decided * Fraction(w, sums[-1]) for i, w in enumerate(weights) if w}


@pytest.mark.parametrize(
    ("size", "universe", "length"),
    [(0, 2, 1), (1, 2, 3), (1, 5, 9), (2, 4, 12), (2, 5, 12), (3, 6, 15), (2, 3, 6), (3, 3, 1), (3, 4, 4), (4, 5, 9)],
)
def test_subsets_are_equally_likely(size: int, universe: int, length: int) -> None:
    def sampler(bits: Bits) -> Hashable:
        found = draw_subset(bits, size, universe)
        assert found == sorted(set(found) & set(range(universe)))
        assert len(found) == size
        return tuple(found)

    assert even(sampler, length, math.comb(universe, size))


def test_large_subsets_are_sorted_distinct_and_unbiased() -> None:
    bits = HashedBits("large subsets")
    for size in (20, 40):
        seen: Counter[tuple[int, ...]] = Counter()
        for _ in range(400):
            found = draw_subset(bits, size, 50)
            assert found == sorted(set(found))
            assert len(found) == size
            seen.update((x,) for x in found)
        assert fits(seen, {(x,): 1 / 50 for x in range(50)})


@pytest.mark.parametrize(
    ("total", "parts", "length"),
    [(1, 2, 2), (2, 2, 6), (3, 3, 12), (2, 4, 12), (6, 2, 9), (0, 2, 1), (0, 5, 1), (7, 1, 1)],
)
def test_compositions_are_equally_likely(total: int, parts: int, length: int) -> None:
    def sampler(bits: Bits) -> Hashable:
        found = draw_composition(bits, total, parts)
        assert sum(found) == total
        assert len(found) == parts
        return tuple(found)

    assert even(sampler, length, math.comb(total + parts - 1, parts - 1))


# Bernoulli


@pytest.mark.parametrize("numerator", range(9))
def test_coins_with_a_dyadic_chance_are_exact(numerator: int) -> None:
    probability = Fraction(numerator, 8)
    for rest in ("0" * 61, "1" * 61):
        found = [draw_bernoulli(FixedBits(f"{i:03b}{rest}"), lambda: ball(probability)) for i in range(8)]
        assert found == [i < numerator for i in range(8)]


@pytest.mark.parametrize("probability", [Fraction(1, 3), Fraction(2, 7), Fraction(99, 100), Fraction(1, 10**6)])
def test_a_coin_falls_true_exactly_for_the_uniform_numbers_below_its_chance(probability: Fraction) -> None:
    for shift in (0, 1, 2, 40):
        # A number just below and one just above the chance, 2^-50 or more away from it.
        step = Fraction(2**shift, 2**50)
        for point, answer in ((probability - step, True), (probability + step, False)):
            if 0 <= point < 1:
                text = f"{math.floor(point * 2**CHUNK):064b}"
                assert draw_bernoulli(FixedBits(text), lambda: ball(probability)) is answer


def test_a_coin_of_an_irrational_chance_has_its_frequency() -> None:
    bits = HashedBits("irrational")
    seen = tally([int(draw_bernoulli(bits, lambda: (-ball(Fraction(1, 2))).exp()))] for _ in range(20_000))
    chance = math.exp(-0.5)
    assert fits(seen, {(1,): chance, (0,): 1 - chance})
    assert not fits(seen, {(1,): math.exp(-0.65), (0,): 1 - math.exp(-0.65)})


def test_a_coin_is_decided_however_long_its_bits_agree_with_the_probability() -> None:
    for last, expected in (("00", True), ("11", False)):
        bits = FixedBits("01" * 200 + last + "0" * 128)
        assert draw_bernoulli(bits, lambda: ball(Fraction(1, 3))) is expected
        assert bits.used <= 528


# Inversion


def exact_table(probabilities: list[Fraction], first: int = 0) -> Callable[[int], Table]:
    """The table of rational probabilities at any width, by the library's own `tabulate`."""
    scale = math.lcm(*(p.denominator for p in probabilities))
    weights = [int(p * scale) for p in probabilities]
    return lambda width: tabulate(weights, weights, 0, width, first=first)


@pytest.mark.parametrize("eighths", [(1, 2, 5), (4, 0, 4), (8,), (0, 3, 0, 5, 0), (1, 1, 1, 1, 1, 1, 1, 1)])
def test_inversion_of_a_dyadic_law_is_exact_on_all_strings(eighths: tuple[int, ...]) -> None:
    table = exact_table([Fraction(e, 8) for e in eighths])
    width = CHUNK + len(eighths).bit_length()
    for rest in ("0", "1"):
        inverter = Inverter(table, len(eighths))
        found = Counter(inverter.draw(FixedBits(f"{i:03b}".ljust(width, rest))) for i in range(8))
        assert found == {i: e for i, e in enumerate(eighths) if e}
        words = [int(f"{i:03b}".ljust(64, rest), 2) for i in range(8)]
        many = FixedBits("".join(f"{word:064b}" for word in words), then=HashedBits("the last word's ties"))
        assert Counter(inverter.draw_many(many, 8).tolist()) == found


@pytest.mark.parametrize("thirds", [(1, 2), (1, 1, 1), (0, 1, 0, 2)])
def test_a_uniform_number_at_the_edge_is_refined_until_it_falls_to_one_side(thirds: tuple[int, ...]) -> None:
    """The bits of 1/3 itself are 010101…: those that agree with it for long decide by the first that does not."""
    first = -7
    inverter = Inverter(exact_table([Fraction(t, 3) for t in thirds], first), len(thirds))
    below = max(i for i, running in enumerate(itertools.accumulate(thirds)) if running == 1 and thirds[i])
    above = next(i for i in range(below + 1, len(thirds)) if thirds[i])
    for agree in (66, 68, 128, 130, 200, 512):
        for rest, outcome in (("00" + "1" * 600, below), ("10" + "0" * 600, above)):
            text = "01" * (agree // 2) + rest
            assert inverter.draw(FixedBits(text)) == first + outcome
            assert inverter.draw_many(FixedBits(text), 1).tolist() == [first + outcome]


@pytest.mark.parametrize(
    ("parts", "words", "outcomes"),
    [((1, 2), (2**64 // 3 - 1, 2**64 // 3 + 1, 2**64 - 2), [0, 1, 1]), ((1, 1), (2**63 - 1, 2**63), [0, 1])],
)
def test_many_draws_take_64_bits_each_unless_these_hold_an_edge(
    parts: tuple[int, ...], words: tuple[int, ...], outcomes: list[int]
) -> None:
    inverter = Inverter(exact_table([Fraction(part, sum(parts)) for part in parts]), len(parts))
    bits = FixedBits("".join(f"{word:064b}" for word in words))
    assert inverter.draw_many(bits, len(words)).tolist() == outcomes


def test_inversion_costs_the_same_bits_for_every_outcome() -> None:
    inverter = Inverter(exact_table([Fraction(1, 7)] * 7), 7)
    sources = [CountedBits(HashedBits(f"cost {i}")) for i in range(200)]
    assert len({inverter.draw(bits) for bits in sources}) == 7
    assert {bits.used for bits in sources} == {CHUNK + 3}


def test_many_draws_follow_the_same_law_as_one() -> None:
    probabilities = [Fraction(1, 3), Fraction(1, 7), Fraction(11, 21)]
    inverter = Inverter(exact_table(probabilities), 3)
    law: dict[Outcome, float] = {(i,): float(p) for i, p in enumerate(probabilities)}
    wrong = law | {(0,): 0.36, (2,): 0.64 - 1 / 7}
    bits = HashedBits("one by one")
    for seen in (
        tally([inverter.draw(bits)] for _ in range(20_000)),
        tally([i] for i in inverter.draw_many(HashedBits("many"), 50_000).tolist()),
    ):
        assert fits(seen, law)
        assert not fits(seen, wrong)


def test_a_table_that_never_decides_stops_at_the_cap() -> None:
    blind = Inverter(lambda width: Table([0, 1 << width], [1 << width, 1 << width]), 2)
    with pytest.raises(Undecided):
        blind.draw(HashedBits("blind"))


@given(st.lists(st.integers(0, 50), min_size=1, max_size=8).filter(any), st.integers(0, 20), st.integers(1, 80))
def test_tables_enclose_the_running_sums(weights: list[int], slack: int, width: int) -> None:
    """Bounds that are off by up to `slack`, and outcomes outside that weigh up to `slack`."""
    lows, highs = [max(w - slack, 0) for w in weights], [w + slack for w in weights]
    if not sum(lows):
        return
    for table in (tabulate(lows, highs, slack, width), tabulate(weights, weights, slack, width)):
        for outside in (0, slack):
            total = sum(weights) + outside
            for i, running in enumerate(itertools.accumulate(weights)):
                assert table.lows[i] <= Fraction(running, total) * 2**width <= table.highs[i] <= 2**width


def test_an_outcome_is_certain_only_if_the_whole_interval_lies_between_its_sums() -> None:
    table = Table(lows=[3, 9], highs=[4, 10], first=5)
    assert [table.certain(drawn) for drawn in range(11)] == [5, 5, 5, None, 6, 6, 6, 6, 6, None, None]
    assert Table(lows=[4], highs=[4]).certain(3) == 0


# The sources


def test_words_are_the_bits_in_their_order() -> None:
    found = draw_words(FixedBits(f"{1:064b}{2**63:064b}"), 2)
    assert found.dtype == np.uint64
    assert found.tolist() == [1, 2**63]


def test_many_bounds_at_once_are_each_uniform() -> None:
    bounds = np.array([1, 2, 3, 5, 7, 2**40] * 3000)
    found = draw_below_many(HashedBits("bounds"), bounds)
    assert (found >= 0).all()
    assert (found < bounds).all()
    for bound in (2, 3, 5, 7):
        assert fits(tally([x] for x in found[bounds == bound].tolist()), {(x,): 1 / bound for x in range(bound)})
    assert fits(tally([x >> 37] for x in found[bounds == 2**40].tolist()), {(x,): 1 / 8 for x in range(8)})


def test_many_bounds_read_one_word_each_and_a_bound_of_one_none() -> None:
    """Numbers that floats cannot tell from the bound, or from their neighbours, are drawn like all others."""
    bounds, expected = [1, 2, 3, 2**53 + 1, 2**60], [0, 1, 2, 2**53, 2**59 + 1]
    words = [x << (64 - (bound - 1).bit_length()) for x, bound in zip(expected[1:], bounds[1:], strict=True)]
    bits = FixedBits("".join(f"{word:064b}" for word in words))
    assert draw_below_many(bits, np.array(bounds)).tolist() == expected


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 64, 1000])
def test_the_system_gives_as_many_bits_as_asked(count: int) -> None:
    for _ in range(20):
        assert 0 <= SYSTEM.draw_bits(count) < 2**count


def test_the_bits_of_the_system_are_fresh_each_time_and_balanced() -> None:
    assert SystemBits().draw_bits(256) != SystemBits().draw_bits(256)
    ones = SYSTEM.draw_bits(100_000).bit_count()
    assert abs(ones - 50_000) < 1200  # seven and a half deviations


def test_fixed_bits_are_read_once_and_then_run_out() -> None:
    bits = FixedBits("1011")
    assert (bits.draw_bits(2), bits.draw_bits(0), bits.draw_bits(2), bits.used) == (2, 0, 3, 4)
    with pytest.raises(EOFError):
        bits.draw_bits(1)
    assert FixedBits("1", then=FixedBits("01")).draw_bits(3) == 0b101


def test_hashed_bits_are_the_same_for_the_same_name() -> None:
    one, other = HashedBits("a"), HashedBits("a")
    assert [one.draw_bits(13) for _ in range(50)] == [other.draw_bits(13) for _ in range(50)]
    assert HashedBits("a").draw_bits(256) != HashedBits("b").draw_bits(256)
    seen = tally([HashedBits(f"name {i}").draw_bits(3)] for i in range(4000))
    assert fits(seen, {(x,): 1 / 8 for x in range(8)})
