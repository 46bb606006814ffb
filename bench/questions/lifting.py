"""Liftings: how the exact least δ grows with the points and pairs."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from functools import partial

import discreet as dc
from bench.rows import Answer, Effort, Row, amount, lines_of_table, question
from bench.timing import race
from discreet_papers.verification import Log

SIZES = (250, 500, 1000, 2000)
PAIRS = 51
"""Related points for each point: about 10⁵ pairs at 2000 points."""

EPSILONS = {"rational": Log("1001/1000"), "irrational": "0.001"}
"""By the kind of number that e^ε is."""


def instance(size: int) -> tuple[dict[int, Fraction], dict[int, Fraction], list[tuple[int, int]]]:
    """Weights of 64 bits from a hash, made to sum to one; each point is related to itself and those that follow."""

    def weights(name: str) -> dict[int, Fraction]:
        digests = (hashlib.sha256(f"{name} {i}".encode()).digest() for i in range(size))
        parts = [int.from_bytes(digest[:8], "big") + 1 for digest in digests]
        return {i: Fraction(part, sum(parts)) for i, part in enumerate(parts)}

    band = [(i, i + j) for i in range(size) for j in range(PAIRS) if i + j < size]
    return weights("left"), weights("right"), band


@question("lifting")
def ask(effort: Effort) -> Answer:
    """The least δ of a lifting by exact maximum flow, as instances grow.

    n points on either side with random 64-bit weights and up to 51 related points each, so that the last has 10⁵ pairs.
    e^ε is 1001/1000 (rational: one flow) or e^0.001 (irrational: a flow at either end of its enclosure). Each answer is
    checked inside by a cut of the same value.
    """
    body, rows = [], []
    first: float | None = None
    for size in SIZES if effort.size > 10**5 else SIZES[:2]:
        one, other, relation = instance(size)
        calls = {name: partial(dc.lifting, one, other, relation, epsilon) for name, epsilon in EPSILONS.items()}
        medians = race(calls, Effort.exactly(3))
        least = calls["irrational"]().delta
        seconds = [amount(medians[name], "s") for name in EPSILONS]
        body.append([f"{size:,}", f"{len(relation):,}", *seconds, f"{float(least):.3e}"])
        name = f"lifting, {size:,} × {size:,} points, {len(relation):,} pairs"
        rows.append(Row(name, medians["rational"], first, "the smallest", grows=True))
        first = first or medians["rational"]
    return Answer(rows, lines_of_table(["points", "pairs", "rational e^ε", "irrational e^ε", "least δ"], body))
