"""Examples in docstrings, as mkdocstrings shows them: each run of `>>>` lines becomes a block of code."""

import re

import griffe

EXAMPLE = re.compile(r"(?:^|\n)((?:[ ]*)>>> .*(?:\n(?![ ]*$).+)*)", re.MULTILINE)
FENCE = re.compile(r"^(`{3}|~{3})", re.MULTILINE)


def fenced(text: str) -> str:
    """The same text with its examples fenced; what is fenced already stays.

    >>> print(fenced("Adds.\\n\\n>>> 1 + 1\\n2"))
    Adds.
    <BLANKLINE>
    ```pycon
    >>> 1 + 1
    2
    ```
    """
    return text if FENCE.search(text) else EXAMPLE.sub(lambda match: f"\n```pycon\n{match[1].strip()}\n```", text)


class Doctests(griffe.Extension):
    """Runs before a docstring is parsed."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Every module, class, function and attribute."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
