"""docs/composition.md and docs/ledger.md: what they show runs, and the rights they grant are the tested ones."""

import re
from pathlib import Path

import pytest

from tests.cli.command import discreet
from tests.contracts.source import ROOT

DOCS = ROOT / "docs"


def test_the_commands_of_the_page_on_composition_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "composition.md").read_text(encoding="utf-8")
    commands = re.findall(r"^discreet (ledger .*)$", text, flags=re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        assert discreet(*command.split()).code == 0


def test_the_rights_of_the_page_are_the_tested_ones() -> None:
    granted = re.findall(r"^(GRANT .*);$", (DOCS / "ledger.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    tested = (ROOT / "tests" / "ledger" / "test_servers.py").read_text(encoding="utf-8")
    assert len(granted) == 4
    for right in granted:
        to, _, roles = right.rpartition(" TO ")
        assert f'"{to} TO {{}}"' in tested, roles
