"""From the text of options to the library's exact numbers. No number is ever read as a float here."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from discreet.arithmetic.numbers import whole
from discreet.arithmetic.texts import require_name
from discreet.errors import InvalidInput
from discreet.requests.texts import read_names

Delimiter = Annotated[
    str | None, typer.Option(help="What separates the fields of a CSV file; tab for .tsv, else a comma.")
]
Encoding = Annotated[str, typer.Option(help="The encoding of a CSV file, like latin-1, cp1252 or utf-16.")]
Header = Annotated[bool, typer.Option(help="Whether a CSV file begins with the names of its columns.")]
FilterOption = Annotated[
    list[str] | None,
    typer.Option(
        "--filter", help="Look only at rows with one of these values in a column: column=a,b; as often as you like."
    ),
]


def read_counts(text: str) -> list[int]:
    """The counts in hand, `-` for standard input; refused in words that no count can change."""
    try:
        counts = sys.stdin.read().strip() if text == "-" else text
        return [whole(item, "a count") for item in counts.split(",")]
    except ValueError:  # InvalidInput, and bytes on standard input that are no text
        raise InvalidInput(
            "counts must be whole numbers, at least 0",
            hint="write them with commas and no blanks, like 70,50,30",
            parameter="counts",
        ) from None


def read_categories(text: str | None, more: Sequence[str] | None, k: int) -> list[str]:
    """One distinct, printable name for each category; by default 1, 2, …."""
    names = [*(() if text is None else read_names(text, "categories")), *(more or ())]
    names = names or [str(i) for i in range(1, k + 1)]
    if len(names) != k:
        raise InvalidInput(
            f"categories must be {k} names",
            hint="give one for each count, with commas between them",
            parameter="categories",
        )
    if len(set(names)) != k:
        raise InvalidInput("two categories have the same name", hint="give each its own")
    return [require_name(name, "a category") for name in names]
