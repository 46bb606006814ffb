"""The PostgreSQL server of the tests, loaded by its path: some of the peers install a package named `tests` too."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

_PATH = Path(__file__).parents[1] / "tests" / "support" / "postgres.py"
_spec = spec_from_file_location("bench_postgres", _PATH)
assert _spec is not None
assert _spec.loader is not None
_module = module_from_spec(_spec)
sys.modules[_spec.name] = _module
_spec.loader.exec_module(_module)

serving = _module.serving
