"""From the text of options to the library's exact numbers. No number is ever read as a float here."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from discreet.arithmetic.numbers import whole
from discreet.arithmetic.texts import require_name
from discreet.errors import InvalidInput

Delimiter = Annotated[
    str | None, typer.Option(help="What separates the fields of a CSV file; tab for .tsv, else a comma.")
]
Encoding = Annotated[str, typer.Option(help="The encoding of a CSV file, like latin-1, cp1252 or utf-16.")]
Header = Annotated[bool, typer.Option(help="Whether a CSV file begins with the names of its columns.")]


def read_counts(text: str) -> list[int]:
    """The counts in hand, `-` for standard input; refused in words that no count can change."""
    try:
        given = sys.stdin.read().strip() if text == "-" else text
        return [whole(item, "a count") for item in given.split(",")]
    except ValueError:  # InvalidInput, and bytes on standard input that are no text
        raise InvalidInput(
            "counts must be whole numbers, at least 0",
            hint="write them with commas and no blanks, like 70,50,30",
            parameter="counts",
        ) from None


def read_categories(text: str | None, k: int) -> list[str]:
    """One distinct, printable name for each category; by default 1, 2, …."""
    names = [str(i) for i in range(1, k + 1)] if text is None else read_names(text, "categories")
    if len(names) != k:
        raise InvalidInput(
            f"categories must be {k} names",
            hint="give one for each count, with commas between them",
            parameter="categories",
        )
    if len(set(names)) != k:
        raise InvalidInput("two categories have the same name", hint="give each its own")
    return [require_name(name, "a category") for name in names]


def read_names(text: str, what: str) -> list[str]:
    """Names separated by commas, and quoted as in CSV."""
    try:
        return next(csv.reader([text], strict=True), [])
    except csv.Error:
        raise InvalidInput(f"{what} cannot be read", hint='write them like a,b,c, or "a,b",c') from None


def only(values: Sequence[str] | None, option: str, why: str = "counts in hand are one column") -> str | None:
    """The one value of an option that may be repeated only where there are several columns."""
    if values and len(values) > 1:
        raise InvalidInput(f"{option} was given more than once", hint=why)
    return values[0] if values else None


def each(values: Sequence[str] | None, size: int, option: str) -> list[str | None]:
    """One for each column: none at all, one for all of them, or one for each."""
    if not values:
        return [None] * size
    if len(values) == 1:
        return [values[0]] * size
    if len(values) != size:
        raise InvalidInput(f"{option} is one for all columns, or one for each", hint="an empty one says none")
    return list(values)
