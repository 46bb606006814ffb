"""The command on a table of PostgreSQL: a release, a check, and refusals that tell nothing."""

import psycopg
import pytest

from tests.cli.command import told, typed
from tests.support.postgres import Server

DECLARED = "--column vote --categories a,b"


@pytest.fixture
def source(postgres: Server) -> str:
    url = postgres.new_database()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE votes AS SELECT unnest(array['a', 'a', 'b', 'c']) AS vote")
    return url.replace("?", "/votes?", 1)


def test_a_table_of_postgres_is_released_by_its_address(source: str) -> None:
    line = f"release {source} {DECLARED} --epsilon 1 --no-ledger --other rest"
    document = told(line)
    assert document["n"] == sum(document["output"]) == 4
    told(f"{line} --engine ibis --dry-run --n 4")


def test_a_curator_may_look_at_a_table_of_postgres(source: str) -> None:
    answer = typed(f"check {source} {DECLARED} --json")
    assert answer.code == 2
    assert answer.document["strays"] == [{"value": "c", "rows": 1, "like": None}]
    assert (answer.document["n"], answer.document["fits"]) == (4, False)


def test_refusals_tell_no_password_and_no_row(source: str) -> None:
    for wrong in (
        f"{source} {DECLARED}",
        f"{source} {DECLARED} --engine duckdb",
        f"{source} {DECLARED} --engine spark",
        f"{source.replace('/votes?', '/nothing?')} {DECLARED}",
        f"{source.replace('pass%20word', 'wrong')} {DECLARED}",
        f"postgres://127.0.0.1:1/base/votes {DECLARED}",
        f"{source} --column nothing --categories a,b",
    ):
        answer = typed(f"release {wrong} --epsilon 1 --no-ledger --json")
        assert (answer.code, answer.err.count("\n")) == (2, 1)
        assert answer.document["error"]["hint"]
        assert not any(word in answer.out + answer.err for word in ("pass%20word", "pass word", "wrong", "'c'"))
