"""What one person may change: one record replaced by another, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import Geometric, PosteriorSpace, audit
from discreet.errors import InvalidInput
from discreet.posteriors.neighbours import ReplaceAnswer, ReplaceOne
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
        PosteriorSpace(prior=[1, 1], n=3, adjacency="add-remove")
