r"""Text from elsewhere: which characters a name may have, and how any text is shown. One rule for every face.

A character is visible if it takes a place of its own on a line and steers nothing. Not visible are control characters,
line and paragraph separators, blanks other than the common one, marks of direction, zero-width and other ignorable
characters, halves of surrogate pairs, and what Unicode has not assigned.

A name with such a character is refused where it comes in. A text that came in elsewhere (a receipt or a ledger that
somebody else wrote, the name of a file) is shown with them escaped: `discreet.web` has the same rule in `dom.js`.
Tested in `tests/attacks/test_foreign_text_steers_nothing.py`, with one corpus through every face.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from unicodedata import normalize

from discreet.errors import InvalidInput

MAX_NAME_CHARS = 1000

_IGNORABLE = frozenset(
    chr(code)
    for first, last in (
        (0x034F, 0x034F),  # combining grapheme joiner
        (0x115F, 0x1160),  # Hangul fillers
        (0x17B4, 0x17B5),  # Khmer inherent vowels
        (0x180B, 0x180D),  # Mongolian variation selectors
        (0x180F, 0x180F),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),  # variation selectors
        (0xFFA0, 0xFFA0),
        (0xE0100, 0xE01EF),
    )
    for code in range(first, last + 1)
)
"""Ignorable by default, says Unicode, though Python calls them printable: they take no place on a line."""


def is_visible(text: str) -> bool:
    r"""Whether every character of the text is visible.

    >>> is_visible("no, naïve 選択"), is_visible("yes\u202e"), is_visible("\x1b[31m")
    (True, False, False)
    """
    return text.isprintable() and _IGNORABLE.isdisjoint(text)


def visible_text(text: object) -> str:
    r"""The text as one line that steers no terminal, whoever wrote it: what is not visible is escaped.

    >>> print(visible_text("a\nb\x1b[31m, yes\u202e"))
    a\nb\x1b[31m, yes\u202e
    """
    return "".join(c if is_visible(c) else ascii(c)[1:-1] for c in str(text))


def require_name(text: object, what: str, *, most: int = MAX_NAME_CHARS) -> str:
    """A name that is fit to be shown wherever it goes: not empty, not very long, every character visible.

    >>> require_name("north", "a group")
    'north'
    """
    if not isinstance(text, str):
        raise InvalidInput(f"{what} must be text", hint="write it in quotes")
    if not 1 <= len(text) <= most or not is_visible(text):
        raise InvalidInput(
            f"{what} has an empty, unprintable or very long name",
            hint=f"use 1 to {most} characters, and none that control, turn or take no place on a line",
        )
    return text


def join_names(names: Sequence[str]) -> str:
    """Names in a row, quoted where a comma would tear one in two, as they are typed.

    >>> print(join_names(["red", "green, blue"]))
    red, "green, blue"
    """
    quoted = [name.replace('"', '""') for name in names]
    return ", ".join(f'"{name}"' if {",", '"'} & set(name) else name for name in quoted)


def likely_name(text: str, names: Sequence[str]) -> str | None:
    """The name that was probably meant: one that differs in case, blanks or accents' spelling alone, or the closest.

    >>> likely_name("dole ", ["Clinton", "Dole"]), likely_name("Clintn", ["Clinton", "Dole"]), likely_name("x", ["y"])
    ('Dole', 'Clinton', None)
    """
    same = (name for name in names if _fold(name) == _fold(text))
    return next(same, None) or next(iter(get_close_matches(text, names, cutoff=0.8)), None)


def _fold(text: str) -> str:
    return "".join(normalize("NFKC", text).casefold().split())
