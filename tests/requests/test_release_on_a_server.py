"""A release whose budget is kept on a server: the same steps, the same receipt, and no password anywhere."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

import discreet as dc
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
    command = [*arguments, "--dataset", "d", "--request-id", "r", "--yes", "--json"]
    first = discreet(*command, "--out", "r.json", "--mechanism", "exponential-reciprocal")
    assert (first.code, first.err) == (0, "")
    again = discreet(*command, "--mechanism", "exponential-reciprocal")
    assert again.document == first.document
    charge = ledger.find("r")
    assert charge is not None
    assert charge.hash == first.document["charge"]
    charged, sealed = ledger.history()[1:]
    assert charged.loss.rho is not None
    assert 0 < charged.loss.rho < Fraction(1, 800), "the exponential family pays a quarter, and less on a small space"
    assert sealed.rho is None
    verified = discreet("receipt", "verify", "r.json", "--ledger", url)
    assert verified.code == 0
    assert discreet(*command, "--mechanism", "geometric").code == 2
    written = (tmp_path / "r.json").read_text()
    for text in (first.out, again.out, verified.out, ledger.export(), written, str(charge.outcome)):
        assert "pass" not in text.replace("password", "")
        assert "owner" not in text
    assert json.loads(charge.outcome or "")["output"] == first.document["output"]
