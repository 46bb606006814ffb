"""The tutorials: all their code runs, in order, in one empty directory, and prints what the page shows."""

import re
from pathlib import Path

import pytest

from tests.pages.run import DOCS, EXECUTED, run_page, run_text

IMAGE = re.compile(r"!\[[^\]]+\]\(images/([\w-]+\.\w+)\)")


LONG = ("gallery.md", "mechanisms.md")
"""Seconds each: `make docs` runs them too, with all others."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=(pytest.mark.soak, pytest.mark.long)) if name in LONG else name for name in EXECUTED],
)
def test_a_page_that_is_run_prints_what_it_shows_and_draws_its_pictures(name: str, tmp_path: Path) -> None:
    page = run_page(name, tmp_path)
    page.require_as_shown()
    assert page.steps or name == "gallery.md"
    drawn = {path.name for path in [*tmp_path.glob("*.png"), *tmp_path.glob("*.svg")]}
    shown = set(IMAGE.findall((DOCS / name).read_text(encoding="utf-8")))
    assert drawn <= shown, "a picture that is drawn is shown"
    assert all((DOCS / "images" / picture).is_file() for picture in shown)


def test_a_page_that_shows_something_else_is_found(tmp_path: Path) -> None:
    page = run_text("wrong.md", "```pycon\n>>> 1 + 1\n3\n```\n", tmp_path)
    with pytest.raises(AssertionError, match="prints\n2"):
        page.require_as_shown()
    page = run_text("wrong.md", "```console\n$ discreet plan --n 10 --epsilon 1\nno such line\n```\n", tmp_path)
    with pytest.raises(AssertionError, match="no such line"):
        page.require_as_shown()


def test_the_gallery_has_a_picture_for_every_ten_lines() -> None:
    text = (DOCS / "gallery.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^## [^\n]+\n\n```python\n(.*?)^```\n\n(!\[[^\n]+)$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) == text.count("\n## ") >= 12
    for code, _ in blocks:
        assert sum(bool(line.strip()) for line in code.splitlines()) <= 10


def test_the_first_steps_are_run() -> None:
    assert {"first-release.md", "what-happened.md"} <= set(EXECUTED)
