"""The tight-constraints mechanism: weights, law, loss, error and draws, against definitions and against geometric."""

import math
from fractions import Fraction
from functools import cache
from typing import Literal

import numpy as np
import pytest
from flint import arb

import discreet as dc
from discreet.arithmetic.numbers import fixed_lower, fixed_upper, precision
from discreet.mechanisms.tight import TightLaw, draw_order
from discreet.mechanisms.tight_weights import MOST_PARTITIONS, TightWeights
from discreet.posteriors.partitions import partition_distances
from discreet.testing import FixedBits, HashedBits, draw_with
from discreet.typing import Epsilon
from tests.faults import tight as faults
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


def test_with_fewer_records_than_categories_it_is_not_read_by_bayes() -> None:
    """There geometric's noisy counts tell a Bayesian more: up to 2.5 % in a hundred random spaces."""
    space = dc.PosteriorSpace([1] * 6, 3)
    with pytest.raises(dc.InvalidInput, match="fewer records than categories"):
        dc.TightConstraints(space, epsilon=1, postprocess="bayes")


def test_many_categories_and_few_records_are_released_and_verified() -> None:
    mechanism = dc.TightConstraints(dc.PosteriorSpace([1] * 10, 10), epsilon=2)
    released = mechanism.release([4, 3, 2, 1, 0, 0, 0, 0, 0, 0])
    assert sum(released.output) == 10
    receipt = released.receipt()
    assert receipt.verify().method == "theorem"
