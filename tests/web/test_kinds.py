"""Several columns, cross tables, rates and gaussian: what the page releases is what the command would."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest

import discreet as dc
from discreet.errors import DiscreetError
from discreet.ledger import Ledger
from discreet.receipts import read_sealed, verify_any
from discreet.utility.widths import expected_width
from discreet.web.answers import PageApi
from tests.cli.command import typed
from tests.support.postgres import Server
from tests.web.test_answers import answer

ROWS = ["yes,f,north"] * 30 + ["no,f,south"] * 20 + ["yes,m,north"] * 15 + ["no,m,south"] * 25 + ["no,m,north"] * 10
COLUMN = {"column": "vote", "categories": ["yes", "no"]}
SEX = {"column": "sex", "categories": ["f", "m"]}
PRICE = {"epsilon": "1", "mechanism": "geometric", "dataset": "d"}
RATES = {
    "kind": "rates",
    "column": "region",
    "categories": ["north", "south"],
    "exposure": ["north=120000", "south=88000"],
    "per": "100000",
    "adjacency": "add-remove",
    "dataset": "events",
}

KINDS: dict[str, tuple[dict[str, Any], Sequence[str]]] = {
    "two columns": (
        {**COLUMN, "more": [SEX]},
        ["--column", "vote", "--categories", "yes,no", "--column", "sex", "--categories", "f,m"],
    ),
    "columns with a category for the rest, and a prior": (
        {**COLUMN, "other": "else", "more": [{**SEX, "missing": "unsaid", "prior": "2,2,1"}]},
        ["--column", "vote", "--categories", "yes,no", "--other", "else", "--other", "", "--missing", "",
         "--missing", "unsaid", "--column", "sex", "--categories", "f,m", "--prior", "", "--prior", "2,2,1"],
    ),
    "columns at a δ": (
        {**COLUMN, "delta": "1e-6", "dataset": "slack", "epsilon": "1/10",
         "more": [SEX, {"column": "region", "categories": ["north", "south"]}] * 6},
        ["--column", "vote", "--categories", "yes,no", "--delta", "1e-6",
         *["--column", "sex", "--categories", "f,m", "--column", "region", "--categories", "north,south"] * 6],
    ),
    "a cross table": (
        {**COLUMN, "kind": "cross", "more": [SEX, {"column": "region", "categories": ["north", "south"]}],
         "impossible": ["vote=yes, region=south"], "prior": "1/2"},
        ["--cross", "vote=yes,no", "--cross", "sex=f,m", "--cross", "region=north,south",
         "--impossible", "vote=yes,region=south", "--prior", "1/2"],
    ),
    "rates": (
        RATES,
        ["--rates", "--by", "region", "--groups", "north,south", "--exposure", "north=120000,south=88000",
         "--per", "100000", "--adjacency", "add-remove"],
    ),
    "gaussian": (
        {**COLUMN, "mechanism": "gaussian", "delta": "1e-6", "dataset": "slack"},
        ["--column", "vote", "--categories", "yes,no", "--mechanism", "gaussian", "--delta", "1e-6"],
    ),
    "two columns by gaussian": (
        {**COLUMN, "more": [SEX], "mechanism": "gaussian", "delta": "1e-6", "dataset": "slack"},
        ["--column", "vote", "--categories", "yes,no", "--column", "sex", "--categories", "f,m",
         "--mechanism", "gaussian", "--delta", "1e-6"],
    ),
}  # fmt: skip


@pytest.fixture
def desk(tmp_path: Path) -> PageApi:
    (tmp_path / "t.csv").write_text("\n".join(["vote,sex,region", *ROWS]) + "\n", encoding="utf-8")
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=3)
    Ledger.create(ledger.name, dataset="slack", epsilon=3, delta="1e-5")
    Ledger.create(ledger.name, dataset="events", epsilon=3, adjacency="add-remove")
    return PageApi(ledger=str(tmp_path / "l.db"), may_release=True)


@pytest.fixture
def source(desk: PageApi, tmp_path: Path) -> str:
    return str(tmp_path / "t.csv")


@pytest.mark.few(3)
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_the_request_of_the_command_and_paid_once(kind: str, desk: PageApi, source: str) -> None:
    sent, words = KINDS[kind]
    asked: dict[str, Any] = {"source": source, **PRICE, **sent}
    price: Any = answer("price", desk, **asked)
    paying = ["--ledger", str(desk.ledger), "--dataset", asked["dataset"], "--request-id", price["request_id"]]
    found: Any = answer("release", desk, **asked, request_id=price["request_id"], digest=price["digest"])
    again = typed("release", source, *words, "--epsilon", asked["epsilon"], *paying, "--yes", "--json")
    assert again.code == 0, again.err
    assert json.loads(again.out) == json.loads(found["text"]), "the same digest: what was sealed is shown"
    verify_any(read_sealed(found["text"]))
    account = Ledger(str(desk.ledger)).account(asked["dataset"])
    assert account.charges == 1
    read: Any = answer("read", receipts=[found["text"]])
    assert read["receipts"][0]["pictures"]


def test_the_price_tells_what_each_kind_publishes(desk: PageApi, source: str) -> None:
    def facts(kind: str) -> dict[str, str]:
        price: Any = answer("price", desk, source=source, **{**PRICE, **KINDS[kind][0]})
        return dict(price["facts"])

    columns = facts("two columns")
    assert columns["Categories of sex, which are published"] == "f, m"
    assert columns["Privacy loss of sex"] == "ε = 0.5"
    assert "points wide" in columns["Expected accuracy of vote"]
    assert "With δ every column has ε" in facts("columns at a δ")["Shared by the columns"]
    table = facts("a cross table")
    assert (table["Cells"], table["Impossible"]) == ("6", "region = south, vote = yes")
    rates = facts("rates")
    assert rates["Exposure of north, which is published"] == "120,000"
    assert rates["Records"] == "private: not counted"


@pytest.mark.parametrize(
    ("sent", "parameter"),
    [
        ({"more": [{"column": "sxe", "categories": ["f", "m"]}]}, "more.0.column"),
        ({"more": [SEX, {"column": "region", "categories": ["north"]}]}, "more.1.categories"),
        ({"more": [{**SEX, "prior": "1,1,1"}]}, "more.0.prior"),
        ({"more": "sex"}, "more"),
        ({"kind": "cross"}, "kind"),
        ({"kind": "cross", "more": [COLUMN]}, "more.0.column"),
        ({"kind": "cross", "more": [SEX], "impossible": ["sex"]}, "impossible"),
        ({"kind": "cross", "more": [SEX], "impossible": ["sex=x"]}, "impossible"),
        ({"kind": "cross", "more": [SEX], "prior": "1,2"}, "prior"),
        ({"impossible": ["sex=m"]}, "kind"),
        ({"exposure": ["yes=1"]}, "kind"),
        ({"kind": "all"}, "kind"),
        ({**RATES, "exposure": ["north=120000"]}, "exposure"),
        ({**RATES, "exposure": ["north=120000", "south=0"]}, "exposure"),
        ({**RATES, "per": "x"}, "per"),
        ({**RATES, "prior": "1"}, "prior"),
        ({**RATES, "adjacency": ""}, "private_n"),
        ({**RATES, "more": [SEX]}, "kind"),
        ({"mechanism": "gaussian"}, "delta"),
        ({"more": [SEX], "delta": "x"}, "delta"),
    ],
)
def test_a_refusal_says_which_field_it_is_about(
    sent: dict[str, Any], parameter: str, desk: PageApi, source: str
) -> None:
    with pytest.raises(DiscreetError) as refused:
        answer("price", desk, source=source, **{**COLUMN, **PRICE, **sent})
    assert refused.value.parameter == parameter
    assert Ledger(str(desk.ledger)).account("d").charges == 0


def test_every_column_is_checked_and_so_are_impossible_cells(desk: PageApi, source: str) -> None:
    sent: dict[str, Any] = {**COLUMN, "kind": "cross", "more": [{"column": "sex", "categories": ["f", "M"]}]}
    found: Any = answer("check", desk, source=source, **sent)
    assert [each["column"] for each in found["checks"]] == ["vote", "sex"]
    assert [each["fits"] for each in found["checks"]] == [True, False]
    assert found["checks"][1]["strays"] == [{"value": "m", "rows": 50, "like": "M"}]
    for line, occurs in (("vote=yes, sex=m", True), ("vote=yes, region=south", False)):
        more = [SEX, {"column": "region", "categories": ["north", "south"]}]
        told: Any = answer("check", desk, source=source, **{**sent, "more": more, "impossible": [line]})
        assert told["impossible_occurs"] is occurs


@pytest.mark.soak
def test_columns_are_forecast_at_the_share_that_the_request_gives_them() -> None:
    asked: dict[str, Any] = {"prior": "1,1", "n": "100", "epsilon": "1", "sizes": ["2", "3"]}
    found: Any = answer("forecast", **asked)
    half: Any = answer("forecast", prior="1,1", n="100", epsilon="1/2")
    assert found["width"] == pytest.approx(half["width"])
    assert "Each of 2 columns has ε = 0.5." in found["lead"]
    plan: Any = answer("plan", **{**asked, "epsilon": "", "target_points": "25"})
    least = dc.plan(dc.PosteriorSpace(prior=[1, 1], n=100), target_width="0.25").epsilon
    assert plan["shown"]["epsilon_text"] == str(float(2 * least))
    many: Any = answer("forecast", **{**asked, "epsilon": "0.1", "sizes": ["5"] * 12, "delta": "1e-6"})
    assert "Each of 12 columns has ε = 0.0" in many["lead"]
    assert "ε = 0.008333" not in many["lead"], "a δ buys more than equal shares"


def test_a_forecast_follows_the_noise_that_is_asked_for() -> None:
    asked: dict[str, Any] = {"prior": "1,1", "n": "200", "epsilon": "1/4"}
    gaussian: Any = answer("forecast", **asked, mechanism="gaussian", delta="1e-6")
    made = dc.Gaussian(dc.PosteriorSpace(prior=[1, 1], n=200), epsilon="1/4", delta="1e-6")
    assert gaussian["width"] == pytest.approx(expected_width(made).value, rel=1e-3)
    geometric: Any = answer("forecast", **asked)
    assert gaussian["width"] > geometric["width"]
    assert "δ = 1e-06" in gaussian["sentences"][0]
    rates: Any = answer("forecast", prior="0.5,0", n="1000", epsilon="1/10", kind="rates", sizes=["4"], private_n=True)
    variance = 2 * 0.9048374180359595 / (1 - 0.9048374180359595) ** 2  # of geometric noise with q = e^(-1/10)
    assert rates["width"] == pytest.approx(2 * 1.96 * (250 + variance) ** 0.5, rel=1e-9)
    assert rates["without"] == pytest.approx(2 * 1.96 * 250**0.5, rel=1e-9)


def test_a_cross_table_is_compared_with_its_columns_by_themselves() -> None:
    asked: dict[str, Any] = {"prior": "1", "n": "100", "epsilon": "1", "kind": "cross", "sizes": ["2", "2"]}
    found: Any = answer("plan", **asked, names=["vote", "sex"], compare=True)
    words = "plan --cross vote=a,b --cross sex=a,b --margins vote;sex --n 100 --epsilon 1 --json"
    assert found["margins"] == json.loads(typed(words).out)["margins"]
    with pytest.raises(DiscreetError, match="no least ε"):
        answer("plan", **{**asked, "epsilon": "", "target_points": "5"})


def test_columns_of_databases_are_listed_by_their_schema(desk: PageApi, postgres: Server, tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "people.db") as connection:
        connection.execute("CREATE TABLE votes (id INTEGER, vote VARCHAR)")
        connection.execute("CREATE VIEW adults AS SELECT vote FROM votes")
    with sqlite3.connect(tmp_path / "people.sqlite") as file:
        file.execute("CREATE TABLE votes (id INTEGER, vote TEXT)")

    def listed(source: str) -> list[tuple[str, str]]:
        found: Any = answer("columns", desk, source=source)
        return [(column["name"], column["type"]) for column in found["columns"]]

    assert listed(f"duckdb://{tmp_path / 'people.db'}/votes") == [("id", "INTEGER"), ("vote", "VARCHAR")]
    assert listed(f"duckdb://{tmp_path / 'people.db'}/adults") == [("vote", "VARCHAR")]
    assert listed(f"sqlite://{tmp_path / 'people.sqlite'}/votes") == [("id", "int64"), ("vote", "string")]
    with pytest.raises(DiscreetError) as refused:
        listed(f"duckdb://{tmp_path / 'people.db'}/none")
    assert refused.value.parameter == "source"
    url = postgres.new_database()
    with psycopg.connect(url, autocommit=True) as server:
        server.execute("CREATE TABLE votes (id integer, vote text, weight numeric(4,2))")
    kinds = [("id", "int32"), ("vote", "string"), ("weight", "decimal(4, 2)")]
    assert listed(url.replace("?", "/votes?", 1)) == kinds
    assert listed("spark:///votes") == [], "they are asked for by name"
