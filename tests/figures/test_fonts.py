"""Labels in any script: an installed font that has them is used, and where there is none that is said once."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager

from discreet import Dirichlet
from discreet.figures import image, posterior


def install(path: Path, letters: str) -> None:
    """A font of black squares for these letters."""
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    for corner in ((0, 1000), (1000, 1000), (1000, 0)):
        pen.lineTo(corner)
    pen.closePath()
    glyphs = dict.fromkeys([".notdef", *(f"u{ord(letter):x}" for letter in letters)], pen.glyph())
    font = FontBuilder(1000, isTTF=True)
    font.setupGlyphOrder(list(glyphs))
    font.setupCharacterMap({ord(letter): f"u{ord(letter):x}" for letter in letters})
    font.setupGlyf(glyphs)
    font.setupHorizontalMetrics(dict.fromkeys(glyphs, (1000, 0)))
    font.setupHorizontalHeader(ascent=1000, descent=0)
    font.setupNameTable({"familyName": "Squares", "styleName": "Regular"})
    font.setupOS2(usWeightClass=400)
    font.setupPost()
    font.save(path)
    fontManager.addfont(path)


@pytest.fixture(autouse=True)
def no_cjk(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Only the fonts that come with matplotlib, whatever this machine has."""
    monkeypatch.setattr(fontManager, "ttflist", [font for font in fontManager.ttflist if "matplotlib" in font.fname])
    image._say_once.cache_clear()
    yield
    image._say_once.cache_clear()


def painted() -> Figure:
    return posterior.paint(posterior.numbers(Dirichlet([5, 3, 2]), ["はい", "no", "いいえ"]), title="賛成")


def test_a_font_that_has_the_letters_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(UserWarning, match="missing from font"):
        painted().savefig(io.BytesIO())
    install(tmp_path / "squares.ttf", "はいえ賛成")
    figure = painted()
    image.choose_fonts(figure)
    figure.savefig(io.BytesIO())  # a letter without a glyph would be a warning, and so an error
    assert capsys.readouterr().err == ""


def test_where_no_font_has_them_it_is_said_once_and_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert image.render(painted(), "png")
    assert capsys.readouterr().err == f"{image.BOXES}\n"
