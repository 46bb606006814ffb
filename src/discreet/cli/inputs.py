"""From the text of options to the library's exact numbers. No number is ever read as a float here."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence

import discreet as dc
from discreet import PosteriorSpace
from discreet.arithmetic.numbers import whole
from discreet.arithmetic.texts import require_name
from discreet.errors import InvalidInput


def read_counts(text: str) -> list[int]:
    """The counts in hand, `-` for standard input; refused in words that no count can change.

    >>> read_counts("70,50,30")
    [70, 50, 30]
    """
    try:
        given = sys.stdin.read().strip() if text == "-" else text
        return [whole(item, "a count") for item in given.split(",")]
    except ValueError:  # InvalidInput, and bytes on standard input that are no text
        raise InvalidInput(
            "counts must be whole numbers, at least 0",
            hint="write them with commas and no blanks, like 70,50,30",
            parameter="counts",
        ) from None


def public_space(*, prior: str | None, n: str | None, counts: list[int] | None) -> PosteriorSpace:
    """The space that the options declare; what they leave open follows from the counts in hand.

    >>> public_space(prior=None, n=None, counts=[70, 50, 30]).n
    150
    """
    if prior is None and counts is None:
        raise InvalidInput("the number of categories is not known", hint="give --prior, like 1,1,1")
    if n is None and counts is None:
        raise InvalidInput("the number of records is not known", hint="give --n")
    parameters = ["1"] * len(counts or ()) if prior is None else prior.split(",")
    total = str(sum(counts or ())) if n is None else n
    return dc.PosteriorSpace(prior=dc.Dirichlet(parameters), n=total)


def read_categories(text: str | None, k: int) -> list[str]:
    """One distinct, printable name for each category; by default 1, 2, ….

    >>> read_categories(None, 2), read_categories('"no, not cured",cured', 2)
    (['1', '2'], ['no, not cured', 'cured'])
    """
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
    """Names separated by commas, and quoted as in CSV.

    >>> read_names('a,"b,c",d', "categories")
    ['a', 'b,c', 'd']
    """
    try:
        return next(csv.reader([text], strict=True), [])
    except csv.Error:
        raise InvalidInput(f"{what} cannot be read", hint='write them like a,b,c, or "a,b",c') from None


def read_sizes(n: str | None) -> str | list[str] | None:
    """The number of records, or with commas that of each public group."""
    return n.split(",") if n is not None and "," in n else n


def only(values: Sequence[str] | None, option: str) -> str | None:
    """The one value of an option that may be repeated only where there are several columns."""
    if values and len(values) > 1:
        raise InvalidInput(f"{option} was given more than once", hint="counts in hand are one column")
    return values[0] if values else None


def each(values: Sequence[str] | None, size: int, option: str) -> list[str | None]:
    """One for each column: none at all, one for all of them, or one for each.

    >>> each(None, 2, "--prior"), each(["1,1"], 2, "--prior")
    ([None, None], ['1,1', '1,1'])
    """
    if not values:
        return [None] * size
    if len(values) == 1:
        return [values[0]] * size
    if len(values) != size:
        raise InvalidInput(f"{option} is one for all columns, or one for each", hint="an empty one says none")
    return list(values)
