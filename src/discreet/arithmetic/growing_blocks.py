"""Blocks of whole numbers that grow away from where it matters: every sum over many counts, moves or rows is cut so."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from discreet.arithmetic.arrays import Wholes


def growing_edges(first: int, last: int, following: Callable[[int], float]) -> Wholes:
    """Where blocks of first … last begin, and the end of the last: each ends where `following` says, or is single.

    >>> growing_edges(1, 9, lambda at: 1.5 * at).tolist()
    [1, 2, 3, 4, 6, 9, 10]
    """
    edges = [first]
    while edges[-1] <= last:
        edges.append(min(max(edges[-1] + 1, int(following(edges[-1]))), last + 1))
    return np.array(edges, dtype=np.int64)


def doubling_edges(start: int, last: float, *, steps: int = 3) -> Wholes:
    """Edges from start on that double with every so many steps, up to a last one at most.

    >>> doubling_edges(8, 40).tolist()
    [8, 10, 12, 16, 20, 25, 32, 40]
    """
    count = steps * int(np.ceil(np.log2(max(last / start, 1.0)))) + 1
    edges = np.unique(np.floor(start * 2.0 ** (np.arange(count) / steps)).astype(np.int64))
    return edges[edges <= last]


def cut(start: Wholes, length: Wholes, parts: Wholes) -> tuple[Wholes, Wholes]:
    """Each block in so many parts.

    >>> import numpy as np
    >>> [part.tolist() for part in cut(np.array([0, 10]), np.array([10, 7]), np.array([1, 3]))]
    [[0, 10, 12, 14], [10, 2, 2, 3]]
    """
    number = np.arange(int(parts.sum())) - np.repeat(np.cumsum(parts) - parts, parts)
    long, all_ = np.repeat(length, parts), np.repeat(parts, parts)
    # Cuts at the whole numbers below j·length/parts, without a product too large for 64 bits.
    quotient, rest = long // all_, long % all_
    begin = number * quotient + number * rest // all_
    end = (number + 1) * quotient + (number + 1) * rest // all_
    return np.repeat(start, parts) + begin, end - begin
