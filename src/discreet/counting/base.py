"""The counting rule, in one place; every engine answers to it.

- Text is compared exactly, byte by byte in UTF-8: nothing is trimmed, case folded or brought to a Unicode normal form.
  A text whose bytes are not UTF-8 is outside every category.
- NULL, NaN and the empty text are in the category `missing` where there is one, and outside every category otherwise.
- A number is compared as a number with the categories that are numbers (read by `discreet.arithmetic.numbers.exact`);
  where two are the same number, like `1` and `1.0`, it is in the first. A float means the decimal that is printed for
  it, so the float 0.1 is in the category `0.1`, and so is the single-precision one.
- A Boolean is the text `true` or `false`. Columns of any other type (dates, bytes, lists, …) are refused. Where a
  category is declared as a Boolean or a whole number, it is the text of that.
- A database's `char(n)` means its text without the blanks that pad it: to the database, too, they are no part of it.
- A CSV file is a sequence of records by `csv_records`, or it is refused. Delimiter, encoding and header are as
  declared, and every column is text. A blank line is no record, except in a file of one column, where it is an empty
  text.
- `other` takes whatever is outside the categories. The order is the declared categories, `missing`, `other`.
- With `id_column`, a record is a person: all rows with the same id. Of a person's rows the one whose category comes
  first in the declaration counts, so a person is outside only if all their rows are. The rule looks at nothing but
  that person's rows, and not at their order. Rows whose id is NULL, NaN or empty are taken to be one person's.
- With `by`, a record is counted in a cell: its group, by the same rule for the column of groups, and its answer. It is
  outside if either is and has no other. Cells are in the order of the groups, and within a group of the categories.
  Of a person's rows those of the first group count, and among them the first category: so a person's group is a
  matter of the column of groups alone, and can be declared public without telling an answer.
- Of crossed columns, a record is counted in a cell: each column by the same rule. Of a person's rows those of the first
  category of the first column count, among them those of the first of the second, and so on. A cell that is declared
  impossible is not a cell: a record there is outside, as a value is that no category has.
- With filters, rows are left out as if they were not there unless they are selected: in the column of each filter they
  have one of its values, by the same rule. NULL, NaN and the empty text are never selected. With `id_column`, the rows
  of a person are filtered first, and of those that are left one counts: who has none left is not there.
- Counts are exact whole numbers, 64 bits or more.

Every value is judged by itself, so replacing one record moves at most one count down and one up, and adding or removing
one record moves at most one count by one. With `id_column` that is so for people too: what is counted of a person, one
place or none, follows from their own rows alone.
`tests/counting/test_same_counts.py`, `test_databases.py` and `test_spark.py` hold every engine to `Judge`, which is the
rule in plain Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from numbers import Integral
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.arithmetic.numbers import exact
from discreet.arithmetic.texts import require_name
from discreet.errors import InvalidInput, SourceError
from discreet.posteriors.space import MAX_K
from discreet.typing import Label

T = TypeVar("T")

Places = NDArray[np.int64]
"""How many records are in each place: a row for each group (one without groups), a column for each category, and
last in each what is outside of them; of a cross table in as many directions as it has columns. Numbered row by row,
places are the codes that engines tell."""

Progress = Callable[[float], None]
"""Told now and then how much of a pass over the rows is done, from 0 to 1."""

PATIENCE = 0.1
"""Seconds between looks at the work of an engine, and at most until Ctrl-C is heard."""


@dataclass(frozen=True, slots=True, init=False)
class Filter:
    """Which rows are looked at: those that have one of these values in a column. No expressions, no ranges.

    The order of values says nothing, and neither does a value that is given twice.

    >>> Filter("floor", [2, "attic", 1]).values
    ('1', '2', 'attic')
    """

    column: str
    values: tuple[str, ...]

    missing: ClassVar[None] = None

    def __init__(self, column: str, values: Sequence[Label]) -> None:
        object.__setattr__(self, "column", require_name(column, "the column of a filter"))
        object.__setattr__(self, "values", tuple(sorted(set(_names(values, "the values of a filter", "a value")))))
        if not self.values:
            raise InvalidInput(f"the filter of {self.column!r} has no values", hint="name those to select")

    @property
    def categories(self) -> tuple[str, ...]:
        """What the column is compared with."""
        return self.values

    @property
    def texts(self) -> tuple[str, ...]:
        """The same."""
        return self.values


Filters = Mapping[str, Sequence[Label]] | Sequence[Filter]
"""The values to select by column."""

Impossible = tuple[tuple[str, str], ...]
"""Labels by column: the cells that have all of them cannot occur."""


@dataclass(frozen=True, slots=True, init=False)
class Declaration:
    """What is public about the column to count: declared before the data is read, never learnt from it.

    >>> Declaration("vote", ["Clinton", "Dole"], other="someone else", missing="no answer").labels
    ('Clinton', 'Dole', 'no answer', 'someone else')
    >>> Declaration("floor", [1, 2, True]).labels
    ('1', '2', 'true')
    >>> Declaration("vote", ["Clinton", "Dole"], by="sex", groups=["women", "men"]).labels
    ('women × Clinton', 'women × Dole', 'men × Clinton', 'men × Dole')
    """

    column: str
    categories: tuple[str, ...]
    other: str | None
    id_column: str | None
    by: str | None
    groups: tuple[str, ...]
    other_group: str | None
    missing: str | None
    """The category of NULL, NaN and empty texts, after the declared ones; None if they are outside."""
    filters: tuple[Filter, ...]
    """What a row must be to be looked at, by column: all of them."""
    crossed: tuple[Declaration, ...]
    """The other columns of a cross table, before this one."""
    impossible: tuple[Impossible, ...]

    def __init__(
        self,
        column: str,
        categories: Sequence[Label],
        other: str | None = None,
        id_column: str | None = None,
        *,
        by: str | None = None,
        groups: Sequence[Label] = (),
        other_group: str | None = None,
        missing: str | None = None,
        filters: Filters = (),
        crossed: Sequence[Declaration] = (),
        impossible: Sequence[Impossible] = (),
    ) -> None:
        object.__setattr__(self, "column", require_name(column, "the column"))
        object.__setattr__(self, "categories", _names(categories, "categories", "a category"))
        object.__setattr__(self, "other", _optional(other, "other"))
        object.__setattr__(self, "id_column", _optional(id_column, "the id column"))
        object.__setattr__(self, "by", _optional(by, "the column of groups"))
        object.__setattr__(self, "groups", _names(groups, "groups", "a group"))
        object.__setattr__(self, "other_group", _optional(other_group, "other group"))
        object.__setattr__(self, "missing", _optional(missing, "missing"))
        object.__setattr__(self, "filters", _filters(filters))
        object.__setattr__(self, "crossed", tuple(crossed))
        _require_distinct(self.categories, self.answers, "categories", "other")
        if self.by is not None:
            _require_distinct(self.groups, self.group_labels, "groups", "other_group")
        elif self.groups or self.other_group is not None:
            raise InvalidInput("there are groups and no column of groups", hint="say which column with `by`")
        object.__setattr__(self, "impossible", _impossible(self, impossible))
        if math.prod(map(len, self.axes.values())) > MAX_K:
            raise InvalidInput(f"there are more than {MAX_K:,} categories", hint="merge rare ones into other")
        if self.column == self.id_column:
            raise InvalidInput("the column to count cannot also tell people apart", hint="name another id column")
        if self.by is not None and self.by in (self.column, self.id_column):
            raise InvalidInput(
                "the column of groups is the one to count, or that of ids", hint="name another column with `by`"
            )
        if len(self.axes) < len(self.crossed) + 1 or self.id_column in self.axes:
            raise InvalidInput("a column is crossed twice, or tells people apart", hint="name each column once")
        if len(set(self.columns)) < len(self.columns):
            raise InvalidInput(
                "the column of a filter is also the one to count, that of groups or of ids, or of another filter",
                hint="filter by other columns, one filter each; what is not to be counted is left out of the names",
            )

    @property
    def answers(self) -> tuple[str, ...]:
        """The names of the answers, in their order: the categories, then missing, then other."""
        return self.known if self.other is None else (*self.known, self.other)

    @property
    def known(self) -> tuple[str, ...]:
        """The names of the answers that are not other: the categories, then missing."""
        return self.categories if self.missing is None else (*self.categories, self.missing)

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that are known answers: the categories, and an empty one for missing."""
        return self.categories if self.missing is None else (*self.categories, "")

    @property
    def group_labels(self) -> tuple[str, ...]:
        """The names of the groups, in their order: the groups, then other_group; none without by."""
        return self.groups if self.other_group is None else (*self.groups, self.other_group)

    @classmethod
    def cross(
        cls,
        columns: object,
        *,
        other: str | None = None,
        missing: str | None = None,
        filters: Filters = (),
        impossible: Sequence[Mapping[str, Label]] = (),
    ) -> Declaration:
        """The cells of several columns, the last running fastest; `other` and `missing` are labels of each column.

        >>> columns = {"sex": ["f", "m"], "pregnant": ["yes", "no"]}
        >>> table = Declaration.cross(columns, impossible=[{"sex": "m", "pregnant": "yes"}])
        >>> table.labels, table.k
        (('f × yes', 'f × no', 'm × no'), 3)
        """
        if not isinstance(columns, Mapping) or len(columns) < 2:
            raise InvalidInput("a cross table has at least two columns", hint="name them with their categories")
        *rest, (column, categories) = columns.items()
        crossed = [cls(name, labels, other, missing=missing) for name, labels in rest]
        cells = [tuple((name, str(_label(label))) for name, label in each.items()) for each in impossible]
        return cls(column, categories, other, missing=missing, filters=filters, crossed=crossed, impossible=cells)

    @property
    def groupings(self) -> tuple[Declaration, ...]:
        """The columns before this one: those that it is crossed with, or that of its groups."""
        return self.crossed or (() if self.grouping is None else (self.grouping,))

    @property
    def alone(self) -> tuple[Declaration, ...]:
        """Each column of a cross table as a declaration of its own, for the same people and the same rows."""
        each = (*self.crossed, replace(self, crossed=(), impossible=()))
        return tuple(replace(own, id_column=self.id_column, filters=self.filters) for own in each)

    @property
    def axes(self) -> dict[str, tuple[str, ...]]:
        """The labels of each column, in the order of the cells: the last runs fastest."""
        return {each.column: each.answers for each in (*self.groupings, self)}

    @property
    def possible(self) -> NDArray[np.bool_]:
        """Which of all combinations of labels are cells."""
        labels = self.axes
        found = np.ones(tuple(map(len, labels.values())), dtype=bool)
        for each in self.impossible:
            said = dict(each)
            found[tuple(own.index(said[name]) if name in said else slice(None) for name, own in labels.items())] = False
        return found

    @property
    def k(self) -> int:
        """How many cells there are."""
        return int(self.possible.sum())

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the counts, in their order: the answers, or the cells."""
        if not self.groupings:
            return self.answers
        pairs = zip(product(*self.axes.values()), self.possible.ravel().tolist(), strict=True)
        return tuple(cell_label(*cell) for cell, is_possible in pairs if is_possible)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read; no other is looked at: those of `compared`, then that of ids if there is one."""
        compared = tuple(each.column for each in self.compared)
        return compared if self.id_column is None else (*compared, self.id_column)

    @property
    def compared(self) -> tuple[Declaration | Filter, ...]:
        """What each column is compared with: that of answers, those that it is crossed with, of each filter."""
        return (self, *self.groupings, *self.filters)

    @property
    def grouping(self) -> Declaration | None:
        """The column of groups, as a declaration of its own: it is read by the same rule."""
        return None if self.by is None else Declaration(self.by, self.groups, self.other_group)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many places a table has in each direction: the last in each is outside.

        >>> Declaration("vote", ["Clinton", "Dole"], other="someone else").shape
        (1, 3)
        """
        before = [len(each.known) + 1 for each in self.groupings] or [1]
        return (*before, len(self.known) + 1)


def strides_of(declaration: Declaration) -> list[int]:
    """By how much the code of a place grows with that of each compared column that tells it.

    >>> strides_of(Declaration.cross({"a": ["1", "2"], "b": ["1", "2", "3"], "c": ["1", "2"]}))
    [1, 12, 3]
    """
    shape = declaration.shape
    steps = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    return [steps[-1], *steps[: len(declaration.groupings)]]


def cell_label(*labels: str) -> str:
    """The name of a cell. A name in which the sign occurs is quoted, so that no two cells look the same.

    >>> cell_label("women", "Dole"), cell_label("2 × 2", 'the "tall" ones')
    ('women × Dole', '"2 × 2" × "the ""tall"" ones"')
    """
    return " × ".join(f'"{name.replace(chr(34), chr(34) * 2)}"' if {"×", '"'} & set(name) else name for name in labels)


def _require_distinct(named: Sequence[str], labels: Sequence[str], what: str, rest: str) -> None:
    if not named or len(labels) < 2:
        raise InvalidInput(
            f"there must be at least two {what}",
            hint=f"name them with `{what}`, or one of them and the rest with `{rest}`",
        )
    if len(set(labels)) != len(labels):
        raise InvalidInput(f"two {what} have the same name", hint=f"give each its own, and `{rest}` one of its own")


def _optional(text: str | None, what: str) -> str | None:
    return None if text is None else require_name(text, what)


def _names(texts: object, what: str, each: str) -> tuple[str, ...]:
    if isinstance(texts, str | bytes) or not isinstance(texts, Sequence):
        raise InvalidInput(f"{what} must be a list of names", hint="give one for each")
    return tuple(require_name(_label(text), each) for text in texts)


def _label(value: object) -> object:
    """The text of a Boolean or a whole number, as the rule compares it; anything else as it is."""
    if is_boolean(value):
        return str(value).lower()
    return str(int(value)) if isinstance(value, Integral) else value


def _filters(filters: Filters) -> tuple[Filter, ...]:
    """In the order of their columns, because theirs says nothing."""
    given: object = filters
    if isinstance(filters, Mapping):
        given = [Filter(column, values) for column, values in filters.items()]
    if not isinstance(given, Sequence) or not all(isinstance(each, Filter) for each in given):
        raise InvalidInput("filters must be values by column", hint='write them like {"region": ["north", "south"]}')
    return tuple(sorted(given, key=lambda each: each.column))


def _impossible(declaration: Declaration, impossible: Sequence[Impossible]) -> tuple[Impossible, ...]:
    """Combinations of labels of the table, in one order, because theirs says nothing; some cells must be left."""
    labels = declaration.axes
    for each in impossible:
        if (
            len(each) < 2
            or len(dict(each)) < len(each)
            or any(label not in labels.get(name, ()) for name, label in each)
        ):
            raise InvalidInput(
                "an impossible cell has a label of two columns or more", hint="write it like sex=m,pregnant=yes"
            )
    found = tuple(sorted({tuple(sorted(each)) for each in impossible}))
    object.__setattr__(declaration, "impossible", found)
    if found and declaration.k < 2:
        raise InvalidInput("there must be at least two possible cells", hint="declare fewer impossible")
    return found


def numeric_places(declaration: Declaration | Filter) -> dict[Fraction, int]:
    """The categories that are numbers, as numbers, with their places; of two that are the same number, the first.

    >>> numeric_places(Declaration("floor", ["1", "2.50", "attic", "1.0"]))
    {Fraction(1, 1): 0, Fraction(5, 2): 1}
    """
    places: dict[Fraction, int] = {}
    for place, category in enumerate(declaration.categories):
        try:
            places.setdefault(exact(category, "a category"), place)
        except InvalidInput:
            continue  # no number: never found in a column of numbers
    return places


class Judge:
    """The rule for one value at a time: what engines must agree with, and how columns of mixed objects are read.

    >>> judge = Judge(Declaration("v", ["1", "true", "é"]))
    >>> [judge.place(value) for value in ("1", 1.0, "1.0", True, "é", "e\u0301", None, float("nan"), "")]
    [0, 0, None, 1, 2, None, None, None, None]
    """

    def __init__(self, declaration: Declaration | Filter) -> None:
        self._texts = {category: place for place, category in enumerate(declaration.categories)}
        self._numbers = numeric_places(declaration)
        self._missing = None if declaration.missing is None else len(declaration.categories)

    def place(self, value: object) -> int | None:
        """The place of the value's category among the answers, None for outside."""
        if is_missing(value):
            return self._missing
        if isinstance(value, str):
            return self._texts.get(value)
        if is_boolean(value):
            return self._texts.get(str(value).lower())
        try:
            return self._numbers.get(exact(value, "a value"))
        except InvalidInput:
            return None


def is_missing(value: object) -> bool:
    """Whether a value is NULL, NaN or the empty text, by whichever name Python knows it."""
    try:
        return value is None or type(value).__name__ == "NAType" or bool(value != value) or bool(value == "")
    except (TypeError, ValueError):  # an array has as many answers as it has elements
        return False


def is_boolean(value: object) -> bool:
    """Python's Booleans, and NumPy's, which are none of Python's."""
    return isinstance(value, bool) or (type(value).__module__ == "numpy" and type(value).__name__.startswith("bool"))


def strays_error(declaration: Declaration) -> InvalidInput:
    """The one thing that may be said of strays: that the assertion is false."""
    if declaration.crossed:
        return InvalidInput(
            "the crossed columns have values outside what is declared, or an impossible cell has records",
            hint="give the rest a name with `other` (NULL and empty texts with `missing`), and declare less impossible",
        )
    if declaration.by is not None:
        return InvalidInput(
            f"columns {declaration.column!r} and {declaration.by!r} have values outside what is declared",
            hint="give the rest a name with `other` and `other_group`, or look with discreet check",
        )
    return InvalidInput(
        f"column {declaration.column!r} has values outside the declared categories",
        hint="give the rest a name with `other` (NULL and empty texts with `missing`), or look with discreet check",
    )


def useless_id(declaration: Declaration) -> InvalidInput:
    """What is said of ids of a type whose values may be neither equal nor different."""
    return InvalidInput(
        f"column {declaration.id_column!r} cannot tell people apart", hint="make a text column of it first"
    )


def unreadable(source: str) -> SourceError:
    """What is said of every failure to read, whatever the engine said: its words may quote a row."""
    return SourceError(
        f"{source} cannot be read as a table", hint="check that it is whole, well-formed, and what its name says"
    )


def attempt(work: Callable[[], T], error: Exception) -> T:
    """The result of work; if it fails, our error in place of its own, which is kept nowhere, not even as a cause.

    >>> attempt(lambda: int("a secret"), unreadable("people.csv"))
    Traceback (most recent call last):
    discreet.errors.SourceError: people.csv cannot be read as a table; check that it is whole, well-formed, and what ...
    """
    try:
        return work()
    except (InvalidInput, SourceError):
        raise
    except Exception:  # noqa: BLE001, S110 - raised below, outside of this handler, so that nothing is chained to it
        pass
    raise error


def watch(work: Callable[[], T], look: Callable[[], None], stop: Callable[[], None]) -> T:
    """The result of work in a thread of its own: this one looks at it now and then, hears Ctrl-C, and stops it."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        running = thread.submit(work)
        try:
            while not wait_for([running], timeout=PATIENCE).done:
                look()
        except BaseException:
            stop()
            raise
    return running.result()
