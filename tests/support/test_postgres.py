"""The server that the tests run on: it asks for its password, and is gone when the last who used it has left."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from tests.support.postgres import ROOT, Server, binaries


@pytest.mark.parametrize("tcp", [False, True])
def test_a_database_is_reached_by_socket_and_port_with_the_password_only(postgres: Server, tcp: bool) -> None:
    url = postgres.new_database(tcp=tcp)
    with psycopg.connect(url) as connection:
        assert connection.execute("SHOW fsync").fetchone() == ("on",)
        row = connection.execute("SELECT current_database()").fetchone()
    assert row is not None
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(postgres.url(row[0], password="another", tcp=tcp)).close()  # noqa: S106


def test_the_server_runs_while_anybody_holds_its_pipe_and_leaves_nothing_behind(tmp_path: Path) -> None:
    if binaries() is None:
        pytest.skip("no PostgreSQL server")
    pipe, state = tmp_path / "postgres.pipe", tmp_path / "postgres.json"
    os.mkfifo(pipe)
    keeper = subprocess.Popen([sys.executable, "-m", "tests.support.postgres", str(tmp_path)], cwd=ROOT)
    first = os.open(pipe, os.O_WRONLY)
    while not state.exists():
        assert keeper.poll() is None
        time.sleep(0.02)
    server = Server(**json.loads(state.read_text()))
    second = os.open(pipe, os.O_WRONLY)
    os.close(first)
    server.run("SELECT 1")
    os.close(second)
    assert keeper.wait(60) == 0
    assert not Path(server.folder).exists()
