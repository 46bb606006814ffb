"""The file: never made by accident, whole or not at all, its owner's only, durable, and sound however it was cut."""

import os
import shutil
import sqlite3
import stat
import threading
from contextlib import ExitStack, closing
from fractions import Fraction
from pathlib import Path
from time import sleep
from unittest.mock import Mock

import pytest

import discreet.ledger.file as file
from discreet.errors import BudgetExceeded, InvalidInput, LedgerError
from discreet.ledger import Ledger
from discreet.ledger.sqlite_history import APPLICATION


@pytest.mark.parametrize(
    "name", ["missing.db", "no/such/place.db", "folder", "empty.db", "text.db", "other.db", "future.db"]
)
def test_what_is_no_ledger_is_refused_and_left_as_it_is(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.db").touch()
    (tmp_path / "text.db").write_text("budget = 1\n" * 100)
    marked = f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = 4"
    for other, pragmas in (("other.db", ""), ("future.db", marked)):
        with closing(sqlite3.connect(tmp_path / other)) as connection:
            connection.executescript(f"CREATE TABLE entries (seq INTEGER); {pragmas}")
    before = contents(tmp_path)
    with pytest.raises(LedgerError):
        Ledger(tmp_path / name).head()
    if name != "missing.db":
        with pytest.raises(LedgerError):
            Ledger.create(tmp_path / name, dataset="d", epsilon=1)
    assert contents(tmp_path) == before


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("address", ["", "postgresql://host/db", "mysql://host/db", "sqlite://", "a\0b", "https://x/y"])
def test_addresses_that_are_no_file_are_refused(address: str) -> None:
    with pytest.raises(LedgerError):
        Ledger(address)
    with pytest.raises(LedgerError):
        Ledger.create(address, dataset="d", epsilon=1)


def test_a_ledger_may_be_named_by_its_address(tmp_path: Path) -> None:
    Ledger.create(f"sqlite:///{tmp_path}/l.db", dataset="d", epsilon=1)
    assert Ledger(f"sqlite:///{tmp_path}/l.db").head() == Ledger(tmp_path / "l.db").head()


@pytest.mark.parametrize("name", ["a b.db", "a?mode=memory.db", "a#b.db", "100%.db", "a%20b.db", "é'\".db", ":memory:"])
def test_odd_names_are_that_file(name: str, tmp_path: Path) -> None:
    Ledger.create(tmp_path / name, dataset="d", epsilon=1)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert Ledger(tmp_path / name).verify().rows == 1


def test_a_new_ledger_is_its_owners_only_and_alone(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    ledger.charge("d", 1, request_id="r", digest="x")
    assert stat.S_IMODE((tmp_path / "l.db").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["l.db"], "the file is the whole ledger"


def test_a_ledger_that_cannot_be_made_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.link", Mock(side_effect=OSError("no links here")))
    with pytest.raises(LedgerError, match="cannot be created"):
        Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    assert list(tmp_path.iterdir()) == []


def test_a_ledger_that_stays_locked_is_refused_and_nothing_is_spent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    monkeypatch.setattr(file, "PATIENCE", 0)
    with file.exclusive_lock(tmp_path / "l.db", "l.db", 0):
        with pytest.raises(LedgerError, match="is locked by another process"):
            ledger.charge("d", 1, request_id="r", digest="x")
        assert ledger.spent("d").epsilon == 0, "who only looks need not wait"
    assert ledger.charge("d", 1, request_id="r", digest="x").is_new


def test_who_waits_for_a_lock_looks_again_and_has_it_when_it_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    other, waits = ExitStack(), []
    other.enter_context(file.exclusive_lock(tmp_path / "l.db", "l.db", 0))

    def pause(seconds: float) -> None:
        waits.append(seconds)
        sleep(seconds)
        other.close()

    monkeypatch.setattr(file, "sleep", pause)
    with file.exclusive_lock(tmp_path / "l.db", "l.db", 60):
        assert waits == [file.PAUSE]


def test_an_alarm_of_the_caller_is_not_taken_for_a_broken_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    with file.exclusive_lock(tmp_path / "l.db", "l.db", 0), monkeypatch.context() as patch:
        patch.setattr(file, "sleep", Mock(side_effect=TimeoutError))
        with pytest.raises(TimeoutError):
            ledger.charge("d", 1, request_id="r", digest="x")
    assert ledger.spent("d").epsilon == 0


def test_a_copy_made_meanwhile_takes_no_lock_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock of POSIX would go when the copy's handle is closed: another writer must still find it taken."""
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    written, copied = threading.Event(), threading.Event()

    def wait(step: str) -> None:
        if step == "written":
            written.set()
            assert copied.wait(60)

    with monkeypatch.context() as patch:
        patch.setattr(file, "step", wait)
        patch.setattr(file, "PATIENCE", 0)
        thread = threading.Thread(target=lambda: ledger.charge("d", 1, request_id="A", digest="x"))
        thread.start()
        assert written.wait(60)
        shutil.copy(tmp_path / "l.db", tmp_path / "copy.db")
        with pytest.raises(LedgerError, match="locked"):
            Ledger(tmp_path / "l.db").charge("d", 1, request_id="B", digest="x")
        copied.set()
        thread.join()
    assert [entry.request_id for entry in ledger.history()] == [None, "A"]


def test_a_row_is_on_disk_before_its_newline_and_the_newline_before_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    synced: list[bytes] = []
    monkeypatch.setattr(file, "_sync", lambda _: synced.append((tmp_path / "l.db").read_bytes()))
    ledger.charge("d", 1, request_id="r", digest="x")
    whole = (tmp_path / "l.db").read_bytes()
    assert synced == [whole[:-1], whole]
    assert whole.endswith(b"}\n")


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.soak)])
def test_a_ledger_cut_anywhere_loses_only_what_was_never_acknowledged(step: int, tmp_path: Path, quick: None) -> None:
    """A crash may leave any beginning of the row that was being written, or zeros where its bytes should be."""
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=9)
    ledger.charge("d", 1, request_id="first", digest="x")
    acknowledged = (tmp_path / "l.db").read_bytes()
    ledger.charge("d", 1, request_id="second", digest="x")
    whole = (tmp_path / "l.db").read_bytes()
    for end in {*range(len(acknowledged), len(whole), step), len(whole) - 1}:
        for zeros in (0, len(whole) - 1 - end):
            (tmp_path / "cut.db").write_bytes(whole[:end] + b"\0" * zeros)
            cut = Ledger(tmp_path / "cut.db")
            is_whole = end == len(whole) - 1
            assert cut.verify().rows == (3 if is_whole else 2)
            assert cut.charge("d", 1, request_id="second", digest="x").is_new != is_whole
            assert cut.charge("d", 1, request_id="third", digest="x").is_new
            assert (cut.spent("d").epsilon, cut.verify().rows) == (Fraction(3), 4)


def test_a_full_disk_leaves_the_ledger_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    before = (tmp_path / "l.db").read_bytes()
    pwrite = os.pwrite

    def half(handle: int, data: bytes, place: int) -> int:
        if len(data) < 100:
            raise OSError(28, "No space left on device")
        return pwrite(handle, bytes(data)[: len(data) // 2], place)

    with monkeypatch.context() as patch:
        patch.setattr("os.pwrite", half)
        with pytest.raises(LedgerError, match="cannot be read or written"):
            ledger.charge("d", 1, request_id="r", digest="x")
    assert (tmp_path / "l.db").read_bytes() == before
    assert ledger.charge("d", 1, request_id="r", digest="x").is_new


def test_a_ledger_that_was_replaced_while_one_waited_is_the_one_that_is_charged(tmp_path: Path) -> None:
    old = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    Ledger.create(tmp_path / "new.db", dataset="d", epsilon=1)
    with file.exclusive_lock(tmp_path / "l.db", "l.db", 0):
        charging = threading.Thread(target=lambda: old.charge("d", 1, request_id="r", digest="x"))
        charging.start()
        (tmp_path / "new.db").replace(tmp_path / "l.db")
    charging.join()
    assert Ledger(tmp_path / "l.db").spent("d").epsilon == 1


MOUNT = "36 35 {} / / rw,noatime - {} server:/x rw,vers=4.2,{}\n"


@pytest.mark.parametrize(
    ("kind", "options", "safe"),
    [
        ("ext4", "relatime", True),
        ("overlay", "lowerdir=/x", True),
        ("nfs4", "local_lock=none", True),
        ("nfs4", "local_lock=flock", False),
        ("nfs", "nolock", False),
        ("cifs", "soft", False),
        ("9p", "trans=virtio", False),
        ("virtiofs", "", False),
        ("fuse.sshfs", "", False),
    ],
)
def test_a_file_system_whose_locks_hold_on_one_machine_only_is_refused(
    kind: str, options: str, safe: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device, mounts = tmp_path.stat().st_dev, tmp_path / "mountinfo"
    rows = (("1:2", "tmpfs", ""), (f"{os.major(device)}:{os.minor(device)}", kind, options))
    mounts.write_text("".join(MOUNT.format(*row) for row in rows))
    Ledger.create(tmp_path / "there.db", dataset="d", epsilon=1)
    monkeypatch.setattr(file, "MOUNTS", mounts)
    if safe:
        Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
        return
    for name in ("l.db", "there.db"):
        with pytest.raises(LedgerError, match="locks hold on one machine only; keep the ledger on a local disk"):
            Ledger.create(tmp_path / name, dataset="e", epsilon=1)
    assert not (tmp_path / "l.db").exists()


@pytest.mark.parametrize("name", ["x" * 245, "x" * 250, "x" * 300, "circle.db"])
def test_a_name_that_is_too_long_or_leads_in_a_circle_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "circle.db").symlink_to(tmp_path / "circle.db")
    with pytest.raises(LedgerError, match="cannot be"):
        Ledger.create(tmp_path / name, dataset="d", epsilon=1)
    with pytest.raises(LedgerError):
        Ledger(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["circle.db"]


def test_a_link_leads_to_one_ledger_and_one_budget(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "real.db")
    linked = Ledger.create(tmp_path / "link.db", dataset="d", epsilon=1)
    assert (tmp_path / "real.db").is_file()
    linked.charge("d", 1, request_id="r", digest="x")
    with pytest.raises(BudgetExceeded):
        Ledger(tmp_path / "real.db").charge("d", 1, request_id="s", digest="x")


def test_numbers_that_python_would_not_write_are_refused_in_six_digits(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=Fraction(7**4000 + 1, 7**4000))
    ledger.charge("d", Fraction(1, 11) ** 200 * 11**190, request_id="r", digest="x")
    with pytest.raises(BudgetExceeded, match=r"epsilon = 5\.00001 does not fit: 0\.999999 of 1 is left"):
        ledger.charge("d", 5 * Fraction(10**450 + 1, 10**450), request_id="s", digest="x")
    with pytest.raises(InvalidInput, match="round it to few digits"):
        ledger.charge("d", 5 * Fraction(10**4500 + 1, 10**4500), request_id="s", digest="x")


def test_an_outcome_too_deep_to_be_read_back_is_refused(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    ledger.charge("d", 1, request_id="r", digest="x")
    with pytest.raises(InvalidInput, match="must be a JSON text"):
        ledger.seal("r", "[" * 10**5 + "]" * 10**5)
