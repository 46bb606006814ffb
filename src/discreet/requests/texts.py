"""The texts in which people declare names, and what belongs to them: one grammar for every face."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from discreet.counting import Filter
from discreet.errors import InvalidInput

_QUOTED = r'"(?:[^"]|"")*+"'
_NAME = re.compile(rf'\s*+({_QUOTED}|[^",][^,]*+|)\s*+(,|$)')
_PAIR = re.compile(rf'\s*+({_QUOTED}(?:\s*+=\s*+(?:{_QUOTED}|[^",]*+))?|[^",=]++=\s*+{_QUOTED}|[^",][^,]*+|)\s*+(,|$)')
_Cut = Callable[[str, str], tuple[str, str, str]]


def read_names(text: str, what: str) -> list[str]:
    """Names separated by commas. Blanks at the commas are no part of them; quoted as in CSV, a name is as it is typed.

    >>> read_names('a, b ,"c, d "', "categories")
    ['a', 'b', 'c, d ']
    """
    return [name for name, _ in _split_names(text, what)]


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


def read_labels(text: str, option: str) -> dict[str, str]:
    """One label for each of some columns.

    >>> read_labels('sex=m, region="east, coast", "town=Ys, Brittany"', "--given")
    {'sex': 'm', 'region': 'east, coast', 'town': 'Ys, Brittany'}
    """
    error = InvalidInput(f"{option} cannot be read", hint='write it like region=north,sex=f, or region="east, coast"')
    pairs = _read_pairs(text, str.partition, error)
    if not all(column and label for column, label in pairs):
        raise error
    labels = dict(pairs)
    if len(labels) < len(pairs):
        raise InvalidInput(f"{option} names a column twice", hint="give one label for each")
    return labels


def read_axes(texts: Sequence[str]) -> dict[str, list[str]]:
    """The columns of a cross table with their categories, each like `sex=f,m`."""
    axes: dict[str, list[str]] = {}
    for column, equals, labels in (text.partition("=") for text in texts):
        if not column.strip() or not equals:
            raise InvalidInput("--cross cannot be read", hint="write it like --cross sex=f,m", parameter="cross")
        if column.strip() in axes:
            raise InvalidInput("--cross names a column twice", hint="give all of its categories at once")
        axes[column.strip()] = read_names(labels, "--cross")
    return axes


def read_exposure(texts: Sequence[str]) -> dict[str, str]:
    """The exposure of each group, as text.

    >>> read_exposure(["north=120000, south=88000", '"east, coast"=7e4'])
    {'north': '120000', 'south': '88000', 'east, coast': '7e4'}
    """
    error = InvalidInput(
        "an exposure has no group, or a group has two",
        hint='write them like north=120000, or "east, coast"=70000',
        parameter="exposure",
    )
    pairs = [pair for text in texts for pair in _read_pairs(text, str.rpartition, error)]
    exposures = {group: number for group, number in pairs if group or number}
    if len(exposures) < len(pairs):
        raise error
    return exposures


def look_alikes(text: str, what: str) -> tuple[str, str] | None:
    """Two names that differ only in case or blanks, if any: a slip, perhaps. What is quoted is meant as it is typed.

    >>> look_alikes("Yes, no, yes", "categories"), look_alikes('Yes, no, "yes"', "categories")
    (('Yes', 'yes'), None)
    """
    first_spelling: dict[str, str] = {}
    for name in (name for name, is_quoted in _split_names(text, what) if not is_quoted):
        first = first_spelling.setdefault("".join(name.casefold().split()), name)
        if first != name:
            return first, name
    return None


def _split_names(text: str, what: str) -> Iterator[tuple[str, bool]]:
    """Each name, and whether it is quoted."""
    items = _split(text, _NAME, InvalidInput(f"{what} cannot be read", hint='write them like a,b,c, or "a,b",c'))
    return map(_unquote, items)


def _read_pairs(text: str, cut: _Cut, error: InvalidInput) -> list[tuple[str, str]]:
    """Names with what belongs to each. Quotes are around either, as in lists of names, or around the whole pair."""
    pairs = []
    for item in _split(text, _PAIR, error):
        whole, is_quoted = _unquote(item)
        name, equals, value = cut(whole, "=")
        sides = (name.strip(), value.strip()) if is_quoted else (_unquote(name)[0], _unquote(value)[0])
        pairs.append(sides if equals else ("", ""))
    return pairs


def _split(text: str, pattern: re.Pattern[str], error: InvalidInput) -> Iterator[str]:
    """The items between the commas, with their quotes."""
    place, ending = 0, ","
    while ending:
        match = pattern.match(text, place)
        if match is None:
            raise error
        item, ending = match.groups()
        place = match.end()
        yield item


def _unquote(item: str) -> tuple[str, bool]:
    """A name as it is meant, and whether it is quoted."""
    item = item.strip()
    is_quoted = re.fullmatch(_QUOTED, item) is not None
    return (item[1:-1].replace('""', '"'), True) if is_quoted else (item, False)


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
