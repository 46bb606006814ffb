"""Programs of the tests that need a process of their own: they fork, they kill, or they die."""

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from tests.contracts.source import ROOT


def run_program(module: str, *arguments: object, within: Sequence[object] = ()) -> Any:
    """What `python -m module` prints as JSON, `within` another command if need be; it may not even warn."""
    command = [*within, sys.executable, "-W", "error", "-m", module, *arguments]
    process = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)
