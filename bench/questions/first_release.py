"""The first release of a fresh process: nothing is compiled, cached or warm."""

from __future__ import annotations

from bench.fresh import probe_beside_peers, run_probes
from bench.questions.release import TARGETS, fastest_peer, medians
from bench.rows import Answer, Effort, Row, amount, lines_of_table, question

MECHANISM = "exponential-reciprocal"
ENDS = (10**3, 10**9)
PEERS = 3
"""OpenDP's two and diffprivlib's Exponential; its PermuteAndFlip is the slowest by far."""


@question("first")
def ask(effort: Effort) -> Answer:
    """The first release of a fresh process.

    Exponential-reciprocal, balanced counts, ε = 1, as the first call after the imports, whose time is in the table
    below. It is compared with the peers' first release in a fresh process, in turns with ours, and also with the
    medians of their releases when they are warm, from the question before.
    """
    probes, rows = {}, []
    for (n, kind), at_least in TARGETS.items():
        probes[n], firsts = probe_beside_peers((MECHANISM, n, 2), PEERS, effort)
        cold_name, cold = fastest_peer(firsts)
        warm_name, warm = fastest_peer(medians(n, kind, effort))
        name = f"first release, n = {n:,}, {kind}"
        rows.append(Row(name, probes[n].first, cold, f"{cold_name}, its first", at_least=at_least))
        rows.append(Row(f"{name}, peer warm", probes[n].first, warm, f"{warm_name}, warm", at_least=at_least))
    probes |= dict(zip(ENDS, run_probes([(MECHANISM, n, 2) for n in ENDS], effort), strict=True))
    for what, small, large in [
        ("first release", probes[ENDS[0]].first, probes[ENDS[1]].first),
        ("further releases", probes[ENDS[0]].again, probes[ENDS[1]].again),
    ]:
        rows.append(Row(f"{what}, n = 10⁹ against n = 10³, peaked", large, small, "ours at n = 10³", at_most=2))
    body = [
        [f"{n:,}", *(amount(t, "s") for t in (p.imports, p.first, p.again)), ", ".join(p.imported) or "nothing"]
        for n, p in sorted(probes.items())
    ]
    head = ["n", "imports, numpy among them", "first release", "further releases", "imported by the release itself"]
    return Answer(rows, lines_of_table(head, body))
