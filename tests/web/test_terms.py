"""Every mark of the page has its sentence, in the words of the glossary."""

import re

from discreet.web.terms import TERMS
from tests.contracts.source import PACKAGE, ROOT


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def test_every_mark_has_a_sentence_and_every_sentence_a_mark() -> None:
    page = (PACKAGE / "web" / "page" / "index.html").read_text(encoding="utf-8")
    assert set(re.findall(r'data-term="([^"]+)"', page)) <= set(TERMS)


def test_the_sentences_are_the_glossarys() -> None:
    glossary = plain((ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"))
    for term, words in TERMS.items():
        for sentence in re.findall(r"[^.?!]+(?:\.\d+[^.?!]*)*[.?!]", plain(words)):
            assert sentence.strip() in glossary, f"{term}: {sentence}"
