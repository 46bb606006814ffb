"""What the tests of the page need from Node: `npm ci` in this folder, which `.ci/run` runs, puts it here."""

from pathlib import Path

FOLDER = Path(__file__).parent
AXE = FOLDER / "node_modules" / "axe-core" / "axe.min.js"
TSC = FOLDER / "node_modules" / "typescript" / "bin" / "tsc"
