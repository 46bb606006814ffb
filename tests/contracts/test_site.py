"""The check of the built site finds what it is there for; `make docs` runs it."""

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

import discreet as dc
from tests.contracts.source import ROOT

HOME = '<article><a href="a.html#there">a</a></article><nav><a href="b.html">b</a></nav>'


def load(name: str) -> ModuleType:
    """One of the modules beside the pages, which are no package."""
    spec = spec_from_file_location(f"site_{name}", ROOT / "docs" / "_site" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def faults(site: Path, **pages: str) -> list[str]:
    sound = {"index": HOME, "a": '<h1 id="there"><article><a href="b.html">b</a></article>', "b": '<p id="discreet.x">'}
    for name, text in (sound | pages).items():
        (site / f"{name}.html").write_text(text, encoding="utf-8")
    return list(load("check").faults(site, ["discreet.x"]))


def test_a_sound_site_has_no_faults(tmp_path: Path) -> None:
    assert faults(tmp_path) == []


@pytest.mark.parametrize(
    ("pages", "fault"),
    [
        ({"b": '<p id="discreet.x"><a href="gone.html">'}, "b.html: gone.html: no such file"),
        ({"b": '<p id="discreet.x"><a href="a.html#gone">'}, "b.html: a.html#gone: no such anchor"),
        ({"b": '<p id="discreet.x"><script src="https://cdn.example/x.js">'}, "from elsewhere"),
        ({"b": '<p id="discreet.x"><link rel="stylesheet" href="//cdn.example/x.css">'}, "from elsewhere"),
        ({"b": "<p>"}, "discreet.x: not in the reference"),
        ({"c": "<p>"}, "c.html: more than two clicks from the home page"),
    ],
)
def test_a_fault_is_found(pages: dict[str, str], fault: str, tmp_path: Path) -> None:
    [found] = faults(tmp_path, **pages)
    assert fault in found


def test_a_term_is_linked_once_and_only_in_running_text() -> None:
    linked = load("glossary").linked
    html = "<h2>A budget</h2><p>The <code>budget</code> and a budget, a budget.</p>"
    assert linked(html, "glossary.html") == (
        "<h2>A budget</h2><p>The <code>budget</code> and a "
        '<a class="term" href="glossary.html#budget">budget</a>, a budget.</p>'
    )


def test_every_public_name_is_in_the_reference_once() -> None:
    """Whoever adds a public name adds it to a section of docs/api.md, as `::: discreet.name`."""
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^::: discreet\.(\w+)$", text, re.MULTILINE)) == dc.__all__


def test_every_page_is_in_the_menu_and_on_the_first_page() -> None:
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    first = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for page in sorted((ROOT / "docs").glob("*.md")):
        assert f": {page.name}\n" in menu, page.name
        assert page.name == "index.md" or f"]({page.name}" in first, page.name


def test_every_command_is_in_the_reference() -> None:
    text = load("commands").reference()
    for line in ("## discreet release\n", "### discreet ledger create\n", "| `--epsilon` |", "| `SOURCE` |"):
        assert line in text
