"""Blocks cover everything once, however they grow."""

import numpy as np
import pytest

from discreet.arithmetic.growing_blocks import cut, doubling_edges, growing_edges


@pytest.mark.parametrize("last", [0, 1, 17, 1000, 10**9])
@pytest.mark.parametrize("growth", [0.0, 1.04, 1.5], ids=str)
def test_blocks_cover_everything_once(last: int, growth: float) -> None:
    if last > 1000 and growth == 0.0:
        pytest.skip("all of them would be single")
    edges = growing_edges(0, last, lambda at: growth * at)
    assert edges[0] == 0
    assert edges[-1] == last + 1
    assert (np.diff(edges) >= 1).all()
    if growth > 1:
        assert (np.diff(edges)[1:-1] <= np.maximum(1, growth * edges[1:-2])).all()


def test_doubling_edges_double_with_three_steps() -> None:
    edges = doubling_edges(65, 10**15)
    assert edges[0] == 65
    assert edges[-1] <= 10**15 < 2 * edges[-1]
    assert edges[3::3].tolist() == (65 * 2 ** np.arange(1, len(edges[3::3]) + 1)).tolist()


@pytest.mark.parametrize("start", [8, 10**4])
def test_doubling_edges_reach_a_last_one_that_is_among_them_and_not_beyond(start: int) -> None:
    for doubled in (0, 1, 3, 30):
        last = start * 2**doubled
        edges = doubling_edges(start, last)
        assert edges[0] == start
        assert edges[-1] == last
        assert len(edges) == 3 * doubled + 1
        assert doubling_edges(start, last - 1).tolist() == edges[:-1].tolist()


def test_parts_of_blocks_follow_each_other_and_differ_by_one_at_most() -> None:
    start, length = cut(np.array([0, 5, 10**15]), np.array([5, 3, 10**14 + 7]), np.array([2, 1, 10]))
    assert start.tolist()[:3] == [0, 2, 5]
    assert length.sum() == 5 + 3 + 10**14 + 7
    assert np.ptp(length[3:]) <= 1
    assert (start[4:] == (start + length)[3:-1]).all()
