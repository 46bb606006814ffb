"""A ledger in one file that only grows: a header, and a line for each row.

A line is the row's hash, a blank and the row as canonical JSON, so what is hashed is what is stored. There is no
second file: nothing lies beside the ledger that a crash could leave behind and another name of the file could miss. The
lock is `flock` on the file itself, so all who reach it, by hard links or bind mounts too, take turns. On Linux the
mount tells whether that holds: a network file system whose `flock` holds only on this machine is refused.

A row is synced to disk before the newline that ends it, and the newline before anybody is answered. So whatever follows
the last newline after a crash was never acknowledged: a whole row is kept, which is the safe side, and a torn one goes
when the next is written. Held to its word by `tests/attacks/test_a_ledger_with_two_names_loses_no_charge.py` and
`tests/ledger/test_files.py`.

Ledgers of before were SQLite files. They are read as they are; the first write appends their rows in this form to the
same file and only then marks it, so that all its names lead to the new ledger at once.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

from discreet.errors import LedgerError
from discreet.ledger.accounts import Replay, damage_error, replay
from discreet.ledger.entries import Entry
from discreet.ledger.sqlite_history import SQLITE_MAGIC, open_sqlite, read_sqlite

PATIENCE = 60.0
"""Seconds to wait for other writers."""

PAUSE = 0.002
"""Seconds between two looks at a lock that another has."""

MOUNTS = Path("/proc/self/mountinfo")
UNSAFE = re.compile(r"cifs|smb3|smbfs|9p|virtiofs|afs|ncpfs|fuse\.(sshfs|s3fs|gcsfuse|goofys|rclone|davfs2?|smbnetfs)")
"""File systems between machines that keep `flock` to one of them."""

HEADER = b"discreet-ledger 3 rows at %020d\n"
_HEADER = re.compile(rb"discreet-ledger 3 rows at ([0-9]{20})\n")
_START = len(HEADER % 0)


def step(name: str) -> None:
    """A place where the tests pull the plug."""


class FileStore:
    """The store in a file that exists. No handle outlives a transaction, so forks and threads share nothing."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._file = resolve_path(path)
        if not self._file.is_file():
            raise _missing_error(self.name)
        require_locks(self._file, self.name)
        with self._translate_failures(), self._file.open("rb") as file:
            self._start(file.read(_START))

    def read(self, dataset: str | None = None, request_id: str | None = None, *, seals: bool = False) -> Replay:
        """All rows, checked; a file is always read whole."""
        with self._translate_failures():
            return self._state(self._file.read_bytes())[0]

    @contextmanager
    def transaction(self, dataset: str | None = None, request_id: str | None = None) -> Iterator[Replay]:
        """Be the only writer; what is appended is durable when this ends, and nothing is written if it fails."""
        with self._translate_failures():
            step("open")
            with exclusive_lock(self._file, self.name, PATIENCE) as handle:
                with open(handle, "rb", closefd=False) as file:
                    state, end = self._state(file.read())
                if end is None:
                    state, end = self._convert(handle)
                step("locked")
                yield state
                if state.new is not None:
                    _append(handle, end, state.new)
                    step("committed")

    def is_damaged(self) -> bool:
        """A file has no guards but its hashes."""
        return False

    def _state(self, data: bytes) -> tuple[Replay, int | None]:
        """The rows, checked, and where the last whole one ends; None for a file of SQLite's."""
        start = self._start(data[:_START])
        if start is None:
            return read_sqlite(self._file, self.name), None
        entries, end = _read_rows(data, start, self.name)
        return replay(entries, self.name), end

    def _start(self, header: bytes) -> int | None:
        if header.startswith(SQLITE_MAGIC):
            return None
        match = _HEADER.fullmatch(header)
        if match is None:
            raise LedgerError(f"{self.name} is not a ledger, or broken", hint="check the name, or restore a copy")
        return int(match[1])

    def _convert(self, handle: int) -> tuple[Replay, int]:
        """Go on in the same file: its rows are appended as lines, and the header makes them the ledger.

        SQLite's own lock keeps out programs of before, which cannot read what comes of it. A crash before the header
        leaves the SQLite file as it was, but for bytes at its end that SQLite does not look at.
        """
        with closing(open_sqlite(self._file)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            state = read_sqlite(self._file, self.name)
            start = os.fstat(handle).st_size
            lines = b"".join(map(_line, state.entries))
            _write(handle, start, lines)
            _sync(handle)
            step("converted")
            _write(handle, 0, HEADER % start)
            _sync(handle)
            # SQLite would play a journal that it left behind into what is no longer its file.
            self._file.with_name(self._file.name + "-journal").unlink(missing_ok=True)
            connection.rollback()
        return state, start + len(lines)

    @contextmanager
    def _translate_failures(self) -> Iterator[None]:
        try:
            yield
        except (LedgerError, TimeoutError):  # ours, or an alarm of the caller's own: both are OSErrors too
            raise
        except FileNotFoundError:
            raise _missing_error(self.name) from None
        except (OSError, sqlite3.Error):
            raise LedgerError(
                f"{self.name} cannot be read or written", hint="check the disk and the permissions"
            ) from None


def create_file(path: Path, first: Entry) -> bool:
    """Make a ledger with its first row: whole, durable and under its name at once, or not at all.

    False if the name was taken meanwhile, which leaves that file as it is. The file may be read by its owner only.
    """
    target = resolve_path(path)
    require_locks(target.parent, str(path))
    try:
        with tempfile.NamedTemporaryFile(prefix=f".{target.name}.", suffix=".new", dir=target.parent) as temporary:
            _write(temporary.fileno(), 0, HEADER % _START + _line(Replay().append(first)))
            _sync(temporary.fileno())
            step("made")
            os.link(temporary.name, target)  # unlike a rename, it never takes the place of another ledger
            step("linked")
        _sync_names(target.parent)
    except FileExistsError:
        return False
    except OSError:
        hint = "choose a directory on a local disk that may be written"
        raise LedgerError(f"{path} cannot be created", hint=hint) from None
    return True


def resolve_path(path: Path) -> Path:
    """The file that a name leads to, whether there is one or not."""
    try:
        target = path.resolve()
        target.exists()  # a name may be too long to ask for
    except (OSError, RuntimeError):
        raise LedgerError(f"{path} cannot be the name of a file", hint="check the name, and where links lead") from None
    return target


def require_locks(place: Path, name: str) -> None:
    """Refuse a place where a lock would not keep other machines out; one that cannot be told is taken at its word."""
    try:
        device = place.stat().st_dev
        mounts = MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    number = f"{os.major(device)}:{os.minor(device)}"
    parts = (mount.partition(" - ") for mount in mounts)
    own_mounts = (after for before, _, after in parts if before.split()[2:3] == [number])
    kind, _, options = next(own_mounts, "unknown none none").split(maxsplit=2)
    if UNSAFE.fullmatch(kind) or (kind.startswith("nfs") and "local_lock=none" not in options.split(",")):
        raise LedgerError(
            f"{name} lies on a file system ({kind}) whose locks hold on one machine only",
            hint="keep the ledger on a local disk, or on PostgreSQL",
        )


@contextmanager
def exclusive_lock(file: Path, name: str, patience: float) -> Iterator[int]:
    """A handle of the file, as the only writer; `LedgerError` if another does not end within these seconds.

    The lock belongs to the handle. A thread that copies the ledger and closes its own does not take it away.
    """
    end = monotonic() + patience
    while True:
        handle = os.open(file, os.O_RDWR)
        try:
            while not _try_lock(handle):
                if monotonic() > end:
                    raise LedgerError(f"{name} is locked by another process", hint="try again when it has ended")
                sleep(PAUSE)
            try:
                if os.path.samestat(os.fstat(handle), file.stat()):
                    yield handle
                    return
            finally:
                # A child that is forked meanwhile has the handle too, and would keep the lock after it is closed here.
                fcntl.flock(handle, fcntl.LOCK_UN)
        finally:
            os.close(handle)


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read_rows(data: bytes, start: int, name: str) -> tuple[list[Entry], int]:
    """The rows and where the last whole one ends."""
    entries: list[Entry] = []
    while start < len(data):
        end = data.find(b"\n", start)
        entry = _read_line(data[start : end if end >= 0 else len(data)])
        if entry is None:
            if end >= 0:
                raise damage_error(name, len(entries) + 1)
            break
        entries.append(entry)
        start = end + 1 if end >= 0 else len(data)
    return entries, start


def _read_line(line: bytes) -> Entry | None:
    """The row of a line; None unless the hash is that of the bytes."""
    digest, blank, text = line[:64], line[64:65], line[65:]
    if blank != b" " or hashlib.sha256(text).hexdigest().encode() != digest:
        return None
    try:
        return Entry(**json.loads(text), hash=digest.decode())
    except (ValueError, TypeError, RecursionError):
        return None


def _line(entry: Entry) -> bytes:
    return entry.hash.encode() + b" " + entry.canonical() + b"\n"


def _append(handle: int, end: int, entry: Entry) -> None:
    """One more row after the last whole one, in place of what a crash may have left there."""
    line = _line(entry)
    try:
        os.ftruncate(handle, end)
        if end and os.pread(handle, 1, end - 1) != b"\n":  # the crash came between the row and its newline
            line = b"\n" + line
        _write(handle, end, line[:-1])
        _sync(handle)
        step("written")
    except OSError:
        with suppress(OSError):
            os.ftruncate(handle, end)
        raise
    _write(handle, end + len(line) - 1, b"\n")
    _sync(handle)


def _write(handle: int, place: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(handle, view, place)
        view, place = view[written:], place + written


def _sync(handle: int) -> None:
    """Put what was written on the disk itself, where a system tells its cache apart from it too."""
    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is None:
        os.fsync(handle)
    else:
        fcntl.fcntl(handle, full)


def _sync_names(directory: Path) -> None:
    """Make the names in a directory durable, where the system lets one."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _missing_error(name: str) -> LedgerError:
    return LedgerError(f"there is no ledger {name}", hint="check the name, or make one with discreet ledger create")
