"""`discreet compare`: how much the share of a category differs between groups, from receipts alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.busy import busy
from discreet.cli.files import reserved_picture
from discreet.cli.noisy_tables import (
    Clamped,
    CountColumn,
    NoiseText,
    NoisyFile,
    NoisyOptions,
    ScaleColumn,
    TotalText,
)
from discreet.cli.tables import print_answer, print_table, say
from discreet.errors import InvalidInput
from discreet.figures.comparisons import plot_comparisons
from discreet.inference.comparisons import Measure
from discreet.receipts import Analysis, compare_beliefs, compare_receipts, read_receipt, receipt_of_column
from discreet.requests.texts import read_names

EXAMPLE = "Example: discreet compare trial.json --groups new,old --category responder --measure odds-ratio"


def compare(
    files: Annotated[
        list[Path] | None, typer.Argument(help="One receipt with groups, or two of different people.")
    ] = None,
    category: Annotated[str | None, typer.Option(help="The category whose share is compared; rates have none.")] = None,
    groups: Annotated[
        str | None,
        typer.Option(help="The groups, like new,old; of more than two, all pairs. Two receipts: one name for each."),
    ] = None,
    among: Annotated[
        str | None, typer.Option(help="The categories that make the whole, like yes,no; without it, all.")
    ] = None,
    measure: Annotated[Measure, typer.Option(help="What is compared.")] = "difference",
    column: Annotated[str | None, typer.Option(help="The column of the category, of several.")] = None,
    level: Annotated[str, typer.Option(help="The probability of the interval.")] = "0.95",
    noisy: NoisyFile = None,
    count_column: CountColumn = "count",
    noise: NoiseText = None,
    scale_column: ScaleColumn = None,
    total: TotalText = None,
    clamped: Clamped = False,
    plot: Annotated[Path | None, typer.Option(help="Paint the comparison: .png, .svg or .pdf.")] = None,
    different_people: Annotated[
        bool, typer.Option("--different-people", help="Two receipts of one dataset are of different people.")
    ] = False,
    thorough: Annotated[bool, typer.Option("--thorough", help="Weigh all even if it takes minutes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Compare the share of a category between groups. The interval has the privacy noise in it."""
    given = [*(files or ()), *([] if noisy is None else [noisy])]
    if not given or (files and noisy is not None):
        raise InvalidInput("name receipts, or a table by --noisy", hint="one of them")
    if plot is not None and plot.resolve() in {file.resolve() for file in given}:
        raise InvalidInput("--plot names what is compared", hint="give the picture its own file")
    table = NoisyOptions(noisy, count_column, noise, scale_column, total, clamped, thorough)
    table.require_alone()
    asked: dict[str, Any] = {
        "category": category,
        "groups": None if groups is None else read_names(groups, "--groups"),
        "among": None if among is None else read_names(among, "--among"),
        "measure": measure,
        "level": level,
        "different_people": different_people,
        "column": column,
    }
    receipts = [receipt_of_column(read_receipt(file), column) for file in files or ()]
    with reserved_picture(plot) as write, busy("comparing"):
        if noisy is not None:
            read = table.read()
            found = compare_beliefs([read.belief], [read.at_face_value], [noisy.stem], **asked)
        else:
            found = compare_receipts(receipts, [file.stem for file in given], thorough=thorough, **asked)
        document = found.to_json()
        write(
            lambda: plot_comparisons(
                found.shares, found.plug_in, measure, of=found.of, level=found.level, pairs=found.pairs, per=found.per
            )
        )
    print_answer(document, lambda shown: _print(found, shown), as_json=as_json, written=[plot])


def _print(found: Analysis, document: dict[str, Any]) -> None:
    """The table of all pairs, and a sentence for each of a few."""
    rows = document.get("pairs", [document])
    columns = {
        **dict.fromkeys(["first", "second"], "left"),
        **dict.fromkeys(
            [f"{found.centre}{found.unit}", f"{100 * found.level:g} % interval", "P(first greater)"], "right"
        ),
    }
    title = f"{found.measure.replace('-', ' ')} of {found.of}, {found.noise}"
    print_table(title, columns, [found.cells(row) for row in rows])
    say(f"every probability is exact up to {max(row['error'] for row in rows):.0e}")
    if len(rows) == 1:
        say("", "For the results section:", rows[0]["sentence"])
