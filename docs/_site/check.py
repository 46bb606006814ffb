"""Check the built site: every link and anchor leads somewhere, nothing is loaded from elsewhere, and all is near.

    python docs/_site/check.py build/site

What is found is printed, one line each, and the exit code is 1. "Within two clicks" counts the links in the text
of the pages, not of the menu.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

HOME = "index.html"
LOADING = {"src", "srcset", "data", "poster", "action", "formaction"}
SCRIPTED = re.compile(r"""(?:url\(|@import\s*|importScripts\(|fetch\()\s*["']?(https?:)?//""")
ELSEWHERE = {"404.html"}
"""Pages that nobody links to, because a server shows them."""


@dataclass
class Page(HTMLParser):
    """The links, anchors and loaded files of one page."""

    text: str
    links: list[str] = field(default_factory=list)
    in_text: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    loads: list[str] = field(default_factory=list)
    _articles: int = 0

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what this element says."""
        given = {name: value or "" for name, value in attrs}
        self._articles += tag == "article"
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
            if self._articles and "headerlink" not in given.get("class", ""):
                self.in_text.append(given["href"])
        elif tag == "link" and not {"canonical", "next", "prev"} & set(given.get("rel", "").split()):
            self.loads.append(given.get("href", ""))
        self.loads += [value for name, value in given.items() if name in LOADING]
        self.loads += [match[0] for match in SCRIPTED.finditer(given.get("style", ""))]

    def handle_endtag(self, tag: str) -> None:
        """Leave the text of the page."""
        self._articles -= tag == "article"


def faults(site: Path, names: list[str] | None = None) -> Iterator[str]:
    """What is wrong, one line each; `names` must have an anchor each."""
    pages = {path.relative_to(site).as_posix(): Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    for name, page in pages.items():
        for link in page.links:
            if fault := _dead(name, link, pages, files):
                yield f"{name}: {link}: {fault}"
        for load in page.loads:
            yield from _loaded(name, load, files)
    for path in sorted(site.rglob("*")):
        if path.suffix in (".css", ".js") and (match := SCRIPTED.search(path.read_text("utf-8"))):
            yield f"{path.relative_to(site)}: loads {match[0]} from elsewhere"
    near = _near(pages, 2)
    yield from (f"{name}: more than two clicks from the home page" for name in pages if name not in near | ELSEWHERE)
    anchors = {anchor for page in pages.values() for anchor in page.anchors}
    yield from (f"{name}: not in the reference" for name in names or [] if name not in anchors)


def _target(name: str, link: str) -> tuple[str, str]:
    parts = urlsplit(link)
    path = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path))) if parts.path else name
    return path, unquote(parts.fragment)


def _dead(name: str, link: str, pages: dict[str, Page], files: set[str]) -> str | None:
    if name in ELSEWHERE or urlsplit(link).scheme or link.startswith("//"):
        return None
    path, anchor = _target(name, link)
    path = HOME if path == "." else path
    if path not in files:
        return "no such file"
    if anchor and path in pages and anchor not in pages[path].anchors and not anchor.startswith("__"):
        return "no such anchor"
    return None


def _loaded(name: str, load: str, files: set[str]) -> Iterator[str]:
    if load.startswith("data:") or not load:
        return
    if urlsplit(load).scheme or load.startswith("//"):
        yield f"{name}: loads {load} from elsewhere"
    elif name not in ELSEWHERE and _target(name, load)[0] not in files:
        yield f"{name}: loads {load}, which is not there"


def _near(pages: dict[str, Page], clicks: int) -> set[str]:
    near = {HOME}
    for _ in range(clicks):
        near |= {
            path
            for name in near & set(pages)
            for link in pages[name].in_text
            if not urlsplit(link).scheme and (path := _target(name, link)[0]) in pages
        }
    return near


if __name__ == "__main__":
    import discreet

    wrong = list(faults(Path(sys.argv[1]), [f"discreet.{name}" for name in discreet.__all__]))
    print("\n".join(wrong))
    print(f"{len(wrong)} faults", file=sys.stderr)
    sys.exit(bool(wrong))
