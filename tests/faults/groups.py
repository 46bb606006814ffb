"""The wrong way to release groups: each by itself, with its size published as if it were a public n."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb

from discreet import Geometric, PosteriorSpace


def naive_log_probability(counts: Sequence[int], output: Sequence[int], *, k: int, epsilon: Any) -> arb | None:
    """ln P(output | counts) of a release of ε for each group of k cells, None if it is impossible.

    Every group's noise keeps the group's total, so an output tells how large each group was.
    """
    total = arb(0)
    for first in range(0, len(counts), k):
        own, emitted = tuple(counts[first : first + k]), tuple(output[first : first + k])
        if sum(own) != sum(emitted):
            return None
        if sum(own):
            space = PosteriorSpace(prior=[1] * k, n=sum(own))
            total += Geometric(space, epsilon=epsilon).law(own).log_probability(emitted)
    return total
