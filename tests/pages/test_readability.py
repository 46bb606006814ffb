"""The pages can be read: words of the field, short sentences, and an opening that says whom a page is for."""

import re
from functools import cache

from tests.contracts.source import ROOT
from tests.pages.run import DOCS

LONGEST_SENTENCE = 40
"""Words, on the pages for people who start or who have a job to do."""

AVOIDED = (
    "the seeds", "The seeds", "seed 00", "seeds_gamma", "seeds:", "way back", "ways back", "one a category",
    "is no table", "cannot be had", "is not had", "the prior expects", "painted", "paints", "is believed", "`nominal`",
    "What is believed", "on a Tuesday", "holds them apart", "tell on", "mend=", "untold",
    "`brackets`", "`cover`", "`envelope`", "`tilted`", "`gram`", "`silence`", "`Strata`", "`Slice`", "`Middle`",
    "`long_lines`", "`Around`", "`Beside`", "`Expected`", "`Extreme`", "`Found`", "`Swept`", "`Worst`", "`Desk`",
    "`Face`", "`Hold`", "`asking`", "`receipting`", "`inferring`", "`serving`",
)  # fmt: skip
"""Words of ours for which the field has its own, and turns that readers stumbled over."""

CODE = re.compile(r"^```.*?^```$|^---\n.*?^---$", re.MULTILINE | re.DOTALL)
FULL_OPENING = re.compile(r"^For .+?\. After .+? you (?:have|can|know)\b", re.DOTALL)


@cache
def pages() -> dict[str, str]:
    """The text of each page and of the README, without code and HTML comments."""
    files = [*sorted(DOCS.glob("*.md")), ROOT / "README.md"]
    return {file.name: re.sub(r"<!--.*?-->", "", CODE.sub("", file.read_text("utf-8"))).strip() for file in files}


@cache
def section(name: str) -> list[str]:
    """The pages of a section of the site."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    block = re.search(rf"^  - {name}:\n((?:      - .*\n)+)", text, re.MULTILINE)
    assert block is not None
    return re.findall(r": (\S+\.md)$", block[1], re.MULTILINE)


JOBS = [*section("Start"), *section("Do")]


def sentences(text: str) -> list[str]:
    """What is between full stops; headings, tables and pictures are not sentences, and list items are by themselves."""
    lines = [line for line in text.splitlines() if not re.match(r"\s*(?:#|\||!\[|    )", line)]
    blocks = re.split(r"\n\s*\n|\n\s*(?:[-*]|\d+\.) ", "\n".join(lines))
    return [
        sentence for block in blocks for sentence in re.split(r"(?<=[.!?])\s+", " ".join(block.split())) if sentence
    ]


def too_long(text: str) -> list[str]:
    return [sentence for sentence in sentences(text) if len(sentence.split()) > LONGEST_SENTENCE]


def avoided(text: str) -> list[str]:
    return [word for word in AVOIDED if re.search(rf"(?<!\w){re.escape(word)}", text)]


def paragraph(text: str) -> str:
    """The first one below the title."""
    return " ".join(re.split(r"\n\s*\n", text.partition("\n")[2].strip())[0].split())


def test_a_page_uses_the_words_of_the_field() -> None:
    assert {name: words for name, text in pages().items() if (words := avoided(text))} == {}


def test_a_page_for_a_job_has_no_long_sentence() -> None:
    assert {name: found for name in JOBS if (found := too_long(pages()[name]))} == {}


def test_a_page_for_a_job_opens_with_whom_it_is_for_and_what_they_will_have() -> None:
    assert [name for name in JOBS if not FULL_OPENING.match(paragraph(pages()[name]))] == []


def test_what_cannot_be_read_is_found() -> None:
    assert avoided("data that the prior expects, painted") == ["the prior expects", "painted"]
    assert too_long(f"Short. {'word ' * 41}end. Short.") != []
    assert too_long("- one\n- two\n\n" + "Many short ones. " * 30) == []
    assert not FULL_OPENING.match("A cross table is one release, and costs ε once.")


def test_enough_is_read() -> None:
    assert len(pages()) > 35
    assert len(JOBS) > 12
