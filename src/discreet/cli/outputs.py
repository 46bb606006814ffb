"""What becomes of a release: its receipt on the terminal and in files, and its picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from discreet.cli.files import Reserved
from discreet.cli.release_tables import print_any
from discreet.cli.tables import print_answer
from discreet.errors import InvalidInput
from discreet.figures import releases
from discreet.figures.image import picture_format, render
from discreet.receipts import Bundle, Receipt, readable

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
                if path == out:
                    place.write(f"{receipt.to_json()}\n".encode())
                else:
                    place.write(render(releases.picture(receipt, truth=truth), picture_format(path)))
                written.append(path)
    if not quiet:
        print_answer(
            receipt.document, lambda _: print_any(readable(receipt).document), as_json=as_json, written=written
        )
    for path in places:
        if path not in written:
            raise InvalidInput(f"{path} could not be written", hint="keep what was printed")
    return receipt
