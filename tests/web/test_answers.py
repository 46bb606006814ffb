"""The page's questions, without a browser: the documents are the commands'."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from discreet.errors import InvalidInput, NotPrivate
from discreet.ledger import Ledger
from discreet.requests.request import Question
from discreet.requests.run import release, release_columns
from discreet.web.answers import QUESTIONS, PageApi
from discreet.web.fields import Fields
from tests.cli.command import told


def answer(what: str, desk: PageApi | None = None, **sent: object) -> dict[str, object]:
    return QUESTIONS[what](desk or PageApi(), Fields(sent), lambda done, of: None)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return pd.DataFrame({"vote": ["yes"] * 12 + ["no"] * 8, "sex": ["f", "m"] * 10})


def as_sent(document: dict[str, object]) -> object:
    return json.loads(json.dumps(document))


@pytest.mark.parametrize(
    ("line", "sent"), [("plan", {}), ("audit laplace", {"mechanism": "laplace"})], ids=["a plan", "an audit"]
)
def test_what_is_answered_is_what_the_command_says(line: str, sent: dict[str, Any]) -> None:
    document = told(f"{line} --prior 1,1 --n 9 --epsilon 1")
    assert as_sent(answer(line.split()[0], **sent, prior="1,1", n="9", epsilon="1")) == document


def test_budgets_are_the_commands_and_no_outcome_travels_with_the_history(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=2, delta="1e-6", composition="zcdp")
    ledger.charge("d", "1/3", request_id="r", digest="x")
    ledger.seal("r", '{"secret": "until it is asked for"}')
    document = told(f"ledger show {tmp_path / 'l.db'}")
    found = answer("budgets", PageApi(ledger=str(tmp_path / "l.db")))
    assert {key: as_sent(found)[key] for key in document} == document  # type: ignore[index]
    assert "secret" not in json.dumps(found)


@pytest.mark.parametrize("prior", ["", "2,3"])
def test_a_receipt_is_read_as_by_the_command(prior: str, table: pd.DataFrame, tmp_path: Path) -> None:
    receipt = release(table, column="vote", categories=["yes", "no"], epsilon=1, ledger=None)
    (tmp_path / "r.json").write_text(receipt.to_json(), encoding="utf-8")
    belief = told(f"infer {tmp_path / 'r.json'}", *(["--prior", prior] if prior else []))
    assert as_sent(answer("infer", receipt=receipt.to_json(), prior=prior))["belief"] == belief  # type: ignore[index]


def test_several_columns_share_the_readers_prior(table: pd.DataFrame) -> None:
    asked = [Question("vote", ["yes", "no"]), Question("sex", ["f", "m"])]
    bundle = release_columns(table, asked, epsilon=1, ledger=None)
    found = answer("infer", receipt=bundle.to_json(), prior="2,3")["belief"]
    assert [part["prior"] for part in found["columns"]] == [[2.0, 3.0]] * 2  # type: ignore[index]
    assert "columns" in answer("infer", receipt=bundle.to_json())["belief"]  # type: ignore[operator]


def test_a_receipt_that_lies_is_not_read(table: pd.DataFrame) -> None:
    receipt = release(table, column="vote", categories=["yes", "no"], epsilon=1, ledger=None)
    for lie in ({"epsilon_exact": "1/2"}, {"n": 21}):
        with pytest.raises((InvalidInput, NotPrivate)):
            answer("infer", receipt=json.dumps(receipt.document | lie))


def test_a_page_without_a_ledger_knows_of_no_budgets() -> None:
    assert answer("facts")["ledger"] is None
    with pytest.raises(InvalidInput, match="--ledger"):
        answer("budgets")


def test_a_file_is_read_as_the_page_is_told(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_bytes("1\tcafé\n2\tthé\n3\t\n4\tcafé\n".encode("cp1252"))
    Ledger.create(tmp_path / "l.db", dataset="d", epsilon=2000)
    desk = PageApi(ledger=str(tmp_path / "l.db"), may_release=True)
    sent: dict[str, Any] = {
        "source": str(tmp_path / "v.txt"),
        "column": "column1",
        "categories": ["café", "thé"],
        "missing": "unsaid",
        "delimiter": "tab",
        "encoding": "cp1252",
        "no_header": True,
        "dataset": "d",
        "epsilon": "1000",
        "mechanism": "geometric",
    }
    price = answer("price", desk, **sent)
    assert price["document"]["n"] == 4  # type: ignore[index]
    agreed = {key: price[key] for key in ("digest", "request_id")}
    receipt: Any = answer("release", desk, **sent, **agreed)["receipt"]
    assert (receipt["categories"], receipt["output"]) == (["café", "thé", "unsaid"], [2, 1, 1])
    with pytest.raises(InvalidInput, match=f"charged for this question before.*{agreed['request_id']}"):
        answer("price", desk, **sent)
    assert answer("price", desk, **sent, again=True)["digest"] == agreed["digest"]
