"""From a figure to a file's content."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import InvalidInput, require_packages
from discreet.figures.fonts import choose_fonts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("pdf", "png", "svg")


def picture_format(path: Path) -> str:
    """The format that a file's name asks for; refused now rather than after a draw if it cannot be painted.

    >>> picture_format(Path("release.PNG"))
    'png'
    """
    kind = path.suffix[1:].lower()
    if kind not in FORMATS:
        raise InvalidInput("a picture must be a .png, .svg or .pdf", hint="give its name one of these endings")
    require_packages("a picture", "plot", "matplotlib")
    return kind


def render(figure: Figure, kind: str) -> bytes:
    """The figure as the content of a file of that format."""
    content = io.BytesIO()
    choose_fonts(figure)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a glyph that no font has is drawn as a box
        figure.savefig(content, format=kind, dpi=160)
    return content.getvalue()
