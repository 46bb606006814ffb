"""Cross tables by every form: a record's cell is its group and its answer, each by the rule."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from discreet.counting import Declaration, count_records, inspect_source
from discreet.counting.rule import Judge
from discreet.errors import InvalidInput
from tests.counting.conftest import ENGINES, Hold
from tests.counting.tables import TEXT, TYPED, Columns, as_csv, as_duckdb

VALUES = ["a", "b", "A", "a ", "á", "a\u0301", "'", "c,d", "x × y", "stray", "", None]
GROUPS = ["g", "G", "g ", '"', "$groups", "$wanted", "a", "nowhere", "", None]
PEOPLE = ["1", "2", "3", "4", "5", "6", "", None]


def draw_rows(seed: str, size: int) -> list[tuple[Any, Any, Any]]:
    chosen = random.Random(seed)  # noqa: S311 - it chooses rows and nothing secret
    return [(chosen.choice(VALUES), chosen.choice(GROUPS), chosen.choice(PEOPLE)) for _ in range(size)]


def declared(*, other: bool, other_group: bool, people: bool = False) -> Declaration:
    return Declaration(
        "v",
        ["b", "a", "á", "a ", "c,d", "x × y"],
        other="rest" if other else None,
        id_column="who" if people else None,
        by="held",
        groups=["$groups", "G", "g", "$wanted", "g "],
        other_group="elsewhere" if other_group else None,
    )


def expected(rows: list[tuple[Any, Any, Any]], declaration: Declaration) -> list[int] | None:
    """The counts by the rule in plain Python, None for strays."""
    answers, groups = Judge(declaration), Judge(declaration.grouping)  # type: ignore[arg-type]
    k, last = len(declaration.answers), len(declaration.groups)
    chosen: dict[object, tuple[int, int]] = {}
    for i, (value, held, who) in enumerate(rows):
        answer, group = answers.place(value), groups.place(held)
        ranked = (last if group is None else group, len(declaration.categories) if answer is None else answer)
        person = i if declaration.id_column is None else (who or None)
        chosen[person] = min(ranked, chosen.get(person, ranked))
    if declaration.other is None and any(answer == len(declaration.categories) for _, answer in chosen.values()):
        return None
    if declaration.other_group is None and any(group == last for group, _ in chosen.values()):
        return None
    sizes = Counter(chosen.values())
    return [sizes[divmod(cell, k)] for cell in range(len(declaration.labels))]


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # of Ibis' own
@pytest.mark.parametrize("form", [*TEXT, *ENGINES])
def test_every_form_counts_the_same_cells(form: str, hold: Hold) -> None:
    rows = draw_rows(form, 150)
    columns: Columns = {
        "held": [held for _, held, _ in rows],
        "who": [who for *_, who in rows],
        "v": [v for v, *_ in rows],
    }
    source = hold(form, columns)
    for people in (False, True):
        declaration = declared(other=True, other_group=True, people=people)
        tally = count_records(source, declaration)
        assert list(tally.counts) == expected(rows, declaration)
        assert sum(tally.counts) == sum(tally.groups) == tally.n
        assert not tally.has_strays


@pytest.mark.few(1)
@pytest.mark.parametrize("people", [False, True], ids=["rows", "people"])
def test_strays_of_either_column_stop_the_count(people: bool) -> None:
    stopped = Counter[bool]()
    for seed in range(15):
        rows = draw_rows(str(seed), 1 + seed % 3)
        columns = {name: pa.array(values, pa.string()) for name, values in
                   zip(("v", "held", "who"), zip(*rows, strict=True), strict=True)}  # fmt: skip
        for other, other_group in ((False, False), (True, False), (False, True)):
            declaration = declared(other=other, other_group=other_group, people=people)
            counts, tally = expected(rows, declaration), count_records(pa.table(columns), declaration)
            stopped[counts is None] += 1
            assert tally.has_strays == (counts is None)
            if counts is not None:
                assert list(tally.counts) == counts
                continue
            with pytest.raises(InvalidInput) as refused:
                _ = tally.counts
            assert refused.value.message == "column 'v' or 'held' has values outside what is declared"
    assert min(stopped[True], stopped[False]) > 3


@pytest.mark.parametrize("form", TYPED)
def test_groups_may_be_numbers_and_answers_texts_or_the_other_way_round(form: str, tmp_path: Path) -> None:
    values, floors = ["a", "b", "b", None, "a", "c"], [1, 2, 2, 1, None, 7]
    source = TYPED[form](tmp_path, {"v": values, "floor": floors})
    declaration = Declaration("v", ["b", "a"], other="rest", by="floor", groups=["2.0", "attic", "1"], other_group="?")
    assert list(count_records(source, declaration).counts) == [2, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1]
    turned = Declaration("floor", ["2.0", "attic", "1"], other="?", by="v", groups=["b", "a"], other_group="rest")
    assert list(count_records(source, turned).counts) == [2, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1]


def test_objects_are_judged_value_by_value_in_both_columns() -> None:
    table = pd.DataFrame({"v": ["a", 1, 1.0, None], "held": [True, "true", 2, "2"]}, dtype=object)
    declaration = Declaration("v", ["1", "a"], other="rest", by="held", groups=["2", "true"])
    assert list(count_records(table, declaration).counts) == [1, 0, 1, 1, 1, 0]


def test_the_sizes_of_groups_depend_on_the_column_of_groups_alone() -> None:
    by, who = ["g", "G", "g", "G", "g"], ["1", "1", "2", "3", None]
    for people, sizes in ((False, (3, 2)), (True, (3, 1))):
        for answers in (["a"] * 5, ["a", "b", "b", "b", "a"], ["?", "a", "a", "a", "a"], ["?"] * 5):
            declaration = Declaration(
                "v", ["a", "b"], id_column="who" if people else None, by="held", groups=["g", "G"]
            )
            assert count_records(pa.table({"v": answers, "held": by, "who": who}), declaration).groups == sizes


def test_no_sizes_are_told_of_a_table_with_stray_groups_or_without_groups() -> None:
    table = pa.table({"v": ["a", "b"], "held": ["g", "?"]})
    for groups, says in (({"by": "held", "groups": ["g", "h"]}, "outside the declared categories"), ({}, "no groups")):
        declaration = Declaration("v", ["a", "b"], **groups)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match=says):
            _ = count_records(table, declaration).groups


def test_columns_with_the_names_that_queries_use_are_told_apart(tmp_path: Path) -> None:
    names = ["code", "place", "records", "rows", "person", "often", "w", "l0", "t0", "c0", "c1", "c2", "r"]
    for i, (column, by) in enumerate(zip(names, names[1:] + names[:1], strict=True)):
        folder = tmp_path / str(i)
        folder.mkdir()
        source = as_duckdb(folder, {by: ["g", "h", "h"], column: ["a", "b", "a"]})
        declaration = Declaration(column, ["a", "b"], by=by, groups=["g", "h"])
        assert list(count_records(source, declaration).counts) == [1, 0, 1, 1]


def test_a_curator_sees_strays_and_unused_names_of_both_columns(tmp_path: Path) -> None:
    source = as_csv(tmp_path, {"v": ["a", "a", "?", ""], "held": ["g", "elsewhere", "g", ""]})
    inspection = inspect_source(source, Declaration("v", ["a", "b"], other="rest", by="held", groups=["g", "h"]))
    assert (inspection.rows, inspection.records, inspection.outside, inspection.fits) == (4, 4, 3, False)
    assert (inspection.unused, inspection.unused_groups) == (("b",), ("h",))
    assert (inspection.strays, inspection.stray_groups) == ((("?", 1),), (("elsewhere", 1),))
    whole = Declaration("v", ["a", "b"], other="rest", by="held", groups=["g", "h"], other_group="somewhere")
    assert inspect_source(source, whole).fits
