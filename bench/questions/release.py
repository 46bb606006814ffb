"""A full release from counts, beside peers who do the same from counts."""

from __future__ import annotations

from functools import cache
from typing import Literal

import discreet as dc
from bench import peers
from bench.probe import balanced
from bench.rows import Answer, Effort, Row, amount, lines_of_table, question
from bench.timing import race

Kind = Literal["flat", "peaked"]

OURS = "discreet"
KINDS: tuple[Kind, ...] = ("flat", "peaked")
SIZES = (1000, 15_000, 10**6)
TARGETS: dict[tuple[int, Kind], float] = {(15_000, "peaked"): 10, (10**6, "peaked"): 500}


@cache
def medians(n: int, kind: Kind, effort: Effort) -> dict[str, float]:
    """Median seconds of everyone's release; kept, so that other questions compare with the same numbers."""
    counts = balanced(n, 2)
    return race({OURS: lambda: build(n, kind).release(counts), **rivals(n, kind)}, effort)


def build(n: int, kind: Kind) -> dc.ExponentialGlobal | dc.ExponentialReciprocal:
    """Our mechanism, from nothing."""
    space = dc.PosteriorSpace(prior=dc.Beta(1, 1), n=n)
    return dc.ExponentialGlobal(space, epsilon=1) if kind == "flat" else dc.ExponentialReciprocal(space, epsilon=1)


def rivals(n: int, kind: Kind) -> dict[str, peers.Call]:
    """The peers' releases of the same, who need not find the sensitivity or the scale."""
    ours = build(n, kind)
    counts = ours.space.counts(balanced(n, 2))
    return peers.selections(n, counts[0], float(1 / ours.inverse_sensitivity(counts)), float(ours.scale))


def fastest_peer(seconds: dict[str, float]) -> tuple[str, float]:
    """The peer with the least median, and that median."""
    name = min((name for name in seconds if name != OURS), key=seconds.__getitem__)
    return name, seconds[name]


@question("release")
def ask(effort: Effort) -> Answer:
    """A full release from counts, beside the fastest peer.

    Prior Beta(1, 1), balanced counts, ε = 1. Ours builds the space and the mechanism and releases: sensitivity, law and
    draw. A peer computes the Hellinger scores of all candidates with scipy and selects from them with the same scale;
    the sensitivity is given to it for free. Flat: exponential-global. Peaked: exponential-reciprocal.
    """
    cases = [(n, kind, medians(n, kind, effort)) for n in SIZES for kind in KINDS]
    rows = []
    for n, kind, seconds in cases:
        peer_name, peer = fastest_peer(seconds)
        name = f"release, n = {n:,}, {kind}"
        rows.append(Row(name, seconds[OURS], peer, peer_name, at_least=TARGETS.get((n, kind))))
    names = list(cases[0][2])
    body = [
        [f"n = {n:,}, {kind}", *(amount(seconds[name], "s") if name in seconds else "–" for name in names)]
        for n, kind, seconds in cases
    ]
    return Answer(rows, lines_of_table(["one release", *names], body))
