"""From a figure to a file's content, with fonts that have the characters of its labels, where there are any."""

from __future__ import annotations

import io
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import InvalidInput, require_packages

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontEntry

FORMATS = ("pdf", "png", "svg")
BOXES = (
    "some letters of a picture are in no installed font and are drawn as boxes; "
    "install a font that has them, such as Noto Sans CJK"
)


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


def choose_fonts(figure: Figure) -> None:
    """Let every text that its own font lacks characters for fall back on installed fonts that have most of them."""
    from matplotlib.font_manager import findfont, fontManager
    from matplotlib.text import Text

    for axes in figure.axes:
        axes.get_yticklabels()  # they have their texts from now on
    texts = [text for text in figure.findobj(Text) if not text.get_text().isascii()]
    available = frozenset[int]().union(*(_characters(findfont(text.get_fontproperties())) for text in texts))
    missing = {ord(letter) for text in texts for letter in text.get_text() if not letter.isspace()} - available
    fallbacks: list[str] = []
    regular = sorted(filter(_is_usable, fontManager.ttflist), key=lambda font: font.weight != 400)
    while missing and regular:
        best = max(regular, key=lambda font: len(missing & _characters(font.fname)))
        if missing.isdisjoint(_characters(best.fname)):
            break
        missing -= _characters(best.fname)
        fallbacks.append(best.name)
    for text in texts if fallbacks else []:
        text.set_fontfamily([*text.get_fontfamily(), *fallbacks])
    if missing:
        _say_once(BOXES)


def _is_usable(font: FontEntry) -> bool:
    """Not one of boxes, which has every character."""
    return font.style == "normal" and not font.name.startswith("Last Resort")


@cache
def _characters(path: str) -> frozenset[int]:
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(FT2Font(path).get_charmap())
    except (OSError, RuntimeError):  # a font that FreeType cannot open
        return frozenset()


@cache
def _say_once(text: str) -> None:
    print(text, file=sys.stderr)
