"""`discreet infer`: what the reader of a receipt may believe, from the receipt alone."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.errors import InvalidInput

if TYPE_CHECKING:
    from discreet.inference import NoiseAware
    from discreet.receipts import Receipt

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
    from discreet.cli.tables import print_json, print_written
    from discreet.figures.rendering import picture_format, render
    from discreet.receipts import Receipt, believed, verify_receipt

    receipt = Receipt.read(file)
    if plot is not None and plot.resolve() == file.resolve():
        raise InvalidInput("--plot names the receipt", mend="give the picture its own file")
    with ExitStack() as stack:
        if plot is not None:
            picture_format(plot)
        place = None if plot is None else stack.enter_context(Reserved(plot))
        with busy("weighing the data sets"):
            verify_receipt(receipt)
            belief = believed(receipt, prior=None if prior is None else prior.split(","))
            document = described(belief, receipt)
            if place is not None and plot is not None:
                place.write(render(_painted(belief, receipt), picture_format(plot)))
    if as_json:
        print_json(document)
        return
    _print(document)
    if plot is not None:
        print_written([plot])


def described(belief: NoiseAware, receipt: Receipt) -> dict[str, Any]:
    """What is believed, by category, beside the released posterior at face value."""
    names = receipt.document["categories"]
    low, high = belief.interval(LEVEL)
    plug_low, plug_high = receipt.posterior.interval(float(LEVEL))
    rows = zip(
        belief.mean.tolist(), belief.sd.tolist(), low.tolist(), high.tolist(), plug_low.tolist(), plug_high.tolist(),
        strict=True,
    )  # fmt: skip
    return {
        "noise_aware": {
            name: {"mean": mean, "sd": sd, "interval": [a, b], "interval_plug_in": [c, d]}
            for name, (mean, sd, a, b, c, d) in zip(names, rows, strict=True)
        },
        "level": float(LEVEL),
        "prior": [float(parameter) for parameter in belief.prior.parameters],
        "error": belief.error,
        "method": belief.method,
        "mechanism": receipt.document["mechanism"]["name"],
        "epsilon_exact": receipt.document["epsilon_exact"],
        "n": receipt.document["n"],
    }


def _painted(belief: NoiseAware, receipt: Receipt) -> Any:
    from discreet.figures import inference

    document = receipt.document
    shown = inference.numbers(belief, receipt.posterior, document["categories"])
    title = f"{document['mechanism']['name']}, ε = {document['epsilon_exact']}, n = {document['n']:,}"
    return inference.paint(shown, title=title)


def _print(document: dict[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    from discreet.cli.tables import console

    table = Table(title="what a reader may believe")
    table.add_column("category")
    for heading in ("mean", "sd", "95 % interval\nnoise included", "95 % interval\nat face value, noise not included"):
        table.add_column(heading, justify="right")
    for name, row in document["noise_aware"].items():
        aware, plug = (f"{a:.4f} – {b:.4f}" for a, b in (row["interval"], row["interval_plug_in"]))
        table.add_row(Text(name), f"{row['mean']:.4f}", f"{row['sd']:.4f}", aware, plug)
    out = console()
    out.print(table)
    prior = ", ".join(f"{parameter:g}" for parameter in document["prior"])
    out.print(
        f"prior: {prior}; {document['mechanism']}, ε = {document['epsilon_exact']}, on n = {document['n']} records"
    )
    out.print(f"exact up to {document['error']:.1g} in any probability, by {document['method']}", soft_wrap=True)
