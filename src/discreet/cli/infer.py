"""`discreet infer`: what the reader of a receipt may believe, from the receipt alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.busy import busy
from discreet.cli.files import reserved_picture
from discreet.cli.inputs import each, only
from discreet.cli.tables import percent_range, print_answer, print_shares, say
from discreet.errors import InvalidInput
from discreet.figures.releases import picture
from discreet.inference.quantities import Quantity
from discreet.receipts import Bundle, ReaderBelief, Receipt, labelled, read_beliefs, read_receipt, verify_any

EXAMPLE = "Example: discreet infer receipt.json --plot belief.png"


def infer(
    file: Annotated[Path, typer.Argument(help="The receipt, as discreet release wrote it.")],
    prior: Annotated[
        list[str] | None,
        typer.Option(help="Your own prior, like 1,1,1, instead of the release's; for all columns, or for each."),
    ] = None,
    ordinal: Annotated[
        bool, typer.Option("--ordinal", help="The categories have an order: mean score (1, 2, …), median, cumulative.")
    ] = False,
    plot: Annotated[Path | None, typer.Option(help="Paint both posteriors: .png, .svg or .pdf.")] = None,
    thorough: Annotated[bool, typer.Option("--thorough", help="Weigh all even if it takes minutes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """What a reader may believe: the exact posterior given the release, with the privacy noise in it."""
    receipt = read_receipt(file)
    if plot is not None and plot.resolve() == file.resolve():
        raise InvalidInput("--plot names the receipt", hint="give the picture its own file")
    priors = _priors(receipt, prior)
    with reserved_picture(plot) as write, busy("weighing the data sets"):
        verify_any(receipt, thorough=thorough)
        beliefs = read_beliefs(receipt, priors, thorough=thorough)
        parts = [belief.to_json() | ({"ordinal": _ordinal(belief)} if ordinal else {}) for belief in beliefs]
        write(lambda: picture(receipt, beliefs))
    document = {"columns": parts} if isinstance(receipt, Bundle) else parts[0]
    print_answer(document, _print, as_json=as_json, written=[plot])


def _priors(receipt: Receipt | Bundle, said: list[str] | None) -> list[str | None] | str | None:
    """The reader's own prior, or of several columns that of each, where an empty one is the release's."""
    if not said:
        return None
    if isinstance(receipt, Bundle):
        return [one or None for one in each(said, len(receipt.columns), "--prior")]
    return only(said, "--prior", "a receipt of one column has one")


def _ordinal(belief: ReaderBelief) -> dict[str, Any]:
    """What the order of the categories lets be asked: of all, or within each group."""
    whole = labelled(belief.receipt, prior=belief.prior)
    groups = {group: whole.group(group) for group in belief.receipt.groups} or {"": whole}
    asked = {
        group: {
            "score": _stated(own.score()),
            "median": {label: float(chance) for label, chance in own.median_category().items()},
            "cumulative": {label: _stated(share) for label, share in own.cumulative().items()},
        }
        for group, own in groups.items()
    }
    return asked if belief.receipt.groups else asked[""]


def _stated(quantity: Quantity) -> dict[str, Any]:
    return {"mean": quantity.mean, "interval": list(quantity.interval())}


def _print_ordinal(asked: dict[str, Any], where: str) -> None:
    score, likely = asked["score"], max(asked["median"], key=asked["median"].__getitem__)
    low, high = score["interval"]
    say(
        f"mean score{where} (1 for the first category): {score['mean']:.2f}, 95 % interval {low:.2f} to {high:.2f}",
        f"median category{where}: {likely!r} with probability {asked['median'][likely]:.3f}",
        *(
            f"up to {label!r}{where}: {100 * share['mean']:.2f} %, {percent_range(share['interval'])}"
            for label, share in asked["cumulative"].items()
        ),
    )


def _print(document: dict[str, Any]) -> None:
    numbers = ("mean", "sd", "95 % interval\nnoise included", "95 % interval\nat face value")

    def cells(_group: str, _name: str, row: dict[str, Any]) -> list[str]:
        ends = map(percent_range, (row["interval"], row["interval_plug_in"]))
        return [f"{100 * row['mean']:.2f} %", f"{100 * row['sd']:.2f} %", *ends]

    for part in document.get("columns", [document]):
        title = "what a reader may believe"
        title += ", shares within each group" if "groups" in part else ""
        title += f", column {part['column']!r}" if "column" in part else ""
        print_shares(title, part["noise_aware"], "groups" in part, numbers, cells)
        prior = ", ".join(f"{parameter:g}" for parameter in part["prior"])
        say(
            f"prior: {prior}; {part['mechanism']}, ε = {part['epsilon_exact']}, on n = {part['n']:,} records",
            f"exact up to {part['error']:.1g} in any probability, by {part['method']}",
        )
        if "ordinal" in part:
            within = part["ordinal"] if "groups" in part else {"": part["ordinal"]}
            for group, asked in within.items():
                _print_ordinal(asked, f" in {group}" if group else "")
