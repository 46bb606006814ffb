"""`discreet receipt`: verify and show."""

import json
from pathlib import Path
from typing import Any

import pytest

from discreet.ledger import Ledger
from discreet.receipts import Receipt
from discreet.receipts.words import citation
from discreet.requests.run import release, release_counts
from tests.cli.command import assert_refused, told, typed

VERIFY = "receipt verify r.json"


@pytest.fixture(autouse=True)
def sealed(place: Path) -> dict[str, Any]:
    """A receipt that the ledger sealed, which is also in the file `r.json`."""
    options: dict[str, Any] = {"column": "vote", "categories": ["a", "b"], "epsilon": 1}
    receipt = release(place / "v.csv", **options, ledger=Ledger(place / "l.db"), dataset="answers")
    (place / "r.json").write_text(receipt.to_json())
    return receipt.document


def test_a_receipt_verifies_alone_and_against_its_ledger(sealed: dict[str, Any]) -> None:
    answer = typed(f"{VERIFY} --ledger l.db")
    assert (answer.code, answer.err) == (0, "")
    assert "it holds" in answer.out
    assert "sealed this very receipt" in answer.out
    document = told(VERIFY)
    assert (document["verified"], document["ledger"], document["epsilon"]) == (True, None, 1)
    assert document["certificate"] == sealed["certificate"]


def test_a_receipt_that_was_laid_out_anew_is_the_same_receipt(sealed: dict[str, Any], place: Path) -> None:
    (place / "r.json").write_text(json.dumps(dict(reversed(sealed.items())), indent=4))
    assert typed(f"{VERIFY} --ledger l.db").code == 0


def test_another_output_with_its_own_posterior_is_told_by_the_ledger_alone(sealed: dict[str, Any], place: Path) -> None:
    forged = release_counts([3, 13], categories=["a", "b"], epsilon=1).document
    drawn = {key: forged[key] for key in ("output", "posterior", "belief", "interval")}
    if drawn["output"] == sealed["output"]:  # the same by chance
        return
    (place / "r.json").write_text(json.dumps({**sealed, **drawn}))
    assert typed(VERIFY).code == 0
    assert_refused(typed(f"{VERIFY} --ledger l.db"), code=5)


def test_a_receipt_of_another_ledger_or_of_none_is_refused(place: Path) -> None:
    Ledger.create(place / "other.db", dataset="d", epsilon=2)
    for ledger in ("other.db", "nothing.db"):
        assert_refused(typed(f"{VERIFY} --ledger {ledger}"), code=5)
    (place / "r.json").write_text(release_counts([8, 5], epsilon=1).to_json())
    assert typed(VERIFY).code == 0
    assert_refused(typed(f"{VERIFY} --ledger l.db"), code=5)


def test_a_receipt_whose_charge_was_another_one_is_refused(sealed: dict[str, Any], place: Path) -> None:
    """Whoever writes to a ledger by hand may seal anything; not for another price."""
    ledger = Ledger(place / "l.db")
    charge = ledger.charge("answers", "1/2", request_id="cheap", digest="x")
    document = sealed | {"request_id": "cheap", "charge": charge.hash, "released_at": charge.time}
    document["citation"] = citation(document)
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    ledger.seal("cheap", text)
    (place / "r.json").write_text(text)
    answer = typed(f"{VERIFY} --ledger l.db")
    assert_refused(answer, code=5)
    assert "something else" in answer.err


def test_a_receipt_dated_otherwise_than_its_charge_is_refused(place: Path) -> None:
    ledger = Ledger(place / "l.db")
    options: dict[str, Any] = {"column": "vote", "categories": ["a", "b"], "epsilon": 1}
    document = release(place / "v.csv", **options, ledger=None).document
    charge = ledger.charge("answers", "1", request_id="late", digest="x")
    document |= {"request_id": "late", "dataset": "answers", "charge": charge.hash}
    document["released_at"] = "2001-01-01T00:00:00+00:00"
    document["citation"] = citation(document)
    ledger.seal("late", Receipt(document).to_json())
    (place / "r.json").write_text(Receipt(document).to_json())
    assert typed(VERIFY).code == 0
    assert_refused(typed(f"{VERIFY} --ledger l.db"), code=5)


@pytest.mark.parametrize("command", ["export r.json --format methods", "page r.json"])
def test_a_receipt_is_not_written_over_by_what_is_made_of_it(command: str, place: Path) -> None:
    receipt = (place / "r.json").read_bytes()
    (place / "link.json").hardlink_to(place / "r.json")
    for out in ("r.json", "./r.json", "link.json"):
        answer = typed(f"receipt {command} --out {out}")
        assert_refused(answer)
        assert "--out names the receipt" in answer.err
    assert (place / "r.json").read_bytes() == receipt


def test_a_mailed_receipt_is_shown_as_a_page(place: Path) -> None:
    named = ["--title", "How they voted", "--source-name", "Own survey, 2024"]
    line = "release v.csv --column vote --categories a --other rest --by sex --groups f,m --epsilon 0.5 --ledger l.db"
    assert typed(f"{line} --dataset answers --request-id x --yes --out mail.json", *named).code == 0
    (place / "elsewhere").mkdir()
    (place / "elsewhere" / "mail.json").write_bytes((place / "mail.json").read_bytes())
    answer = typed("receipt show mail.json", cwd=place / "elsewhere")
    assert (answer.code, answer.err) == (0, "")
    document = json.loads((place / "mail.json").read_text())
    for words in (
        "How they voted", "Own survey, 2024", document["released_at"], "budget of answers, request x", "one row",
        "a factor of at most 1.65", document["question"], "category of “vote”, within each group of “sex”?",
        "Missing values and values outside the categories count as “rest”.", "points wide", document["citation"],
        "discreet receipt verify mail.json", f"{100 * document['belief']['m']['rest']['mean']:.2f} %",
    ):  # fmt: skip
        assert words in answer.out
    assert told("receipt show mail.json") == document


@pytest.mark.parametrize("name", ["columns-of-public-groups", "groups", "geometric", "exponential-long"])
def test_a_receipt_of_before_is_shown_too(name: str) -> None:
    written = Path(__file__).parents[1] / "receipts" / "written" / f"{name}.json"
    answer = typed("receipt", "show", str(written))
    assert (answer.code, answer.err) == (0, "")
    assert "does not say how missing" in answer.out


@pytest.mark.parametrize("command", ["verify", "show"])
@pytest.mark.parametrize("file", ["nothing.json", "v.csv", "."])
def test_what_is_no_receipt_is_refused(file: str, command: str) -> None:
    assert_refused(typed(f"receipt {command} {file}"))


@pytest.mark.parametrize(("key", "value"), [("belief", {"a": 1}), ("posterior", None), ("prior", 3), ("title", {})])
def test_nonsense_is_not_shown(key: str, value: object, sealed: dict[str, Any], place: Path) -> None:
    (place / "r.json").write_text(json.dumps({**sealed, key: value}))
    answer = typed("receipt show r.json")
    assert key == "title" or answer.code == 2
    assert "Traceback" not in answer.err
