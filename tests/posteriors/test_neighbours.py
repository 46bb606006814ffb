"""What one person may change: one record replaced by another, or one record more or less, and nothing else."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import Dirichlet, Geometric, PosteriorSpace, audit
from discreet.errors import InvalidInput, TooLarge
from discreet.posteriors.neighbours import AddRemove, ReplaceAnswer, ReplaceOne
from tests.oracles import spaces

SMALL = [(2, 1), (2, 7), (3, 4), (4, 3), (5, 2)]


@pytest.mark.parametrize(("k", "n"), SMALL)
def test_neighbours_are_what_replacing_one_record_of_the_data_leads_to(k: int, n: int) -> None:
    for c in spaces.candidates(k, n):
        found = list(ReplaceOne(n).neighbours(c))
        assert len(found) == len(set(found))
        assert sorted(found) == spaces.neighbours(c)


@pytest.mark.parametrize(("k", "n"), SMALL)
def test_the_distance_is_the_least_number_of_records_to_replace_and_one_between_neighbours(k: int, n: int) -> None:
    relation, every = ReplaceOne(n), spaces.candidates(k, n)
    for c in every:
        distances = {other: relation.distance(c, other) for other in every}
        assert distances == {other: spaces.hamming(c, other) for other in every}
        assert sorted(relation.neighbours(c)) == [other for other in every if distances[other] == 1]


@given(st.lists(st.integers(0, 10**12), min_size=2, max_size=6))
def test_being_neighbours_is_mutual_and_keeps_the_total(c: list[int]) -> None:
    relation = ReplaceOne(sum(c))
    for other in relation.neighbours(c):
        assert sum(other) == sum(c)
        assert min(other) >= 0
        assert tuple(c) in set(relation.neighbours(other))


def test_the_relation_has_a_name_that_receipts_can_carry() -> None:
    assert ReplaceOne(5).name == "replace-one"
    assert PosteriorSpace([1, 1], 5).adjacency == ReplaceOne(5)
    assert ReplaceOne(5) != ReplaceOne(6)


def test_where_groups_are_public_only_the_answer_may_be_replaced_and_the_space_says_so() -> None:
    public = PosteriorSpace(prior=[1, 1], n=3, adjacency="replace-answer")
    assert public.adjacency == ReplaceAnswer(3) != ReplaceOne(3)
    assert public != PosteriorSpace(prior=[1, 1], n=3)
    assert Geometric(public, epsilon=1).adjacency == audit(Geometric(public, epsilon=1)).certificate.facts["adjacency"]
    with pytest.raises(InvalidInput, match="no such adjacency"):
        PosteriorSpace(prior=[1, 1], n=3, adjacency="replace-two")


@pytest.mark.parametrize("cap", [None, 3])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_adding_and_removing_one_record_leads_to_the_neighbours_of_a_private_n(k: int, cap: int | None) -> None:
    relation, every = AddRemove(cap), list(product(range(5), repeat=k))
    allowed = [c for c in every if cap is None or sum(c) <= cap]
    for c in allowed:
        near = {other for other in allowed if sum(abs(a - b) for a, b in zip(c, other, strict=True)) == 1}
        found = list(relation.neighbours(c))
        assert len(found) == len(set(found))
        assert near == {other for other in found if max(other) < 5}
        assert all(relation.distance(c, other) == relation.moved == 1 for other in found)
        assert all(c in relation.neighbours(other) for other in found)


def test_a_space_without_n_is_of_add_remove_and_holds_none() -> None:
    space = PosteriorSpace(prior=[1, 1], n=None)
    assert space == PosteriorSpace([1, 1], adjacency="add-remove") != PosteriorSpace([1, 1], cap=4)
    assert (space.adjacency, space.adjacency.sizes, repr(space)) == (
        AddRemove(),
        {},
        "PosteriorSpace(prior=Dirichlet([1, 1]), n=None)",
    )
    with pytest.raises(InvalidInput, match="n is private"):
        _ = space.n
    with pytest.raises(TooLarge, match="without end"):
        space.candidates()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"n": 5, "adjacency": "add-remove"}, "n is private"),
        ({"n": 5, "cap": 9}, "n is private"),
        ({"adjacency": "replace-one"}, "n is public"),
        ({"cap": 5, "adjacency": "replace-answer"}, "n is public"),
        ({"cap": 0}, "cap"),
    ],
)
def test_a_space_says_which_adjacency_fits_what_is_public_of_n(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        PosteriorSpace(prior=[1, 1], **arguments)


def test_one_category_has_neighbours_only_where_a_record_may_be_absent() -> None:
    assert PosteriorSpace(prior=[1], n=None).k == 1
    with pytest.raises(InvalidInput, match="two categories"):
        PosteriorSpace(prior=[1], n=5)
    assert [end.tolist() for end in Dirichlet([3]).interval()] == [[1.0], [1.0]]


@pytest.mark.parametrize(("k", "cap"), [(1, 5), (2, 4), (3, 3)])
def test_the_candidates_under_a_cap_are_all_counts_within_it_in_their_order(k: int, cap: int) -> None:
    space = PosteriorSpace(prior=[1] * k, cap=cap)
    every = [c for c in product(range(cap + 1), repeat=k) if sum(c) <= cap]
    candidates = space.candidates()
    assert list(candidates) == candidates[:] == [tuple(row) for row in candidates.array().tolist()] == every
    assert [candidates.index(c) for c in every] == candidates.ranks(np.array(every)).tolist() == list(range(space.size))


def test_counts_of_a_private_n_may_have_any_total_and_the_message_does_not_tell_it() -> None:
    space = PosteriorSpace(prior=[1, 1], n=None)
    assert [tuple(space.counts(c)) for c in ([0, 0], [3, 10**14])] == [(0, 0), (3, 10**14)]
    for wrong in ([1], [1, -1], [1, 10**16], ["many", 2]):
        with pytest.raises(InvalidInput, match=r"^counts must be 2 whole numbers; "):
            space.counts(wrong)
