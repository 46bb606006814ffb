"""The server that the tests run on: it asks for its password, and is gone when the last who used it has left."""

import time
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from tests.support.postgres import PATIENCE, Server, binaries, shared


@pytest.mark.parametrize("tcp", [False, True])
def test_a_database_is_reached_by_socket_and_port_with_the_password_only(postgres: Server, tcp: bool) -> None:
    url = postgres.new_database(tcp=tcp)
    with psycopg.connect(url) as connection:
        assert connection.execute("SHOW fsync").fetchone() == ("on",)
        row = connection.execute("SELECT current_database()").fetchone()
    assert row is not None
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(postgres.url(row[0], password="another", tcp=tcp)).close()  # noqa: S106


def test_the_server_runs_while_anybody_uses_it_and_leaves_nothing_behind(tmp_path: Path) -> None:
    if binaries() is None:
        pytest.skip("no PostgreSQL server")
    with ExitStack() as second:
        with shared(tmp_path) as server:
            assert second.enter_context(shared(tmp_path)) == server
        server.run("SELECT 1")
    end = time.monotonic() + PATIENCE
    while Path(server.folder).exists():
        assert time.monotonic() < end
        time.sleep(0.02)
