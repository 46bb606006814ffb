"""The command beside an earlier commit of itself, in turns: the CPU time of whole processes."""

from __future__ import annotations

import io
import resource
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from bench.fresh import ROOT, compiled_environment
from bench.rows import Answer, Effort, Row, amount, lines_of_table, question

COMMIT = "3f7be81"
"""The first version that did all of it."""

COMMANDS = {
    "release of a small CSV": (
        "release votes.csv --column vote --categories Clinton,Dole --epsilon 0.5 --no-ledger",
        1 / 2,
    ),
    "plan for n = 1,000": ("plan --prior 1,1 --n 1000 --epsilon 1", 1 / 3),
    "help": ("--help", None),
}
"""What is run, and how much of the earlier CPU time it may take."""


@question("earlier")
def ask(effort: Effort) -> Answer:
    """The command beside its first version.

    User and system time of whole processes, the interpreter among it; the least of several turns, because a busy
    machine only ever adds to it.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        rows = "".join(f"{('Clinton', 'Dole')[i % 2]}\n" for i in range(1000))
        (place / "votes.csv").write_text(f"vote\n{rows}", encoding="utf-8")
        _unpack(place / "earlier")
        sources = {"now": ROOT / "src", COMMIT: place / "earlier" / "src"}
        least = {name: _least(text.split(), sources, place, effort.processes) for name, (text, _) in COMMANDS.items()}
    ratios = [
        Row(f"discreet {name}", least[name]["now"], least[name][COMMIT], COMMIT, at_most=share)
        for name, (_, share) in COMMANDS.items()
    ]
    body = [[name, *(amount(seconds, "s") for seconds in by_source.values())] for name, by_source in least.items()]
    return Answer(ratios, lines_of_table(["CPU time", *sources], body))


def _unpack(place: Path) -> None:
    archive = subprocess.run(["git", "archive", COMMIT, "src"], cwd=ROOT, check=True, capture_output=True)  # noqa: S603, S607
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(place, filter="data")


def _least(arguments: list[str], sources: dict[str, Path], place: Path, turns: int) -> dict[str, float]:
    """The least CPU time of each source's process. The first turn compiles, as an installation does."""
    samples: dict[str, list[float]] = {name: [] for name in sources}
    for _ in range(turns + 1):
        for name, source in sources.items():
            samples[name].append(_seconds(arguments, source, place))
    return {name: min(seconds[1:]) for name, seconds in samples.items()}


def _seconds(arguments: list[str], source: Path, place: Path) -> float:
    environment = compiled_environment() | {"PYTHONPATH": str(source), "PYTHONPYCACHEPREFIX": str(place / "compiled")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "discreet", *arguments]
    subprocess.run(command, cwd=place, env=environment, check=True, capture_output=True)  # noqa: S603
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
