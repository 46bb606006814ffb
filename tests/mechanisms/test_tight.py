"""The tight-constraints mechanism: weights, law, loss, error and draws, against definitions and against geometric."""

import bisect
import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import pytest
from flint import arb

import discreet as dc
from discreet.arithmetic.numbers import fixed_lower, fixed_upper, precision
from discreet.mechanisms.postprocessing import Weighting
from discreet.mechanisms.tight import TightLaw, draw_order
from discreet.mechanisms.tight_weights import MOST_ENTRIES, MOST_PARTITIONS, FixedPoint, TightWeights, require_solvable
from discreet.posteriors.partitions import number_of_partitions, partition_distances
from discreet.samplers.bits import Table
from discreet.testing import FixedBits, HashedBits, draw_with
from discreet.typing import Epsilon
from tests.faults import tight as faults
from tests.oracles.precision import mp
from tests.support.enumeration import seeded
from tests.support.statistics import fits, tally

LARGEST = {3: 12, 4: 7, 5: 5, 6: 4}
"""For each k the largest n of a random space here."""

SPACE = dc.PosteriorSpace([1, 1, 1], 8)


@cache
def spaces() -> list[tuple[dc.PosteriorSpace, Fraction]]:
    """A hundred random spaces with an ε at which tight is offered: priors of ones, of halves, and unequal ones."""
    rng, found = seeded("tight"), list[tuple[dc.PosteriorSpace, Fraction]]()
    while len(found) < 100:
        k = rng.choice(list(LARGEST))
        unequal = [rng.choice(["1/2", 1, 2, "0.3", 5]) for _ in range(k)]
        prior = rng.choice([[1] * k, ["1/2"] * k, unequal])
        space, epsilon = dc.PosteriorSpace(prior, rng.randint(2, LARGEST[k])), f"{10 ** rng.uniform(-1, 0.7):.3g}"
        if TightWeights(partition_distances(space.n, k), Fraction(epsilon)).positive:
            found.append((space, Fraction(epsilon)))
    return found


def wrongs(mechanism: dc.TightConstraints) -> set[str]:
    """What is wrong with it first: weights that are not positive, sums that are not one, a loss other than ε."""
    space = mechanism.space
    with precision(128):
        for counts in space.candidates():
            weights = list(mechanism.law(counts).enclosures())
            if not all(weight.is_finite() for weight in weights):
                return {"weight"}
            total = sum((weight.exp() for weight in weights), arb(0))
            if not (total.contains(1) and total.rad() < 1e-25):
                return {"sum"}
    audited = dc.audit(mechanism)
    right = audited.holds and abs(float(audited.lower) - float(mechanism.epsilon)) < 1e-12
    return set() if right else {"loss"}


@pytest.mark.few(1)
@pytest.mark.parametrize("number", range(100))
def test_it_is_a_law_with_loss_epsilon_and_never_worse_than_geometric(number: int) -> None:
    space, epsilon = spaces()[number]
    mechanism = dc.TightConstraints(space, epsilon=epsilon)
    assert wrongs(mechanism) == set()  # all weights are positive: every data set has the same outcomes
    assert dc.audit(mechanism).epsilon == epsilon
    ways: tuple[Literal["nearest", "bayes"], ...] = ("nearest", "bayes")
    for way in ways[: 1 if space.n < space.k else 2]:
        own = dc.accuracy(dc.TightConstraints(space, epsilon=epsilon, postprocess=way)).mean
        assert own <= dc.accuracy(dc.Geometric(space, epsilon=epsilon, postprocess=way)).mean + 1e-9


def strays(law: TightLaw, drawn_from: TightLaw) -> int:
    """For how many candidates the bits from end to end of their part of [0, 1) lead elsewhere.

    A draw reads a real number bit by bit. If the first and the last numbers of every part lead to its candidate, each
    is drawn with its own probability, but for the 2^-100 between them.
    """
    found, bits = 0, 128
    with precision(bits + 64):
        below = arb(0)
        for candidate, weight in zip(law.space.candidates(), law.enclosures(), strict=True):
            above = below + weight.exp()
            ends = (fixed_upper(below, bits) + (1 << 28), fixed_lower(above, bits) - (1 << 28))
            sources = (FixedBits(f"{end:0{bits}b}", then=HashedBits("the rest")) for end in ends)
            found += any(draw_with(drawn_from, source) != candidate for source in sources)
            below = above
    return found


@pytest.mark.parametrize("part", range(10))
def test_draws_are_the_law_on_a_hundred_random_spaces(part: int) -> None:
    """With fixed bits, at a random data set of each; bits that are drawn for another one are found wrong."""
    for number in range(10 * part, 10 * part + 10):
        space, epsilon = spaces()[number]
        rng, mechanism = seeded(f"draws of tight {number}"), dc.TightConstraints(space, epsilon=epsilon)
        one, other = (space.candidates().unrank(rank) for rank in rng.sample(range(space.size), 2))
        assert strays(mechanism.law(one), mechanism.law(one)) == 0
        assert strays(mechanism.law(one), mechanism.law(other)) > 0


@pytest.mark.parametrize(
    ("fault", "epsilon", "wrong"),
    [
        (faults.WeightOffByAMillionth, 1, "sum"),
        (faults.NegativeWeightAccepted, "0.1", "weight"),
        (faults.HalfTheDistance, 1, "sum"),
        (faults.TwiceTheDistance, 1, "loss"),
    ],
)
def test_a_wrong_form_of_it_is_found_wrong(fault: type[dc.TightConstraints], epsilon: Epsilon, wrong: str) -> None:
    assert wrongs(fault(SPACE, epsilon=epsilon)) == {wrong}


@pytest.mark.parametrize(
    ("k", "n", "epsilon", "error"),
    [
        (3, 4, 1, 0.33345),
        (3, 8, 1, 0.35309),
        (3, 8, 2, 0.16096),
        (4, 5, 1, 0.44877),
        (4, 5, 2, 0.24194),
        (2, 50, 1, 0.10800),
        (10, 3, 3, 0.26880),
        (5, 4, 1, 0.49548),
        (3, 8, "0.2", 0.70268),
    ],
)
def test_its_error_is_the_known_one(k: int, n: int, epsilon: Epsilon, error: float) -> None:
    mechanism = dc.TightConstraints(dc.PosteriorSpace([1] * k, n), epsilon=epsilon)
    assert dc.accuracy(mechanism).mean == pytest.approx(error, abs=6e-6)


def test_bayes_matters_at_small_epsilon() -> None:
    assert dc.accuracy(dc.TightConstraints(SPACE, epsilon="0.2", postprocess="bayes")).mean == pytest.approx(
        0.5859, abs=5e-5
    )


def test_with_two_categories_it_is_geometric_clamped_to_the_ends() -> None:
    space = dc.PosteriorSpace(["1/2", 3], 20)
    tight, geometric = dc.TightConstraints(space, epsilon="0.7"), dc.Geometric(space, epsilon="0.7")
    for counts in ([0, 20], [7, 13]):
        assert tight.log_pmf(counts) == pytest.approx(geometric.log_pmf(counts), abs=1e-12)


@pytest.mark.parametrize(("k", "n", "ratio"), [(3, 4, Fraction(1, 3)), (4, 4, Fraction(1, 7)), (5, 3, Fraction(2, 5))])
def test_weights_enclose_the_rational_solution_nearby(k: int, n: int, ratio: Fraction) -> None:
    """At an ε next to -ln(ratio) the weights are next to those that Gauss finds in rational numbers."""
    counted, epsilon = partition_distances(n, k), Fraction(-math.log(ratio))
    size = len(counted.partitions)
    rows = [[Fraction(0)] * size + [Fraction(1)] for _ in range(size)]
    for i, j, step, number in zip(counted.rows, counted.columns, counted.steps, counted.numbers, strict=True):
        rows[i][j] += int(number) * ratio ** int(step)
    for i in range(size):
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for j in range(size):
            if j != i:
                rows[j] = [a - rows[j][i] * b for a, b in zip(rows[j], rows[i], strict=True)]
    fixed = TightWeights(counted, epsilon).fixed(64)
    for row, middle in zip(rows, fixed.middle, strict=True):
        assert middle / 2**fixed.bits == pytest.approx(float(row[-1]), rel=1e-13)


def test_more_bits_enclose_the_same_weights_more_closely() -> None:
    weights = TightWeights(partition_distances(12, 4), Fraction(1, 2))
    with precision(600):
        coarse, fine = weights.fixed(64).balls(), weights.fixed(400).balls()
    assert all(one.contains(other) for one, other in zip(coarse, fine, strict=True))
    assert max(float(ball.rad()) for ball in fine) < 2.0**-399


def small() -> tuple[TightWeights, list[list[tuple[int, int]]]]:
    """Two records in two categories at ε = 1, and of K, each entry, how many orders are how many steps away."""
    return TightWeights(partition_distances(2, 2), Fraction(1)), [[(1, 0), (1, 2)], [(1, 1)], [(2, 1)], [(1, 0)]]


def test_the_inverse_is_bounded_in_both_ways_that_the_radius_rests_on() -> None:
    """Both bounds are pinned from above as well: one that is twice too large would hide a lost margin."""
    weights, entries = small()
    a, b, c, d = (mp.fsum(number * mp.exp(-step) for number, step in entry) for entry in entries)
    norm = max(abs(d) + abs(b), abs(c) + abs(a)) / abs(a * d - b * c)
    assert norm * (1 + mp.mpf("5e-10")) < weights._norm < norm * (1 + mp.mpf("2e-9"))
    matrix = np.array([sum(number * np.exp(-step) for number, step in entry) for entry in entries]).reshape(2, 2)
    digits = (2 + 2 + 64) * 2.0**-51  # of size and n, as the docstring of the bound counts them
    left = np.abs(np.eye(2) - weights._inverse @ matrix) + digits * (np.abs(weights._inverse) @ matrix)
    bound = float(left.sum(axis=1).max())
    assert bound * (1 + 5e-7) < weights._contraction < bound * (1 + 2e-6)


def test_the_radius_of_weights_is_that_of_the_residual_and_of_what_is_rounded() -> None:
    """‖B‖·(‖residual‖ + 2 units of each outcome)/(1 - ρ), here for a ‖B‖ and a ρ that show in every digit."""
    weights, entries = small()
    weights._norm, weights._contraction = 1000.0, 0.125
    fixed = weights._refine(64)
    with mp.workprec(400):
        units = [sum(number * int(mp.exp(-step) * 2**fixed.bits) for number, step in entry) for entry in entries]
        truth = 1 / (1 + mp.exp(-1)), (1 - mp.exp(-1)) / (1 + mp.exp(-1))
        assert all(abs(w - mp.mpf(m) / 2**fixed.bits) < 1e-18 for w, m in zip(truth, fixed.middle, strict=True))
    one, two = fixed.middle
    residual = max(
        abs(4**fixed.bits - units[0] * one - units[1] * two), abs(4**fixed.bits - units[2] * one - units[3] * two)
    )
    wrong = Fraction(residual + 2 * 3 * max(one, two), 4**fixed.bits) * 1000 / (1 - Fraction(1, 8))
    assert fixed.radius == math.ceil(wrong * 2**fixed.bits) <= 2 ** (fixed.bits - 64)


def test_weights_are_as_precise_as_is_asked_and_solved_once_for_each_power_of_two() -> None:
    weights, _ = small()
    twenty = TightWeights(partition_distances(20, 3), Fraction(1, 5))
    for bits, found in [(76, twenty._refine(76)), *((bits, weights._refine(bits)) for bits in range(64, 130, 2))]:
        assert found.radius <= 2 ** (found.bits - bits)
    asked: list[int] = []

    def refine(bits: int) -> FixedPoint:
        asked.append(bits)
        return FixedPoint([], 0, bits)

    weights._fixed, weights._refine = {}, refine  # type: ignore[method-assign]
    assert [weights.fixed(bits).bits for bits in (1, 64, 65, 128, 129, 256)] == [64, 64, 128, 128, 256, 256]
    assert asked == [64, 128, 256]


def test_logs_of_tiny_weights_have_the_working_precision() -> None:
    tiny = TightWeights(partition_distances(8, 3), Fraction(895437, 5242880))  # next to where one would be negative
    with precision(128):
        logs = tiny.log_weights()
    assert min(map(float, logs)) < -28 * math.log(2)
    assert max(float(log.rad()) for log in logs) < 2.0**-126


@pytest.mark.every
@pytest.mark.parametrize(
    ("least", "bits", "said"),
    [(6, 128, True), (5, 128, None), (0, 128, None), (-5, 1024, None), (-6, 128, False), (5, 1025, False)],
)
def test_a_weight_that_may_be_zero_is_not_called_positive(least: int, bits: int, said: bool | None) -> None:
    """With a radius of 5 units; at more than 1024 bits it is refused."""
    weights, _ = small()
    weights.fixed = lambda bits: FixedPoint([9, least], 5, bits)  # type: ignore[method-assign]
    with precision(bits):
        assert weights._sign() is said


@pytest.mark.every
@pytest.mark.parametrize(("k", "largest"), [(2, 1279), (4096, 2)])
def test_the_largest_systems_are_those_that_are_said(k: int, largest: int) -> None:
    """640 partitions, or 8192 of them times categories; a record or a category more is refused."""
    require_solvable(dc.PosteriorSpace([1] * k, largest))
    with pytest.raises(dc.TooLarge):
        require_solvable(dc.PosteriorSpace([1] * (k + (k > 2)), largest + (k == 2)))


def test_systems_that_are_solved_have_fewer_than_2_to_the_55_candidates() -> None:
    """So a coefficient of 64 bits counts the orders of any of their partitions."""
    for n in range(1, 85):  # of two categories there are as many candidates as records, and one more

        def many(k: int, n: int = n) -> bool:
            partitions = number_of_partitions(n, k, MOST_PARTITIONS)
            return partitions > MOST_PARTITIONS or partitions * k > MOST_ENTRIES

        k = 2 + bisect.bisect_left(range(3, MOST_ENTRIES + 2), True, key=many)
        assert not many(k)
        assert many(k + 1)
        assert math.comb(n + k - 1, k - 1) < 2**55


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [2000, pytest.param(40_000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("counts", [(3, 1, 0, 0), (1, 1, 1, 1), (0, 4, 0, 0)])
def test_draws_by_partition_and_order_are_the_law(
    counts: tuple[int, ...], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.mechanisms.tight.ENUMERABLE", 1)
    law = dc.TightConstraints(dc.PosteriorSpace([1] * 4, 4), epsilon="3/4").law(counts)
    seen = tally(law._draw_many(HashedBits(f"tight {counts}"), size).tolist())
    wrong = TightLaw(law.space, law.space.counts((0, 0, 1, 3)), law.weights)
    right, other = (dict(zip(law.space.candidates(), np.exp(each.log_pmf()), strict=True)) for each in (law, wrong))
    assert fits(seen, right)
    assert not fits(seen, other)


class Scripted:
    """In place of an inverter: it takes the choices that it is told, and notes how likely they are."""

    def __init__(self, table: Callable[[int], Table], outcomes: int) -> None:
        self.lows, self.highs = table(96).lows, table(96).highs
        assert len(self.lows) == outcomes
        assert max(high - low for low, high in zip(self.lows, self.highs, strict=True)) <= 2  # as sharp as it is wide

    def chances(self) -> list[Fraction]:
        return [Fraction(high - low, 2**96) for low, high in itertools.pairwise([0, *self.lows])]

    def draw(self, script: Any) -> int:
        chosen: int = script.choices.pop(0)
        script.chance *= self.chances()[chosen]
        return chosen


def test_a_partition_and_then_an_order_are_drawn_with_their_probabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.mechanisms.tight.Inverter", Scripted)
    law = dc.TightConstraints(dc.PosteriorSpace([1] * 4, 9), epsilon=1).law((5, 0, 1, 3))
    each = np.exp(law.log_pmf())
    partitions: Any = law._partitions
    for partition, chance in zip(law.weights.distances.partitions, partitions.chances(), strict=True):
        orders = [i for i, r in enumerate(law.space.candidates()) if sorted(r) == list(partition)]
        assert float(chance) == pytest.approx(each[orders].sum(), rel=1e-12)
    values, rest = (0, 1, 4, 4), {}
    for order in set(itertools.permutations(values)):
        script: Any = SimpleNamespace(choices=[(0, 1, 4).index(value) for value in order], chance=Fraction(1))
        assert draw_order(script, law.counts, values, Fraction(1)) == order
        rest[order] = float(script.chance)
    assert sum(rest.values()) == pytest.approx(1, rel=1e-12)
    for order, chance in rest.items():
        apart = sum(abs(a - b) for a, b in zip(law.counts, order, strict=True))
        nearest = sum(abs(a - b) for a, b in zip(law.counts, (4, 0, 1, 4), strict=True))
        assert chance / rest[4, 0, 1, 4] == pytest.approx(math.exp((nearest - apart) / 2), rel=1e-12)


def test_an_order_of_one_value_is_that_value() -> None:
    counts = dc.PosteriorSpace([1, 1, 1], 6).counts([6, 0, 0])
    assert draw_order(HashedBits("one"), counts, (2, 2, 2), Fraction(3)) == (2, 2, 2)


def test_it_takes_the_same_bits_for_every_data_set(monkeypatch: pytest.MonkeyPatch) -> None:
    class Counted(HashedBits):
        asked = 0

        def draw_bits(self, count: int) -> int:
            self.asked += count
            return super().draw_bits(count)

    monkeypatch.setattr("discreet.mechanisms.tight.ENUMERABLE", 1)
    mechanism = dc.TightConstraints(dc.PosteriorSpace([1] * 3, 3), epsilon=1)
    asked = set()
    for counts in mechanism.space.candidates():
        bits = Counted("bits")
        mechanism.law(counts)._draw(bits)
        asked.add(bits.asked // 64)  # the last few of each choice depend on how many values the output has
    assert len(asked) == 1


@pytest.mark.every
@pytest.mark.parametrize(
    ("k", "n", "epsilon", "refusal", "text"),
    [
        (3, 8, "0.1", dc.InvalidInput, "negative"),
        (10, 10, 1, dc.InvalidInput, "negative"),
        (6, 12, "1e-9", dc.InvalidInput, "certified"),
        (3, 6, "3e-6", dc.InvalidInput, "certified"),
        (3, 85, 1, dc.TooLarge, f"at most {MOST_PARTITIONS}"),
        (50, 10**12, 1, dc.TooLarge, "too many"),
        pytest.param(10**6, 3, 1, dc.TooLarge, "too many", marks=pytest.mark.soak),
    ],
)
def test_it_is_refused_from_public_facts_and_geometric_is_named(
    k: int, n: int, epsilon: Epsilon, refusal: type[dc.DiscreetError], text: str
) -> None:
    with pytest.raises(refusal, match=text) as refused:
        dc.TightConstraints(dc.PosteriorSpace([1] * k, n), epsilon=epsilon)
    assert "use geometric" in str(refused.value.hint)
    assert refused.value.parameter == ("epsilon" if refusal is dc.InvalidInput else "")


def test_with_fewer_records_than_categories_it_is_not_read_by_bayes() -> None:
    """There geometric's noisy counts tell a Bayesian more: up to 2.5 % in a hundred random spaces."""
    space = dc.PosteriorSpace([1] * 6, 3)
    with pytest.raises(dc.InvalidInput, match="fewer records than categories"):
        dc.TightConstraints(space, epsilon=1, postprocess="bayes")
    assert dc.TightConstraints(dc.PosteriorSpace([1] * 3, 3), epsilon=1, postprocess="bayes").guarantee == 1


def test_bayes_reads_with_its_weighting_and_its_law_is_that_of_what_is_read() -> None:
    space, epsilon = dc.PosteriorSpace(["1/10"] * 3, 4), Fraction(1, 2)
    outputs, read = space.candidates().array(), dict[str, list[list[int]]]()
    ways: tuple[Weighting, ...] = ("uniform", "predictive")
    for weighting in ways:
        mechanism = dc.TightConstraints(space, epsilon=epsilon, postprocess="bayes", weighting=weighting)
        other = dc.Geometric(space, epsilon=epsilon, postprocess="bayes", weighting=weighting)
        read[weighting] = mechanism.postprocess(outputs).tolist()
        assert read[weighting] == other.postprocess(outputs).tolist()
        found = np.exp(mechanism.log_pmf((3, 1, 0)))
        plain = np.exp(dc.TightConstraints(space, epsilon=epsilon).log_pmf((3, 1, 0)))
        for candidate, chance in zip(outputs.tolist(), found, strict=True):
            led = [i for i, reading in enumerate(read[weighting]) if reading == candidate]
            assert chance == pytest.approx(plain[led].sum(), rel=1e-12)
    assert read["uniform"] != read["predictive"]
    with pytest.raises(dc.InvalidInput, match="weighting must be"):
        dc.TightConstraints(space, epsilon=epsilon, weighting="flat")  # type: ignore[arg-type]
    with pytest.raises(dc.TooLarge):
        dc.TightConstraints(dc.PosteriorSpace([1, 1], 10**9), epsilon="1e-6", postprocess="bayes")
    assert dc.TightConstraints.at_full_loss(SPACE, epsilon="1.5").guarantee == Fraction(3, 2)


def test_many_categories_and_few_records_are_released_and_verified() -> None:
    mechanism = dc.TightConstraints(dc.PosteriorSpace([1] * 10, 10), epsilon=2)
    released = mechanism.release([4, 3, 2, 1, 0, 0, 0, 0, 0, 0])
    assert sum(released.output) == 10
    receipt = released.receipt()
    assert receipt.verify().method == "theorem"
