"""The first release of a fresh process: nothing is compiled, cached or warm."""

from __future__ import annotations

from bench.fresh import probe, probe_beside_peers
from bench.questions.release import TARGETS, fastest_peer, measured
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
    found, rows = {}, []
    for (n, kind), at_least in TARGETS.items():
        found[n], firsts = probe_beside_peers((MECHANISM, n, 2), PEERS, effort)
        cold_name, cold = fastest_peer(firsts)
        warm_name, warm = fastest_peer(measured(n, kind, effort))
        name = f"first release, n = {n:,}, {kind}"
        rows.append(Row(name, found[n].first, cold, f"{cold_name}, its first", at_least=at_least))
        rows.append(Row(f"{name}, peer warm", found[n].first, warm, f"{warm_name}, warm", at_least=at_least))
    found |= dict(zip(ENDS, probe([(MECHANISM, n, 2) for n in ENDS], effort), strict=True))
    for what, small, large in [
        ("first release", found[ENDS[0]].first, found[ENDS[1]].first),
        ("further releases", found[ENDS[0]].again, found[ENDS[1]].again),
    ]:
        rows.append(Row(f"{what}, n = 10⁹ against n = 10³, peaked", large, small, "ours at n = 10³", at_most=2))
    body = [
        [f"{n:,}", *(amount(t, "s") for t in (one.imports, one.first, one.again)), ", ".join(one.imported) or "nothing"]
        for n, one in sorted(found.items())
    ]
    head = ["n", "imports, numpy among them", "first release", "further releases", "imported by the release itself"]
    return Answer(rows, lines_of_table(head, body))
