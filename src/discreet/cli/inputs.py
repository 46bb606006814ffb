"""From the text of options to the library's exact numbers. No number is ever read as a float here."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from discreet.arithmetic.numbers import whole
from discreet.arithmetic.texts import require_name
from discreet.counting import Filter
from discreet.errors import InvalidInput

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

_NAME = re.compile(r'\s*+(?:"((?:[^"]|"")*)"|([^",][^,]*+|))\s*+(,|$)')


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


def read_names(text: str, what: str) -> list[str]:
    """Names separated by commas. Blanks at the commas are no part of them; quoted as in CSV, a name is as it is typed.

    >>> read_names('a, b ,"c, d "', "categories")
    ['a', 'b', 'c, d ']
    """
    return [name for name, _ in _split(text, what)]


def read_filters(texts: Sequence[str] | None) -> list[Filter]:
    """The values to select, by column.

    >>> read_filters(["region=north, south", 'year=2024'])
    [Filter(column='region', values=('north', 'south')), Filter(column='year', values=('2024',))]
    """
    filters = []
    for text in texts or ():
        column, equals, values = text.partition("=")
        if not equals:
            raise InvalidInput("a filter has no values", hint="write it like --filter region=north,south")
        filters.append(Filter(column.strip(), read_names(values, "the values of a filter")))
    return filters


def read_exposure(text: str) -> dict[str, str]:
    """The exposure of each group, as text.

    >>> read_exposure("north=120000, south=88000")
    {'north': '120000', 'south': '88000'}
    """
    pairs = [name.rpartition("=") for name in read_names(text, "exposures")]
    found = {group.strip(): number.strip() for group, equals, number in pairs if equals}
    if len(found) < len(pairs):
        raise InvalidInput("an exposure has no group, or a group has two", hint="write them like north=120000")
    return found


def look_alikes(text: str, what: str) -> tuple[str, str] | None:
    """Two names that differ only in case or blanks, if any: a slip, perhaps. What is quoted is meant as it is typed.

    >>> look_alikes("Yes, no, yes", "categories"), look_alikes('Yes, no, "yes"', "categories")
    (('Yes', 'yes'), None)
    """
    seen: dict[str, str] = {}
    for name in (name for name, is_quoted in _split(text, what) if not is_quoted):
        first = seen.setdefault("".join(name.casefold().split()), name)
        if first != name:
            return first, name
    return None


def _split(text: str, what: str) -> Iterator[tuple[str, bool]]:
    """Each name, and whether it is quoted."""
    place, ending = 0, ","
    while ending:
        match = _NAME.match(text, place)
        if match is None:
            raise InvalidInput(f"{what} cannot be read", hint='write them like a,b,c, or "a,b",c')
        quoted, plain, ending = match.groups()
        place = match.end()
        yield (plain.strip(), False) if quoted is None else (quoted.replace('""', '"'), True)


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
