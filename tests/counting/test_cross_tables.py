"""Crossed columns: every engine counts every cell by the rule, and what is impossible or outside is outside."""

import itertools
import random
from collections import Counter
from typing import Any

import pandas as pd
import pytest

from discreet.counting import Declaration, count_records
from discreet.counting.rule import Judge
from discreet.errors import InvalidInput
from tests.counting.conftest import ENGINES, Hold
from tests.counting.tables import TEXT, Columns, counted

pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # of Ibis' own

COLUMNS = {"sex": ["f", "m"], "region": ["north", "south", "a,b"], "vote": ["yes", "no"]}
IMPOSSIBLE = [{"sex": "m", "vote": "no"}]


def rows(size: int = 300) -> Columns:
    chosen = random.Random(5)  # noqa: S311 - it chooses rows and nothing secret
    odd: dict[str, list[str | None]] = {
        "sex": ["f", "m", "F", None],
        "region": ["north", "south", "a,b", "", "west"],
        "vote": ["yes", "no", "yes ", None],
    }
    table = {name: [chosen.choice(values) for _ in range(size)] for name, values in odd.items()}
    return {"filler": ["x"] * size, **table, "who": [str(i // 2) for i in range(size)]}


def place(declaration: Declaration, value: Any) -> str | None:
    """The label of one value, None outside, by the rule in plain Python."""
    at = Judge(declaration).place(value)
    return declaration.other if at is None else declaration.known[at]


def expected(columns: Columns, declaration: Declaration) -> tuple[list[int], int]:
    """The count of each cell, and how many rows are outside."""
    axes = (*declaration.groupings, declaration)
    cells = Counter(tuple(map(place, axes, row)) for row in zip(*(columns[each.column] for each in axes), strict=True))
    keys = itertools.product(*declaration.axes.values())
    inside = [key for key, is_one in zip(keys, declaration.possible.ravel().tolist(), strict=True) if is_one]
    return [cells[key] for key in inside], cells.total() - sum(cells[key] for key in inside)


@pytest.mark.parametrize("form", [*TEXT, *ENGINES])
def test_every_engine_counts_the_cells_of_three_columns_by_the_rule(form: str, hold: Hold) -> None:
    table = rows()
    source = hold(form, table)
    whole = Declaration.cross(COLUMNS, other="rest", missing="none")
    counts, outside = expected(table, whole)
    assert outside == 0 < min(counts[0], counts[-1])
    assert counted(source, whole) == (300, *counts)
    for declaration in (Declaration.cross(COLUMNS), Declaration.cross(COLUMNS, impossible=IMPOSSIBLE)):
        tally = count_records(source, declaration)
        counts, outside = expected(table, declaration)
        assert tally.n == 300
        assert tally.has_strays
        assert outside > 0
        assert list(tally.inside) == counts


def test_a_record_in_an_impossible_cell_is_a_stray_and_no_other_takes_it() -> None:
    table = pd.DataFrame({"sex": ["f", "m"], "vote": ["no", "no"]})
    columns = {"sex": ["f", "m"], "vote": ["yes", "no"]}
    assert not count_records(table, Declaration.cross(columns)).has_strays
    declared = Declaration.cross(columns, other="rest", impossible=IMPOSSIBLE)
    assert count_records(table, declared).has_strays
    with pytest.raises(InvalidInput, match="impossible"):
        _ = count_records(table, declared).counts


def test_people_are_counted_in_the_first_of_their_cells() -> None:
    table = pd.DataFrame({"a": ["2", "1", "1"], "b": ["1", "2", "1"], "c": ["x", "y", "x"], "who": ["p", "p", "p"]})
    declared = Declaration.cross({"a": ["1", "2"], "b": ["1", "2"], "c": ["x", "y"]})
    whole = Declaration(
        declared.column, declared.categories, None, "who", crossed=declared.crossed, impossible=declared.impossible
    )
    assert list(count_records(table, whole).counts) == [1, 0, 0, 0, 0, 0, 0, 0]


@pytest.mark.every
@pytest.mark.parametrize(
    "wrong",
    [
        {"columns": {"a": ["x", "y"]}},
        {"columns": ["a", "b"]},
        {"columns": {"a": ["x"], "b": ["x", "y"]}},
        {"impossible": [{"a": "x"}]},
        {"impossible": [{"a": "x", "b": "z"}]},
        {"impossible": [{"a": "x", "c": "x"}]},
        {"impossible": [{"a": a, "b": b} for a, b in (("x", "x"), ("x", "y"), ("y", "x"))]},
        {"columns": {f"c{i}": [str(j) for j in range(101)] for i in range(3)}},
        {"filters": {"a": ["x"]}},
    ],
    ids=str,
)
def test_what_is_no_cross_table_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        Declaration.cross(**{"columns": {"a": ["x", "y"], "b": ["x", "y"]}} | wrong)


def test_too_many_cells_are_refused_before_they_are_listed() -> None:
    columns = {f"c{i}": ["x", "y"] for i in range(60)}
    with pytest.raises(InvalidInput, match="more than 1,000,000 categories"):
        Declaration.cross(columns, impossible=[{"c0": "x", "c1": "y"}])


def test_a_label_without_a_cell_is_refused_before_anything_is_charged_and_never_drawn_for_in_vain() -> None:
    columns = {"a": ["x", "y", "z"], "b": ["x", "y"]}
    assert Declaration.cross(columns, impossible=[{"a": "z", "b": "x"}]).k == 5
    with pytest.raises(InvalidInput, match="all cells of a label are impossible"):
        Declaration.cross(columns, impossible=[{"a": "z", "b": label} for label in ("x", "y")])
