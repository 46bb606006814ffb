"""`discreet reproduce`: the figures of the papers again, as printed and put right, with a report."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.outputs import print_json, print_table, print_written, say
from discreet.errors import InvalidInput
from discreet.figures.image import picture_format
from discreet_papers.registry import ENTRIES, entries_named

if TYPE_CHECKING:
    from discreet_papers.records import FigureRecord

EXAMPLE = "Example: discreet reproduce fig4 --quick --out figures"


def reproduce(
    figures: Annotated[
        list[str] | None, typer.Argument(metavar="[FIGURE]...", help="Names from --list; all and the claims if none.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The directory to write to.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer and smaller points: about a minute for all.")] = False,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="How many figures to make at the same time.")] = 2,
    show_list: Annotated[bool, typer.Option("--list", help="List the figures and make none.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Make the figures of the papers behind discreet again, with their numbers, and a report that opens offline."""
    names = figures or []
    entries = () if set(names) == {"claims"} else entries_named([name for name in names if name != "claims"])
    if show_list:
        _print_list(as_json=as_json)
        return
    if out is None:
        raise InvalidInput("a place for the figures is needed", hint="give --out and a directory")
    picture_format(Path("figure.png"))  # refused now, and not after minutes, where matplotlib is missing
    from discreet_papers.claims import CLAIMS
    from discreet_papers.records import CLAIM_FOLDER, put, recall_claim, recall_figure
    from discreet_papers.report import report
    from discreet_papers.run import reproduce as run

    checking = not names or "claims" in names
    claims = list(CLAIMS) if checking or (out / CLAIM_FOLDER).is_dir() else []
    with _progress(quiet=as_json) as progress:
        records, checked = run(entries, claims if checking else [], out, quick=quick, jobs=jobs, progress=progress)
    earlier = [recall_figure(entry, out, quick=quick) for entry in ENTRIES if entry not in entries]
    findings = checked or [record for name in claims if (record := recall_claim(name, out)) is not None]
    path = out / "report.html"
    put(path, report([*records, *(figure for figure in earlier if figure)], findings, out, quick=quick))
    _print_figures(records, path, as_json=as_json)


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[str, float | None, int, int], None]]:
    """A bar over figures and claims for a terminal; a line each for anything else."""
    if not sys.stderr.isatty():

        def print_line(name: str, seconds: float | None, finished: int, total: int) -> None:
            took = "already there" if seconds is None else f"{seconds:.1f} s"
            if not quiet:
                print(f"[{finished}/{total}] {name}: {took}", flush=True)

        yield print_line
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reproducing", total=None)

        def move_bar(name: str, seconds: float | None, finished: int, total: int) -> None:
            bar.update(task, description=f"made {name}", completed=finished, total=total)

        yield move_bar


def _print_list(*, as_json: bool) -> None:
    if as_json:
        rows = [
            {"name": e.id, "also": list(e.also), "kind": e.kind, "source": e.source, "title": e.title} for e in ENTRIES
        ]
        print_json({"figures": rows})
        return
    from rich.box import SIMPLE_HEAD

    lines = [(entry.id, entry.source, entry.title) for entry in ENTRIES]
    lines.append(("claims", "all papers", "Every checkable statement, with its verdict"))
    print_table("", dict.fromkeys(("name", "where", "what"), "left"), lines, box=SIMPLE_HEAD)


def _print_figures(figures: list[FigureRecord], report: Path, *, as_json: bool) -> None:
    if as_json:
        rows = [{"name": m.id, "seconds": m.seconds, "settings": m.settings, "sentences": m.sentences} for m in figures]
        print_json({"figures": rows, "report": str(report)})
        return
    for figure in figures:
        say(f"{figure.id}: {figure.sentences[0]}")
    print_written([report])
