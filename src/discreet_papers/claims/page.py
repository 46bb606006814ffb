"""The page of claims, docs/claims.md: every verdict on it is computed when the page is written."""

from __future__ import annotations

from collections import Counter
from typing import Any

from discreet_papers.claims import CLAIMS
from discreet_papers.claims.base import Claim, Finding, Verdict

SEEDS = {
    "000": "Notes of DP - Bayesian Inference",
    "001": "Tailoring Differentially Private Bayesian Inference to Distance Between Distributions",
    "002": "Differentially Private Bayesian Inference",
    "003": "Notes of DP - Bayesian Inference",
    "004": "Verifying Snapping Mechanism",
}
"""The documents this project grew from, by the number they are cited with."""

_NOTE = {"003": ", the later notes, with Dirichlet priors"}

HEAD = """# The seeds' claims, checked

Written by `python -m discreet_papers.claims > docs/claims.md`; do not edit. Every verdict and number on this page
is computed by that command, and a test holds the page to it.

This project grew from five documents, which are not part of it:

{seeds}

Their statements that can be checked are checked here, each by a test that takes a reading of the statement and says
whether it is true: **holds** if it is true as printed, **holds with a correction** if it is true only when put right
as the last column says, **fails** if nothing like it is true. Nothing is drawn: errors and losses are exact, so a
verdict does not depend on luck; it speaks of the settings that it names.

{counts}
"""


def page() -> str:
    """The whole page."""
    checked: dict[str, list[tuple[Claim[Any], Finding]]] = {}
    for claim in CLAIMS.values():
        checked.setdefault(claim.subject, []).append((claim, claim.check()))
    totals = Counter(finding.verdict for rows in checked.values() for _, finding in rows)
    counts = ", ".join(f"{totals[verdict]} {_plural(verdict, totals[verdict])}" for verdict in Verdict)
    seeds = "\n".join(f"- seed {number}: *{title}*{_NOTE.get(number, '')}" for number, title in SEEDS.items())
    parts = [HEAD.format(seeds=seeds, counts=f"Of {totals.total()} claims, {counts}.")]
    parts += [f"## {title}\n\n{_table(rows)}" for title, rows in checked.items()]
    return "\n".join(parts)


def _plural(verdict: Verdict, number: int) -> str:
    return verdict.value if number == 1 else verdict.value.replace("holds", "hold").replace("fails", "fail")


def _table(rows: list[tuple[Claim[Any], Finding]]) -> str:
    lines = ["| claim | the seed says | verdict | settings | counterexample | is |", "|---|---|---|---|---|---|"]
    for claim, found in rows:
        said = f"{claim.source}: {claim.says}"
        cells = (f"`{claim.id}`", said, f"**{found.verdict.value}**", found.settings, found.counterexample, found.is_)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"
