"""Links from the terms on a page to the glossary: the first use of each, in running text."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from pathlib import Path

PAGE = "glossary.md"
QUIET = ("a", "code", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "script", "style", "svg", "th", "summary", "button")
"""Elements in which nothing is linked."""

TAG = re.compile(r"(<!--.*?-->|<[^>]+>)", re.DOTALL)


@cache
def terms() -> dict[str, str]:
    """Each spelling of each term, and its anchor. A heading of the glossary lists the spellings, with commas."""
    text = (Path(__file__).parents[1] / PAGE).read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+?)(?: \{ ?#([\w-]+) ?\})?$", text, re.MULTILINE)
    return {term.strip(): anchor for names, anchor in headings if anchor for term in names.split(",")}


@cache
def pattern() -> re.Pattern[str]:
    """Any of the terms, the longest first, as whole words."""
    spellings = sorted(terms(), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, spellings))})s?(?![\w-])", re.IGNORECASE)


def linked(html: str, page: str) -> str:
    """The same page, where the first use of each term is a link."""
    anchors = {term.casefold(): anchor for term, anchor in terms().items()}
    used: set[str] = set()
    depth = 0

    def link(match: re.Match[str]) -> str:
        anchor = anchors[match[1].casefold()]
        if anchor in used:
            return match[0]
        used.add(anchor)
        return f'<a class="term" href="{escape(page)}#{anchor}">{match[0]}</a>'

    parts = TAG.split(html)
    for i, part in enumerate(parts):
        if i % 2:
            name = re.match(r"</?(\w+)", part)
            if name and name[1].lower() in QUIET and not part.endswith("/>"):
                depth += -1 if part.startswith("</") else 1
        elif depth == 0:
            parts[i] = pattern().sub(link, part)
    return "".join(parts)
