"""A release whose budget is kept on a server: the same steps, the same receipt, and no password anywhere."""

import json
from pathlib import Path

import pytest

import discreet as dc
from discreet.errors import BudgetExceeded, LedgerError
from tests.cli.command import discreet
from tests.support.postgres import Server
from tests.support.tables import write_votes


def test_a_release_is_charged_sealed_verified_and_repeated_on_a_server(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_votes(tmp_path / "v.csv", ["a"] * 5 + ["b"] * 3)
    url = postgres.new_database(tcp=True)
    ledger = dc.Ledger.create(url, dataset="d", epsilon=1, delta="1e-6", composition="zcdp")
    arguments = ["release", "v.csv", "--column", "vote", "--categories", "a,b", "--epsilon", "0.1", "--ledger", url]
    asked = [*arguments, "--dataset", "d", "--request-id", "r", "--yes", "--json"]
    first = discreet(*asked, "--out", "r.json", "--mechanism", "exponential-reciprocal")
    assert (first.code, first.err) == (0, "")
    again = discreet(*asked, "--mechanism", "exponential-reciprocal")
    assert again.document == first.document
    charge = ledger.find("r")
    assert charge is not None
    assert charge.hash == first.document["charge"]
    assert [entry.rho for entry in ledger.history()[1:]] == ["1/800", None], "the exponential family pays a quarter"
    verified = discreet("receipt", "verify", "r.json", "--ledger", url)
    assert verified.code == 0
    assert discreet(*asked, "--mechanism", "geometric").code == 2
    texts = [
        first.out,
        again.out,
        verified.out,
        ledger.export(),
        (tmp_path / "r.json").read_text(),
        charge.outcome or "",
    ]
    for text in texts:
        assert "pass" not in text.replace("password", "")
        assert "owner" not in text
    assert json.loads(charge.outcome or "")["output"] == first.document["output"]


def test_what_a_budget_on_a_server_cannot_bear_is_refused_before_the_data_is_read(
    postgres: Server, tmp_path: Path
) -> None:
    source = write_votes(tmp_path / "v.csv", ["a"] * 5 + ["c"] * 3)
    url = postgres.new_database()
    ledger = dc.Ledger.create(url, dataset="d", epsilon="1/2", delta="1e-6", composition="zcdp")
    with pytest.raises(BudgetExceeded, match=r"at most 0\.5 is left of 1/2 for 'd'"):
        dc.release(source, column="vote", categories=["a", "b"], epsilon=1, ledger=ledger, dataset="d")
    assert ledger.verify().rows == 1


def test_without_psycopg_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.ledger.places.find_spec", lambda _: None)
    with pytest.raises(LedgerError, match=r"needs psycopg; pip install 'discreet\[postgres\]'"):
        dc.Ledger("postgresql://me:secret@host/db")
