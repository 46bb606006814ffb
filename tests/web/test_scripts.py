"""The page's scripts: their types are checked, and they compute nothing that privacy rests on."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.contracts.source import PACKAGE
from tests.web.node import FOLDER, TSC

PAGE = PACKAGE / "web" / "page"
SCRIPTS = sorted(PAGE.glob("*.js"))


def checked(config: Path) -> subprocess.CompletedProcess[str]:
    node = shutil.which("node")
    if node is None or not TSC.exists():
        pytest.skip("TypeScript is not installed: npm ci in tests/web")
    return subprocess.run([node, TSC, "-p", config], capture_output=True, text=True, check=False)


def test_types_are_right() -> None:
    answer = checked(FOLDER / "tsconfig.json")
    assert (answer.returncode, answer.stdout) == (0, "")


@pytest.mark.soak
def test_a_wrong_type_is_found_out(tmp_path: Path) -> None:
    """The planted fault."""
    for script in SCRIPTS:
        (tmp_path / script.name).write_text(script.read_text(encoding="utf-8"), encoding="utf-8")
    audit = (tmp_path / "audit.js").read_text(encoding="utf-8")
    (tmp_path / "audit.js").write_text(audit.replace("onSubmit(section,", "onSubmit(7,"), encoding="utf-8")
    config = (FOLDER / "tsconfig.json").read_text(encoding="utf-8")
    config = re.sub(r'"include": .*', '"include": ["*.js"]', config)
    (tmp_path / "tsconfig.json").write_text(config, encoding="utf-8")
    assert "audit.js" in checked(tmp_path / "tsconfig.json").stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_no_privacy_is_computed_in_the_browser(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert not re.search(r"Math\.exp|epsilon\s*[*/+-]|Number\([^)]*epsilon|parseFloat", text)
    assert len(text.splitlines()) < 300
