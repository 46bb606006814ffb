"""What may be declared, and what is refused before any row is read."""

from typing import Any

import pyarrow as pa
import pytest

from discreet.counting import Declaration, count_records, open_source
from discreet.counting.duck import DuckTable
from discreet.errors import InvalidInput
from discreet.posteriors.space import Counts

pytestmark = pytest.mark.every


@pytest.mark.parametrize(
    "declared",
    [
        pytest.param({"categories": []}, id="no category"),
        pytest.param({"categories": ["a"]}, id="one category and no other"),
        pytest.param({"categories": [], "other": "rest"}, id="only other"),
        pytest.param({"categories": ["a", "a"]}, id="a name given twice"),
        pytest.param({"other": "b"}, id="other is a category"),
        pytest.param({"categories": ["a", ""]}, id="an empty name"),
        pytest.param({"categories": ["a", "b\x1b[31m"]}, id="a name that steers the terminal"),
        pytest.param({"categories": ["a", "\ud800"]}, id="a name that is no Unicode"),
        pytest.param({"categories": ["a", "x" * 1001]}, id="a very long name"),
        pytest.param({"categories": "ab"}, id="a text for a list"),
        pytest.param({"categories": {"a", "b"}}, id="a set, which has no order"),
        pytest.param({"categories": [0.0, 1.0]}, id="numbers that are not whole"),
        pytest.param({"categories": [True, "true"]}, id="a Boolean and its text"),
        pytest.param({"missing": "a"}, id="missing is a category"),
        pytest.param({"missing": "rest", "other": "rest"}, id="missing is other"),
        pytest.param({"column": ""}, id="a column without a name"),
        pytest.param({"id_column": ""}, id="an id column without a name"),
        pytest.param({"id_column": "v"}, id="the same column twice"),
        pytest.param({"by": "g"}, id="a column of groups and no group"),
        pytest.param({"by": "g", "groups": ["x"]}, id="one group and no other group"),
        pytest.param({"by": "g", "groups": ["x", "x"]}, id="a group given twice"),
        pytest.param({"groups": ["x", "y"]}, id="groups of no column"),
        pytest.param({"other_group": "y"}, id="another group of no column"),
        pytest.param({"by": "v", "groups": ["x", "y"]}, id="a column by itself"),
        pytest.param({"by": "g", "groups": "xy"}, id="a text for groups"),
        pytest.param({"by": "g", "groups": ["x", "y"], "id_column": "g"}, id="groups that are people"),
    ],
)
def test_what_cannot_be_meant_is_refused(declared: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        Declaration(**{"column": "v", "categories": ["a", "b"], **declared})


@pytest.mark.soak
def test_more_than_a_million_categories_or_cells_are_refused() -> None:
    with pytest.raises(InvalidInput):
        Declaration("v", [str(i) for i in range(10**6 + 1)])
    with pytest.raises(InvalidInput):
        Declaration("v", ["a", "b"], by="g", groups=[str(i) for i in range(500_001)])


def test_names_that_differ_only_to_the_eye_are_different() -> None:
    assert len(Declaration("v", ["é", "e\u0301", "a", "a ", "A"]).labels) == 5


def test_no_two_cells_have_the_same_name() -> None:
    names = ["a", "b", "a × b", "×", '"a"', '"a" × b', '"', " × ", "a × ", '"a × "', "× a", '""']
    labels = Declaration("v", names, other="rest", by="g", groups=names, other_group="rest").labels
    assert len(set(labels)) == len(labels) == (len(names) + 1) ** 2


def test_a_declaration_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Declaration("v", ["a", "b"]).column = "w"  # type: ignore[misc]


def test_counts_come_in_the_order_of_the_labels_and_do_not_show_themselves() -> None:
    counts = count_records(pa.table({"v": ["b", "b", "?"]}), Declaration("v", ["a", "b"], other="rest")).counts
    assert isinstance(counts, Counts)
    assert list(counts) == [0, 2, 1]
    assert str(counts) == "<counts>"


@pytest.mark.parametrize("values", [["a", "?"], ["?", "?", "!"], [None, "a"]])
def test_strays_stop_the_count_in_words_that_tell_neither_which_nor_how_many(values: list[Any]) -> None:
    declaration, table = Declaration("v", ["a", "b"]), pa.table({"v": pa.array(values, pa.string())})
    tally = count_records(table, declaration)
    assert tally.has_strays is True
    with pytest.raises(InvalidInput) as refused:
        _ = tally.counts
    assert refused.value.message == "column 'v' has values outside the declared categories"


@pytest.mark.parametrize(
    "kind",
    [pa.date32(), pa.timestamp("us"), pa.binary(), pa.list_(pa.int8()), pa.float16(), pa.decimal256(50, 2)],
    ids=str,
)
def test_columns_of_other_types_are_refused(kind: Any) -> None:
    table = pa.table({"v": pa.nulls(2, kind)})
    with pytest.raises((InvalidInput, OSError)), open_source(table, Declaration("v", ["a", "b"])):
        pass


def test_a_numeric_column_needs_a_category_that_is_a_number() -> None:
    with pytest.raises(InvalidInput, match="is numeric, and no name"):
        count_records(pa.table({"v": [1, 2]}), Declaration("v", ["yes", "no"], other="rest"))


def test_a_table_without_rows_has_counts_of_nothing() -> None:
    empty = pa.table({"v": pa.array([], pa.string()), "who": pa.array([], pa.int64())})
    for id_column in (None, "who"):
        tally = count_records(empty, Declaration("v", ["a", "b"], id_column=id_column))
        assert (tally.n, tally.has_strays, list(tally.counts)) == (0, False, [0, 0])


def test_an_engine_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no engine"):
        open_source(pa.table({"v": ["a"]}), Declaration("v", ["a", "b"]), engine="abacus")


def test_progress_is_told_while_the_engine_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.counting.engines.PATIENCE", 0.0)
    shares: list[float] = []
    table = pa.table({"v": [f"stray {i}" for i in range(200_000)], "who": list(range(200_000))})
    declaration = Declaration("v", ["a"], other="rest", id_column="who")
    assert list(count_records(table, declaration, progress=shares.append).counts) == [0, 200_000]
    assert all(0 <= share <= 1 for share in shares)


def test_ctrl_c_stops_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("discreet.counting.engines.PATIENCE", 0.0)
    monkeypatch.setattr("discreet.counting.duck.DuckTable._show_progress", interrupt)
    table = pa.table({"v": ["a"] * 1_000_000})
    with pytest.raises(KeyboardInterrupt):
        count_records(table, Declaration("v", ["a", "b"]))


def test_more_values_than_fit_in_memory_are_counted_without_keeping_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.counting.duck_access.MEMORY", 16)
    queries: list[str] = []
    fetch = DuckTable._fetch

    def spy(self: DuckTable, query: str, *matches: Any) -> list[tuple[Any, ...]]:
        queries.append(query)
        return fetch(self, query, *matches)

    monkeypatch.setattr(DuckTable, "_fetch", spy)
    table = pa.table({"v": [f"a value that nobody else has, {i}" for i in range(600_000)] + ["a", "b", "b"]})
    assert list(count_records(table, Declaration("v", ["a", "b"], other="rest")).counts) == [1, 2, 600_000]
    assert len(queries) == 2, "the quick way ran out of memory, and the other did not"
