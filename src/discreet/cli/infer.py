"""`discreet infer`: what the reader of a receipt may believe, from the receipt alone."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.busy import busy
from discreet.cli.files import Reserved
from discreet.cli.inputs import each
from discreet.cli.outputs import picture
from discreet.cli.tables import print_json, print_table, print_written, say
from discreet.errors import InvalidInput
from discreet.figures.image import picture_format, render
from discreet.receipts import Bundle, Receipt, belief_document, read_receipt, verify_any

EXAMPLE = "Example: discreet infer receipt.json --plot belief.png"


def infer(
    file: Annotated[Path, typer.Argument(help="The receipt, as discreet release wrote it.")],
    prior: Annotated[
        list[str] | None,
        typer.Option(help="Your own prior, like 1,1,1, instead of the release's; for all columns, or for each."),
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Paint both posteriors: .png, .svg or .pdf.")] = None,
    thorough: Annotated[bool, typer.Option("--thorough", help="Weigh all even if it takes minutes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """What a reader may believe: the exact posterior given the release, with the privacy noise in it."""
    receipt = read_receipt(file)
    if plot is not None and plot.resolve() == file.resolve():
        raise InvalidInput("--plot names the receipt", hint="give the picture its own file")
    given = _priors(receipt, prior)
    with ExitStack() as stack:
        if plot is not None:
            picture_format(plot)
        place = None if plot is None else stack.enter_context(Reserved(plot))
        with busy("weighing the data sets"):
            verify_any(receipt, thorough=thorough)
            document = belief_document(receipt, given, thorough=thorough)
            if place is not None and plot is not None:
                place.write(render(picture(receipt, prior=given), picture_format(plot)))
    if as_json:
        print_json(document)
        return
    for column, part in _parts(document).items():
        _print(column, part)
    if plot is not None:
        print_written([plot])


def _priors(receipt: Receipt | Bundle, said: list[str] | None) -> list[Any] | None:
    """The reader's own prior, or of several columns that of each, where an empty one is the release's."""
    if not said:
        return None
    if isinstance(receipt, Bundle):
        return [own.split(",") if own else None for own in each(said, len(receipt.columns), "--prior")]
    if len(said) > 1:
        raise InvalidInput("--prior was given more than once", hint="a receipt of one column has one")
    return said[0].split(",")


def _parts(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What is printed, by column; a single one has no name."""
    return (
        {f"column {part['column']!r}": part for part in document["columns"]}
        if "columns" in document
        else {"": document}
    )


def _print(column: str, document: dict[str, Any]) -> None:
    grouped = "groups" in document
    title = "what a reader may believe" + (", shares within each group" if grouped else "")
    names = ("group", "category") if grouped else ("category",)
    numbers = ("mean", "sd", "95 % interval\nnoise included", "95 % interval\nat face value, noise not included")
    lines: list[list[str] | None] = []
    believed = document["noise_aware"] if grouped else {"": document["noise_aware"]}
    for group, rows in believed.items():
        for name, row in rows.items():
            aware, plug = (f"{a:.4f} – {b:.4f}" for a, b in (row["interval"], row["interval_plug_in"]))
            own = [group, name] if grouped else [name]
            lines.append([*own, f"{row['mean']:.4f}", f"{row['sd']:.4f}", aware, plug])
        lines.append(None)
    columns = {**dict.fromkeys(names, "left"), **dict.fromkeys(numbers, "right")}
    print_table(f"{title}, {column}" if column else title, columns, lines)
    prior = ", ".join(f"{parameter:g}" for parameter in document["prior"])
    say(
        f"prior: {prior}; {document['mechanism']}, ε = {document['epsilon_exact']}, on n = {document['n']:,} records",
        f"exact up to {document['error']:.1g} in any probability, by {document['method']}",
    )
