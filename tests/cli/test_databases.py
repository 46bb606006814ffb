"""The command on a table of PostgreSQL: a release, a check, and refusals that tell nothing."""

import psycopg
import pytest

from tests.cli.command import discreet
from tests.support.postgres import Server

DECLARED = ("--column", "vote", "--categories", "a,b")


@pytest.fixture
def source(postgres: Server) -> str:
    url = postgres.new_database()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE votes AS SELECT unnest(array['a', 'a', 'b', 'c']) AS vote")
    return url.replace("?", "/votes?", 1)


def test_a_table_of_postgres_is_released_by_its_address(source: str) -> None:
    told = ("--epsilon", "1", "--no-ledger", "--other", "rest", "--json")
    released = discreet("release", source, *DECLARED, *told)
    assert released.code == 0, released
    assert released.document["n"] == sum(released.document["output"]) == 4
    asked = discreet("release", source, *DECLARED, *told, "--engine", "ibis", "--dry-run", "--n", "4")
    assert asked.code == 0, asked


def test_a_curator_may_look_at_a_table_of_postgres(source: str) -> None:
    looked = discreet("check", source, *DECLARED, "--json")
    assert looked.code == 2
    assert looked.document["strays"] == [{"value": "c", "rows": 1}]
    assert (looked.document["n"], looked.document["fits"]) == (4, False)


def test_refusals_tell_no_password_and_no_row(source: str) -> None:
    told = ("--epsilon", "1", "--no-ledger", "--json")
    for wrong in (
        (source, *DECLARED),
        (source, *DECLARED, "--engine", "duckdb"),
        (source, *DECLARED, "--engine", "spark"),
        (source.replace("/votes?", "/nothing?"), *DECLARED),
        (source.replace("pass%20word", "wrong"), *DECLARED),
        ("postgres://127.0.0.1:1/base/votes", *DECLARED),
        (source, "--column", "nothing", "--categories", "a,b"),
    ):
        answer = discreet("release", *wrong, *told)
        assert (answer.code, answer.err.count("\n")) == (2, 1)
        assert answer.document["error"]["hint"]
        assert not any(word in answer.out + answer.err for word in ("pass%20word", "pass word", "wrong", "'c'"))
