"""Names that are near each other are told apart from those that are not, and visible characters from ignorable ones."""

from unicodedata import name

import pytest

from discreet.arithmetic.texts import is_visible, likely_name, require_name
from discreet.errors import InvalidInput

IGNORABLE = ("VARIATION SELECTOR", "HANGUL FILLER", "SEONG FILLER", "GRAPHEME JOINER", "VOWEL INHERENT")
"""The kinds of characters that Python calls printable and that take no place on a line, as Unicode names them."""


@pytest.mark.parametrize(
    ("text", "meant"),
    [(" DOLE", "Dole"), ("Clintn", "Clinton"), ("Dolores", None), ("", None)],
)
def test_a_name_is_suggested_only_if_it_is_close(text: str, meant: str | None) -> None:
    assert likely_name(text, ["Clinton", "Dole"]) == meant


def test_a_name_may_have_a_thousand_characters_and_no_more() -> None:
    assert require_name("x" * 1000, "a group") == "x" * 1000
    for name_ in ("", "x" * 1001):
        with pytest.raises(InvalidInput):
            require_name(name_, "a group")


def test_no_printable_character_is_invisible_but_those_that_take_no_place() -> None:
    codes = (*range(0x300, 0x1900), *range(0x3100, 0x3200), *range(0xFD00, 0x10000), *range(0xE0000, 0xE0400))
    for character in filter(str.isprintable, map(chr, codes)):
        assert is_visible(character) != any(kind in name(character, "") for kind in IGNORABLE), name(character)
