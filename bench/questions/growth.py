"""How a release grows with n and with k: time, bits and memory, and the picture of it."""

from __future__ import annotations

from functools import partial

from bench.fresh import Case, Probe, run_probes
from bench.questions import geometric, release
from bench.questions.growth_picture import paint
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
    probes = dict(zip(cases, run_probes(cases, effort), strict=True))
    rows = []
    for name in MECHANISMS:
        small, large = (probes[name, n, 2].again for n in (RECORDS[0], RECORDS[-1]))
        rows.append(Row(f"{name}, n = 10⁹ against n = 10²", large, small, "ours at n = 10²", grows=True))
    head = ["mechanism", "n", "k", "a release", "the first", "bits a draw", "memory"]
    picture = "![Time, bits and memory of a release against n and against k](images/bench-growth.png)"
    details = [picture, "", *lines_of_table(head, [_cells(case, probe) for case, probe in probes.items()])]
    return Answer(rows, details, {"bench-growth.png": _picture(probes, effort)})


def _cells(case: Case, probe: Probe) -> list[str]:
    name, n, k = case
    measures = [amount(probe.again, "s"), amount(probe.first, "s"), f"{probe.bits:,.0f}", amount(probe.memory, "B")]
    return [name, f"{n:,}", f"{k:,}", *measures]


def _picture(probes: dict[Case, Probe], effort: Effort) -> partial[None]:
    """What paints the picture; the peers' times are those of the questions before."""
    selections = {n: release.fastest_peer(release.medians(n, "peaked", effort))[1] for n in release.SIZES}
    noises = {k: geometric.medians(k, effort) for k in geometric.TARGETS}
    laplace = {k: geometric.fastest_exact_peer(seconds)[1] for k, seconds in noises.items()}
    draws = {k: seconds[geometric.DRAW] for k, seconds in noises.items()}
    return partial(
        paint,
        by_n={name: {n: probes[name, n, 2] for n in RECORDS} for name in MECHANISMS},
        by_k={"geometric": {k: probes["geometric", N, k] for k in CATEGORIES}},
        seconds_by_n={"fastest peer, peaked": selections},
        seconds_by_k={"geometric, the draw alone": draws, "OpenDP discrete Laplace": laplace},
    )
