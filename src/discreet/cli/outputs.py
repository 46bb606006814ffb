"""What becomes of a release: its receipt on the terminal and in files, and its picture."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.cli.files import Reserved
from discreet.cli.tables import print_any, print_json, print_written
from discreet.errors import InvalidInput
from discreet.figures import groups, inference, posterior
from discreet.figures.image import picture_format, render
from discreet.inference.statement import NOISE_AWARE
from discreet.receipts import Bundle, Receipt, believed, believed_groups
from discreet.receipts.beliefs import column_priors

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def show(receipt: Receipt | Bundle, places: list[Path], *, as_json: bool) -> None:
    """Print a receipt, for programs or for people."""
    if as_json:
        print_json(receipt.document)
        return
    print_any(receipt.document)
    print_written(places)


def write(receipt: Receipt | Bundle, places: dict[str, Reserved]) -> list[Path]:
    """Fill the reserved files: the receipt and its picture. Those that a full disk let through are the answer."""
    written = []
    with suppress(OSError):
        if "out" in places:
            places["out"].write((receipt.to_json() + "\n").encode())
            written.append(places["out"].path)
        if "plot" in places:
            places["plot"].write(render(picture(receipt), picture_format(places["plot"].path)))
            written.append(places["plot"].path)
    return written


def require_all(receipt: Receipt | Bundle, places: dict[str, Reserved], written: list[Path]) -> None:
    """What was drawn has been shown by now, and is not lost; but a file that is missing must be told of."""
    for place in places.values():
        if place.path not in written:
            again = "" if receipt.request_id is None else f", or repeat it with --request-id {receipt.request_id}"
            raise InvalidInput(f"{place.path} could not be written", hint=f"keep what was printed{again}")


def reserve(stack: ExitStack, out: Path | None, plot: Path | None) -> dict[str, Reserved]:
    """Make sure that both files can be written, before anything is drawn."""
    if plot is not None:
        picture_format(plot)
    if out is not None and plot is not None and out.resolve() == plot.resolve():
        raise InvalidInput("--out and --plot name the same file", hint="give each its own")
    wanted = {"out": out, "plot": plot}
    return {key: stack.enter_context(Reserved(path)) for key, path in wanted.items() if path is not None}


def picture(receipt: Receipt | Bundle, *, prior: object = None) -> Figure:
    """What a reader may believe, where the receipt tells it; a drawn release is painted anyhow."""
    document = receipt.document
    price = f"ε = {document['epsilon_exact']}, n = {document['n']:,}"
    if isinstance(receipt, Bundle):
        parts = zip(receipt.columns, receipt.parts, column_priors(receipt, prior), strict=True)
        panels = [panel for column, part, own in parts for panel in _panels(part, column, own)]
        return groups.paint(panels, title=f"{len(receipt.columns)} columns, together {price}")
    title = f"Posterior released by {document['mechanism']['name']}, {price}"
    if receipt.groups:
        return groups.paint(_panels(receipt, "", prior), title=title)
    if document["interval_kind"] == NOISE_AWARE:
        shown = inference.numbers(believed(receipt, prior=prior), receipt.posterior, document["categories"])
        return inference.paint(shown, title=title)
    return posterior.paint(posterior.numbers(receipt.posterior, document["categories"]), title=title)


def _panels(receipt: Receipt, column: str, prior: object) -> list[groups.PanelNumbers]:
    """One panel for each group, or one for a column without."""
    document, aware = receipt.document, receipt.document["interval_kind"] == NOISE_AWARE
    names = document["categories"]
    if not receipt.groups:
        return [groups.numbers(column, names, receipt.posterior, believed(receipt, prior=prior) if aware else None)]
    beliefs = believed_groups(receipt, prior=prior) if aware else {}
    label = f"{column}, {document['by']} = " if column else f"{document['by']} = "
    return [groups.numbers(f"{label}{g}", names, own, beliefs.get(g)) for g, own in receipt.posteriors.items()]
