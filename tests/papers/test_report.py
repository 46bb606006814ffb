"""The report: everything inside, nothing outside, and what it says is what was made."""

import base64
from html.parser import HTMLParser
from pathlib import Path
from typing import TypeAlias

import pytest

from discreet_papers.records import ClaimRecord, FigureRecord, make_figure
from discreet_papers.registry import ENTRIES, entries_named
from discreet_papers.report import report

CLAIM = ClaimRecord("a-claim", "001 §1", "1 < 0 & 2 > 1", "fails", None, "two numbers", "1 > 0", "1 > 0", 0.1, "code")


class PageParser(HTMLParser):
    """Tags that open and close, and what they refer to."""

    VOID = frozenset({"meta", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.references: list[str] = []
        self.places: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {key: value or "" for key, value in attrs}
        self.references += [attributes[key] for key in ("src", "href", "srcset", "action", "data") if key in attributes]
        self.places |= {attributes["id"]} if "id" in attributes else set()
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


Page: TypeAlias = tuple[PageParser, str, FigureRecord, Path]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    """A report with one figure and one claim."""
    out = tmp_path_factory.mktemp("report")
    figure = make_figure(entries_named(["fig1"])[0], out, quick=True)
    text = report([figure], [CLAIM], out, quick=True).decode()
    parser = PageParser()
    parser.feed(text)
    return parser, text, figure, out


def test_it_refers_to_nothing_outside_itself(page: Page) -> None:
    parser, text, _, _ = page
    assert parser.open == []
    assert all(at.startswith("data:") or at[1:] in parser.places for at in parser.references)
    assert sum(at.startswith("#") for at in parser.references) == 2
    for piece in ("http:", "https:", "//", "url(", "@import", "<script", "<link"):
        assert piece not in _bare(text)


def _bare(text: str) -> str:
    """The page without its inlined files."""
    parts = text.split(";base64,")
    return parts[0] + "".join(part.partition('"')[2] for part in parts[1:])


def test_it_holds_the_files_themselves(page: Page) -> None:
    parser, _, _, out = page
    inside = {at.partition(";")[0]: at.partition(",")[2] for at in parser.references if at.startswith("data:")}
    for kind, name in (("data:image/png", "png"), ("data:text/csv", "csv"), ("data:image/svg+xml", "svg")):
        assert base64.b64decode(inside[kind]) == (out / f"fig1.{name}").read_bytes()


def test_it_says_what_each_figure_is_how_to_make_it_alone_and_how_long_it_took(page: Page) -> None:
    parser, _, figure, _ = page
    assert "discreet reproduce fig1 --quick --out DIR" in parser.text
    assert f"{figure.seconds:.1f} s" in parser.text
    titles = [entry.title for entry in ENTRIES]
    for text in (*figure.sentences, *figure.settings, *figure.settings.values(), *titles):
        assert text in parser.text
    assert parser.text.count("Not made here") == len(ENTRIES) - 1


def test_it_has_the_table_of_claims_with_every_text_as_text(page: Page) -> None:
    parser, text, _, _ = page
    assert "1 < 0 & 2 > 1" in parser.text
    assert "1 &lt; 0 &amp; 2 &gt; 1" in text
    assert "Of 1 statements: 1 fails" in parser.text


def test_without_claims_it_says_how_to_check_them(page: Page) -> None:
    _, _, figure, out = page
    assert "discreet reproduce claims --out DIR" in report([figure], [], out, quick=False).decode()
