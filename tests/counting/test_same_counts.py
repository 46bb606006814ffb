"""One table of nasty values gives the same counts from every form, and they are the rule's."""

import datetime as dt
import math
import random
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.counting import Declaration, count_records, inspect_source
from discreet.counting.rule import Judge
from tests.counting.conftest import ENGINES, SPARK, Hold
from tests.counting.tables import TEXT, TYPED, Columns, as_csv, as_sqlite, counted

pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # of Ibis' own

NASTY = [
    *["a", "A", "a ", " a", "\ta", "a\n", "", None, "á", "a\u0301", "ａ", "𝔞", "a\u200b", "\ufeffa", "a\0b"],
    *["NULL", "null", "NA", "nan", "NaN", "None", "\\N", "inf", "0", "00", "-0", "1", "1.0", "+1", "1e0", "1_0", "٣"],
    *["true", "True", "TRUE", "ß", "SS", "ı", "I", "ﬀ", "日本語", "🙂", "\u202eevil", "x" * 10_000],
    *["'", '"', '""', "a,b", 'say "hi"', ' "a"', '"a" ', "a;b", "line\nbreak", "cr\r\nlf", "cr\ralone", "#", "\\x41"],
    *["'; DROP TABLE rows; --", "$wanted", "?", "{a}", "%s", "=1+1", "*", "rest"],
]
OFTEN = {value: 1 + i % 5 for i, value in enumerate(NASTY)}
ROWS = [value for value, often in OFTEN.items() for _ in range(often)]
CATEGORIES = [value for value in NASTY if value and value.isprintable() and len(value) <= 1000 and value != "rest"]


def expected(values: list[Any], declaration: Declaration) -> list[int]:
    """The counts by the rule in plain Python."""
    judge, outside = Judge(declaration), len(declaration.known)
    sizes = Counter(outside if (place := judge.place(value)) is None else place for value in values)
    return [sizes[place] for place in range(len(declaration.labels))]


def shuffle(rows: list[Any], name: object) -> None:
    random.Random(str(name)).shuffle(rows)  # noqa: S311 - it chooses an order and nothing secret


@pytest.mark.every
@pytest.mark.parametrize("form", [*TEXT, *ENGINES])
def test_nasty_texts_are_counted_by_the_rule(form: str, hold: Hold) -> None:
    rows = [row for row in ROWS if row is None or "\0" not in row or not form.startswith("postgres")]  # it has none
    shuffle(rows, form)
    declaration = Declaration("v", CATEGORIES, other="rest")
    tally = count_records(hold(form, {"filler": ["x"] * len(rows), "v": rows}), declaration)
    assert tally.n == len(rows)
    assert not tally.has_strays, "other takes them"
    inside = [OFTEN[category] for category in CATEGORIES]
    assert list(tally.counts) == [*inside, len(rows) - sum(inside)] == expected(rows, declaration)


@pytest.mark.parametrize("form", [*TEXT, *ENGINES])
def test_null_and_empty_texts_are_a_category_of_their_own_where_it_is_declared(form: str, hold: Hold) -> None:
    rows = [row for row in ROWS if row is None or "\0" not in row or not form.startswith("postgres")]
    shuffle(rows, form)
    who = [str(i // 3) for i in range(len(rows))]
    source = hold(form, {"v": rows, "who": who})
    declaration = Declaration("v", CATEGORIES, other="rest", missing="nothing")
    counts = expected(rows, declaration)
    assert counts[-2] == OFTEN[""] + OFTEN[None] > 0 < counts[-1]
    assert counted(source, declaration) == (len(rows), *counts)
    assert count_records(source, Declaration("v", CATEGORIES, missing="nothing")).has_strays, "others are strays still"
    people = Declaration("v", ["a"], other="rest", missing="nothing", id_column="who")
    judge = Judge(people)
    codes = [2 if (place := judge.place(value)) is None else place for value in rows]
    best = Counter(min(codes[i : i + 3]) for i in range(0, len(codes), 3))
    assert counted(source, people)[1:] == (best[0], best[1], best[2])


@pytest.mark.parametrize("form", TEXT)
def test_rows_in_another_order_give_the_same_counts(form: str, tmp_path: Path) -> None:
    rows = [("a", "1"), ("b", "1"), ("b", "2"), ("", "2"), (None, "3"), ("a", ""), ("b", None), ("c", "4"), ("c", "é")]
    answers = set()
    for seed in range(2):
        shuffle(rows, seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        source = TEXT[form](folder, {"v": [v for v, _ in rows], "who": [who for _, who in rows]})
        for id_column in (None, "who"):
            declaration = Declaration("v", ["b", "a", "c"], other="rest", id_column=id_column)
            answers.add((id_column, *counted(source, declaration)))
    # Of a person's rows the first declared category counts: 1 is in b, 2 in b, 3 outside, no id in b, 4 and é in c.
    assert answers == {(None, 9, 3, 2, 2, 2), ("who", 6, 3, 0, 2, 1)}


BYTES = [b"a", b"a\xff", b"\xff", b"\xc3", b"\xed\xa0\x80", b"a\0", b"b", b"a"]
WHO = [b"1", b"1\xff", b"1\xff", b"1\xfe", b"2", b"3", b"4", b"5"]


def as_raw_csv(folder: Path, columns: dict[str, Any]) -> Path:
    fields = (column.cast(pa.binary()).to_pylist() for column in columns.values())
    lines = [b",".join(row) for row in zip(*fields, strict=True)]
    (folder / "t.csv").write_bytes(b"\n".join([",".join(columns).encode(), *lines, b""]))
    return folder / "t.csv"


def as_raw_pandas(_: Path, columns: dict[str, Any]) -> pd.DataFrame:
    texts = {name: column.cast(pa.binary()).to_pylist() for name, column in columns.items()}
    decoded = {name: [text.decode("utf-8", "surrogateescape") for text in held] for name, held in texts.items()}
    return pd.DataFrame(decoded, dtype=pd.StringDtype("python"))


def as_raw_sqlite(folder: Path, columns: dict[str, Any]) -> str:
    texts = {name: ("TEXT", column.cast(pa.binary()).to_pylist()) for name, column in columns.items()}
    return as_sqlite(folder, texts, "CAST(? AS TEXT)")


ARROW = ["parquet", "arrow file", "arrow stream", "arrow", "arrow large text", "arrow text view", "arrow dictionary"]
RAW: dict[str, Any] = {"csv": as_raw_csv, "pandas": as_raw_pandas, "sqlite": as_raw_sqlite}
"""Forms that can hold a text that is not UTF-8."""


@pytest.mark.parametrize("form", [*ARROW, *RAW, SPARK])
def test_a_text_that_is_not_utf_8_is_a_value_like_any_other(form: str, hold: Hold, tmp_path: Path) -> None:
    columns: dict[str, Any] = {"v": pa.array(BYTES).view(pa.string()), "who": pa.array(WHO).view(pa.string())}
    source = RAW[form](tmp_path, columns) if form in RAW else hold(form, columns)
    assert counted(source, Declaration("v", ["a", "b"], other="rest")) == (8, 2, 1, 5)
    assert counted(source, Declaration("v", ["a", "b"], other="rest", id_column="who")) == (7, 2, 1, 4)
    assert count_records(source, Declaration("v", ["a", "b"])).has_strays
    if form == "sqlite":  # Ibis reads no such text
        return
    inspection = inspect_source(source, Declaration("v", ["a", "b"]))
    assert (inspection.rows, inspection.outside) == (8, 5)
    if form not in {"pandas", "spark"}:  # where texts are judged before anybody looks at them, or mended to be shown
        assert dict(inspection.strays)["\\xFF"] == 1


NUMBERS: dict[str, list[Any]] = {
    "whole": [0, 1, -1, 2, 10, 255, None, 1, 1],
    "wide": [2**63 - 1, -(2**63), 2**53 + 1, 2**53, 0, None],
    "floats": [0.1, 0.1 + 0.2, 0.3, -0.0, 0.0, 1.0, 1e300, 5e-324, float("nan"), float("inf"), -float("inf"), None],
    "decimals": [Decimal("0.10"), Decimal("1.00"), Decimal("-1.25"), None, Decimal("2.50")],
}
NUMBER_CATEGORIES = {
    "whole": ["0", "1.0", "-1", "2e0", "1e1", "2.5", "255", "256", "yes", "1e300"],
    "wide": ["9223372036854775807", "-9223372036854775808", "9007199254740993", "9007199254740992", "1e200"],
    "floats": ["1/10", "0.3", "0.30000000000000004", "0", "1", "1e300", "0.1000000000000000055511151231257827"],
    "decimals": ["0.1", "1", "-1.25", "-1.251", "5/2"],
}


@pytest.mark.few(12)
@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("form", [SPARK, *TYPED])
def test_numbers_are_compared_as_numbers(form: str, kind: str, hold: Hold) -> None:
    if form == "pandas" and kind == "wide":
        pytest.skip("pandas makes floats of whole numbers with a gap before we see them")
    values = NUMBERS[kind]
    declaration = Declaration("v", NUMBER_CATEGORIES[kind], other="rest")
    source = hold(form, {"v": values})
    assert counted(source, declaration) == (len(values), *expected(values, declaration))
    apart = Declaration("v", NUMBER_CATEGORIES[kind], other="rest", missing="nothing")
    assert counted(source, apart) == (len(values), *expected(values, apart))


@pytest.mark.parametrize("form", ["arrow", SPARK])
@pytest.mark.parametrize("kind", [pa.int8(), pa.uint8(), pa.uint64(), pa.float32(), pa.decimal128(38, 10), pa.bool_()])
def test_every_width_holds_what_it_can(kind: Any, form: str, hold: Hold) -> None:
    if form == "spark" and kind in (pa.uint8(), pa.uint64()):
        pytest.skip("Spark has no such type")
    names = ["true", "false"] if kind == pa.bool_() else ["1", "0"]
    declaration = Declaration("v", [*names, "-1", "300", "1e200", "0.1"], other="rest")
    values: Any = pa.array([1, 0, 1, None, 1]).cast(kind)
    assert counted(hold(form, {"v": values}), declaration) == (5, 3, 1, 0, 0, 0, 0, 1)


@pytest.mark.parametrize("form", ["arrow", SPARK])
def test_a_column_of_nothing_is_all_outside(form: str, hold: Hold) -> None:
    nothing: Any = pa.nulls(3)
    assert counted(hold(form, {"v": nothing}), Declaration("v", ["1"], other="rest")) == (3, 0, 3)


@pytest.mark.parametrize("form", ["arrow", SPARK])
def test_a_single_precision_float_means_what_is_printed_for_it(form: str, hold: Hold) -> None:
    numbers = (0.1, 0.2, 1 / 3, 16777217.0, 3.4028235e38, 1e-45, 8.589973e9, 1.17549435e-38, 7.0)
    values = [np.float32(number) for number in numbers]
    column: Any = pa.array([*values, *values, None], pa.float32())
    declaration = Declaration("v", [str(value) for value in values], other="rest")
    assert counted(hold(form, {"v": column}), declaration) == (19, *[2] * len(values), 1)


def test_a_column_of_objects_is_judged_value_by_value() -> None:
    numbers = [1, 1.0, Decimal(1), Fraction(1), np.int8(1)]
    objects = ["1", *numbers, True, "true", np.bool_(True), None, pd.NA, Decimal("sNaN"), [1], "\ud800"]
    table = pd.DataFrame({"v": pd.Series(objects, dtype=object)})
    assert list(count_records(table, Declaration("v", ["1", "true"], other="rest")).counts) == [6, 3, 5]
    apart = Declaration("v", ["1", "true"], other="rest", missing="nothing")
    assert list(count_records(table, apart).counts) == [6, 3, 3, 2]
    assert inspect_source(table, apart).missing == 3


def test_categories_may_be_booleans_and_whole_numbers() -> None:
    frame = pd.DataFrame({"b": [True, False, True], "n": [3, 4, 3], "x": [3.0, math.nan, 4.0], "t": ["3", "3.0", "4"]})
    assert counted(frame, Declaration("b", [True, False])) == (3, 2, 1)
    of_numpy: list[Any] = [np.True_, np.int64(4)]
    assert counted(frame, Declaration("b", of_numpy, other="rest")) == (3, 2, 0, 1)
    assert counted(frame, Declaration("n", of_numpy, other="rest")) == (3, 0, 1, 2)
    assert counted(frame, Declaration("x", [3, 4], missing="none")) == (3, 1, 1, 1)
    assert counted(frame, Declaration("t", [3, 4], other="rest", by="b", groups=[False, True])) == (3, 0, 0, 1, 1, 1, 0)
    assert Declaration("v", [-1, 10**20, True]).labels == ("-1", "100000000000000000000", "true")


def test_one_odd_object_moves_no_other_count() -> None:
    ids = [1, 1, np.array([1, 2]), [1], object(), "\ud800"]
    people = pd.DataFrame({"v": list("aaabbb"), "who": pd.Series(ids, dtype=object)})
    assert list(count_records(people, Declaration("v", ["a", "b"], id_column="who")).counts) == [2, 3]
    declaration = Declaration("v", ["1", "2"], other="rest")
    plain = pd.DataFrame({"v": pd.Series([1, 1, 2, 2, 2], dtype=object)})
    odd = pd.DataFrame({"v": pd.Series([1, 1, 2, 2, "x"], dtype=object)})
    assert list(count_records(plain, declaration).counts) == [2, 3, 0]
    assert list(count_records(odd, declaration).counts) == [2, 2, 1]


def test_ids_of_any_kind_tell_people_apart() -> None:
    declaration = Declaration("v", ["a", "b"], id_column="who")
    votes = ["b", "a", "b", "b"]
    same_first_two = {
        "whole": pl.Series([7, 7, 8, None]),
        "floats": pl.Series([0.0, -0.0, 1.5, float("nan")]),
        "texts": pl.Series(["é", "é", "e\u0301", ""]),
        "dates": pl.Series([1, 1, 2, None]).cast(pl.Date),
        "truths": pl.Series([True, True, False, None]),
        "bytes": pl.Series([b"x", b"x", b"X", b""]),
        "decimals": pl.Series([Decimal("1.0"), Decimal("1.00"), Decimal(2), None]),
    }
    for kind, ids in same_first_two.items():
        assert counted(pl.DataFrame({"v": votes, "who": ids}), declaration) == (3, 1, 2), kind
        objects = pd.DataFrame({"v": votes, "who": pd.Series(ids.to_list(), dtype=object)})
        if kind != "bytes":
            assert counted(objects, declaration) == (3, 1, 2), kind


def test_a_person_is_a_stray_only_if_all_their_rows_are(tmp_path: Path) -> None:
    declaration = Declaration("v", ["a", "b"], id_column="who")
    source = as_csv(tmp_path, {"v": ["?", "a", "b"], "who": ["1", "1", "2"]})
    assert not count_records(source, declaration).has_strays
    assert list(count_records(source, declaration).counts) == [1, 1]
    assert count_records(as_csv(tmp_path, {"v": ["?", "a"], "who": ["1", "2"]}), declaration).has_strays


PEOPLE: Columns = {
    "text": ["1", "1", "2", "2", "3", "", None, "4", "é", "e\u0301"],
    "whole": [7, 7, 8, 8, None, None, 9, 9, 10, 10],
    "float": [0.0, -0.0, 1.5, 1.5, math.nan, None, 2.0, 2.0, 3.0, math.inf],
    "date": [dt.date(2020, 1, 1 + i // 2) if i < 8 else None for i in range(10)],
    "bytes": [b"x", b"x", b"X", b"", None, b"y", b"y", b"z", b"z", b"z"],
    "truth": [True, True, False, None, None, True, False, False, True, None],
}
ANSWERS = ["a", "b", "b", "", None, "a", "b", "c", "c", "a"]


@pytest.mark.parametrize("form", ["postgres", SPARK])
def test_ids_tell_the_same_people_apart_on_every_engine(form: str, hold: Hold) -> None:
    source = hold(form, {"v": ANSWERS, **PEOPLE})
    for person in PEOPLE:
        declaration = Declaration("v", ["b", "a"], other="rest", id_column=person)
        assert counted(source, declaration) == counted(pa.table({"v": ANSWERS, **PEOPLE}), declaration), person


@pytest.mark.parametrize("form", ["ibis", "postgres", SPARK])
def test_what_a_curator_sees_is_the_same_on_every_engine(form: str, hold: Hold) -> None:
    columns: Columns = {
        "v": ["a", "b", "", None, "B", "B", "ß"],
        "x": [1.0, 2.0, math.nan, None, 3.5, 3.5, 7.25],
        "who": ["1", "2", "", None, "3", "3", "3"],
    }
    source = hold(form, columns)
    for declaration in (
        Declaration("v", ["a", "b", "c"], id_column="who"),
        Declaration("x", ["1", "2"], other="rest"),
        Declaration("v", ["a", "b"], by="x", groups=["1", "2", "4"]),
    ):
        assert inspect_source(source, declaration) == inspect_source(pa.table(columns), declaration)


@pytest.mark.parametrize("form", ["arrow", "postgres by join"])
def test_a_thousand_categories_are_counted_too(form: str, hold: Hold) -> None:
    names = [f"c{i}" for i in range(1000)]
    source = hold(form, {"v": [*names, *names, "c1", "?"]})
    assert counted(source, Declaration("v", names, other="rest")) == (2002, 2, 3, *[2] * 998, 1)
