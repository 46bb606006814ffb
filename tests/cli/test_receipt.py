"""`discreet receipt verify`."""

import json
from pathlib import Path

import pytest

from discreet.ledger import Ledger
from discreet.requests.run import release, release_counts
from tests.cli.command import assert_refused, discreet
from tests.support.tables import no_sync, write_votes

VERIFY = ("receipt", "verify", "r.json")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the receipt `r.json` and the ledger that sealed it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("discreet.ledger.file._sync", no_sync)
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=2)
    source = write_votes(tmp_path / "v.csv", ["a"] * 8 + ["b"] * 5)
    receipt = release(source, column="vote", categories=["a", "b"], epsilon=1, ledger=ledger, dataset="d")
    (tmp_path / "r.json").write_text(receipt.to_json())
    return tmp_path


def test_a_receipt_verifies_alone_and_against_its_ledger(place: Path) -> None:
    answer = discreet(*VERIFY, "--ledger", "l.db", cwd=place)
    assert (answer.code, answer.err) == (0, "")
    assert "it holds" in answer.out
    assert "sealed this very receipt" in answer.out
    document = discreet(*VERIFY, "--json").document
    assert document["verified"] is True
    assert document["ledger"] is None
    assert document["epsilon"] == 1
    assert document["certificate"] == json.loads((place / "r.json").read_text())["certificate"]


def test_a_receipt_that_was_laid_out_anew_is_the_same_receipt(place: Path) -> None:
    document = json.loads((place / "r.json").read_text())
    (place / "r.json").write_text(json.dumps(dict(reversed(document.items())), indent=4))
    assert discreet(*VERIFY, "--ledger", "l.db").code == 0


def test_another_output_with_its_own_posterior_is_told_by_the_ledger_alone(place: Path) -> None:
    sealed = json.loads((place / "r.json").read_text())
    forged = release_counts([3, 10], categories=["a", "b"], epsilon=1).document
    drawn = {key: forged[key] for key in ("output", "posterior", "interval")}
    if drawn["output"] == sealed["output"]:  # the same by chance
        return
    (place / "r.json").write_text(json.dumps({**sealed, **drawn}))
    assert discreet(*VERIFY).code == 0
    assert_refused(discreet(*VERIFY, "--ledger", "l.db"), code=5)


def test_a_receipt_of_another_ledger_or_of_none_is_refused(place: Path) -> None:
    Ledger.create(place / "other.db", dataset="d", epsilon=2)
    assert_refused(discreet(*VERIFY, "--ledger", "other.db"), code=5)
    assert_refused(discreet(*VERIFY, "--ledger", "nothing.db"), code=5)
    (place / "r.json").write_text(release_counts([8, 5], epsilon=1).to_json())
    assert discreet(*VERIFY).code == 0
    assert_refused(discreet(*VERIFY, "--ledger", "l.db"), code=5)


def test_a_receipt_whose_charge_was_another_one_is_refused(place: Path) -> None:
    """Whoever writes to a ledger by hand may seal anything; not for another price."""
    document = json.loads((place / "r.json").read_text())
    ledger = Ledger(place / "l.db")
    charge = ledger.charge("d", "1/2", request_id="cheap", digest="x")
    document |= {"request_id": "cheap", "charge": charge.hash}
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    ledger.seal("cheap", text)
    (place / "r.json").write_text(text)
    answer = discreet(*VERIFY, "--ledger", "l.db")
    assert_refused(answer, code=5)
    assert "something else" in answer.err


def test_what_is_no_receipt_is_refused(place: Path) -> None:
    assert_refused(discreet("receipt", "verify", "nothing.json"))
    assert_refused(discreet("receipt", "verify", "v.csv"))
    assert_refused(discreet("receipt", "verify", "."))
