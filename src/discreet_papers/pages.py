"""The pages of claims and of open questions, docs/claims.md and docs/questions.md: every number is computed anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from discreet.figures.image import render
from discreet_papers.claims import CLAIMS, Claim, Finding, Verdict
from discreet_papers.registry import ENTRIES, Study

PAPERS = {
    "000": "Notes of DP - Bayesian Inference",
    "001": "Tailoring Differentially Private Bayesian Inference to Distance Between Distributions",
    "002": "Differentially Private Bayesian Inference",
    "003": "Notes of DP - Bayesian Inference",
    "004": "Verifying Snapping Mechanism",
}
"""The documents this project grew from, by the number they are cited with."""

_NOTE = {"003": ", the later notes, with Dirichlet priors"}

QUESTIONS = {
    "normalisers": ("What is N(n)?", 'paper 001 §6.2: "we haven\'t figured out the formula of this N(n)"'),
    "tightness": ("How tight is the loss, and what does calibrating buy?", "paper 001 §8, second direction"),
    "winners": ("When does M_H beat which baseline?", "paper 001 §8, first direction"),
    "scores": ("Other distances as the score?", "paper 001 §8, third direction"),
}
"""The modules of `questions`, with the question and where it was asked."""

CLAIMS_HEAD = """# The papers' claims, checked

Written by `python -m discreet_papers docs claims`; do not edit. Every verdict and number on this page is computed by
that command, and a test holds the page to it.

This project grew from five documents, which are not part of it:

{papers}

Their statements that can be checked are checked here, each by a test that takes a reading of the statement and says
whether it is true: **holds** if it is true as printed, **holds with a correction** if it is true only when put right
as the last column says, **fails** if nothing like it is true. Nothing is drawn: errors and losses are exact, so a
verdict does not depend on luck; it speaks of the settings that it names.

{counts}
"""

QUESTIONS_HEAD = """# The papers' open questions, answered

Written by `python -m discreet_papers docs questions`; do not edit. Every number is computed by that command, and
the tests hold the page to it. The same figures come with their tables from `discreet reproduce`.
"""


def claims_page(claims: Iterable[Claim[Any]]) -> str:
    """The whole page of claims, each checked now."""
    findings: dict[str, list[tuple[Claim[Any], Finding]]] = {}
    for claim in claims:
        findings.setdefault(claim.subject, []).append((claim, claim.check()))
    totals = Counter(finding.verdict for rows in findings.values() for _, finding in rows)
    counts = ", ".join(f"{totals[verdict]} {_plural(verdict, totals[verdict])}" for verdict in Verdict)
    papers = "\n".join(f"- paper {number}: *{title}*{_NOTE.get(number, '')}" for number, title in PAPERS.items())
    parts = [CLAIMS_HEAD.format(papers=papers, counts=f"Of {totals.total()} claims, {counts}.")]
    parts += [f"## {subject}\n\n{_table(rows)}" for subject, rows in findings.items()]
    return "\n".join(parts)


def _plural(verdict: Verdict, number: int) -> str:
    return verdict.value if number == 1 else verdict.value.replace("holds", "hold").replace("fails", "fail")


def _table(rows: list[tuple[Claim[Any], Finding]]) -> str:
    lines = ["| claim | the paper says | verdict | settings | counterexample | is |", "|---|---|---|---|---|---|"]
    for claim, finding in rows:
        statement, verdict = f"{claim.source}: {claim.says}", f"**{finding.verdict.value}**"
        cells = (f"`{claim.id}`", statement, verdict, finding.settings, finding.counterexample, finding.is_)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def study(name: str) -> Study:
    """The module that answers a question."""
    return next(entry for entry in ENTRIES if entry.module == f"questions.{name}").study()


def question(name: str, result: Any) -> str:
    """One question: where it was title, the answer, the picture and what it was made from."""
    title, source = QUESTIONS[name]
    answer, settings = "\n\n".join(study(name).sentences(result)), study(name).settings(False)
    facts = "\n".join(f"- {what}: {value}" for what, value in settings.items())
    return f"## {title}\n\nAsked in {source}.\n\n{answer}\n\n![{title}](images/question-{name}.png)\n\n{facts}\n"


def write_claims(folder: Path) -> None:
    """Check all claims and write their page."""
    (folder / "claims.md").write_text(claims_page(CLAIMS.values()), encoding="utf-8")


def write_questions(folder: Path) -> None:
    """Compute all answers, and write their page and its pictures."""
    parts = [QUESTIONS_HEAD]
    for name in QUESTIONS:
        result = study(name).numbers(False)
        parts.append(question(name, result))
        (folder / "images" / f"question-{name}.png").write_bytes(render(study(name).paint(result), "png"))
    (folder / "questions.md").write_text("\n".join(parts), encoding="utf-8")
