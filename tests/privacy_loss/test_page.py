"""docs/scale.md: its Python runs as shown."""

from __future__ import annotations

import doctest

from tests.contracts.source import ROOT


def test_the_python_of_the_page_runs_as_shown() -> None:
    done = doctest.testfile(str(ROOT / "docs" / "scale.md"), module_relative=False, encoding="utf-8")
    assert done.attempted >= 10
    assert done.failed == 0
