"""Liftings: the least δ against brute force over all events, and every witness and counterexample checked apart."""

import random
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import discreet as dc
from discreet_papers.verification import Lifting, Log
from discreet_papers.verification.checks import is_counterexample, is_witness
from discreet_papers.verification.flow import maximum_flow

Weights = dict[Any, Fraction]
Relation = list[tuple[Any, Any]]


def instance(seed: int) -> tuple[Weights, Weights, Relation, Fraction]:
    """Two random sub-distributions with rational weights, a random relation, and e^ε. Some points have no partner."""
    rng = random.Random(f"lifting {seed}")  # noqa: S311 - a reproducible instance, not a secret

    def weights(name: str) -> Weights:
        parts = [rng.choice([0, rng.randint(1, 9), rng.randint(1, 999)]) for _ in range(rng.randint(1, 6))]
        total = max(sum(parts) + rng.choice([0, 0, 1, 5]), 1)
        return {f"{name}{i}": Fraction(part, total) for i, part in enumerate(parts)}

    one, other = weights("a"), weights("b")
    density = rng.choice([0.15, 0.4, 0.8])
    relation: Relation = [(a, b) for a in one for b in other if rng.random() < density]
    return one, other, relation, 1 + Fraction(rng.randint(0, 20), rng.randint(1, 10))


def by_all_events(one: Weights, other: Weights, relation: Relation, factor: Fraction) -> Fraction:
    """max over E of μ₁(E) - e^ε·μ₂(Ψ(E))."""
    best = Fraction(0)
    for event in chain.from_iterable(combinations(one, size) for size in range(len(one) + 1)):
        image = {b for a, b in relation if a in event}
        best = max(best, sum(one[a] for a in event) - factor * sum(other[b] for b in image))
    return best


def has_witness(
    lifting: Lifting, one: Weights, other: Weights, relation: Relation, factor: Fraction, *, star: bool = True
) -> bool:
    """Whether its own witness passes the independent check."""
    assert lifting.left is not None
    assert lifting.right is not None
    return is_witness(lifting.left, lifting.right, one, other, relation, factor, lifting.witnessed, star=star)


def by_linear_programme(one: Weights, other: Weights, relation: Relation, factor: Fraction) -> float | None:
    """The paper's form as it is written: min Σ d with d ≥ μ_L - e^ε·μ_R; None if it has no solution."""
    pairs, a_list, b_list = len(relation), list(one), list(other)
    if not pairs:
        return 0.0 if not sum(one.values()) and not sum(other.values()) else None
    equal = np.zeros((len(a_list) + len(b_list), 3 * pairs))
    for i, (a, b) in enumerate(relation):
        equal[a_list.index(a), i] = 1
        equal[len(a_list) + b_list.index(b), pairs + i] = 1
    above = np.hstack([np.eye(pairs), -float(factor) * np.eye(pairs), -np.eye(pairs)])
    cost = np.concatenate([np.zeros(2 * pairs), np.ones(pairs)])
    sums = [float(weight) for weight in (*one.values(), *other.values())]
    solved = linprog(cost, A_ub=above, b_ub=np.zeros(pairs), A_eq=equal, b_eq=sums)
    return float(solved.fun) if solved.status == 0 else None


@pytest.mark.parametrize("seed", range(300))
def test_the_least_delta_is_that_of_all_events_and_both_proofs_pass_the_independent_check(seed: int) -> None:
    one, other, relation, factor = instance(seed)
    lifting = dc.lifting(one, other, relation, Log(factor))
    delta = lifting.delta.enclosure().upper
    assert delta == by_all_events(one, other, relation, factor) == lifting.witnessed
    assert has_witness(lifting, one, other, relation, factor)
    assert is_counterexample(lifting.event, one, other, relation, factor, delta)


@pytest.mark.parametrize("seed", range(60))
def test_the_paper_s_form_is_its_linear_programme_and_exists_when_that_has_a_solution(seed: int) -> None:
    one, other, relation, factor = instance(seed)
    lifting = dc.lifting(one, other, relation, Log(factor), form="paper")
    expected = by_linear_programme(one, other, relation, factor)
    assert lifting.exists == (expected is not None)
    if expected is None:
        assert lifting.stranded
        assert all({**one, **other}[point] > 0 for point in lifting.stranded)
        assert not any(point in pair for point in lifting.stranded for pair in relation)
        return
    assert float(lifting.delta) == pytest.approx(expected, abs=1e-9)
    assert has_witness(lifting, one, other, relation, factor, star=False)


@pytest.mark.parametrize("seed", range(300, 340))
def test_an_irrational_factor_gives_an_exact_delta_and_rational_proofs_on_both_sides(seed: int) -> None:
    one, other, relation, _ = instance(seed)
    lifting = dc.lifting(one, other, relation, "0.7")
    low, high = lifting.delta.factor.between(192)
    assert low < high
    inner = lifting.delta.enclosure()
    assert inner.lower <= by_all_events(one, other, relation, low)
    assert by_all_events(one, other, relation, high) <= inner.upper
    assert has_witness(lifting, one, other, relation, low)
    assert is_counterexample(lifting.event, one, other, relation, high, inner.lower)
    assert lifting.witnessed - inner.lower < Fraction(1, 2**150)


def test_a_wrong_witness_and_a_wrong_counterexample_are_told_from_right_ones() -> None:
    one: Weights = {"a": Fraction(1, 2), "b": Fraction(1, 2)}
    other: Weights = {"x": Fraction(1, 4), "y": Fraction(3, 4)}
    relation: Relation = [("a", "x"), ("b", "y")]
    lifting = dc.lifting(one, other, relation, Log("3/2"))
    delta = lifting.witnessed
    assert lifting.left is not None
    assert lifting.right is not None
    arguments = (one, other, relation, Fraction(3, 2))
    assert is_witness(lifting.left, lifting.right, *arguments, delta, star=True)
    assert not is_witness(lifting.left, lifting.right, *arguments, delta - Fraction(1, 10**9), star=True)
    assert not is_witness(lifting.left, lifting.right, *arguments, delta, star=False)
    moved = {**lifting.left, ("a", "y"): Fraction(1, 10**9)}
    assert not is_witness(moved, lifting.right, *arguments, delta, star=True)
    assert not is_witness(lifting.right, lifting.left, *arguments, Fraction(1), star=True)
    assert is_counterexample({"a"}, *arguments, delta)
    assert not is_counterexample({"b"}, *arguments, delta)
    assert not is_counterexample({"a"}, *arguments, delta + Fraction(1, 10**9))


def test_equality_is_lifted_by_the_sum_of_positive_parts() -> None:
    one = {i: Fraction(w, 10) for i, w in enumerate((1, 2, 3, 4))}
    other = {i: Fraction(w, 10) for i, w in enumerate((4, 3, 2, 1))}
    lifting = dc.lifting(one, other, lambda a, b: a == b, Log("3/2"))
    assert lifting.delta.enclosure().upper == sum(max(Fraction(0), one[i] - Fraction(3, 2) * other[i]) for i in one)
    assert lifting.event == {3}


def test_capacities_of_hundreds_of_digits_flow_exactly() -> None:
    big = 10**300
    flow = maximum_flow([big + 1, big - 1], [big, 7, big], [(0, 0), (0, 1), (1, 1), (1, 2)])
    assert flow.value == big + 1 + big - 1
    tight = maximum_flow([3**500, 5**300], [2**700], [(0, 0), (1, 0)])
    assert tight.value == min(3**500 + 5**300, 2**700)


def test_nothing_flows_where_nothing_is_related() -> None:
    lifting = dc.lifting({"a": 1}, {"b": 1}, [], 1)
    assert lifting.witnessed == 1
    assert lifting.event == {"a"}
    assert dc.lifting({}, {"b": 1}, [], 1).witnessed == 0


def test_two_hundred_points_with_five_thousand_pairs_are_solved_and_checked() -> None:
    rng = random.Random("large")  # noqa: S311
    weights = [[rng.getrandbits(50) for _ in range(200)] for _ in range(2)]
    one, other = ({i: Fraction(w, sum(side)) for i, w in enumerate(side)} for side in weights)
    relation = list({(a, (a + rng.randint(-12, 12)) % 200) for a in range(200) for _ in range(25)})
    lifting = dc.lifting(one, other, relation, Log("1.05"))
    assert has_witness(lifting, one, other, relation, Fraction("1.05"))
    assert is_counterexample(lifting.event, one, other, relation, Fraction("1.05"), lifting.witnessed)


@pytest.mark.parametrize(
    "arguments",
    [({"a": -1}, {"b": 1}, []), ({"a": "0.6", "b": "0.6"}, {"b": 1}, []), ({"a": 1}, {"b": 1}, [("a", "c")])],
)
def test_what_is_no_distribution_or_relation_is_refused(arguments: tuple[object, object, object]) -> None:
    with pytest.raises(dc.InvalidInput):
        dc.lifting(*arguments, 1)  # type: ignore[arg-type]
    with pytest.raises(dc.InvalidInput, match="form"):
        dc.lifting({}, {}, [], 1, form="other")  # type: ignore[arg-type]
