"""The report: one HTML file that holds everything, opens offline and asks nothing of anybody.

Pictures and tables are inside it. It shows every figure and question that the directory holds whole, how to make each
one alone, and the table of claims.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path

from discreet.version import __version__
from discreet_papers.records import ClaimRecord, FigureRecord
from discreet_papers.registry import ENTRIES, Entry

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; margin: 2rem auto; max-width: 70rem;
       padding: 0 1.2rem; }
h1 { font-size: 1.7rem; margin-bottom: .2rem; } h2 { font-size: 1.3rem; margin: 2.6rem 0 .3rem; }
nav ul { columns: 2; padding-left: 1.2rem; } figure { margin: 1rem 0; } img { width: 100%; height: auto; }
figcaption p { margin: .35rem 0; } .source, .made { color: #555; font-size: .92rem; margin: .2rem 0; }
code { background: #f3f3f3; padding: .1em .35em; border-radius: 3px; font-size: .92em; }
table { border-collapse: collapse; font-size: .9rem; margin: .6rem 0; width: 100%; }
th, td { border-bottom: 1px solid #ddd; padding: .35rem .6rem; text-align: left; vertical-align: top; }
th { border-bottom: 2px solid #999; } td.number { text-align: right; white-space: nowrap; }
details th { border-bottom: 1px solid #ddd; width: 9rem; }
details { margin: .4rem 0; } summary { cursor: pointer; }
.wide { overflow-x: auto; } .missing { color: #777; }
@media print { nav, details { display: none; } h2 { break-after: avoid; } figure { break-inside: avoid; } }
"""


def report(figures: Sequence[FigureRecord], claims: Sequence[ClaimRecord], out: Path, *, quick: bool) -> bytes:
    """The whole page."""
    by_id = {figure.id: figure for figure in figures}
    option = "--quick " if quick else ""
    parts = [
        f"<!doctype html>\n<html lang=en><head><meta charset=utf-8><title>The papers shown again</title>"
        f'<meta name=viewport content="width=device-width"><style>{STYLE}</style></head><body>',
        "<h1>The papers shown again</h1>",
        "<p>Every figure of the papers twice: <em>as printed</em>, with their program's distance and real "
        "settings, and <em>put right</em>. Curves and filled boxes are exact sums; marks and outlined boxes are "
        "averages of a thousand runs.</p>",
        f"<p class=made>Made by discreet {escape(__version__)} with <code>discreet reproduce {option}--out DIR</code>"
        f"{', with fewer and smaller points than a full run' if quick else ''}; figures took "
        f"{sum(f.seconds for f in figures):.0f} s of work, claims {sum(c.seconds for c in claims):.0f} s.</p>",
        _contents(by_id, claims),
    ]
    for kind, heading in (("figure", "Figures"), ("question", "Open questions")):
        entries = [entry for entry in ENTRIES if entry.kind == kind]
        if entries:
            parts.append(f"<h1 id={kind}s>{heading}</h1>")
            parts += [_section(entry, by_id.get(entry.id), out, option) for entry in entries]
    parts += ["<h1 id=claims>Claims</h1>", _claims(claims, option), "</body></html>\n"]
    return "\n".join(parts).encode()


def _contents(by_id: dict[str, FigureRecord], claims: Sequence[ClaimRecord]) -> str:
    lines = [
        f"<li><a href=#{entry.id}>{escape(entry.title)}</a> <span class=source>({escape(entry.source)})</span></li>"
        for entry in ENTRIES
        if entry.id in by_id
    ]
    last = f"<li><a href=#claims>{len(claims)} claims with verdicts</a></li>" if claims else ""
    return f"<nav><ul>{''.join(lines)}{last}</ul></nav>"


def _section(entry: Entry, figure: FigureRecord | None, out: Path, option: str) -> str:
    command = f"discreet reproduce {entry.id} {option}--out DIR"
    head = f"<h2 id={entry.id}>{escape(entry.title)}</h2><p class=source>{escape(entry.source)}</p>"
    if figure is None:
        return f"<section>{head}<p class=missing>Not made here: <code>{command}</code></p></section>"
    picture, numbers, drawing = (b64encode(figure.read(out, kind)).decode() for kind in ("png", "csv", "svg"))
    caption = "".join(f"<p>{escape(sentence)}</p>" for sentence in figure.sentences)
    settings = "".join(f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in figure.settings.items())
    return (
        f'<section>{head}<figure><img alt="{escape(entry.title)}" src="data:image/png;base64,{picture}">'
        f"<figcaption>{caption}</figcaption></figure>"
        f"<details open><summary>Settings</summary><table>{settings}</table></details>"
        f"<p class=made><code>{command}</code>, {figure.seconds:.1f} s. "
        f'<a download={entry.id}.csv href="data:text/csv;base64,{numbers}">numbers (CSV)</a>, '
        f'<a download={entry.id}.svg href="data:image/svg+xml;base64,{drawing}">picture (SVG)</a></p></section>'
    )


def _claims(claims: Sequence[ClaimRecord], option: str) -> str:
    if not claims:
        return f"<p class=missing>Not checked here: <code>discreet reproduce claims {option}--out DIR</code></p>"
    totals = ", ".join(f"{number} {verdict}" for verdict, number in Counter(c.verdict for c in claims).items())
    rows = "".join(
        f"<tr><td>{escape(c.source)}</td><td>{escape(c.says)}</td><td>{escape(c.verdict)}</td>"
        f"<td class=number>{'–' if c.number is None else f'{c.number:.8g}'}</td><td>{escape(c.settings)}</td>"
        f"<td>{escape(c.counterexample) or '–'}</td><td>{escape(c.found)}</td></tr>"
        for c in claims
    )
    return (
        f"<p>Of {len(claims)} statements: {totals}. Each verdict is computed by the check that it names.</p>"
        "<div class=wide><table><thead><tr><th>where</th><th>says</th><th>verdict</th><th>number</th>"
        f"<th>checked on</th><th>counterexample</th><th>found</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )
