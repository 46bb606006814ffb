"""Slips cost nothing: each is refused before the charge, or the free way on is printed, and works."""

import errno
import os
import pty
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pandas
import pytest

import discreet as dc
from discreet.cli.failures import tell_free_way
from discreet.cli.outputs import ReservedFile
from discreet.errors import InvalidInput
from discreet.ledger import Charge, Ledger
from discreet.requests import run
from tests.cli.command import SCRIPT, Answer, assert_refused, told, typed
from tests.support.tables import fail_at

VOTE = "release v.csv --column vote"
PAID = "--epsilon 0.5 --ledger l.db --dataset d"
CHARGED = f"{VOTE} --categories a,b {PAID} --yes"

pytestmark = pytest.mark.usefixtures("place")


def spent(place: Path) -> float:
    return float(Ledger(place / "l.db").spent("d").epsilon)


def finish(answer: Answer, place: Path) -> Answer:
    """Type the command that an answer ends with, and see that it is free and gives what was sealed."""
    before = spent(place)
    *_, request, _, command = answer.err.splitlines()
    done = typed(command.removeprefix("discreet "))
    assert (done.code, spent(place)) == (0, before), done
    charge = Ledger(place / "l.db").find(request.removeprefix("request id: "))
    assert charge is not None
    assert charge.outcome is not None
    return done


@pytest.mark.parametrize(
    ("words", "categories"),
    [
        ("--categories 'a, b'", ["a", "b"]),
        ("--categories ' a ,b\t'", ["a", "b"]),
        ("--categories 'a, \"b, c \" ,d'", ["a", "b, c ", "d"]),
        ("--categories a,b --category 'c '", ["a", "b", "c "]),
        ("--category a --category b --category ' b'", ["a", "b", " b"]),
        ('--categories \'"a", "A", b\'', ["a", "A", "b"]),
    ],
)
def test_blanks_at_the_commas_are_no_part_of_a_category(words: str, categories: list[str]) -> None:
    document = told(f"{VOTE} {words} {PAID} --yes --other rest --by sex --groups 'f, m'")
    assert (document["categories"], document["groups"]) == ([*categories, "rest"], ["f", "m"])
    assert told(f"check v.csv --column vote {words} --other rest")["categories"] == categories


@pytest.mark.parametrize(
    "words",
    [
        "--categories a,b,B",
        "--categories 'a,b, b'",
        "--categories 'a b,ab'",
        "--categories a,b --by sex --groups f,m,F",
        "--categories a,b --category b",
    ],
)
def test_categories_that_look_alike_are_refused_without_a_terminal_whatever_yes_says(words: str, place: Path) -> None:
    assert_refused(typed(f"{VOTE} {words} {PAID} --yes"))
    assert spent(place) == 0


@pytest.mark.few(1)
@pytest.mark.parametrize(("keys", "code", "charged"), [("n\n", 2, 0), ("y\ny\n", 0, 0.5)])
def test_on_a_terminal_categories_that_look_alike_are_asked_about(
    keys: str, code: int, charged: float, place: Path
) -> None:
    ours, theirs = pty.openpty()
    os.write(ours, keys.encode())
    asked = shlex.split(f"{VOTE} --categories a,b,B {PAID}")
    done = subprocess.run([str(SCRIPT), *asked], stdin=theirs, capture_output=True, text=True, check=False)
    os.close(ours)
    os.close(theirs)
    assert "'b' and 'B' differ only in case or blanks. Are both meant?" in done.stderr
    assert (done.returncode, spent(place)) == (code, charged), done.stderr


def test_the_same_command_twice_is_charged_once_and_the_free_way_and_the_dear_one_are_told(place: Path) -> None:
    first = told(CHARGED)
    second = typed(CHARGED)
    assert_refused(second)
    assert f"for free with --request-id {first['request_id']}, or pay for a new draw with --again" in second.err
    assert spent(place) == 0.5
    assert told(f"{CHARGED} --request-id {first['request_id']}") == first
    assert spent(place) == 0.5
    assert told(f"{CHARGED} --again")["request_id"] != first["request_id"]
    assert spent(place) == 1
    assert_refused(typed(CHARGED))  # and not for want of a budget, which a repetition does not need


TABLE = pandas.DataFrame({"vote": ["a", "b", "b"]})
ASKED: dict[str, Any] = {"column": "vote", "categories": ["a", "b"], "epsilon": "1/4"}


def ask(place: object, dataset: str = "d", **more: Any) -> dc.Receipt:
    return dc.release(TABLE, **ASKED, ledger=str(place), dataset=dataset, **more)


def test_in_python_and_on_a_server_too_a_question_is_not_paid_for_twice_unasked(ledger_place: str) -> None:
    book = Ledger.create(ledger_place, dataset="python", epsilon=9)
    first = ask(ledger_place, "python")
    with pytest.raises(InvalidInput, match=f"before; repeat it for free with `request_id` {first.request_id}, or"):
        ask(ledger_place, "python")
    questions = [dc.Question("vote", ["a", "b"])]
    dc.release_columns(TABLE, questions, epsilon="1/4", ledger=book, dataset="python")
    with pytest.raises(InvalidInput, match="before"):
        dc.release_columns(TABLE, questions, epsilon="1/4", ledger=book, dataset="python")
    assert ask(ledger_place, "python", again=True).document != first.document
    book.charge("python", 1, request_id="x", digest="?")
    with pytest.raises(InvalidInput, match="before"):
        book.charge("python", 1, request_id="y", digest="?", again=False)
    with pytest.raises(InvalidInput, match="no dataset"):
        book.charges("e")
    assert [own.request_id for own in book.charges("python") if own.outcome is None] == ["x"]
    assert book.account("python").unfinished == ("x",)
    assert len(book.charges("python")) == 4


def test_without_the_comparison_of_digests_the_second_charge_would_be_made(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: whatever is asked for may be paid for again."""
    real = Ledger.charge

    def careless(self: Ledger, *arguments: Any, **options: Any) -> Charge:
        return real(self, *arguments, **options | {"again": True})

    book = place / "l.db"
    ask(book)
    monkeypatch.setattr(Ledger, "charges", lambda *_: [])
    with pytest.raises(InvalidInput, match="before"):
        ask(book)  # the charge itself compares them once more, alone with the ledger
    assert spent(place) == 0.25
    monkeypatch.setattr(Ledger, "charge", careless)
    ask(book)
    assert spent(place) == 0.5


def test_a_receipt_is_replaced_by_the_same_request_or_by_force_alone(place: Path) -> None:
    first = told(f"{CHARGED} --request-id x --out r.json")
    paid = (place / "r.json").read_bytes()
    (place / "notes.json").write_text("{}")
    for line in (f"{CHARGED} --again", f"{CHARGED} --request-id y", "release --counts 3,4 --epsilon 1 --no-ledger"):
        for name in ("r.json", "notes.json"):
            answer = typed(f"{line} --out {name}")
            assert_refused(answer)
            assert "--force" in answer.err
    assert ((place / "r.json").read_bytes(), spent(place)) == (paid, 0.5)
    assert told(f"{CHARGED} --request-id x --out r.json") == first
    assert told(f"{CHARGED} --again --out r.json --force")["output"] is not None
    assert (place / "r.json").read_bytes() != paid


PROGRAM = """
import os, sys
import discreet.ledger.file, discreet.requests.run
from discreet.cli import main

def stop(step):
    if step == {step!r}:
        os.kill(os.getpid(), {number})

discreet.requests.run.reached = stop
discreet.ledger.file.step = stop
sys.argv = ["discreet", *sys.argv[1:]]
main()
"""


def interrupted(step: str, number: int, line: str) -> Answer:
    """The answer of a command, in a process of its own, that is sent a signal at a step."""
    program = PROGRAM.format(step=step, number=int(number))
    done = subprocess.run(
        [sys.executable, "-c", program, *shlex.split(line)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return Answer(done.returncode, done.stdout, done.stderr)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("step", "number"),
    [("drawn", signal.SIGINT), ("charged", signal.SIGTERM), ("written", signal.SIGINT), ("sealed", signal.SIGINT)],
)
def test_a_signal_after_the_charge_prints_the_id_and_the_command_that_finishes_for_free(
    step: str, number: int, place: Path
) -> None:
    """`written` is a moment within the charge itself: the row is on the disk, and nobody was told."""
    answer = interrupted(step, number, f"{CHARGED} --out 'my receipt.json'")
    assert (answer.code, spent(place)) == (130, 0.5), answer
    assert answer.err.count("\n") == 3
    assert "released posterior" not in answer.out
    finish(answer, place)
    assert (place / "my receipt.json").exists()


def test_what_is_interrupted_on_a_server_is_finished_with_the_password(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = Ledger.create(database, dataset="d", epsilon=1)
    answer = interrupted("charged", signal.SIGINT, CHARGED.replace("l.db", database))
    assert answer.code == 130
    _, sentence, command = answer.err.splitlines()
    assert "with the password that is left out here" in sentence
    monkeypatch.setenv("PGPASSWORD", unquote(str(urlsplit(database).password)))
    assert typed(command.removeprefix("discreet ")).code == 0
    assert book.spent("d").epsilon == 0.5
    assert book.account("d").unfinished == ()


@pytest.mark.few(1)
@pytest.mark.parametrize("more", ["", "--json"])
def test_a_reader_who_leaves_after_the_charge_is_told_on_the_other_stream(more: str, place: Path) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    line = [sys.executable, "-m", "discreet", *shlex.split(f"{CHARGED} {more}")]
    done = subprocess.run(line, stdout=theirs, stderr=subprocess.PIPE, text=True, check=False)
    os.close(theirs)
    assert done.returncode == 1
    if spent(place):
        finish(Answer(1, "", done.stderr), place)
    assert "Traceback" not in done.stderr
    assert (spent(place) == 0.5) == (more == "--json"), "people are shown the price before, and left before it"


def test_a_signal_before_the_charge_speaks_of_none(place: Path) -> None:
    assert interrupted("checked", signal.SIGINT, CHARGED).err == ""
    assert spent(place) == 0


def test_a_signal_before_the_yes_says_that_nothing_was_charged(place: Path) -> None:
    answer = interrupted("prepared", signal.SIGINT, CHARGED)
    assert (answer.code, answer.err, spent(place)) == (130, "interrupted: nothing was charged\n", 0)


def test_what_was_killed_is_named_by_the_ledger_and_before_the_next_release_and_is_free(place: Path) -> None:
    assert interrupted("drawn", signal.SIGKILL, CHARGED).code == -signal.SIGKILL
    [request] = told("ledger show l.db")["datasets"][0]["unfinished"]
    free = f"\n  discreet release … --request-id {request}\n"
    assert free in typed("ledger show l.db", COLUMNS="80").out
    assert free in typed(f"{CHARGED} --prior 2,2").err, "another question is charged, and the first is not forgotten"
    same = typed(CHARGED)
    assert_refused(same)
    assert f"before, and not finished; finish it for free with --request-id {request}, or" in same.err
    assert "charged before under this request id" in typed(f"{CHARGED} --request-id {request}").out
    assert spent(place) == 1
    assert free not in typed("ledger show l.db").out


def full(self: ReservedFile, content: bytes) -> None:
    raise OSError(errno.ENOSPC, "no space left")


@pytest.mark.parametrize(
    ("what", "stand_in"),
    [("discreet.requests.run.reached", fail_at("drawn")), ("discreet.cli.outputs.ReservedFile.write", full)],
)
def test_whatever_fails_after_the_charge_is_finished_for_free(
    what: str, stand_in: Callable[..., None], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(what, stand_in)
        answer = typed(f"{CHARGED} --out r.json")
    assert answer.err.startswith("error: ")
    assert spent(place) == 0.5
    finish(answer, place)
    assert (place / "r.json").exists()


def test_an_interrupted_release_in_python_carries_its_id(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(step: str) -> None:
        if step == "drawn":
            raise KeyboardInterrupt

    monkeypatch.setattr(run, "reached", interrupt)
    with pytest.raises(KeyboardInterrupt) as stopped:
        ask(place / "l.db")
    [request] = Ledger(place / "l.db").account("d").unfinished
    assert request in stopped.value.__notes__[0]


def test_the_command_that_is_printed_has_no_password(capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "release",
        "postgres://me:s3/cr@t@h/b/t?sslmode=require&sslpassword=s3cr3t",
        "--ledger=postgresql://me:s3@h/b",
    ]
    tell_free_way("my id", words)
    assert capsys.readouterr().err.splitlines()[-1] == (
        "discreet release 'postgres://me@h/b/t?sslmode=require&sslpassword=' --ledger=postgresql://me@h/b "
        "--request-id 'my id'"
    )


def test_at_80_columns_ids_and_intervals_stay_on_one_line(place: Path) -> None:
    long = "a category with a name that is longer than anybody would want to read in a table"
    shown = typed(f"{VOTE} --categories a,b --other '{long}' --by sex --groups f,m {PAID} --yes", COLUMNS="80").out
    assert shown.count(" – ") == 8
    assert max(len(line) for line in shown.splitlines() if line.startswith("│")) <= 80
    [charge] = Ledger(place / "l.db").charges("d")
    lines = typed("ledger history l.db", COLUMNS="80").out.splitlines()
    assert sum(charge.request_id in line for line in lines) == 2
    assert max(map(len, lines)) <= 80
    name = "x" * 200
    told(f"{CHARGED} --request-id {name}")
    assert name in typed("ledger history l.db", COLUMNS="80").out, "and one that does not fit is not cut"
