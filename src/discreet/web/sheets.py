"""One HTML file that shows a receipt to whoever has nothing installed: it loads nothing, and is whole without script.

Every picture is drawn for each level, and every comparison for each measure; a few lines of script choose among them.
Without it the 95 % intervals and the first comparison are shown. All numbers are computed here, from the receipt alone.
"""

from __future__ import annotations

import hashlib
import math
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

from discreet.arithmetic.words import epsilon_meaning, epsilon_warning
from discreet.errors import InvalidInput, NotPrivate
from discreet.inference import compare_all
from discreet.inference.comparisons import MEASURES
from discreet.receipts import (
    Analysis,
    Bundle,
    Receipt,
    labelled,
    labelled_plug_in,
    parts_of,
    readable,
    require_modest,
    verify_any,
)
from discreet.receipts.words import changing, is_drawn, is_private
from discreet.web.drawings import interval_chart, safe
from discreet.web.pictures import HeatMap, Picture, Table
from discreet.web.receipt_pictures import ReaderOptions, comparison_pictures, pictures_of
from discreet.web.receipts import receipt_facts, title_of

LEVELS = ("0.5", "0.8", "0.9", "0.95", "0.99")
DEFAULT_LEVEL = "0.95"

MAX_COMPARISONS = 12
"""Pairs of groups, times categories, that are compared; a page of more says how many are left out."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A block that is shown when the reader chooses its level and, of a comparison, what is compared."""

    level: str
    html: str
    of: str = ""

    def to_html(self, first: str) -> str:
        """The block, hidden unless it is the one that is shown without script."""
        hidden = "" if (self.level, self.of) == (DEFAULT_LEVEL, first) else " hidden"
        of = f' data-of="{safe(self.of)}"' if self.of else ""
        return f'<div data-level="{self.level}"{of}{hidden}>{self.html}</div>'


def receipt_page(receipt: Receipt | Bundle) -> str:
    """The file. A receipt that does not hold, or is not private, gets none.

    >>> from discreet.requests.run import release_counts
    >>> page = receipt_page(release_counts([60, 40], epsilon=1, categories=["yes", "no"], title="A <vote>"))
    >>> "A &lt;vote&gt;" in page, "http" in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    (True, False)
    """
    document, parts = readable(receipt).document, parts_of(receipt)
    if not is_drawn(document):
        raise InvalidInput("nothing was drawn for this receipt", hint="it is the preview of a release")
    if not is_private(document):
        raise NotPrivate("this release has no guarantee", hint="make a page of one that has")
    require_modest(parts, reading=True)
    verify_any(receipt)
    title = receipt.title or title_of(parts)
    shares = [Choice(level, "".join(map(_picture, _pictures(parts, level)))) for level in LEVELS]
    comparisons = [choice for part in parts for choice in _comparisons(part)]
    names = list(dict.fromkeys(choice.of for choice in comparisons))
    meaning = [
        epsilon_meaning(receipt.epsilon, changing(document), document["delta"]),
        *epsilon_warning(receipt.epsilon),
    ]
    body = [
        f"<header><h1>{safe(title)}</h1>",
        *(f"<p>{safe(part['question'])}</p>" for part in document.get("parts", [document])),
        _select(
            "level", "Level of the intervals", [(level, f"{100 * float(level):g} %") for level in LEVELS], DEFAULT_LEVEL
        ),
        f"</header><main>{''.join(choice.to_html('') for choice in shares)}",
        _comparison_section(comparisons, names),
        _left_out(parts),
        *(f"<p>{safe(sentence)}</p>" for sentence in meaning),
        f"<h2>How it was made</h2><p>{safe(receipt.to_methods())}</p>",
        _facts(receipt_facts(receipt)),
        "</main>",
        _download(receipt),
    ]
    style, script = (
        files("discreet.web").joinpath("sheet", name).read_text("utf-8") for name in ("sheet.css", "sheet.js")
    )
    policy = f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; base-uri 'none'"
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{safe(title)}</title><style>{style}</style>"
    )
    content = f"<body>{''.join(body)}<script>{script}</script></body>"
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>{content}</html>\n'


def _pictures(parts: Sequence[Receipt], level: str) -> Iterator[Picture | HeatMap]:
    for part in parts:
        yield from pictures_of(part, ReaderOptions(float(level), None, ordinal=False))


def _comparisons(receipt: Receipt) -> Iterator[Choice]:
    """The first categories between all pairs of groups, by every measure: as many as there is room for."""
    groups = receipt.groups
    if not _categories(receipt):
        return
    beliefs = labelled(receipt), labelled_plug_in(receipt)
    for category in _categories(receipt):
        shares, plain = ({group: belief.group(group)[category] for group in groups} for belief in beliefs)
        pairs = compare_all(shares)
        for measure in MEASURES:
            for level in LEVELS:
                analysis = Analysis(category, measure, float(level), pairs, shares, plain)
                of = f"{receipt.column}: {category}" if receipt.column else category
                html = "".join(map(_picture, comparison_pictures(analysis)))
                yield Choice(level, html, f"{of}, {measure.replace('-', ' ')}")


def _categories(receipt: Receipt) -> tuple[str, ...]:
    """Those that are compared between all pairs of groups."""
    pairs = math.comb(len(receipt.groups), 2)
    return receipt.categories[: MAX_COMPARISONS // pairs] if pairs else ()


def _left_out(parts: Sequence[Receipt]) -> str:
    """How many comparisons are not there, and who tells them."""
    left = sum(math.comb(len(part.groups), 2) * (len(part.categories) - len(_categories(part))) for part in parts)
    if not left:
        return ""
    sentence = f"{left:,} more comparisons of a category between two groups are not on this page. Each is told by "
    return f"<p>{safe(sentence)}<code>discreet compare receipt.json --category … --groups …</code>.</p>"


def _comparison_section(comparisons: Sequence[Choice], names: Sequence[str]) -> str:
    if not comparisons:
        return ""
    select = _select("of", "What is compared", [(name, name) for name in names], names[0])
    return f"<h2>Groups compared</h2>{select}{''.join(choice.to_html(names[0]) for choice in comparisons)}"


def _select(name: str, label: str, options: Iterable[tuple[str, str]], chosen: str) -> str:
    """A list to choose from; hidden until the script is there to listen."""
    items = "".join(
        f'<option value="{safe(value)}"{" selected" if value == chosen else ""}>{safe(text)}</option>'
        for value, text in options
    )
    return f'<p class="choose" hidden><label>{safe(label)} <select name="{name}">{items}</select></label></p>'


def _picture(picture: Picture | HeatMap) -> str:
    """A picture with its text, its table and its sentences; a heat map is a table itself."""
    sentences = "".join(f"<p>{safe(sentence)}</p>" for sentence in picture.sentences)
    chart, text = interval_chart(picture) if isinstance(picture, Picture) else "", picture.to_json()["text"]
    figure = f"<figure>{chart}<figcaption>{safe(text)}</figcaption></figure>"
    return f"<section><h2>{safe(picture.title)}</h2>{figure}{_table(picture.table)}{sentences}</section>"


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{safe(text)}</th>' for text in table.headings)
    rows = "".join(
        f'<tr><th scope="row">{safe(row[0])}</th>{"".join(f"<td>{safe(cell)}</td>" for cell in row[1:])}</tr>'
        for row in table.rows
    )
    parts = f"<caption>{safe(table.caption)}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
    label = safe(table.caption)
    return f'<div class="wide" tabindex="0" role="region" aria-label="{label}"><table>{parts}</table></div>'


def _facts(pairs: Iterable[tuple[str, str]]) -> str:
    items = "".join(f"<dt>{safe(name)}</dt><dd>{safe(text)}</dd>" for name, text in pairs)
    return f"<details><summary>About this release</summary><dl>{items}</dl></details>"


def _download(receipt: Receipt | Bundle) -> str:
    """The receipt itself, for whoever wants to check it."""
    content = b64encode(f"{receipt.to_json()}\n".encode()).decode()
    link = f'<a download="receipt.json" href="data:application/json;base64,{content}">Save the receipt</a>'
    return f"<footer><p>{link}, and check it: <code>discreet receipt verify receipt.json</code></p></footer>"


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
