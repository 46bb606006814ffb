"""`discreet demo`: two releases of real data, with receipts that verify and a ledger that adds up."""

from pathlib import Path

import pytest

from discreet.ledger import Ledger
from discreet.receipts import Receipt, verify_receipt
from tests.cli.command import assert_painted, assert_refused, told, typed


def test_the_demo_ends_with_sealed_receipts_pictures_and_a_ledger_that_verifies(tmp_path: Path) -> None:
    answer = typed("demo", cwd=tmp_path)
    assert (answer.code, answer.err) == (0, "")
    out = tmp_path / "discreet-demo"
    ledger = Ledger(out / "budgets.db")
    assert ledger.verify().rows == 5
    for column, k, epsilon in (("vote", 2, "1/2"), ("party", 7, "1")):
        receipt = Receipt.read(out / f"{column}.json")
        assert (receipt.document["n"], len(receipt.output)) == (944, k)
        assert receipt.document["epsilon_exact"] == epsilon
        verify_receipt(receipt)
        charge = ledger.find(str(receipt.request_id))
        assert charge is not None
        assert charge.outcome == receipt.to_json()
        assert_painted(out / f"{column}.png")
        assert f"{column}.json" in answer.out
        assert f"{column}.png" in answer.out
    assert ledger.remaining("anes96 demo").epsilon == 0
    assert "verified" in answer.out

    # A second demo has a fresh ledger of its own; nobody's real ledger is thrown away for it.
    assert set(told("demo", cwd=tmp_path)) == {"vote", "party", "ledger"}
    assert Ledger(out / "budgets.db").verify().rows == 5


@pytest.mark.parametrize("dataset", ["anes96 demo", "census"])
def test_a_ledger_that_is_in_earnest_is_never_thrown_away(dataset: str, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budgets.db", dataset=dataset, epsilon=1)
    ledger.charge(dataset, "1/2", request_id="in earnest", digest="x")
    assert_refused(typed(f"demo --out {tmp_path}"))
    assert ledger.spent(dataset).epsilon == 0.5


def test_a_demo_that_cannot_write_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert_refused(typed(f"demo --out {tmp_path / 'file'}"))
    (tmp_path / "budgets.db").write_text("no ledger")
    assert_refused(typed(f"demo --out {tmp_path}"))
    assert (tmp_path / "budgets.db").read_text() == "no ledger"
