"""The text of a SOURCE says one thing or is refused, and a password is said nowhere."""

from pathlib import Path

import pandas as pd
import pytest

from discreet.counting.addresses import engine_for, find_database, find_spark, shown
from discreet.errors import InvalidInput, SourceError


@pytest.mark.parametrize(
    ("source", "master", "kind", "what"),
    [
        ("spark://h:7077/votes", "spark://h:7077", "table", "votes"),
        ("spark://h:7077/cat.s.votes", "spark://h:7077", "table", "cat.s.votes"),
        ("spark://h1:7077,h2:7077/votes.parquet", "spark://h1:7077,h2:7077", "parquet", "votes.parquet"),
        ("spark://h:7077//data/votes.parquet/", "spark://h:7077", "parquet", "/data/votes.parquet/"),
        ("spark://h:7077/hdfs://n/votes.orc", "spark://h:7077", "orc", "hdfs://n/votes.orc"),
        ("spark:///`votes`.`parquet`", None, "table", "`votes`.`parquet`"),
        ("spark:///s3a://b/x/*.PARQUET", None, "parquet", "s3a://b/x/*.PARQUET"),
        ("spark+local[*]://votes", "local[*]", "table", "votes"),
        ("spark+yarn://d/v.pq", "yarn", "parquet", "d/v.pq"),
        ("spark+local-cluster[2,1,1024]:///v.parquet", "local-cluster[2,1,1024]", "parquet", "/v.parquet"),
        ("votes.parquet", None, "parquet", "votes.parquet"),
    ],
)
def test_a_spark_source_says_one_thing(source: str, master: str | None, kind: str, what: str) -> None:
    place = find_spark(source)
    assert (place.name, place.master, place.kind, place.what) == (source, master, kind, what)


@pytest.mark.parametrize(
    "source",
    ["spark://", "spark://h:7077", "spark://h:7077/", "spark:///v.csv", "spark:///d/v", "spark:///a\0b", "v.csv"],
)
def test_a_spark_source_that_says_nothing_is_refused(source: str) -> None:
    with pytest.raises(SourceError):
        find_spark(source)


@pytest.mark.parametrize(
    ("source", "name", "url", "table"),
    [
        ("postgres://h/b/t", "postgres://h/b/t", "postgres://h/b", "t"),
        ("postgres://u:p@h:5/b/s.t?x=1", "postgres://u@h:5/b/s.t", "postgres://u:p@h:5/b?x=1", "s.t"),
        ("postgresql:///b/t?host=%2Frun", "postgresql:///b/t", "postgresql:///b?host=%2Frun", "t"),
        ("postgres://:p@/b/t", "postgres://@/b/t", "postgres://:p@/b", "t"),
        ("postgres://h/b/a%2Fb%22", "postgres://h/b/a%2Fb%22", "postgres://h/b", 'a/b"'),
        ("sqlite:///srv/p.db/t", "sqlite:///srv/p.db/t", "sqlite:///srv/p.db", "t"),
        ("sqlite://p.db/t", "sqlite://p.db/t", "sqlite://p.db", "t"),
    ],
)
def test_a_database_source_says_one_thing(source: str, name: str, url: str, table: str) -> None:
    place = find_database(source)
    assert (place.name, place.url, place.table) == (name, url, table)


@pytest.mark.parametrize(
    "source", ["postgres://", "postgres://h", "postgres://h/", "postgres://h:x/b/t", "x://a\n/b/t", "b/t"]
)
def test_a_database_source_that_says_nothing_is_refused(source: str) -> None:
    with pytest.raises(SourceError) as refused:
        find_database(source)
    assert refused.value.__cause__ is None


def test_a_password_is_no_part_of_what_is_shown() -> None:
    for text in ("postgres://u:hush@h/b/t", "postgres://h/b/t?password=hush", "mysql://u:hush@h/b/t#hush"):
        assert "hush" not in shown(text)
    assert shown(pd.DataFrame()) == "a pandas table"
    assert shown(Path("p.csv")) == "p.csv"


@pytest.mark.parametrize(
    "source",
    [
        "postgres://me:1/hush@host/base/votes",
        "postgres://me:/hush@host/base/votes",
        "postgres://me:p@x/hush@host/base/votes",
        "postgres://me:1/hush?@host/base/votes",
        "postgres://me:1#hush@host/base/votes",
        "spark://h:7077/s3a://me:hush@bucket/votes.parquet",
        "spark://h:7077/s3a://me:hu/sh@bucket/votes.parquet",
    ],
)
def test_a_password_that_was_not_quoted_is_not_taken_for_a_path_and_shown(source: str) -> None:
    with pytest.raises(SourceError) as refused:
        find_spark(source) if source.startswith("spark") else find_database(source)
    assert "hu" not in str(refused.value)


def test_an_at_sign_that_is_no_password_s_stays() -> None:
    assert find_database("sqlite:///data/me@work/people.db/votes").table == "votes"
    assert find_database("postgres://me@host/base/votes?user=me@work").name == "postgres://me@host/base/votes"
    assert find_spark("spark://h:7077/hdfs://name:9000/me@work/v.parquet").what == "hdfs://name:9000/me@work/v.parquet"


def test_the_engine_follows_from_the_source_and_a_contradiction_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert engine_for(Path("p.csv")) == engine_for("duckdb://f.db/t") == engine_for(pd.DataFrame()) == "duckdb"
    assert engine_for("p.parquet", "spark") == "spark"
    assert engine_for("mysql://h/b/t") == engine_for("postgres://h/b/t", "ibis") == "ibis"
    for source, asked in (
        ("postgres://h/b/t", "spark"),
        ("spark:///t", "duckdb"),
        ("p.csv", "ibis"),
        ("duckdb://f.db/t", "spark"),
        (pd.DataFrame(), "spark"),
    ):
        with pytest.raises(InvalidInput, match="does not read this source"):
            engine_for(source, asked)
    odd = tmp_path / "odd:" / "x.csv"
    odd.parent.mkdir()
    odd.write_text("v\na\n")
    assert engine_for("odd://x.csv") == "duckdb", "a file of that name is that file"
