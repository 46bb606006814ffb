"""`discreet synthesize`: copies of records from a receipt, the same for the same seed."""

import csv
from collections import Counter
from pathlib import Path

import pytest
from pyarrow import parquet

import discreet as dc
from tests.cli.command import assert_refused, told, typed

pytestmark = pytest.mark.usefixtures("place")


@pytest.fixture(autouse=True)
def _receipt(place: Path) -> None:
    rows = [f"{'fm'[i % 2]},{('yes', 'no')[i % 5 > 2]}" for i in range(200)]
    Path("s.csv").write_text("\n".join(["sex,vote", *rows, ""]), encoding="utf-8")
    crossed = {"sex": ["f", "m"], "vote": ["yes", "no"]}
    receipt = dc.release("s.csv", cross=crossed, epsilon=1, ledger=None)
    Path("t.json").write_text(receipt.to_json(), encoding="utf-8")


def test_copies_are_records_with_the_columns_of_the_table(place: Path) -> None:
    answer = told("synthesize t.json --copies 3 --seed 7 --out copies")
    assert answer["files"] == ["copy-1.csv", "copy-2.csv", "copy-3.csv"]
    assert answer["records"] == [200, 200, 200]
    with Path("copies/copy-1.csv").open(encoding="utf-8", newline="") as file:
        rows = Counter(tuple(row.values()) for row in csv.DictReader(file))
    assert rows.total() == 200
    assert set(rows) <= {(sex, vote) for sex in "fm" for vote in ("yes", "no")}
    before = Path("copies/copy-2.csv").read_bytes()
    said = typed("synthesize t.json --copies 3 --seed 7 --out copies --format parquet").out
    assert ", 200 records each" in said
    assert "too narrow" in said
    table = parquet.read_table("copies/copy-1.parquet")
    assert Counter(zip(table["sex"].to_pylist(), table["vote"].to_pylist(), strict=True)) == rows
    told("synthesize t.json --copies 3 --seed 7 --out copies")
    assert Path("copies/copy-2.csv").read_bytes() == before
    told("synthesize t.json --copies 3 --seed 8 --out copies")
    assert Path("copies/copy-2.csv").read_bytes() != before


@pytest.mark.parametrize(
    "line",
    [
        "synthesize t.json --copies 1 --out copies",
        "synthesize t.json --copies many --out copies",
        "synthesize t.json --out s.csv",
        "synthesize t.json --out copies --format json",
        "synthesize s.csv --out copies",
    ],
)
def test_what_cannot_be_drawn_is_refused(line: str) -> None:
    assert_refused(typed(line))
