"""The space of posteriors: candidates in order, ranks without enumeration, counts checked once."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import Beta, Dirichlet, InvalidInput, PosteriorSpace, TooLarge
from discreet.posteriors.neighbours import MAX_N
from discreet.posteriors.space import MAX_CELLS, Counts, require_enumerable
from tests.oracles import sensitivity, spaces

SMALL = [(2, 1), (2, 9), (3, 10), (4, 5), (5, 3), (7, 2)]


def ones(k: int, n: int) -> PosteriorSpace:
    return PosteriorSpace([1] * k, n)


@pytest.mark.parametrize(("k", "n"), SMALL)
def test_candidates_come_once_each_in_lexicographic_order(k: int, n: int) -> None:
    expected, found = spaces.candidates(k, n), ones(k, n).candidates()
    assert list(found) == expected
    assert [tuple(row) for row in found.array().tolist()] == expected
    assert [found[i] for i in range(len(expected))] == expected
    assert [found.index(r) for r in expected] == list(range(len(expected)))
    assert len(found) == found.size == ones(k, n).size == len(expected) == math.comb(n + k - 1, k - 1)


@given(st.integers(2, 6), st.integers(1, 10**9), st.data())
def test_ranks_and_candidates_are_inverse_at_any_size(k: int, n: int, data: st.DataObject) -> None:
    candidates = ones(k, n).candidates()
    rank = data.draw(st.integers(0, candidates.size - 2))
    found = candidates.unrank(rank)
    assert sum(found) == n
    assert min(found) >= 0
    assert candidates.index(found) == rank
    assert found < candidates.unrank(rank + 1)


def test_candidates_are_lazy_and_take_slices_and_negative_ranks() -> None:
    huge = ones(3, 10**9).candidates()
    assert list(itertools.islice(huge, 3)) == [(0, 0, 10**9), (0, 1, 10**9 - 1), (0, 2, 10**9 - 2)]
    assert huge[:2] == [(0, 0, 10**9), (0, 1, 10**9 - 1)]
    assert huge[-1] == (10**9, 0, 0)
    assert ones(2, 3).candidates()[1:3] == [(1, 2), (2, 1)]
    assert ones(2, 3).candidates()[::-2] == [(3, 0), (1, 2)]


@pytest.mark.parametrize("rank", [4, -5, 10**30])
def test_a_rank_that_nobody_has_is_refused(rank: int) -> None:
    with pytest.raises(IndexError):
        ones(2, 3).candidates()[rank]


# Counts


LISTS: list[object] = [[70, 50, 30], (70, 50, 30), ["70", "50", "30"], [70.0, 5e1, "3e1"], iter([70, 50, 30])]


@pytest.mark.parametrize("values", [*LISTS, np.array([70, 50, 30]), np.array([70, 50, 30], dtype=np.uint8)])
def test_counts_may_be_any_array_like(values: object) -> None:
    found = ones(3, 150).counts(values)
    assert tuple(found) == (70, 50, 30)
    assert ones(3, 150).counts(found) is found


WRONG_SHAPES: list[object] = [[70, 50], [70, 50, 30, 0], [[70, 50, 30]], "705030", 150, None, b"abc", []]
WRONG_ITEMS: list[object] = [
    [70, 50, 31],
    [150, 1, -1],
    [70.5, 49.5, 30],
    *([70, 50, x] for x in (None, True, "x", math.nan)),
]


@pytest.mark.parametrize("values", [*WRONG_SHAPES, *WRONG_ITEMS])
def test_what_are_no_counts_of_the_space_is_refused(values: object) -> None:
    with pytest.raises(InvalidInput, match="counts"):
        ones(3, 150).counts(values)


def test_counts_of_another_space_are_checked_again() -> None:
    with pytest.raises(InvalidInput):
        ones(3, 150).counts(ones(3, 151).counts([70, 50, 31]))
    with pytest.raises(InvalidInput):
        ones(3, 150).counts(ones(2, 150).counts([70, 80]))


def test_counts_show_nothing() -> None:
    found = ones(2, 7919 + 5).counts([7919, 5])
    for shown in (repr(found), str(found), f"{found}", f"{found!r}", f"{[found]}", f"{ {'c': found} }"):
        assert "7919" not in shown


# The space itself


def test_a_space_takes_a_prior_in_any_form() -> None:
    assert PosteriorSpace(prior=["1", 1.0], n=5) == PosteriorSpace(Beta(1, 1), "5")
    assert hash(PosteriorSpace(Beta(1, 1), 5)) == hash(PosteriorSpace([1, 1], 5))
    assert PosteriorSpace([1, "0.5", 2], 5).prior == Dirichlet([1, 0.5, 2])
    assert PosteriorSpace([1, 1], 5).k == 2


@pytest.mark.parametrize("n", [0, -1, 2.5, "nan", True, "1e400", "٣", [5]])
def test_an_n_that_is_no_number_of_records_is_refused_and_so_is_what_is_no_prior(n: object) -> None:
    with pytest.raises(InvalidInput):
        PosteriorSpace([1, 1], n)
    with pytest.raises(InvalidInput):
        PosteriorSpace([1, 0], 5)


def test_neighbours_and_posteriors_are_those_of_the_counts() -> None:
    space = PosteriorSpace(["0.5", 2, 1], 4)
    assert sorted(tuple(c) for c in space.neighbours([1, 0, 3])) == spaces.neighbours((1, 0, 3))
    assert all(isinstance(c, Counts) for c in space.neighbours([1, 0, 3]))
    assert space.posterior([1, 0, 3]) == Dirichlet(["1.5", 2, 4])


def test_the_distance_is_hellinger() -> None:
    space = PosteriorSpace(["0.5", 2, 1], 4)
    for c in spaces.candidates(3, 4):
        for r in spaces.candidates(3, 4):
            expected = float(sensitivity.between(("0.5", 2, 1), c, r))
            assert space.distance(c, r) == pytest.approx(expected, rel=1e-13)
    with pytest.raises(InvalidInput):
        space.distance([1, 0, 3], [1, 0, 4])


# What would not fit


@pytest.mark.parametrize(("k", "n"), [(2, MAX_CELLS), (3, 10**5), (10, 10**3), (100, 10**12), (10**4, 10)])
def test_an_array_that_would_not_fit_is_refused_with_its_size_and_what_to_do(k: int, n: int) -> None:
    with pytest.raises(TooLarge, match=r"would enumerate .* candidates; use"):
        ones(k, n).candidates().array()


def test_the_size_is_shown_exactly_while_it_can_be_read() -> None:
    with pytest.raises(TooLarge, match="5,000,150,001"):
        require_enumerable(ones(3, 10**5))
    with pytest.raises(TooLarge, match=r"about 10\^"):
        require_enumerable(ones(100, 10**9))


@pytest.mark.parametrize(("k", "n", "limit"), [(2, 99, 100), (3, 10, 66), (4, 5, 56)])
def test_the_limit_itself_is_allowed_and_one_less_is_not(k: int, n: int, limit: int) -> None:
    assert ones(k, n).size == limit
    require_enumerable(ones(k, n), limit=limit)
    with pytest.raises(TooLarge):
        require_enumerable(ones(k, n), limit=limit - 1)
    with pytest.raises(TooLarge):
        require_enumerable(ones(k, n), 2, limit=2 * limit - 1)


def test_spaces_beyond_every_sense_are_refused_and_the_largest_allowed() -> None:
    assert PosteriorSpace([1, 1], MAX_N).n == 10**15
    with pytest.raises(TooLarge):
        PosteriorSpace([1, 1], MAX_N + 1)
