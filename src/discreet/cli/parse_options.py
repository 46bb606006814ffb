"""From the options of `discreet release` to the questions that they ask of a table."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from discreet.errors import InvalidInput

if TYPE_CHECKING:
    from discreet.requests.run import Question


def read_names(text: str, what: str) -> list[str]:
    """Names separated by commas, and quoted as in CSV.

    >>> read_names('a,"b,c",d', "categories")
    ['a', 'b,c', 'd']
    """
    try:
        return next(csv.reader([text], strict=True), [])
    except csv.Error:
        raise InvalidInput(f"{what} cannot be read", hint='write them like a,b,c, or "a,b",c') from None


def read_questions(
    columns: Sequence[str] | None,
    categories: Sequence[str] | None,
    *,
    others: Sequence[str] | None,
    priors: Sequence[str] | None,
    epsilons: Sequence[str],
    by: str | None,
    groups: str | None,
    other_group: str | None,
    group_public: bool,
    **shared: Any,
) -> list[Question]:
    """One question for each `--column`, in their order.

    What may be left out is given once for all columns or once for each, where an empty one says that there is none. A
    single `--epsilon` is the price of all columns together, shared equally.

    >>> asked = read_questions(
    ...     ["vote", "sex"], ["Clinton,Dole", "f,m"], others=["else", ""], priors=None, epsilons=["1"], by=None,
    ...     groups=None, other_group=None, group_public=False,
    ... )
    >>> [(one.column, one.asked["other"], one.asked["epsilon"]) for one in asked]
    [('vote', 'else', '1/2'), ('sex', None, '1/2')]
    """
    from discreet.mechanisms.base import asked_epsilon
    from discreet.requests.run import Question

    if not columns or not categories:
        raise InvalidInput("a table needs --column and --categories", hint="say which column, and what it may hold")
    if len(categories) != len(columns):
        raise InvalidInput("every --column needs its --categories", hint="give them in the same order")
    if by is None and group_public:
        raise InvalidInput("there are no groups to be public", hint="name their column with --by")
    size = len(columns)
    prices = list(epsilons)
    if len(prices) == 1 and size > 1:
        prices = [str(asked_epsilon(prices[0]) / size)] * size
    if len(prices) != size:
        raise InvalidInput("--epsilon is one for all columns, or one for each", hint="give them in the same order")
    rows = zip(columns, categories, each(others, size, "--other"), each(priors, size, "--prior"), prices, strict=True)
    return [
        Question(
            column,
            read_names(names, "categories"),
            other=other or None,
            prior=prior.split(",") if prior else None,
            epsilon=price,
            by=by,
            groups=() if groups is None else read_names(groups, "groups"),
            other_group=other_group,
            group_public=group_public,
            **shared,
        )
        for column, names, other, prior, price in rows
    ]


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
