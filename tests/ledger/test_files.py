"""The file: never made by accident, whole or not at all, its owner's only, durable, and sound however it was cut."""

import os
import re
import shutil
import sqlite3
import stat
import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from fractions import Fraction
from pathlib import Path
from time import sleep
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

import discreet.ledger
import discreet.ledger.file as file
from discreet.errors import BudgetExceeded, InvalidInput, LedgerError
from discreet.ledger import Entry, Ledger
from discreet.ledger.accounts import Replay
from discreet.ledger.places import create_if_missing, open_store
from discreet.ledger.sqlite_history import APPLICATION

BUDGET = Entry(0, "budget", "d", "2026-01-01T00:00:00+00:00", "1", "0", adjacency="replace-one", composition="basic")


def said_by(call: Callable[..., object], *given: object) -> str:
    """What a refusal says, with its hint."""
    with pytest.raises(LedgerError) as refusal:
        call(*given)
    return str(refusal.value)


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


def test_every_refusal_of_a_file_says_its_name_and_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "l.db"
    missing = f"there is no ledger {path}; check the name, or make one with discreet ledger create"
    broken = f"{path} is not a ledger, or broken; check the name, or restore a copy"
    assert said_by(open_store, path) == missing
    assert file.create_file(path, BUDGET)
    store, rows = open_store(path), path.read_bytes()
    monkeypatch.setattr(file, "PATIENCE", 0)
    with file.exclusive_lock(path, "", 0):
        assert said_by(store.transaction().__enter__) == (
            f"{path} is locked by another process; try again when it has ended"
        )
    path.write_bytes(b"x" + rows[1:])
    assert (said_by(open_store, path), said_by(store.read)) == (broken, broken)
    path.write_bytes(rows[:-3] + b"}}\n")
    damaged = f"row 1 of {path} is not as it was written; spend nothing more from it, and restore a copy"
    assert said_by(store.read) == f"{damaged} whose head you know"
    other = BUDGET._replace(seq=2)
    path.write_bytes(rows + file._line(other._replace(hash=other.computed_hash())))
    assert said_by(store.read) == f"{damaged.replace('row 1', 'row 2')} whose head you know"
    path.unlink()
    assert said_by(store.read) == missing
    with monkeypatch.context() as patch:
        patch.setattr("os.link", Mock(side_effect=OSError))
        hint = "choose a directory on a local disk that may be written"
        assert said_by(create_if_missing, path, BUDGET) == f"{path} cannot be created; {hint}"


def test_every_refusal_of_an_address_says_what_to_write() -> None:
    where = "a ledger cannot be kept at such an address"
    for address in ("mysql://host/db", "sqlite://l.db", "https://x/y"):
        assert said_by(open_store, address) == f"{where}; name a file, sqlite:///file or postgresql://…"
    for address in ("sqlite:///password=x", "HOST = h", "POSTGRES:x"):
        for place in (address, Path(address)):
            assert said_by(open_store, place) == f"{where}; write postgresql://user@host/database"
    for address in ("", "a\0b", "sqlite:///"):
        assert said_by(open_store, address) == "a ledger needs the name of a file; like budgets.db"


def test_a_place_between_machines_is_told_by_its_mount(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts, number = tmp_path / "mountinfo", "8:1"
    monkeypatch.setattr(file, "MOUNTS", mounts)
    monkeypatch.setattr("os.major", lambda device: {77: 8}[device])
    monkeypatch.setattr("os.minor", lambda device: {77: 1}[device])
    place = Mock(**{"stat.return_value": SimpleNamespace(st_dev=77)})
    file.require_locks(place, "l.db")  # there is no list of mounts
    others = b"22 1 8:2 / /\xff rw - cifs //server/x rw\n23 1 0:8 / /proc rw shared:8 - nfs server:/x rw\n"
    mounts.write_bytes(others)
    file.require_locks(place, "l.db")  # nor is this place on it
    file.require_locks(tmp_path / "missing", "l.db")
    for kind, options, safe in (
        ("ext4", "rw", True),
        ("nfs", "rw", False),
        ("nfs4", "rw,vers=4.2,local_lock=none,addr=1", True),
        ("nfs4", "rw,local_lock=none,name=a - b c", True),
        ("nfs4", "rw,local_lock=none2", False),
        ("nfs", "rw,local_lock=all", False),
        ("smb3", "rw,local_lock=none", False),
        ("fuse.sshfs", "rw", False),
        ("fuse.sshfs2", "rw", True),
        ("xafs", "rw", True),
    ):
        mounts.write_bytes(others + f"36 35 {number} / /x rw,noatime shared:1 - {kind} server:/x {options}\n".encode())
        if safe:
            file.require_locks(place, "l.db")
            continue
        assert said_by(file.require_locks, place, "l.db") == (
            f"l.db lies on a file system ({kind}) whose locks hold on one machine only; "
            "keep the ledger on a local disk, or on PostgreSQL"
        )


def test_a_refused_place_is_named_by_who_opens_and_who_creates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "l.db"
    file.create_file(path, BUDGET)
    asked = Mock()
    monkeypatch.setattr(file, "require_locks", asked)
    open_store(path)
    create_if_missing(tmp_path / "new.db", BUDGET)
    assert [call.args for call in asked.call_args_list] == [(path, str(path)), (tmp_path, str(tmp_path / "new.db"))]


def test_a_disk_that_takes_a_few_bytes_at_a_time_loses_none(
    tmp_path: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pwrite = os.pwrite
    monkeypatch.setattr("os.pwrite", lambda handle, data, place: pwrite(handle, bytes(data)[:100], place))
    assert file.create_file(tmp_path / "l.db", BUDGET)
    Ledger(tmp_path / "l.db").charge("d", 1, request_id="r", digest="x")
    assert (tmp_path / "l.db").read_bytes() == file.HEADER % file._START + b"".join(
        map(file._line, Ledger(tmp_path / "l.db").history())
    )


def test_a_disk_that_fails_and_fails_again_is_told_in_our_words(
    tmp_path: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    monkeypatch.setattr("os.ftruncate", Mock(side_effect=OSError))
    assert said_by(lambda: ledger.charge("d", 1, request_id="r", digest="x")) == (
        f"{ledger.name} cannot be read or written; check the disk and the permissions"
    )


def test_a_sync_reaches_the_disk_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Mock()
    monkeypatch.setattr("os.fsync", calls.fsync)
    monkeypatch.setattr("fcntl.fcntl", calls.fcntl)
    monkeypatch.delattr("fcntl.F_FULLFSYNC", raising=False)
    file._sync(7)
    calls.fsync.assert_called_once_with(7)
    monkeypatch.setattr("fcntl.F_FULLFSYNC", 51, raising=False)
    file._sync(8)
    calls.fcntl.assert_called_once_with(8, 51)
    assert calls.fsync.call_count == 1


def test_a_new_ledger_is_synced_before_it_has_its_name_and_its_name_before_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, events = tmp_path / "l.db", list[object]()

    def look(event: str) -> None:
        hidden = [other for other in tmp_path.iterdir() if other != path]
        assert all(re.fullmatch(r"\.l\.db\.\w+\.new", other.name) for other in hidden)
        events.append((event, path.exists(), [other.read_bytes() for other in hidden]))

    def fsync(handle: int) -> None:
        is_directory = os.path.samestat(os.fstat(handle), tmp_path.stat())
        look("names" if is_directory else "file")

    monkeypatch.setattr("os.fsync", fsync)
    monkeypatch.setattr(file, "step", look)
    assert file.create_file(path, BUDGET)
    whole = path.read_bytes()
    assert events == [
        ("file", False, [whole]),
        ("made", False, [whole]),
        ("linked", True, [whole]),
        ("names", True, []),
    ]
    assert whole == file.HEADER % file._START + file._line(Replay().append(BUDGET))


def test_names_that_cannot_be_synced_are_no_failure(tmp_path: Path) -> None:
    file._sync_names(tmp_path / "missing")
    assert contents(tmp_path) == {}, "and nothing is made"


def test_a_name_that_was_taken_meanwhile_leaves_that_file_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "l.db").write_text("another's")
    assert not file.create_file(tmp_path / "l.db", BUDGET)
    assert not create_if_missing(tmp_path / "l.db", BUDGET)
    assert contents(tmp_path) == {tmp_path / "l.db": b"another's"}


def test_a_charge_comes_by_the_places_where_the_plug_is_pulled(
    tmp_path: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, steps = tmp_path / "l.db", list[tuple[str, bytes]]()
    file.create_file(path, BUDGET)
    before = path.read_bytes()
    monkeypatch.setattr(file, "step", lambda name: steps.append((name, path.read_bytes())))
    Ledger(path).charge("d", 1, request_id="r", digest="x")
    whole = path.read_bytes()
    assert steps == [("open", before), ("locked", before), ("written", whole[:-1]), ("committed", whole)]


def test_a_line_is_a_row_only_as_it_was_written() -> None:
    line = file._line(Replay().append(BUDGET))
    assert file._read_rows(line, 0, "l.db") == ([Replay().append(BUDGET)], len(line))
    assert file._read_rows(line + line[:-1], 0, "l.db") == ([Replay().append(BUDGET)] * 2, 2 * len(line) - 1)
    for end in (1, 63, 64, 65, 66, len(line) - 2):
        assert file._read_rows(line + line[:end], 0, "l.db") == ([Replay().append(BUDGET)], len(line))
        assert said_by(file._read_rows, line + line[:end] + b"\n", 0, "l.db").startswith("row 2 of l.db is")
    for other in (b"\n", line[:64] + b"\t" + line[65:], b"0" + line[1:] if line[:1] != b"0" else b"1" + line[1:]):
        assert said_by(file._read_rows, other + line, 0, "l.db").startswith("row 1 of l.db is")


def test_a_row_whose_newline_was_lost_is_ended_by_the_next(tmp_path: Path, quick: None) -> None:
    path = tmp_path / "l.db"
    file.create_file(path, BUDGET)
    whole = path.read_bytes()
    for end in (whole[:-1], whole, whole + b"torn"):
        path.write_bytes(end)
        entry = Ledger(path).charge("d", 1, request_id="r", digest="x")
        assert path.read_bytes() == whole + file._line(Ledger(path).history()[1])
        assert Ledger(path).verify(entry.hash).rows == 2


def test_all_that_the_room_offers_is_there() -> None:
    assert all(hasattr(discreet.ledger, name) for name in discreet.ledger.__all__)


def test_what_is_read_is_the_same_whatever_is_asked_for(tmp_path: Path) -> None:
    file.create_file(tmp_path / "l.db", BUDGET)
    store = open_store(tmp_path / "l.db")
    assert [entry.dataset for entry in store.read("another", "r").entries] == ["d"]
    assert not store.is_damaged()
