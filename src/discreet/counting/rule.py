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

from fractions import Fraction

from discreet.arithmetic.numbers import exact
from discreet.counting.declaration import Declaration, Filter, is_boolean
from discreet.errors import InvalidInput


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
    except ArithmeticError:  # a NaN of decimal's that signals: it must not stop a release
        return True
    except (TypeError, ValueError):  # an array has as many answers as it has elements
        return False
