"""The report: everything inside, nothing outside, and what it says is what was made."""

import base64
from html.parser import HTMLParser
from pathlib import Path
from typing import TypeAlias

import pytest

from discreet_papers.records import ClaimRecord, FigureRecord, make
from discreet_papers.registry import ENTRIES, chosen
from discreet_papers.report import report

CLAIM = ClaimRecord("a-claim", "001 §1", "1 < 0 & 2 > 1", "fails", None, "two numbers", "1 > 0", "1 > 0", 0.1, "code")


class Seen(HTMLParser):
    """Tags that open and close, and what they refer to."""

    VOID = frozenset({"meta", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.references: list[str] = []
        self.places: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        self.references += [given[key] for key in ("src", "href", "srcset", "action", "data") if key in given]
        self.places |= {given["id"]} if "id" in given else set()
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


Page: TypeAlias = tuple[Seen, str, FigureRecord, Path]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    """A report with one figure and one claim."""
    out = tmp_path_factory.mktemp("report")
    made = make(chosen(["fig1"])[0], out, quick=True)
    text = report([made], [CLAIM], out, quick=True).decode()
    seen = Seen()
    seen.feed(text)
    return seen, text, made, out


def test_it_refers_to_nothing_outside_itself(page: Page) -> None:
    seen, text, _, _ = page
    assert seen.open == []
    assert all(at.startswith("data:") or at[1:] in seen.places for at in seen.references)
    assert sum(at.startswith("#") for at in seen.references) == 2
    for piece in ("http:", "https:", "//", "url(", "@import", "<script", "<link"):
        assert piece not in _bare(text)


def _bare(text: str) -> str:
    """The page without its inlined files."""
    parts = text.split(";base64,")
    return parts[0] + "".join(part.partition('"')[2] for part in parts[1:])


def test_it_holds_the_files_themselves(page: Page) -> None:
    seen, _, _, out = page
    inside = {at.partition(";")[0]: at.partition(",")[2] for at in seen.references if at.startswith("data:")}
    for kind, name in (("data:image/png", "png"), ("data:text/csv", "csv"), ("data:image/svg+xml", "svg")):
        assert base64.b64decode(inside[kind]) == (out / f"fig1.{name}").read_bytes()


def test_it_says_what_each_figure_is_how_to_make_it_alone_and_how_long_it_took(page: Page) -> None:
    seen, _, made, _ = page
    assert "discreet reproduce fig1 --quick --out DIR" in seen.text
    assert f"{made.seconds:.1f} s" in seen.text
    titles = [entry.title for entry in ENTRIES]
    for text in (*made.sentences, *made.settings, *made.settings.values(), *titles):
        assert text in seen.text
    assert seen.text.count("Not made here") == len(ENTRIES) - 1


def test_it_has_the_table_of_claims_with_every_text_as_text(page: Page) -> None:
    seen, text, _, _ = page
    assert "1 < 0 & 2 > 1" in seen.text
    assert "1 &lt; 0 &amp; 2 &gt; 1" in text
    assert "Of 1 statements: 1 fails" in seen.text


def test_without_claims_it_says_how_to_check_them(page: Page) -> None:
    _, _, made, out = page
    assert "discreet reproduce claims --out DIR" in report([made], [], out, quick=False).decode()
