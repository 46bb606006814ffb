"""What is public about the columns to count: declared before the data is read, never learnt from it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from numbers import Integral
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.arithmetic.texts import require_name
from discreet.errors import InvalidInput
from discreet.posteriors.space import MAX_K
from discreet.typing import Label


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
        names = _require_names(values, "the values of a filter", "a value")
        object.__setattr__(self, "values", tuple(sorted(set(names))))
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
        object.__setattr__(self, "categories", _require_names(categories, "categories", "a category"))
        object.__setattr__(self, "other", _optional_name(other, "other"))
        object.__setattr__(self, "id_column", _optional_name(id_column, "the id column"))
        object.__setattr__(self, "by", _optional_name(by, "the column of groups"))
        object.__setattr__(self, "groups", _require_names(groups, "groups", "a group"))
        object.__setattr__(self, "other_group", _optional_name(other_group, "other group"))
        object.__setattr__(self, "missing", _optional_name(missing, "missing"))
        object.__setattr__(self, "filters", _ordered_filters(filters))
        object.__setattr__(self, "crossed", tuple(crossed))
        _require_distinct(self.categories, self.answers, "categories", "other")
        if self.by is not None:
            _require_distinct(self.groups, self.group_labels, "groups", "other_group")
        elif self.groups or self.other_group is not None:
            raise InvalidInput("there are groups and no column of groups", hint="say which column with `by`")
        object.__setattr__(self, "impossible", _ordered_cells(impossible, self.axes))
        if math.prod(map(len, self.axes.values())) > MAX_K:  # first: below, all of them are listed
            raise InvalidInput(f"there are more than {MAX_K:,} categories", hint="merge rare ones into other")
        if self.impossible and not self._has_all_labels():
            raise InvalidInput(
                "all cells of a label are impossible", hint="leave the label out, or declare fewer impossible"
            )
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
        columns = (*self.crossed, replace(self, crossed=(), impossible=()))
        return tuple(replace(column, id_column=self.id_column, filters=self.filters) for column in columns)

    @property
    def axes(self) -> dict[str, tuple[str, ...]]:
        """The labels of each column, in the order of the cells: the last runs fastest."""
        return {each.column: each.answers for each in (*self.groupings, self)}

    @property
    def possible(self) -> NDArray[np.bool_]:
        """Which of all combinations of labels are cells."""
        axes = self.axes
        mask = np.ones(tuple(map(len, axes.values())), dtype=bool)
        for each in self.impossible:
            cell = dict(each)
            place = (labels.index(cell[name]) if name in cell else slice(None) for name, labels in axes.items())
            mask[tuple(place)] = False
        return mask

    def _has_all_labels(self) -> bool:
        """Whether every label has a cell: of one without, no share could be stated after the draw."""
        mask = self.possible
        return all(mask.any(axis=tuple(j for j in range(mask.ndim) if j != i)).all() for i in range(mask.ndim))

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


def _require_distinct(names: Sequence[str], labels: Sequence[str], what: str, rest: str) -> None:
    if not names or len(labels) < 2:
        raise InvalidInput(
            f"there must be at least two {what}",
            hint=f"name them with `{what}`, or one of them and the rest with `{rest}`",
        )
    if len(set(labels)) != len(labels):
        raise InvalidInput(f"two {what} have the same name", hint=f"give each its own, and `{rest}` one of its own")


def _optional_name(text: str | None, what: str) -> str | None:
    return None if text is None else require_name(text, what)


def _require_names(texts: object, what: str, each: str) -> tuple[str, ...]:
    if isinstance(texts, str | bytes) or not isinstance(texts, Sequence):
        raise InvalidInput(f"{what} must be a list of names", hint="give one for each")
    return tuple(require_name(_label(text), each) for text in texts)


def _label(value: object) -> object:
    """The text of a Boolean or a whole number, as the rule compares it; anything else as it is."""
    if is_boolean(value):
        return str(value).lower()
    return str(int(value)) if isinstance(value, Integral) else value


def _ordered_filters(filters: Filters) -> tuple[Filter, ...]:
    """In the order of their columns, because theirs says nothing."""
    items: object = filters
    if isinstance(filters, Mapping):
        items = [Filter(column, values) for column, values in filters.items()]
    if not isinstance(items, Sequence) or not all(isinstance(each, Filter) for each in items):
        raise InvalidInput("filters must be values by column", hint='write them like {"region": ["north", "south"]}')
    return tuple(sorted(items, key=lambda each: each.column))


def _ordered_cells(impossible: Sequence[Impossible], axes: Mapping[str, Sequence[str]]) -> tuple[Impossible, ...]:
    """Combinations of labels of the table, in one order, because theirs says nothing."""
    for each in impossible:
        if len(each) < 2 or len(dict(each)) < len(each) or any(label not in axes.get(name, ()) for name, label in each):
            raise InvalidInput(
                "an impossible cell has a label of two columns or more", hint="write it like sex=m,pregnant=yes"
            )
    return tuple(sorted({tuple(sorted(each)) for each in impossible}))


def is_boolean(value: object) -> bool:
    """Python's Booleans, and NumPy's, which are none of Python's."""
    return isinstance(value, bool) or (type(value).__module__ == "numpy" and type(value).__name__.startswith("bool"))
