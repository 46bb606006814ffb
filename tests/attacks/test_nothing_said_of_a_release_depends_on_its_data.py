"""The price, the error and the proof of a release are one value over all data sets of its size; so is what it asks."""

import json
from pathlib import Path

import pytest

from discreet.ledger import Ledger
from discreet.requests.prepare import PreparedRequest
from discreet.requests.run import release
from tests.faults import told
from tests.support.tables import write_votes

DRAWN = ("output", "posterior", "belief", "interval")
OWN = ("request_id", "charge", "released_at", "citation")
"""Of each request, by its id and time."""


@pytest.mark.parametrize(
    ("mechanism", "calibrated"), [("geometric", False), ("exponential-local", False), ("exponential-reciprocal", True)]
)
def test_all_data_sets_of_one_size_are_charged_and_told_the_same(
    mechanism: str, calibrated: bool, tmp_path: Path, quick: None
) -> None:
    said, asked, ledger = told_of_all(mechanism, calibrated, tmp_path)
    assert len(said) == len(asked) == 1
    charges = [entry for entry in ledger.history() if entry.kind == "charge"]
    assert {entry.epsilon for entry in charges} == {"1/3"}


def test_a_receipt_that_tells_the_error_of_its_own_data_is_found_out(
    tmp_path: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    told.error_of_this_data_set(monkeypatch)
    said, asked, _ = told_of_all("geometric", False, tmp_path)
    assert len(asked) == 1
    assert len(said) > 1


def told_of_all(mechanism: str, calibrated: bool, tmp_path: Path) -> tuple[set[str], set[str], Ledger]:
    """What the receipts of all data sets of five records say beside their draws, what was asked, and what paid."""
    n = 5
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=n + 1)
    said, asked = set[str](), set[str]()

    def confirm(prepared: PreparedRequest) -> bool:
        asked.add(json.dumps([prepared.receipt().document, prepared.digest]))
        return True

    for first in range(n + 1):
        source = write_votes(tmp_path / "v.csv", ["a"] * first + ["b"] * (n - first))
        receipt = release(
            source, column="vote", categories=["a", "b"], epsilon="1/3", mechanism=mechanism, calibrated=calibrated,
            ledger=ledger, dataset="d", again=True, confirm=confirm,
        )  # fmt: skip
        said.add(json.dumps({key: part for key, part in receipt.document.items() if key not in DRAWN + OWN}))
        if calibrated:
            assert receipt.document["certificate"]["worst"]["counts"], "of all data sets, and not of these"
    return said, asked, ledger


def test_rows_of_one_person_move_many_counts_without_an_id_column_and_one_with_it(tmp_path: Path) -> None:
    """Neighbours by a person: everything that one of them said is replaced."""
    outputs = {}
    for last in ("a", "b"):
        source = write_votes(tmp_path / "v.csv", ["a", "b", *([last] * 50)], people=[1, 2, *([3] * 50)])
        for id_column in (None, "person"):
            # At an ε this large the law emits the counts themselves, but with a probability of e^-500.
            receipt = release(
                source, column="vote", categories=["a", "b"], epsilon=1000, ledger=None, id_column=id_column
            )
            outputs[last, id_column] = receipt.output
    moved = {
        column: sum(abs(one - two) for one, two in zip(outputs["a", column], outputs["b", column], strict=True))
        for column in (None, "person")
    }
    assert moved == {None: 100, "person": 2}
