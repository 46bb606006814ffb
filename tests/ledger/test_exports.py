"""Exports: everything as JSON, and a CSV that no spreadsheet obeys."""

import csv
import io
import json

import pytest

from discreet.errors import InvalidInput
from discreet.ledger import Ledger

pytestmark = pytest.mark.usefixtures("quick")

FORMULAS = ["=HYPERLINK(1)", "+1", "-1", "@SUM(1)", "=cmd|' /C calc'!A0", "＝1", "＋1", "－1", "＠SUM(1)"]


def test_json_holds_every_row_and_can_be_checked_again(ledger: Ledger) -> None:
    ledger.charge("anes", "1/3", request_id="r", digest="d")
    ledger.seal("r", '{"output": [1]}')
    rows = json.loads(ledger.export())
    assert [row["kind"] for row in rows] == ["budget", "charge", "seal"]
    assert rows[1]["epsilon"] == "1/3"
    assert rows[2]["outcome"] == '{"output": [1]}'
    assert rows[2]["hash"] == ledger.head()
    assert [row["previous"] for row in rows[1:]] == [row["hash"] for row in rows[:-1]]


@pytest.mark.parametrize("name", FORMULAS)
def test_no_cell_of_the_csv_begins_like_a_formula(name: str, place: str) -> None:
    ledger = Ledger.create(place, dataset=name, epsilon=1)
    ledger.charge(name, 1, request_id=name, digest=name)
    ledger.seal(name, "{}")
    rows = list(csv.DictReader(io.StringIO(ledger.export("csv"))))
    assert [row["dataset"] for row in rows] == [f"'{name}"] * 3
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert "outcome" not in rows[0]


def test_other_kinds_are_refused(ledger: Ledger) -> None:
    with pytest.raises(InvalidInput):
        ledger.export("xlsx")
