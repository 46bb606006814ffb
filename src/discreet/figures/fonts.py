"""Fonts for labels in any script: an installed one that has their characters, and a word where there is none."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontEntry

BOXES = (
    "some letters of a picture are in no installed font and are drawn as boxes; "
    "install a font that has them, such as Noto Sans CJK"
)


def choose_fonts(figure: Figure) -> None:
    """Let every text that its own font lacks characters for fall back on installed fonts that have most of them."""
    from matplotlib.font_manager import findfont, fontManager
    from matplotlib.text import Text

    for axes in figure.axes:
        axes.get_yticklabels()  # they have their texts from now on
    texts = [text for text in figure.findobj(Text) if not text.get_text().isascii()]
    own = frozenset[int]().union(*(_characters(findfont(text.get_fontproperties())) for text in texts))
    missing = {ord(letter) for text in texts for letter in text.get_text() if not letter.isspace()} - own
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
