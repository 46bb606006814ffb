"""A release goes one way through the rooms: few files, one ledger, one pass over the rows, one belief."""

import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

import discreet as dc
from tests.cli.command import discreet
from tests.contracts.source import PACKAGE
from tests.support.tables import no_sync, write_votes

ASKED = ("--column", "vote", "--categories", "a,b", "--epsilon", "1/2")
PAID = ("--ledger", "l.db", "--dataset", "d", "--yes", "--again", "--force")

Calls = Counter[tuple[str, str]]


@contextmanager
def followed() -> Iterator[Calls]:
    """The functions of the library that are entered, by file and name, and how often."""
    calls: Calls = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and code.co_filename.startswith(str(PACKAGE)):
            calls[str(Path(code.co_filename).relative_to(PACKAGE)), code.co_qualname] += 1

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(before)
        threading.setprofile(None)


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Calls]:
    """Those of a release from a CSV: by the library without a ledger, and by the command with everything."""
    place = tmp_path_factory.mktemp("walk")
    source = write_votes(place / "v.csv", ["a"] * 40 + ["b"] * 60)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discreet.ledger.file._sync", no_sync)
        dc.Ledger.create(place / "l.db", dataset="d", epsilon=10)
        for _ in range(2):  # the first time it is what is imported that is followed
            found = {}
            with followed() as found["library"]:
                dc.release(source, column="vote", categories=["a", "b"], epsilon="1/2", ledger=None)
            with followed() as found["command"]:
                answer = discreet("release", "v.csv", *ASKED, *PAID, "--out", "r.json", "--plot", "r.svg", cwd=place)
            assert answer.code == 0
    return found


def files(calls: Calls) -> set[str]:
    return {file for file, _ in calls}


def test_a_release_from_a_csv_touches_few_files(calls: dict[str, Calls]) -> None:
    assert len(files(calls["library"])) <= LIBRARY, sorted(files(calls["library"]))
    assert len(files(calls["command"])) <= COMMAND, sorted(files(calls["command"]))


def test_the_belief_is_computed_once_for_receipt_table_and_picture(calls: dict[str, Calls]) -> None:
    for each in calls.values():
        assert each["inference/dispatch.py", "noise_aware"] == 1
        assert not [name for file, name in each if file == "receipts/claims.py" and "mechanism" in name]


def test_the_rows_are_read_once_and_the_ledger_is_opened_once(calls: dict[str, Calls]) -> None:
    for each in calls.values():
        assert each["counting/csv_table.py", "CsvTable.count_places"] == 1
    assert calls["command"]["ledger/book.py", "Ledger.__init__"] == 1


LIBRARY, COMMAND = 43, 63
"""Files: of the library alone, and of the command with a ledger, a receipt and a picture."""
