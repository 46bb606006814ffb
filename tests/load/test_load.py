"""Under load nothing is lost, nothing is charged twice, every reader is told the same, and memory stays flat.

`make test` runs each for a moment, and `make soak` for LOAD_SECONDS. How fast it goes is measured by `bench`.
"""

import json
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from discreet.ledger import Ledger
from tests.contracts.source import ROOT
from tests.load.clients import PRICE, resident
from tests.support.browser import serving
from tests.support.postgres import Server
from tests.support.programs import run_program
from tests.support.soak import LOAD_SECONDS

MORE = 64 << 20
"""Bytes that a process may have more at the end than after a fifth of the time: pools fill, and pages stay mapped."""

CLIENTS, READERS = 16, 50
LONG = (pytest.mark.soak, pytest.mark.long)


@pytest.mark.parametrize(("seconds", "clients"), [(1, 4), pytest.param(LOAD_SECONDS, CLIENTS, marks=LONG)])
def test_clients_of_one_server_lose_no_charge_and_make_none_twice(seconds: int, clients: int, postgres: Server) -> None:
    place = postgres.new_database()
    Ledger.create(place, dataset="the first", epsilon=1)
    told: list[dict[str, Any]] = run_program("tests.load.clients", seconds, clients, place)
    charged = sum(client["charged"] for client in told)
    ledger = Ledger(place)
    ledger.verify()  # a charge beyond its budget, a second one for a request or a seal without one is a row it names
    kinds = Counter(entry.kind for entry in ledger.history())
    assert (kinds["charge"], kinds["seal"]) == (charged, sum(client["sealed"] for client in told))
    accounts = ledger.accounts()
    assert sum(account.spent.epsilon for account in accounts) == PRICE * charged
    assert all(account.spent.epsilon == PRICE * account.charges <= account.budget.epsilon for account in accounts)
    assert max(client["late"] - client["early"] for client in told) < MORE


WRITTEN = ROOT / "tests" / "receipts" / "written"


@pytest.mark.parametrize(("seconds", "readers"), [(0, 4), pytest.param(LOAD_SECONDS, READERS, marks=LONG)])
def test_readers_of_one_page_are_all_told_the_same(seconds: int, readers: int, tmp_path: Path) -> None:
    """Quick questions go past those that take long; each reader asks the next one when it has its answer."""
    receipt = (WRITTEN / "geometric.json").read_text(encoding="ascii")
    questions: list[tuple[str, dict[str, object]]] = [
        ("infer", {"receipt": receipt}),
        ("facts", {}),
        ("plan", {"prior": "1,1", "n": "100", "epsilon": "1"}),
        ("facts", {}),
    ]
    answers: Counter[tuple[str, int, str]] = Counter()
    counted = threading.Lock()
    with serving(folder=tmp_path) as served:
        page, end = replace(served, patience=600), time.monotonic() + seconds

        def read(number: int) -> int:
            early, asked = 0, number
            while asked < number + len(questions) or time.monotonic() < end:
                what, fields = questions[asked % len(questions)]
                response, body = page.send("POST", f"/api/{what}", json.dumps(fields), **page.headers)
                with counted:
                    answers[what, response.status, body.decode("ascii")] += 1
                asked += 1
                if not early and time.monotonic() > end - 0.8 * seconds:
                    early = resident(page.pid)
            return early

        with ThreadPoolExecutor(readers) as pool:
            early = max(pool.map(read, range(readers)))
        late = resident(page.pid)
    assert {(what, status) for what, status, _ in answers} == {("infer", 200), ("facts", 200), ("plan", 200)}
    assert len(answers) == 3, "one answer for each question"
    assert answers.total() >= readers * len(questions)
    assert late - early < MORE
