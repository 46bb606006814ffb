"""How a release grows with n and with k: time, bits and memory, and the picture of it."""

from __future__ import annotations

from functools import partial

from bench.fresh import Case, Probe, probe
from bench.questions import geometric, release
from bench.questions.growth_picture import Line, Timed, paint
from bench.rows import Answer, Effort, Row, amount, lines_of_table, question

MECHANISMS = ("exponential-reciprocal", "exponential-global", "geometric", "laplace-improved")
RECORDS = tuple(10**e for e in range(2, 10))
CATEGORIES = (2, 10, 100, 1000, 10**4, 10**5)
N = geometric.N


@question("growth")
def ask(effort: Effort) -> Answer:
    """How a release grows with n and with k.

    Balanced counts, prior of ones, ε = 1; each cell is the median over fresh processes: further releases (space,
    mechanism and draw), the bits that a draw reads, and how far the first release raised the process's memory, as the
    operating system tells it.
    """
    by_n: list[Case] = [(name, n, 2) for name in MECHANISMS for n in RECORDS]
    by_k: list[Case] = [("geometric", N, k) for k in CATEGORIES]
    cases = list(dict.fromkeys(by_n + by_k))
    found = dict(zip(cases, probe(cases, effort), strict=True))
    rows = [
        Row(
            f"{name}, n = 10⁹ against n = 10²",
            found[name, RECORDS[-1], 2].again,
            found[name, RECORDS[0], 2].again,
            "ours at n = 10²",
            grows=True,
        )
        for name in MECHANISMS
    ]
    head = ["mechanism", "n", "k", "a release", "the first", "bits a draw", "memory"]
    picture = "![Time, bits and memory of a release against n and against k](images/bench-growth.png)"
    details = [picture, "", *lines_of_table(head, [_cells(case, one) for case, one in found.items()])]
    return Answer(rows, details, {"bench-growth.png": _picture(found, effort)})


def _cells(case: Case, found: Probe) -> list[str]:
    name, n, k = case
    measures = [amount(found.again, "s"), amount(found.first, "s"), f"{found.bits:,.0f}", amount(found.memory, "B")]
    return [name, f"{n:,}", f"{k:,}", *measures]


def _picture(found: dict[Case, Probe], effort: Effort) -> partial[None]:
    """What paints the picture; the peers' times are those of the questions before."""
    selected = {n: release.fastest_peer(release.measured(n, "peaked", effort))[1] for n in release.SIZES}
    noises = {k: geometric.measured(k, effort) for k in geometric.TARGETS}
    laplace = {k: geometric.fastest_exact_peer(one)[1] for k, one in noises.items()}
    draws = {k: one[geometric.DRAW] for k, one in noises.items()}
    return partial(
        paint,
        by_n=[Line(name, RECORDS, [found[name, n, 2] for n in RECORDS]) for name in MECHANISMS],
        by_k=[Line("geometric", CATEGORIES, [found["geometric", N, k] for k in CATEGORIES])],
        timed_by_n=[Timed("fastest peer, peaked", selected)],
        timed_by_k=[Timed("geometric, the draw alone", draws), Timed("OpenDP discrete Laplace", laplace)],
    )
