"""Noisy counts as outputs of tight: their law, loss, kernel, draws and receipts, and how near to the least error."""

import itertools
import json
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb

import discreet as dc
from discreet.arithmetic.numbers import precision
from discreet.mechanisms import tight_outputs
from discreet.mechanisms.postprocessing import WEIGHTINGS, Weighting
from discreet.mechanisms.tight import NoisyTightLaw, every_order
from discreet.mechanisms.tight_outputs import (
    NoisyDistances,
    _all_outputs,
    _costs,
    best_outputs,
    number_of_orders,
    orders,
    read_outputs,
    require_few,
    text_of,
)
from discreet.mechanisms.tight_weights import TightWeights
from discreet.testing import HashedBits
from tests.oracles.spaces import prior_predictive, uniform
from tests.support.enumeration import enumerate_space, seeded
from tests.support.statistics import fits, tally

LARGEST = {3: 9, 4: 5, 5: 4, 6: 3}
SPACE = dc.PosteriorSpace([1, 1, 1], 2)


def noisy(space: dc.PosteriorSpace, epsilon: object, **options: Any) -> dc.TightConstraints:
    return dc.TightConstraints(space, epsilon=epsilon, postprocess="noisy", **options)  # type: ignore[arg-type]


def random_case(number: int) -> tuple[dc.PosteriorSpace, Fraction]:
    """Fewer records than categories in half of them; priors of ones, of halves, and unequal ones."""
    rng = seeded(f"noisy outputs {number}")
    k = rng.choice(list(LARGEST))
    unequal = [rng.choice(["1/2", 1, 2, "0.3", 5]) for _ in range(k)]
    prior = rng.choice([[1] * k, ["1/2"] * k, *([unequal] if k < 5 else [])])
    n = rng.randint(1, k - 1) if number % 2 else rng.randint(1, LARGEST[k])
    return dc.PosteriorSpace(prior, n), Fraction(f"{10 ** rng.uniform(-0.8, 0.6):.3g}")


@pytest.mark.few(1)
@pytest.mark.parametrize("number", range(30))
def test_it_is_a_law_with_loss_epsilon_and_never_worse_than_the_others_with_bayes(number: int) -> None:
    space, epsilon = random_case(number)
    mechanism = noisy(space, epsilon)
    with precision(128):
        for counts in space.candidates():
            weights = list(mechanism.law(counts).enclosures())
            assert all(weight.is_finite() for weight in weights)  # every data set has the same outputs
            total = sum((weight.exp() for weight in weights), arb(0))
            assert total.contains(1)
            assert total.rad() < 1e-25
    audited = dc.audit(mechanism)
    assert audited.epsilon == epsilon
    assert float(audited.lower) == pytest.approx(float(epsilon), rel=1e-12)
    own = dc.accuracy(mechanism).mean
    assert own <= dc.accuracy(dc.Geometric(space, epsilon=epsilon, postprocess="bayes")).mean + 1e-9
    if space.n >= space.k:
        try:
            other = dc.TightConstraints(space, epsilon=epsilon, postprocess="bayes")
        except dc.InvalidInput:  # a weight would be negative there, and here none is
            return
        assert own <= dc.accuracy(other).mean + 1e-9


@pytest.mark.few(1)
@pytest.mark.parametrize(("k", "n"), [(4, 3), (3, 2), (4, 2), (3, 4), *itertools.product((3,), range(3, 17))])
def test_it_is_within_half_a_percent_of_the_programme(k: int, n: int) -> None:
    space = dc.PosteriorSpace([1] * k, n)
    assert dc.accuracy(noisy(space, "1/2")).mean <= 1.005 * dc.Optimal(space, epsilon="1/2").error


def test_where_tight_has_no_law_noisy_has_one() -> None:
    space = dc.PosteriorSpace([1] * 3, 8)
    with pytest.raises(dc.InvalidInput, match="negative"):
        dc.TightConstraints(space, epsilon="1/10")
    geometric = dc.Geometric(space, epsilon="1/10", postprocess="bayes")
    assert dc.accuracy(noisy(space, "1/10")).mean < dc.accuracy(geometric).mean


def test_what_geometric_emits_has_the_same_likelihood_but_for_a_constant() -> None:
    space = dc.PosteriorSpace([1, 2, 1], 4)
    tight, geometric = noisy(space, "0.4"), dc.Geometric(space, epsilon="0.4")
    for output in every_order(tight.weights):
        apart = tight.kernel.column(output).values - geometric.kernel.column(output).values
        assert np.ptp(apart) < 1e-12


def test_how_many_orders_are_how_far_is_counted_as_by_enumeration() -> None:
    outputs = ((-3, 1, 3, 3), (0, 1, 1, 2), (1, 1, 1, 1))
    counted = NoisyDistances(4, 4, outputs)
    for partition, row in counted.row_of.items():
        for column, output in enumerate(outputs):
            seen = [0] * 5
            for z in set(itertools.permutations(output)):
                seen[sum(max(c - max(value, 0), 0) for c, value in zip(partition, z, strict=True))] += 1
            at = (counted.rows == row) & (counted.columns == column)
            assert {int(s): int(x) for s, x in zip(counted.steps[at], counted.numbers[at], strict=True)} == {
                step: number for step, number in enumerate(seen) if number
            }


@pytest.mark.parametrize("values", [(0, 0, 0), (-2, 0, 1, 1), (1, 2, 3, 4), (5,)])
def test_orders_are_all_there_once(values: tuple[int, ...]) -> None:
    found = list(orders(values))
    assert found == sorted(set(itertools.permutations(values)))
    assert len(found) == number_of_orders(values)


def test_the_kernel_is_the_law() -> None:
    mechanism = noisy(dc.PosteriorSpace([1, "1/2", 2], 5), "0.3")
    for counts in ([5, 0, 0], [1, 2, 2]):
        with precision(128):
            truth = [float(mechanism.law(counts).log_probability(z)) for z in every_order(mechanism.weights)]
        assert mechanism.kernel.row(counts).values == pytest.approx(truth, abs=1e-12)
        assert np.logaddexp.reduce(mechanism.log_pmf(counts)) == pytest.approx(0, abs=1e-12)


@pytest.mark.few(1)
@pytest.mark.parametrize("counts", [(2, 1, 0, 0), (0, 1, 1, 1)])
def test_draws_are_the_law(counts: tuple[int, ...]) -> None:
    law = noisy(dc.PosteriorSpace([1] * 4, 3), "3/4").law(counts)
    every = list(every_order(law.weights))
    seen = tally(law._draw_many(HashedBits(f"noisy {counts}"), 2000).tolist())
    wrong = NoisyTightLaw(law.space, law.space.counts((0, 0, 0, 3)), law.weights)
    right, other = (dict(zip(every, np.exp(each.log_pmf()), strict=True)) for each in (law, wrong))
    assert fits(seen, right)
    assert not fits(seen, other)


def test_many_draws_are_as_many_draws() -> None:
    law = noisy(SPACE, "1/2").law((2, 0, 0))
    bits = HashedBits("one by one")
    assert law._draw_many(HashedBits("one by one"), 3).tolist() == [list(law._draw(bits)) for _ in range(3)]


def test_a_release_is_read_and_its_receipt_verified_with_the_outputs_that_it_names() -> None:
    mechanism = noisy(SPACE, "1/2")
    released = mechanism.release([2, 0, 0])
    receipt = released.receipt(["a", "b", "c"])
    assert receipt.document["mechanism"] == {
        "name": "tight",
        "way": "noisy",
        "weighting": "predictive",
        "outputs": "-2,2,2;0,1,1",
    }
    assert receipt.verify().method == "theorem"
    assert dc.Receipt.from_json(receipt.to_json()).verify().method == "theorem"
    belief = released.noise_aware()
    weights = np.exp(mechanism.kernel.column(released.output).values)
    assert belief.mean == pytest.approx(
        (weights[:, None] * (1 + SPACE.candidates().array()) / 5).sum(axis=0) / weights.sum()
    )


def test_a_receipt_that_names_other_outputs_is_refused() -> None:
    receipt = noisy(SPACE, "1/2").release([2, 0, 0]).receipt(["a", "b", "c"])
    document = json.loads(receipt.to_json())
    document["mechanism"]["outputs"] = "-1,1,2;0,1,1"
    with pytest.raises(dc.DiscreetError):
        dc.Receipt.from_json(json.dumps(document)).verify()


def test_a_receipt_of_tight_from_before_says_nothing_of_outputs() -> None:
    assert "outputs" not in dc.TightConstraints(SPACE, epsilon=1).parameters()
    eight = dc.PosteriorSpace([1, 1, 1], 8)
    read = dc.TightConstraints(eight, epsilon=1, postprocess="bayes")
    assert read.parameters() == {"way": "bayes", "weighting": "predictive"}


@pytest.mark.every
@pytest.mark.parametrize(
    "text",
    [
        "",
        "0,1,1",
        "0,1,1;0,1,1",
        "0,1,1;2,0,0",
        "0,1,1;-1,-1,4",
        "0,1,1;-2,2,3",
        "0,1,1;-3,2,3",
        "0,1,1;0,2",
        "0,1,1;-2,2,2;",
        "0,1,1;-,2,2",
        "0,1,1;-02,2,2",
        "0,1,1;" + "9" * 10_000,
        7,
    ],
)
def test_what_is_no_list_of_outputs_is_refused(text: Any) -> None:
    with pytest.raises(dc.InvalidInput, match="no noisy outputs of tight; leave them out") as refused:
        noisy(SPACE, "1/2", outputs=text)
    assert refused.value.parameter == "outputs"


@pytest.mark.every
@pytest.mark.parametrize(
    ("k", "n", "text"),
    [(3, 2, "-1,1,2;0,0,2"), (2, 3, "0,3;1,2"), (6, 3, "0,0,0,0,0,3;0,0,0,0,1,2;0,0,0,1,1,1")],
)
def test_outputs_are_read_as_they_are_named_as_long_as_their_orders_can_be_listed(
    k: int, n: int, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = dc.PosteriorSpace([1] * k, n)
    outputs = read_outputs(text, space)
    assert text_of(outputs) == text
    every = sum(len(set(itertools.permutations(output))) for output in outputs)
    monkeypatch.setattr(tight_outputs, "ENUMERABLE", every)
    assert read_outputs(text, space) == outputs
    monkeypatch.setattr(tight_outputs, "ENUMERABLE", every - 1)
    with pytest.raises(dc.TooLarge, match="orders"):
        read_outputs(text, space)


def test_two_negative_counts_are_none_of_a_noisy_output() -> None:
    right = "0,0,0,3;0,0,1,2;-1,1,1,2"
    assert len(read_outputs(right, dc.PosteriorSpace([1] * 4, 3))) == 3
    with pytest.raises(dc.InvalidInput, match="no noisy outputs"):
        read_outputs(right.replace("-1,1,1,2", "-1,-1,2,3"), dc.PosteriorSpace([1] * 4, 3))


@pytest.mark.every
@pytest.mark.parametrize(("k", "n"), [(2, 3), (3, 4), (8, 4)])
def test_all_outputs_are_those_of_at_most_one_negative_count_and_few_orders(k: int, n: int) -> None:
    sorted_counts = (
        itertools.combinations_with_replacement(range(-n * k, n + 1), k)
        if k < 4
        else [(n - sum(rest), *rest) for rest in itertools.combinations_with_replacement(range(n + 1), k - 1)]
    )
    expected = [z for z in sorted_counts if sum(z) == n and list(z) == sorted(z) and z[1] >= 0]
    found = _all_outputs(n, k)
    assert sorted(found) == sorted(z for z in expected if number_of_orders(z) <= 2**13)
    assert (len(found) < len(expected)) == (k == 8)


@pytest.mark.every
@pytest.mark.parametrize(("k", "n"), [(500, 1), (2, 127)])
def test_the_largest_spaces_have_500_candidates_or_64_partitions(k: int, n: int) -> None:
    require_few(dc.PosteriorSpace([1] * k, n))
    with pytest.raises(dc.TooLarge):
        require_few(dc.PosteriorSpace([1] * (k + (k > 2)), n + (k == 2)))


@pytest.mark.every
@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("prior", [("1", "1", "1"), ("1", "1", "5"), ("2", "1/2", "7")], ids=str)
def test_an_output_costs_what_its_best_reading_errs_in_the_mean_over_its_orders(
    prior: tuple[str, ...], weighting: Weighting
) -> None:
    space = dc.PosteriorSpace(list(prior), 2)
    outputs: list[tuple[int, ...]] = [(-2, 2, 2), (-1, 1, 2), (0, 1, 1), (0, 0, 2)]
    data, every = list(space.candidates()), enumerate_space(space.prior.parameters, 2)
    law = (uniform(3, 2) if weighting == "uniform" else prior_predictive(prior, 2)).values()

    def cost(z: tuple[int, ...]) -> float:
        steps = [sum(max(a - max(b, 0), 0) for a, b in zip(c, z, strict=True)) for c in data]
        weights = np.array([float(p) for p in law]) * np.exp(-0.3 * np.array(steps))
        return float((weights @ every.hellinger).min())

    kernel = np.exp(-0.3 * tight_outputs.steps_between(space.candidates().array(), outputs))
    found = _costs(space, Fraction(3, 10), outputs, kernel, weighting)
    expected = [np.mean([cost(z) for z in set(itertools.permutations(output))]) for output in outputs]
    assert found == pytest.approx(expected, rel=1e-12)


def test_what_would_take_too_many_products_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    nine = dc.PosteriorSpace([2, *[1] * 8], 3)  # 2^33.04 of them
    with pytest.raises(dc.TooLarge, match="too many orders"):
        _costs(nine, Fraction(1), _all_outputs(3, 9), np.zeros(0), "predictive")
    space = dc.PosteriorSpace([1, 2, 3], 2)
    outputs: list[tuple[int, ...]] = [(-2, 2, 2), (0, 1, 1)]
    monkeypatch.setattr(tight_outputs, "_MOST_PRODUCTS", 6 * 6**2)
    assert len(_costs(space, Fraction(1), outputs, np.zeros(0), "predictive")) == 2
    monkeypatch.setattr(tight_outputs, "_MOST_PRODUCTS", 6 * 6**2 - 1)
    with pytest.raises(dc.TooLarge, match="too many orders"):
        _costs(space, Fraction(1), outputs, np.zeros(0), "predictive")


def test_outputs_are_chosen_for_their_weighting_and_by_a_solver_that_came_to_an_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    space, epsilon = dc.PosteriorSpace(["1/10"] * 3, 2), Fraction(1, 5)
    chosen = {weighting: best_outputs(space, epsilon, weighting) for weighting in WEIGHTINGS}
    assert chosen["uniform"] != chosen["predictive"]
    assert {weighting: noisy(space, epsilon, weighting=weighting).outputs for weighting in WEIGHTINGS} == chosen
    stopped = SimpleNamespace(status=1, x=np.eye(len(_all_outputs(2, 3)))[:2].sum(axis=0))
    monkeypatch.setattr("scipy.optimize.linprog", lambda *_, **__: stopped)
    with pytest.raises(dc.InvalidInput, match="stands out"):
        best_outputs.__wrapped__(space, epsilon, "uniform")


def test_outputs_whose_weights_are_negative_or_nothing_are_refused() -> None:
    eight = dc.PosteriorSpace([1, 1, 1], 8)
    text = ";".join(f"{a},{b},{8 - a - b}" for a in range(3) for b in range(a, 8) if b <= 8 - a - b)
    with pytest.raises(dc.InvalidInput, match="negative"):
        noisy(eight, "0.1", outputs=text)
    space = dc.PosteriorSpace([1] * 3, 3)  # the first of these is as likely for all data: the others weigh nothing
    whole = NoisyDistances(3, 3, ((3, 3, 3), (0, 1, 2), (1, 1, 1)))
    assert not TightWeights(whole, Fraction(1)).positive
    with pytest.raises(dc.InvalidInput, match="no noisy outputs"):
        read_outputs("3,3,3;0,1,2;1,1,1", space)


@pytest.mark.every
@pytest.mark.parametrize(("k", "n"), [(3, 25), (4, 13), (7, 7), (50, 10**9)])
def test_large_spaces_are_refused_from_public_facts(k: int, n: int) -> None:
    with pytest.raises(dc.TooLarge) as refused:
        noisy(dc.PosteriorSpace([1] * k, n), 1)
    assert "geometric" in str(refused.value.hint)


def test_what_is_no_output_is_not_read() -> None:
    mechanism = noisy(SPACE, "1/2")
    for output in [(2, 0, 0), (-1, 1, 2), (-4, 3, 3)]:
        with pytest.raises(dc.InvalidInput, match="no output"):
            mechanism.posterior(output)
        with pytest.raises(dc.InvalidInput, match="no output"):
            dc.noise_aware(mechanism, output)


def test_only_noisy_names_outputs() -> None:
    with pytest.raises(dc.InvalidInput, match="only noisy"):
        dc.TightConstraints(SPACE, epsilon=1, outputs="-2,2,2;0,1,1")


def test_a_plan_recommends_it_where_it_is_clearly_better() -> None:
    plan = dc.plan(dc.PosteriorSpace([1] * 4, 3), epsilon="1/2")
    assert (plan.recommended, plan.setting) == ("tight", "noisy")
    assert plan.answer.above_least == pytest.approx(0, abs=1e-6)
    assert best_outputs(plan.space, Fraction(1, 2), "predictive")[0][0] < 0
