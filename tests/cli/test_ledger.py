"""`discreet ledger`: for people and for programs, and with the right exit codes."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

import discreet as dc
from tests.cli.command import assert_refused, discreet, told, typed
from tests.support.postgres import Server


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A ledger with two datasets, two charges and one seal."""
    monkeypatch.chdir(tmp_path)
    ledger = dc.Ledger.create("budgets.db", dataset="anes", epsilon=1, delta="1e-8")
    dc.Ledger.create("budgets.db", dataset="=census", epsilon="1/3")
    ledger.charge("anes", 0.1, request_id="monday", digest="d")
    ledger.charge("anes", "1/3", request_id="tuesday", digest="d")
    ledger.seal("monday", '{"output": [3, 4]}')
    return "budgets.db"


def test_a_budget_is_opened_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answer = typed("ledger create l.db --dataset anes --epsilon 0.1 --delta 1e-8")
    assert (answer.code, answer.err) == (0, "")
    assert "anes may spend ε = 0.1, δ = 1e-08 in all, by l.db" in answer.out
    document = told("ledger create l.db --dataset two --epsilon 1/3")
    assert document["budget"] == {"epsilon": "1/3", "delta": "0"}
    assert document["head"] == dc.Ledger("l.db").head()
    for wrong in ("l.db --dataset two --epsilon 9", "n.db --dataset two --epsilon nan"):
        assert_refused(typed(f"ledger create {wrong}"))
    for wrong in ("--composition zcdp", "--adjacency x"):
        assert_refused(typed(f"ledger create l.db --dataset e --epsilon 1 {wrong}"))
    assert_refused(typed("ledger create no/l.db --dataset d --epsilon 1"), code=5)
    assert [path.name for path in tmp_path.iterdir()] == ["l.db"]


def test_show_says_what_is_left(book: str) -> None:
    anes, census = told(f"ledger show {book}")["datasets"]
    assert anes["spent"] == {"epsilon": "13/30", "delta": "0"}
    assert anes["remaining"] == {"epsilon": "17/30", "delta": "1/100000000"}
    assert (anes["charges"], anes["sealed"], anes["adjacency"]) == (2, 1, "replace-one")
    assert census["remaining"] == census["budget"]
    people = typed(f"ledger show {book}")
    assert (people.code, people.err) == (0, "")
    assert "17/30" in people.out
    assert "=census" in people.out


def test_history_lists_the_rows(book: str) -> None:
    entries = told(f"ledger history {book}")["entries"]
    assert [entry["kind"] for entry in entries] == ["budget", "budget", "charge", "charge", "seal"]
    assert [entry["seq"] for entry in told(f"ledger history {book} --dataset =census")["entries"]] == [2]
    assert "monday" in typed(f"ledger history {book}").out
    assert_refused(typed(f"ledger history {book} --dataset nobody"))
    dc.Ledger(book).charge("anes", "1/4", request_id="0" * 32, digest="e")
    lines = typed(f"ledger history {book}", COLUMNS="80").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert any("0" * 32 in line for line in lines)


def test_verify_says_that_it_is_sound_and_what_a_head_is_for(book: str) -> None:
    head = dc.Ledger(book).head()
    answer = typed(f"ledger verify {book}")
    assert answer.code == 0
    for words in ("5 rows, each as it was written", "only a head noted earlier tells", head):
        assert words in answer.out
    verified = {"ledger": book, "sound": True, "rows": 5, "head": head}
    assert told(f"ledger verify {book} --head {head.upper()}") == verified
    assert_refused(typed(f"ledger verify {book} --head {'0' * 64}"), code=5)


def test_verify_names_the_row_that_was_changed(book: str) -> None:
    rows = Path(book).read_bytes().splitlines(keepends=True)
    rows[3] = rows[3].replace(b'"epsilon":"', b'"epsilon":"9')
    Path(book).write_bytes(b"".join(rows))
    answer = typed(f"ledger verify {book}")
    assert_refused(answer, code=5)
    assert "row 3 of budgets.db is not as it was written" in answer.err
    json_answer = typed(f"ledger verify {book} --json")
    assert (json_answer.code, json_answer.document["error"]["kind"]) == (5, "LedgerError")
    assert_refused(typed(f"ledger show {book}"), code=5)


def test_export_writes_everything_and_no_formula(book: str, tmp_path: Path) -> None:
    assert [row["seq"] for row in json.loads(typed(f"ledger export {book}").out)] == [1, 2, 3, 4, 5]
    assert typed(f"ledger export {book} --format csv --out l.csv").out == "written: l.csv\n"
    assert ",'=census," in (tmp_path / "l.csv").read_text()
    for wrong in ("--format xlsx", "--out ."):
        assert_refused(typed(f"ledger export {book} {wrong}"))


@pytest.mark.parametrize("command", ["show", "history", "verify", "export"])
def test_a_missing_ledger_is_exit_5_and_is_not_made(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_refused(discreet("ledger", command, "nothing\x1b[31m.db"), code=5)
    assert list(tmp_path.iterdir()) == []


def test_every_command_works_on_a_server_and_never_shows_its_password(postgres: Server) -> None:
    url = postgres.new_database()
    concentrated = "--dataset z --epsilon 1 --delta 1e-6 --composition zcdp --adjacency replace-answer"
    answers = [typed(f"ledger create {url} {words}") for words in ("--dataset anes --epsilon 2 --json", concentrated)]
    made = dc.Ledger(url)
    made.charge("anes", "0.1", request_id="monday", digest="d")
    made.charge("z", "0.1", request_id="tuesday", digest="d")
    for command in ("show", "history", "verify", "export"):
        answers += [typed(f"ledger {command} {url} {words}") for words in ("", "--json")]
    for answer in answers:
        assert (answer.code, answer.err) == (0, "")
        assert "pass" not in answer.out
        assert "owner" not in answer.out
    assert "composition: zcdp, adjacency: replace-answer" in answers[1].out
    shown = answers[3].document
    assert shown["ledger"] == made.name
    assert shown["datasets"][1]["concentrated"]["epsilon"] > 0.1
    assert shown["datasets"][0]["concentrated"] is None
    assert "by zCDP" in answers[2].out
    assert answers[7].document["rows"] == 4
    wrong = typed(f"ledger show {postgres.url('nowhere', tcp=True)}")
    assert_refused(wrong, code=5)
    assert "pass" not in wrong.err.replace("the password", "")


def test_a_concentrated_budget_is_shown_beside_the_sum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ledger = dc.Ledger.create("l.db", dataset="d", epsilon=5, delta="1e-6", composition="zcdp")
    for i in range(60):
        ledger.charge("d", "0.1", request_id=str(i), digest="x")
    (account,) = told("ledger show l.db")["datasets"]
    assert (account["spent"]["epsilon"], account["composition"]) == ("6", "zcdp")
    assert 3.9182 < account["concentrated"]["epsilon"] < 3.9183
    assert float(Fraction(account["remaining"]["epsilon"])) == pytest.approx(0.57941, abs=1e-5)
    people = typed("ledger show l.db").out
    for part in ("3.91824", "0.57941", "by zCDP"):
        assert part in people
