"""Exact maximum flow from points to related points, with capacities of any size.

SciPy's maximum flow is fast and exact but holds 32-bit integers. So the capacities are read a few binary digits at a
time, the high ones first: a maximum flow for the digits so far, doubled as often as digits come in, leaves a residual
whose maximum flow is below (number of points)·2^digits, because the minimum cut of before gains less than one unit
of 2^digits at each of its arcs. That fits, and all arcs may be cut down to it. What comes out is not trusted: the flow
is checked against a cut of the same value, in whole numbers of any size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow as sparse_flow

_LARGEST = 2**30 - 1
"""Two of these, forth and back along a pair, still fit in 32 bits."""


@dataclass(frozen=True)
class Flow:
    """A maximum flow: how much goes along each pair, its value, and the left points on the source's side of a cut."""

    along: list[int]
    value: int
    cut: list[int]


def maximum_flow(supply: Sequence[int], demand: Sequence[int], pairs: Sequence[tuple[int, int]]) -> Flow:
    """The most that can go from left points to right ones along pairs, within supplies and demands."""
    along = [0] * len(pairs)
    digits = (_LARGEST // max(len(supply) + len(demand), 1)).bit_length() - 1
    length = max((capacity.bit_length() for capacity in (*supply, *demand)), default=0)
    shift = -(-length // digits) * digits
    while shift > 0 and pairs:
        shift -= digits
        along = [f << digits for f in along]
        _augment(along, [c >> shift for c in supply], [c >> shift for c in demand], pairs)
    return _certify(along, supply, demand, pairs)


def _augment(along: list[int], supply: Sequence[int], demand: Sequence[int], pairs: Sequence[tuple[int, int]]) -> None:
    """Add a maximum flow of what is left to the flow `along` the pairs."""
    left, right = list(supply), list(demand)
    for f, (a, b) in zip(along, pairs, strict=True):
        left[a] -= f
        right[b] -= f
    source, sink = len(left) + len(right), len(left) + len(right) + 1
    tails = np.array([a for a, _ in pairs])
    heads = np.array([len(left) + b for _, b in pairs])
    rows = np.concatenate([np.full(len(left), source), np.arange(len(left), source), tails, heads])
    columns = np.concatenate([np.arange(len(left)), np.full(len(right), sink), heads, tails])
    capacities = np.concatenate([_cap(left), _cap(right), np.full(len(pairs), _LARGEST), _cap(along)])
    graph = csr_array((capacities.astype(np.int32), (rows, columns)), shape=(sink + 1, sink + 1))
    gained = sparse_flow(graph, source, sink).flow[tails, heads]
    for i, more in enumerate(np.asarray(gained).ravel().tolist()):
        along[i] += more


def _cap(capacities: list[int]) -> NDArray[np.int64]:
    return np.array([min(c, _LARGEST) for c in capacities], dtype=np.int64)


def _certify(along: list[int], supply: Sequence[int], demand: Sequence[int], pairs: Sequence[tuple[int, int]]) -> Flow:
    """The flow with a cut of the same value: the one cannot be greater nor the other less, so both are right."""
    left, right = list(supply), list(demand)
    onward: list[list[int]] = [[] for _ in supply]
    backward: list[list[int]] = [[] for _ in demand]
    for f, (a, b) in zip(along, pairs, strict=True):
        assert f >= 0, "a flow runs backward"
        left[a] -= f
        right[b] -= f
        onward[a].append(b)
        if f:
            backward[b].append(a)
    assert min(left, default=0) >= 0, "a supply is exceeded"
    assert min(right, default=0) >= 0, "a demand is exceeded"
    reached, drained = {a for a, rest in enumerate(left) if rest}, set[int]()
    waiting = list(reached)
    while waiting:
        for b in onward[waiting.pop()]:
            if b not in drained:
                drained.add(b)
                others = [a for a in backward[b] if a not in reached]
                reached.update(others)
                waiting.extend(others)
    value = sum(along)
    cut = sum(s for a, s in enumerate(supply) if a not in reached) + sum(demand[b] for b in drained)
    assert value == cut, "the flow is not maximal"
    return Flow(along, value, sorted(reached))
