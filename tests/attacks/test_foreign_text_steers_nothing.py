"""Text that somebody else wrote is shown and never obeyed: by a terminal, a page, a picture, or a spreadsheet.

One corpus goes through every face. Names with characters that cannot be seen are refused where they come in; receipts
and ledgers that hold them anyhow are read, and show them escaped.
"""

import csv
import json
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

import discreet as dc
from discreet.arithmetic.texts import is_visible, visible_text
from discreet.cli.release_outputs import print_plan, print_release
from discreet.counting import Declaration
from discreet.errors import InvalidInput
from discreet.figures import groups, inference, posterior
from discreet.figures.image import render
from discreet.receipts import read_sealed, readable, verify_any
from discreet.web.fields import Fields
from discreet.web.receipts import infer
from tests.cli.command import Answer, assert_refused, discreet
from tests.contracts.source import PACKAGE, ROOT, imports, trees
from tests.support.browser import serving

WRITTEN = ROOT / "tests" / "receipts" / "written"

INVISIBLE = {
    "escape": "\x1b",
    "colour": "\x1b[31mred\x1b[0m",
    "screen": "\x1b[2J\x1b[H",
    "title": "\x1b]0;owned\x07",
    "link": "\x1b]8;;http://evil.example\x1b\\here\x1b]8;;\x1b\\",
    "one byte CSI": "\x9b31m",
    "bell": "a\x07",
    "null": "a\0b",
    "return": "yes 0.99\rno",
    "backspace": "no\b\byes",
    "delete": "no\x7f",
    "line": "yes\nverified",
    "tab": "a\tb",
    "next line": "a\x85b",
    "line separator": "a\u2028b",
    "paragraph separator": "a\u2029b",
    "override": "yes\u202e59.0",
    "embedding": "\u202ayes\u202c",
    **{f"isolate {code:x}": f"a{chr(code)}b" for code in range(0x2066, 0x206A)},
    **{f"zero width {code:x}": f"ye{chr(code)}s" for code in range(0x200B, 0x2010)},
    "Arabic mark": "a\u061cb",
    "byte order": "\ufeffyes",
    "soft hyphen": "y\u00ades",
    "no-break": "a\u00a0b",
    "tag": "yes\U000e0041",
    "private": "\ue000",
    "joiner": "ye\u034fs",
    "filler": "\u3164",
    "variation": "yes\ufe0f",
    "half a character": "\ud800",
    "the other half": "a\udc00b",
}
VISIBLE = {
    "colour": "[red]yes[/red]",
    "link": "[link=http://evil.example]here[/link]",
    "unclosed": "[/]",
    "emoji": ":bomb:",
    "formula": r"$\frac{1}{0}$",
    "half a formula": r"$x^$ \alpha",
    "markup": "<img src=x onerror=alert(1)>",
    "script": "</script><script>alert(2)</script>",
    "entity": "&lt;b&gt; & --> ]]>",
    "sum": "=SUM(A1:A9)",
    "link in a sheet": '=HYPERLINK("http://evil.example")',
    "plus": "+1",
    "minus": "-1",
    "at": "@A1",
    "wide": "＝1+1",
    "quotes": "\"a\",'b'",
    "backslash": r"\x1b[31m",
    "letters": "naïve 選択 שלום",
}
SHOWN = 11
"""So many names are shown in a picture."""

NASTY = {f"{what} (invisible)": text for what, text in INVISIBLE.items()} | VISIBLE


def assert_shown(out: str, foreign: Iterable[str]) -> None:
    """Every foreign text is there, letter for letter or escaped, and nothing that steers is."""
    assert "".join(line for line in out.split("\n") if not is_visible(line)) == ""
    for text in foreign:
        assert visible_text(text) in out


def renamed(document: Any, names: dict[str, str]) -> Any:
    """The receipt as a forger would write it: other names everywhere, all else the same."""
    if isinstance(document, dict):
        return {names.get(key, key): renamed(value, names) for key, value in document.items()}
    if isinstance(document, list):
        return [renamed(value, names) for value in document]
    return names.get(document, document) if isinstance(document, str) else document


def forged(name: str, foreign: Iterable[str]) -> tuple[str, list[str]]:
    """A receipt whose names are foreign ones, as many as it has, and those that its tables show."""
    document = json.loads((WRITTEN / f"{name}.json").read_text(encoding="utf-8"))
    parts = document.get("parts", [document])
    shown = [text for part in parts for key in ("categories", "groups") for text in part[key] or ()]
    others = [document.get(key, parts[0].get(key)) for key in ("by", "dataset")]
    old = dict.fromkeys([*shown, *document.get("columns", ()), *filter(None, others)])
    names = {one: f"{text} {i}" for i, (one, text) in enumerate(zip(old, foreign, strict=False))}
    return json.dumps(renamed(document, names)), [names[text] for text in shown]


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal on which no cell is broken into lines."""
    monkeypatch.setenv("COLUMNS", "500")


def test_what_is_invisible_is_escaped_and_what_is_visible_stays() -> None:
    for text in INVISIBLE.values():
        assert not is_visible(text)
        assert is_visible(visible_text(text))
        assert visible_text(text).isascii() or not text.isascii()
    assert [visible_text(text) for text in VISIBLE.values()] == list(VISIBLE.values())


def release_named(name: str) -> Answer:
    words = ("release", "--counts", "7,5", "--epsilon", "1", "--no-ledger", "--categories", f'yes,"{name}"')
    return discreet(*words)


@pytest.mark.parametrize("what", INVISIBLE)
def test_a_name_that_cannot_be_seen_is_refused_where_it_comes_in(what: str) -> None:
    bad = INVISIBLE[what]
    good: dict[str, Any] = {"column": "vote", "categories": ["yes", "no"], "by": "sex", "groups": ["f", "m"]}
    for place in ("column", "other", "missing", "id_column", "by", "other_group", "categories", "groups"):
        with pytest.raises(InvalidInput) as refused:
            Declaration(**good | {place: ["yes", bad] if place in ("categories", "groups") else bad})
        assert is_visible(str(refused.value))
    assert_refused(release_named(bad))


@pytest.mark.parametrize("what", VISIBLE)
def test_a_name_that_can_be_seen_is_printed_as_it_is(what: str, wide: None) -> None:
    answer = release_named(VISIBLE[what].replace('"', '""'))
    assert answer.code == 0
    assert_shown(answer.out, [VISIBLE[what]])


FORGED = ["seven-categories", "groups", "columns-of-groups", "public-groups", "columns"]


@pytest.mark.few(2)
@pytest.mark.parametrize("first", range(0, len(NASTY), 5))
@pytest.mark.parametrize("name", FORGED)
def test_a_receipt_with_any_names_verifies_and_shows_them_escaped(
    name: str, first: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], wide: None
) -> None:
    text, names = forged(name, islice(cycle(NASTY.values()), first, None))
    (tmp_path / "r.json").write_text(text, encoding="ascii")
    receipt = read_sealed(text)
    assert verify_any(receipt)
    assert is_visible(repr(receipt))
    for words, shown in ((("infer",), names), (("receipt", "verify"), [])):
        answer = discreet(*words, str(tmp_path / "r.json"))
        assert (answer.code, answer.err) == (0, "")
        assert_shown(answer.out, shown)
    print_plan(receipt.document)
    print_release(readable(receipt).document)
    assert_shown(capsys.readouterr().out, names)


def forge_ledger(path: Path, names: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """A ledger that is read with these names in it. No door lets them in, so that the reading is forged."""
    ledger = dc.Ledger.create(path, dataset="survey", epsilon=100)
    ledger.charge("survey", 1, request_id="first", digest="x")
    [account], (budget, charge) = ledger.accounts(), ledger.history()
    pairs = zip(names, reversed(names), strict=True)
    rows = [budget, *(charge._replace(dataset=one, request_id=other) for one, other in pairs)]
    monkeypatch.setattr(dc.Ledger, "history", lambda self, dataset=None: rows)
    monkeypatch.setattr(dc.Ledger, "accounts", lambda self: [replace(account, dataset=name) for name in names])
    return str(path)


@pytest.mark.parametrize("command", ["show", "history"])
def test_a_forged_ledger_is_printed_letter_for_letter(
    command: str, tmp_path: Path, wide: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = forge_ledger(tmp_path / "l.db", [*NASTY.values()], monkeypatch)
    answer = discreet("ledger", command, path)
    assert (answer.code, answer.err) == (0, "")
    assert_shown(answer.out, NASTY.values())


def test_an_exported_sheet_computes_nothing_and_steers_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = forge_ledger(tmp_path / "l.db", [*NASTY.values()], monkeypatch)
    answer = discreet("ledger", "export", path, "--format", "csv")
    assert answer.code == 0
    assert_shown(answer.out, [name for name in NASTY.values() if not {'"', "\n"} & set(name)])
    for cell in (cell for row in csv.reader(answer.out.splitlines()) for cell in row):
        assert not cell.lstrip().startswith(("=", "+", "-", "@", "＝"))
    assert discreet("ledger", "export", path).out.isascii()


def test_values_of_a_table_are_shown_to_its_curator_and_not_obeyed(tmp_path: Path, wide: None) -> None:
    place = tmp_path / "t.parquet"
    strays = [text for what, text in NASTY.items() if "half" not in what or text in VISIBLE.values()]
    for first in range(0, len(strays), 8):  # the ten most frequent are shown
        some = strays[first : first + 8]
        pd.DataFrame({"vote": ["yes", "no", *some]}).to_parquet(place)
        answer = discreet("check", str(place), "--column", "vote", "--categories", "yes,no")
        assert answer.code == 2
        assert_shown(answer.out, [repr(text) for text in some])
        assert is_visible(answer.err.rstrip("\n"))


@pytest.mark.few(4)
@pytest.mark.parametrize("what", INVISIBLE)
def test_a_refusal_quotes_what_it_refuses_in_one_line(what: str) -> None:
    bad = INVISIBLE[what].replace("\0", "").encode(errors="replace").decode()  # what a shell can hand over
    for words in (
        ("plan", "--prior", f"1,{bad}", "--n", "9", "--epsilon", "1"),
        ("infer", f"no{bad}"),
        ("receipt", "verify", f"no{bad}"),
        ("ledger", "show", f"no{bad}"),
        ("check", f"no{bad}.csv", "--column", "vote", "--categories", "yes,no"),
        (f"no{bad}",),
        ("plan", f"--no{bad}"),
    ):
        answer = discreet(*words)
        assert answer.code in {2, 5}
        assert answer.out == ""
        assert is_visible(answer.err.removesuffix("\n"))


def pictures(first: int) -> Iterator[tuple[Figure, list[str]]]:
    """Every picture that shows names, with the names it shows."""
    some = [*islice(cycle(NASTY.values()), first, first + SHOWN)]
    belief = dc.noise_aware(dc.Geometric(dc.PosteriorSpace([1] * SHOWN, 11 * SHOWN), epsilon=1), [11] * SHOWN)
    alone = dc.Dirichlet([12] * SHOWN)
    yield posterior.paint(posterior.numbers(alone, some), title="t"), some
    yield inference.paint(inference.numbers(belief, alone, some), title="t"), some
    panels = [groups.numbers(some[0], some, alone, belief), groups.numbers(some[1], some, alone, None)]
    yield groups.paint(panels, title="t"), some
    for text in (INVISIBLE["override"], VISIBLE["formula"], VISIBLE["half a formula"]):
        yield posterior.paint(posterior.numbers(dc.Dirichlet([5, 7]), [text, "no"]), title=visible_text(text)), [text]


@pytest.mark.few(1)
@pytest.mark.parametrize("first", range(0, len(NASTY), SHOWN))
def test_pictures_show_names_letter_for_letter_and_are_well_formed(first: int) -> None:
    for figure, names in pictures(first):
        with mpl.rc_context({"svg.fonttype": "none"}):
            drawn = ElementTree.fromstring(render(figure, "svg"))  # noqa: S314 - our own picture
        assert_shown("\n".join(text.strip() for text in drawn.itertext()), names)


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["seven-categories", "columns-of-groups"])
def test_the_page_is_told_in_ascii_whatever_the_receipt_says(name: str, tmp_path: Path) -> None:
    text, _ = forged(name, cycle([INVISIBLE["half a character"], INVISIBLE["override"], VISIBLE["markup"]]))
    with serving(folder=tmp_path) as served:
        _, answer = served.send("POST", "/api/infer", json.dumps({"receipt": text}), **served.headers)
    assert answer.isascii()
    desk = infer(Fields({"receipt": text}))
    assert json.loads(answer) == json.loads(json.dumps(desk))


def test_the_page_escapes_by_the_same_rule(tmp_path: Path) -> None:
    """In the JavaScript engine that comes with the browser's driver: no browser is needed for it."""
    from playwright._impl._driver import compute_driver_executable

    node, _ = compute_driver_executable()
    page = PACKAGE / "web" / "page" / "dom.js"
    (tmp_path / "dom.mjs").write_bytes(page.read_bytes())
    every = [chr(code) for code in range(0x20000) if chr(code).isprintable() or code < 0x3000 or code > 0xE0000]
    asked = json.dumps([*NASTY.values(), *every])
    program = (
        f"import {{ visible }} from {json.dumps((tmp_path / 'dom.mjs').as_uri())};"
        "let text = ''; for await (const part of process.stdin) text += part;"
        "process.stdout.write(JSON.stringify(JSON.parse(text).map(visible)));"
    )
    done = subprocess.run(
        [node, "--input-type=module", "-e", program], input=asked, capture_output=True, text=True, check=True
    )
    shown = json.loads(done.stdout)
    assert shown[: len(NASTY)] == [visible_text(text) for text in NASTY.values()]
    # Another edition of Unicode may have assigned more; whatever one of them shows, the other escapes at most.
    differing = [
        (text, there) for text, there in zip(every, shown[len(NASTY) :], strict=True) if there != visible_text(text)
    ]
    assert len(differing) < 0.05 * len(every)
    assert all(is_visible(there) or there == text for text, there in differing)


def test_every_text_of_the_page_goes_through_that_rule() -> None:
    for file in (PACKAGE / "web" / "page").glob("*.js"):
        text = file.read_text(encoding="utf-8")
        assert "createTextNode" not in text.replace("createTextNode(visible(child))", "")
        assert "innerText" not in text


def test_every_table_of_the_command_is_printed_by_the_one_printer() -> None:
    """Help prints its own words alone, and bars too."""
    allowed = {"rich.table": {"outputs.py", "help.py"}, "rich.console": {"outputs.py"}}
    for path in (PACKAGE / "cli").glob("*.py"):
        for module, files in allowed.items():
            assert path.name in files or not any(name.startswith(module) for name in imports(trees()[path]))


def obeying_table(title: str, columns: Any, rows: Iterable[Any], **_: Any) -> None:
    """A planted fault: cells are markup, as Rich would have it."""
    table = Table(*columns, title=title)
    for row in rows:
        table.add_row(*row)
    Console(width=500).print(table)


def bare(text: object) -> str:
    """A planted fault: nothing is escaped."""
    return str(text)


@pytest.mark.parametrize(
    ("place", "fault"),
    [("discreet.cli.ledger.print_table", obeying_table), ("discreet.cli.outputs.visible_text", bare)],
    ids=["markup is obeyed", "nothing is escaped"],
)
@pytest.mark.parametrize("command", ["show", "history"])
def test_a_printer_that_does_not_escape_is_found_out(
    place: str, fault: Callable[..., Any], command: str, tmp_path: Path, wide: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [VISIBLE["colour"], INVISIBLE["colour"]][fault is bare :]
    path = forge_ledger(tmp_path / "l.db", names, monkeypatch)
    monkeypatch.setattr(place, fault)
    answer = discreet("ledger", command, path)
    assert answer.code == 0
    with pytest.raises(AssertionError):
        assert_shown(answer.out, names)
