"""What becomes of a release: its receipt on the terminal and in files, and its picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from discreet.cli.files import Reserved
from discreet.cli.tables import print_answer, print_any
from discreet.errors import InvalidInput
from discreet.figures import groups, inference, posterior
from discreet.figures.image import picture_format, render
from discreet.inference import NoiseAware
from discreet.inference.groups import EmptyGroup, Within
from discreet.inference.statement import NOISE_AWARE
from discreet.receipts import Bundle, ReaderBelief, Receipt, read_beliefs, readable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

R = TypeVar("R", Receipt, Bundle, Receipt | Bundle)


@contextmanager
def reserve(out: Path | None, plot: Path | None) -> Iterator[dict[Path, Reserved]]:
    """Make sure that both files can be written, before anything is drawn."""
    if plot is not None:
        picture_format(plot)
    if out is not None and plot is not None and out.resolve() == plot.resolve():
        raise InvalidInput("--out and --plot name the same file", hint="give each its own")
    with ExitStack() as stack:
        yield {path: stack.enter_context(Reserved(path)) for path in (out, plot) if path is not None}


def publish(
    draw: Callable[[], R],
    out: Path | None,
    plot: Path | None,
    *,
    as_json: bool,
    quiet: bool = False,
    truth: Sequence[float] | None = None,
) -> R:
    """Draw a release, write its receipt and its picture, and print it. `truth` is only for data that is public.

    What was drawn is shown whatever becomes of the files, and is not lost; one that a full disk did not let through is
    told of at the end.
    """
    written = []
    with reserve(out, plot) as places:
        receipt = draw()
        with suppress(OSError):
            for path, place in places.items():
                text = f"{receipt.to_json()}\n".encode()
                place.write(text if path == out else render(picture(receipt, truth=truth), picture_format(path)))
                written.append(path)
    if not quiet:
        print_answer(
            receipt.document, lambda _: print_any(readable(receipt).document), as_json=as_json, written=written
        )
    for path in places:
        if path not in written:
            raise InvalidInput(f"{path} could not be written", hint="keep what was printed")
    return receipt


def picture(
    receipt: Receipt | Bundle,
    beliefs: Sequence[ReaderBelief] | None = None,
    *,
    truth: Sequence[float] | None = None,
) -> Figure:
    """What a reader may believe, where the receipt tells it; a drawn release is painted anyhow."""
    document = receipt.document
    price = f"ε = {document['epsilon_exact']}, n = {document['n']:,}"
    parts = receipt.parts if isinstance(receipt, Bundle) else (receipt,)
    known: Sequence[ReaderBelief | None] = beliefs or [None] * len(parts)
    aware = [_aware(part, own) for part, own in zip(parts, known, strict=True)]
    if isinstance(receipt, Bundle):
        rows = zip(receipt.columns, receipt.parts, aware, strict=True)
        panels = [panel for column, part, own in rows for panel in _panels(part, column, own)]
        return groups.paint(
            panels, title=f"{document.get('title') or f'{len(receipt.columns)} columns'}, together {price}"
        )
    about = document.get("title") or document.get("column") or "Category shares"
    title = f"{about}, released by {document['mechanism']['name']}, {price}"
    if receipt.groups:
        return groups.paint(_panels(receipt, "", aware[0]), title=title)
    if isinstance(belief := aware[0].get(""), NoiseAware):
        shown = inference.numbers(belief, receipt.posterior, document["categories"])
        return inference.paint(shown, title=title, truth=truth)
    return posterior.paint(posterior.numbers(receipt.posterior, document["categories"]), title=title)


def _aware(receipt: Receipt, belief: ReaderBelief | None) -> dict[str, NoiseAware | Within | EmptyGroup]:
    """What may be believed, by group, if the receipt's own intervals tell it."""
    if receipt.document["interval_kind"] != NOISE_AWARE:
        return {}
    return (belief or read_beliefs(receipt, thorough=True)[0]).parts


def _panels(
    receipt: Receipt, column: str, aware: dict[str, NoiseAware | Within | EmptyGroup]
) -> list[groups.PanelNumbers]:
    """One panel for each group, or one for a column without."""
    names, by = receipt.document["categories"], receipt.document["by"]
    if not receipt.groups:
        return [groups.numbers(column, names, receipt.posterior, aware.get(""))]
    label = f"{column}, {by} = " if column else f"{by} = "
    return [groups.numbers(f"{label}{g}", names, own, aware.get(g)) for g, own in receipt.posteriors.items()]
