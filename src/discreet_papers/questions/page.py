"""The page of open questions, docs/questions.md: sentences and pictures from the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from discreet.figures.image import render

if TYPE_CHECKING:
    from discreet_papers.registry import Study

QUESTIONS = {
    "normalisers": ("What is N(n)?", 'seed 001 §6.2: "we haven\'t figured out the formula of this N(n)"'),
    "tightness": ("How tight is the loss, and what does calibrating buy?", "seed 001 §8, second direction"),
    "winners": ("When does M_H beat which baseline?", "seed 001 §8, first direction"),
    "scores": ("Other distances as the score?", "seed 001 §8, third direction"),
}
"""The modules of this room, with the question and where it was asked."""

HEAD = """# The seeds' open questions, answered

Written by `python -m discreet_papers.questions docs`; do not edit. Every number is computed by that command, and
the tests hold the page to it. The same figures come with their tables from `discreet reproduce`.
"""


def study(name: str) -> Study:
    """The module that answers a question."""
    return cast("Study", import_module(f"discreet_papers.questions.{name}"))


def section(name: str, shown: Any) -> str:
    """One question: where it was asked, the answer, the picture and what it was made from."""
    question, asked = QUESTIONS[name]
    answer, made = "\n\n".join(study(name).sentences(shown)), study(name).settings(False)
    listed = "\n".join(f"- {what}: {value}" for what, value in made.items())
    return f"## {question}\n\nAsked in {asked}.\n\n{answer}\n\n![{question}](images/question-{name}.png)\n\n{listed}\n"


def write(folder: Path, names: Sequence[str] = tuple(QUESTIONS)) -> None:
    """Compute all, and write the page and its pictures."""
    shown = {name: study(name).numbers(False) for name in names}
    (folder / "questions.md").write_text("\n".join([HEAD, *(section(n, shown[n]) for n in names)]), encoding="utf-8")
    for name in names:
        (folder / "images" / f"question-{name}.png").write_bytes(render(study(name).paint(shown[name]), "png"))
