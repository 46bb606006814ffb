"""`discreet infer`: what the reader of a receipt may believe, from the receipt alone."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.errors import InvalidInput

if TYPE_CHECKING:
    from discreet.inference import NoiseAware
    from discreet.inference.groups import Untold, Within
    from discreet.posteriors import Dirichlet
    from discreet.receipts import Bundle, Receipt

EXAMPLE = "Example: discreet infer receipt.json --plot belief.png"

LEVEL = "0.95"


def infer(
    file: Annotated[Path, typer.Argument(help="The receipt, as discreet release wrote it.")],
    prior: Annotated[str | None, typer.Option(help="Your own prior, like 1,1,1, instead of the release's.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Paint both posteriors: .png, .svg or .pdf.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """What a reader may believe: the exact posterior given the release, with the privacy noise in it."""
    from discreet.cli.busy import busy
    from discreet.cli.files import Reserved
    from discreet.cli.publishing import picture
    from discreet.cli.tables import print_json, print_written
    from discreet.figures.rendering import picture_format, render
    from discreet.receipts import read_receipt, verify_any

    receipt = read_receipt(file)
    if plot is not None and plot.resolve() == file.resolve():
        raise InvalidInput("--plot names the receipt", mend="give the picture its own file")
    given = None if prior is None else prior.split(",")
    with ExitStack() as stack:
        if plot is not None:
            picture_format(plot)
        place = None if plot is None else stack.enter_context(Reserved(plot))
        with busy("weighing the data sets"):
            verify_any(receipt)
            document = described(receipt, given)
            if place is not None and plot is not None:
                place.write(render(picture(receipt, prior=given), picture_format(plot)))
    if as_json:
        print_json(document)
        return
    for column, part in _parts(document).items():
        _print(column, part)
    if plot is not None:
        print_written([plot])


def described(receipt: Receipt | Bundle, prior: object = None) -> dict[str, Any]:
    """What is believed, by category, beside the released posterior at face value; with groups, group by group.

    Of several columns it is what is believed of each, by column.
    """
    from discreet.receipts import Bundle

    if isinstance(receipt, Bundle):
        if prior is not None:
            raise InvalidInput("several columns have no prior in common", mend="leave it out")
        parts = zip(receipt.columns, receipt.parts, strict=True)
        return {"columns": [{"column": column, **_described(part, None)} for column, part in parts]}
    return _described(receipt, prior)


def _described(receipt: Receipt, prior: object) -> dict[str, Any]:
    from discreet.receipts import believed, believed_groups

    document, names = receipt.document, receipt.document["categories"]
    facts = {
        "mechanism": document["mechanism"]["name"],
        "epsilon_exact": document["epsilon_exact"],
        "n": document["n"],
    }
    if not receipt.groups:
        belief = believed(receipt, prior=prior)
        shown = [float(parameter) for parameter in belief.prior.parameters]
        return {
            "noise_aware": _rows(belief, receipt.posterior, names),
            "level": float(LEVEL),
            "prior": shown,
            "error": belief.error,
            "method": belief.method,
            **facts,
        }
    beliefs = believed_groups(receipt, prior=prior)
    return {
        "noise_aware": {g: _rows(belief, receipt.posteriors[g], names) for g, belief in beliefs.items()},
        "level": float(LEVEL),
        "prior": _shown_prior(receipt, prior),
        "error": max(belief.error for belief in beliefs.values()),
        "method": max(beliefs.values(), key=lambda belief: belief.error).method,
        **facts,
        "by": document["by"],
        "groups": list(receipt.groups),
    }


def _shown_prior(receipt: Receipt, prior: object) -> list[float]:
    """The prior of all cells, group by group."""
    from discreet.receipts import whole_prior

    given = whole_prior(receipt, prior)
    return [float(parameter) for parameter in given.parameters]


def _rows(belief: NoiseAware | Within | Untold, released: Dirichlet, names: list[str]) -> dict[str, Any]:
    low, high = belief.interval(float(LEVEL))
    plug_low, plug_high = released.interval(float(LEVEL))
    rows = zip(
        belief.mean.tolist(), belief.sd.tolist(), low.tolist(), high.tolist(), plug_low.tolist(), plug_high.tolist(),
        strict=True,
    )  # fmt: skip
    return {
        name: {"mean": mean, "sd": sd, "interval": [a, b], "interval_plug_in": [c, d]}
        for name, (mean, sd, a, b, c, d) in zip(names, rows, strict=True)
    }


def _parts(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What is printed, by column; a single one has no name."""
    return (
        {f"column {part['column']!r}": part for part in document["columns"]}
        if "columns" in document
        else {"": document}
    )


def _print(column: str, document: dict[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    from discreet.cli.tables import console

    grouped = "groups" in document
    title = "what a reader may believe" + (", shares within each group" if grouped else "")
    table = Table(title=Text(f"{title}, {column}" if column else title))
    for heading in ("group", "category") if grouped else ("category",):
        table.add_column(heading)
    for heading in ("mean", "sd", "95 % interval\nnoise included", "95 % interval\nat face value, noise not included"):
        table.add_column(heading, justify="right")
    believed = document["noise_aware"] if grouped else {"": document["noise_aware"]}
    for group, rows in believed.items():
        for name, row in rows.items():
            aware, plug = (f"{a:.4f} – {b:.4f}" for a, b in (row["interval"], row["interval_plug_in"]))
            own = (Text(group), Text(name)) if grouped else (Text(name),)
            table.add_row(*own, f"{row['mean']:.4f}", f"{row['sd']:.4f}", aware, plug)
        table.add_section()
    out = console()
    out.print(table)
    prior = ", ".join(f"{parameter:g}" for parameter in document["prior"])
    out.print(
        f"prior: {prior}; {document['mechanism']}, ε = {document['epsilon_exact']}, on n = {document['n']} records"
    )
    out.print(f"exact up to {document['error']:.1g} in any probability, by {document['method']}", soft_wrap=True)
