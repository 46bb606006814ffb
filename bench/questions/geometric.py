"""Integer noise: the geometric mechanism beside the discrete Laplace of the peers."""

from __future__ import annotations

from functools import cache

import discreet as dc
from bench import peers
from bench.probe import balanced
from bench.rows import Answer, Effort, Row, amount, lines_of_table, question
from bench.timing import race

N = 10**6
DRAW, RELEASE = "discreet, a draw", "discreet, a release"
TARGETS = {2: 5, 100: 3, 10**5: 1}


@cache
def medians(k: int, effort: Effort) -> dict[str, float]:
    """Median seconds of our draw from a prepared law, of our whole release, and of every peer's noise."""
    counts = balanced(N, k)
    space = dc.PosteriorSpace(prior=dc.Dirichlet([1] * k), n=N)
    mechanism = dc.Geometric(space, epsilon=1)
    law = mechanism.law(counts)
    ours = {DRAW: law.draw, RELEASE: lambda: mechanism.release(counts)}
    return race({**ours, **peers.discrete_laplace(counts, 1.0)}, effort)


def fastest_exact_peer(seconds: dict[str, float]) -> tuple[str, float]:
    """The fastest form of OpenDP, the one peer whose integer noise is exact."""
    name = min((name for name in seconds if name.startswith("OpenDP")), key=seconds.__getitem__)
    return name, seconds[name]


@question("geometric")
def ask(effort: Effort) -> Answer:
    """A draw of the geometric mechanism, beside OpenDP's discrete Laplace.

    n = 10⁶, ε = 1, everything prepared on both sides: ours draws noisy counts from its law, OpenDP calls a measurement
    that was built once. For k = 2 OpenDP adds noise of scale 1/ε to one count, for more it adds noise of scale 2/ε to
    each, and the total is not kept. A release of ours also checks the counts and makes the posterior.
    """
    cases = {k: medians(k, effort) for k in TARGETS}
    rows = []
    for k, seconds in cases.items():
        peer_name, peer = fastest_exact_peer(seconds)
        rows.append(Row(f"geometric draw, k = {k:,}", seconds[DRAW], peer, peer_name, at_least=TARGETS[k]))
        rows.append(Row(f"geometric release, k = {k:,}", seconds[RELEASE], peer, peer_name))
    details: list[str] = []
    for k, seconds in cases.items():
        body = [[name, amount(value, "s")] for name, value in seconds.items()]
        details += [*lines_of_table([f"k = {k:,}", "median"], body), ""]
    return Answer(rows, details[:-1])
