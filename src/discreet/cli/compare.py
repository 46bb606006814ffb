"""`discreet compare`: how much the share of a category differs between groups, from receipts alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.app import in_groups
from discreet.cli.noisy_tables import NoisyOptions, read_noisy_table
from discreet.cli.outputs import busy, print_answer, print_table, reserve_picture, say
from discreet.errors import InvalidInput
from discreet.figures.comparisons import plot_comparisons
from discreet.inference.comparisons import Measure
from discreet.receipts import Analysis, compare_beliefs, compare_receipts, read_receipt, receipt_of_column
from discreet.requests.texts import read_names

EXAMPLE = "Example: discreet compare trial.json --groups new,old --category responder --measure odds-ratio"


@in_groups
def compare(
    *,
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
    measure: Annotated[Measure, typer.Option(help="difference, ratio or odds-ratio.")] = "difference",
    column: Annotated[str | None, typer.Option(help="The column of the category, of several.")] = None,
    level: Annotated[str, typer.Option(help="The probability of the interval.")] = "0.95",
    table: NoisyOptions,
    plot: Annotated[Path | None, typer.Option(help="Paint the comparison: .png, .svg or .pdf.")] = None,
    different_people: Annotated[
        bool, typer.Option("--different-people", help="Two receipts of one dataset are of different people.")
    ] = False,
    thorough: Annotated[bool, typer.Option("--thorough", help="Weigh all even if it takes minutes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Compare the share of a category between groups. The interval has the privacy noise in it."""
    noisy = table.noisy
    inputs = [*(files or ()), *([] if noisy is None else [noisy])]
    if not inputs or (files and noisy is not None):
        raise InvalidInput("name receipts, or a table by --noisy", hint="one of them")
    if plot is not None and plot.resolve() in {file.resolve() for file in inputs}:
        raise InvalidInput("--plot names what is compared", hint="give the picture its own file")
    table.require_consistent()
    question: dict[str, Any] = {
        "category": category,
        "groups": None if groups is None else read_names(groups, "--groups"),
        "among": None if among is None else read_names(among, "--among"),
        "measure": measure,
        "level": level,
        "different_people": different_people,
        "column": column,
    }
    receipts = [receipt_of_column(read_receipt(file), column) for file in files or ()]
    titles = [file.stem for file in inputs]
    with reserve_picture(plot) as write, busy("comparing"):
        if noisy is None:
            analysis = compare_receipts(receipts, titles, thorough=thorough, **question)
        else:
            counts = read_noisy_table(table, None, thorough=thorough)
            analysis = compare_beliefs([counts.belief], [counts.at_face_value], titles, **question)
        document = analysis.to_json()
        write(
            lambda: plot_comparisons(
                analysis.shares,
                analysis.plug_in,
                measure,
                of=analysis.of,
                level=analysis.level,
                pairs=analysis.pairs,
                per=analysis.per,
            )
        )
    print_answer(document, lambda _: _print(analysis, document), as_json=as_json, written=[plot])


def _print(analysis: Analysis, document: dict[str, Any]) -> None:
    """The table of all pairs, and a sentence for each of a few."""
    rows = document.get("pairs", [document])
    numbers = (f"{analysis.centre}{analysis.unit}", f"{100 * analysis.level:g} % interval", "P(first greater)")
    columns = {"first": "left", "second": "left", **dict.fromkeys(numbers, "right")}
    title = f"{analysis.measure.replace('-', ' ')} of {analysis.of}, {analysis.noise}"
    print_table(title, columns, [analysis.cells(row) for row in rows])
    say(*analysis.notes)
    if len(rows) == 1:
        say("", "For the results section:", rows[0]["sentence"])
