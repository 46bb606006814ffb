"""The page's questions, without a browser: the documents are the commands'."""

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import discreet as dc
from discreet.errors import DiscreetError, InvalidInput, NotPrivate
from discreet.inference.comparisons import MEASURES
from discreet.inference.series import waves
from discreet.ledger import Ledger
from discreet.receipts import Receipt
from discreet.requests.request import Question
from discreet.requests.run import release, release_columns
from discreet.web.answers import QUESTIONS, PageApi
from discreet.web.budgets import MEANINGS
from discreet.web.fields import Fields
from discreet.web.sheets import receipt_page
from tests.cli.command import told, typed


def answer(what: str, desk: PageApi | None = None, **sent: object) -> dict[str, object]:
    return QUESTIONS[what].answer(desk or PageApi(), Fields(sent))


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return pd.DataFrame({"vote": ["yes"] * 12 + ["no"] * 8, "sex": ["f", "m"] * 10})


def as_sent(document: dict[str, object]) -> object:
    return json.loads(json.dumps(document))


@pytest.mark.parametrize(
    ("line", "sent"), [("plan", {}), ("audit laplace", {"mechanism": "laplace"})], ids=["a plan", "an audit"]
)
def test_what_is_answered_is_what_the_command_says(line: str, sent: dict[str, Any]) -> None:
    document = told(f"{line} --prior 1,1 --n 9 --epsilon 1")
    found = answer(line.split()[0], **sent, prior="1,1", n="9", epsilon="1")
    assert {key: as_sent(found)[key] for key in document} == document  # type: ignore[index]


def test_budgets_are_the_commands_and_no_outcome_travels_with_the_history(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=2, delta="1e-6", composition="zcdp")
    ledger.charge("d", "1/3", request_id="r", digest="x")
    ledger.seal("r", '{"secret": "until it is asked for"}')
    document = told(f"ledger show {tmp_path / 'l.db'}")
    found = answer("budgets", PageApi(ledger=str(tmp_path / "l.db")))
    assert {key: as_sent(found)[key] for key in document} == document  # type: ignore[index]
    assert "secret" not in json.dumps(found)


@pytest.mark.parametrize("prior", ["", "2,3"])
def test_a_receipt_is_read_as_by_the_command(prior: str, table: pd.DataFrame, tmp_path: Path) -> None:
    receipt = release(table, column="vote", categories=["yes", "no"], epsilon=1, ledger=None)
    (tmp_path / "r.json").write_text(receipt.to_json(), encoding="utf-8")
    belief = told(f"infer {tmp_path / 'r.json'}", *(["--prior", prior] if prior else []))
    assert as_sent(answer("infer", receipt=receipt.to_json(), prior=prior))["belief"] == belief  # type: ignore[index]


def test_several_columns_share_the_readers_prior(table: pd.DataFrame) -> None:
    asked = [Question("vote", ["yes", "no"]), Question("sex", ["f", "m"])]
    bundle = release_columns(table, asked, epsilon=1, ledger=None)
    found = answer("infer", receipt=bundle.to_json(), prior="2,3")["belief"]
    assert [part["prior"] for part in found["columns"]] == [[2.0, 3.0]] * 2  # type: ignore[index]
    assert "columns" in answer("infer", receipt=bundle.to_json())["belief"]  # type: ignore[operator]


def test_a_receipt_that_lies_is_not_read(table: pd.DataFrame) -> None:
    receipt = release(table, column="vote", categories=["yes", "no"], epsilon=1, ledger=None)
    for lie in ({"epsilon_exact": "1/2"}, {"n": 21}):
        with pytest.raises((InvalidInput, NotPrivate)):
            answer("infer", receipt=json.dumps(receipt.document | lie))


def test_a_page_without_a_ledger_knows_of_no_budgets() -> None:
    assert answer("facts")["ledger"] is None
    with pytest.raises(InvalidInput, match="--ledger"):
        answer("budgets")


def test_a_file_is_read_as_the_page_is_told(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_bytes("1\tcafé\n2\tthé\n3\t\n4\tcafé\n".encode("cp1252"))
    Ledger.create(tmp_path / "l.db", dataset="d", epsilon=2000)
    desk = PageApi(ledger=str(tmp_path / "l.db"), may_release=True)
    sent: dict[str, Any] = {
        "source": str(tmp_path / "v.txt"),
        "column": "column1",
        "categories": ["café", "thé"],
        "missing": "unsaid",
        "delimiter": "tab",
        "encoding": "cp1252",
        "no_header": True,
        "dataset": "d",
        "epsilon": "1000",
        "mechanism": "geometric",
    }
    price = answer("price", desk, **sent)
    assert price["document"]["n"] == 4  # type: ignore[index]
    agreed = {key: price[key] for key in ("digest", "request_id")}
    receipt: Any = answer("release", desk, **sent, **agreed)["receipt"]
    assert (receipt["categories"], receipt["output"]) == (["café", "thé", "unsaid"], [2, 1, 1])
    with pytest.raises(InvalidInput, match=f"charged for this question before.*{agreed['request_id']}"):
        answer("price", desk, **sent)
    assert answer("price", desk, **sent, again=True)["digest"] == agreed["digest"]


def test_a_forecast_is_the_librarys_width_and_its_laws_are_exact() -> None:
    space = dc.PosteriorSpace(prior=[1, 1, 1], n=200)
    found: Any = answer("forecast", prior="1,1,1", n="200", epsilon="1/2")
    plan = dc.plan(space, epsilon="1/2")
    assert found["width"] == pytest.approx(plan.answer.interval_width, rel=1e-9)
    assert found["without"] == pytest.approx(plan.interval_width_without_privacy, rel=1e-9)
    assert found["lead"] == plan.sentences()[0]
    one, other = found["neighbours"]["laws"]
    ratios = [max(a / b, b / a) for a, b in zip(one, other, strict=True)]
    assert max(ratios) == pytest.approx(math.exp(0.5), rel=1e-9)
    assert sum(one) < 1


def test_a_forecast_of_groups_is_that_of_a_plan() -> None:
    sent: dict[str, Any] = {"prior": "1,1", "n": "201", "epsilon": "1", "groups": ["new", "old"], "of": "difference"}
    plan = dc.plan(dc.PosteriorSpace(prior=[1, 1], n=201), epsilon=1, groups={"new": 101, "old": 100}, of="difference")
    found: Any = answer("forecast", **sent)
    assert found["width"] == pytest.approx(plan.answer.interval_width, rel=1e-9)
    assert found["lead"] == plan.sentences()[0]


def test_the_least_epsilon_for_a_width_in_points_is_the_librarys() -> None:
    least = dc.plan(dc.PosteriorSpace(prior=[1, 1], n=60), target_width="0.25").epsilon
    found: Any = answer("plan", prior="1,1", n="60", target_points="25")
    assert found["epsilon_exact"] == str(least)


@pytest.fixture(scope="module")
def grouped(table: pd.DataFrame) -> Receipt:
    asked: dict[str, Any] = {"column": "vote", "categories": ["yes", "no"], "by": "sex", "groups": ["f", "m"]}
    return release(table, **asked, epsilon=2, ledger=None, title="A vote")


@pytest.mark.parametrize("level", ["0.95", "0.5"])
def test_what_is_read_of_groups_is_what_the_library_believes(level: str, grouped: Receipt) -> None:
    read: Any = answer("read", receipts=[grouped.to_json()], level=level, ordinal=True)
    [found] = read["receipts"]
    assert found["title"] == "A vote"
    assert found["methods"] == grouped.to_methods()
    shares = [picture for picture in found["pictures"] if "in order" not in picture["title"]]
    for group, picture in zip(grouped.groups, shares, strict=True):
        belief = grouped.belief.group(group)
        for label, line in zip(belief.labels, picture["lines"], strict=True):
            low, mean, high = line["aware"]
            assert (low, high) == pytest.approx(belief[label].interval(level))
            assert mean == pytest.approx(belief[label].mean)
            assert f"{100 * mean:.1f} %" in picture["sentences"][0]


def test_a_private_n_is_shown_as_a_total_with_its_interval(table: pd.DataFrame) -> None:
    asked: dict[str, Any] = {"column": "vote", "categories": ["yes", "no"], "adjacency": "add-remove"}
    receipt = release(table, **asked, epsilon=2, ledger=None)
    read: Any = answer("read", receipts=[receipt.to_json()])
    [found] = read["receipts"]
    assert ["Records n", "private"] in map(list, found["facts"])
    low, mean, high = found["pictures"][-1]["lines"][0]["aware"]
    assert (low, high) == receipt.belief.total.interval()
    assert mean == pytest.approx(receipt.belief.total.mean)


def test_a_cross_table_is_shown_by_its_margins_and_as_a_heat_map(table: pd.DataFrame) -> None:
    receipt = release(table, cross={"vote": ["yes", "no"], "sex": ["f", "m"]}, epsilon=2, ledger=None)
    read: Any = answer("read", receipts=[receipt.to_json()])
    [found] = read["receipts"]
    assert found["title"] == "vote × sex"
    votes, sexes, both = found["pictures"]
    share = receipt.belief.margin("vote")["yes"]
    assert votes["lines"][0]["aware"][::2] == pytest.approx(share.interval())
    assert [line["name"] for line in sexes["lines"]] == ["f", "m"]
    assert both["table"]["headings"] == ["", "f", "m"]
    mean = receipt.belief["yes", "f"].mean
    assert both["table"]["rows"][0][1].startswith(f"{100 * mean:.1f} % (")
    assert max(max(row) for row in both["steps"]) == 5
    assert "vote by sex" in receipt_page(receipt)


@pytest.mark.few(1)
@pytest.mark.parametrize("measure", MEASURES)
def test_a_comparison_is_the_commands(measure: str, grouped: Receipt, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(grouped.to_json(), encoding="utf-8")
    document = told(f"compare {tmp_path / 'r.json'} --category yes --measure {measure}")
    found: Any = answer("compare", receipts=[grouped.to_json()], titles=["r"], category="yes", measure=measure)
    assert as_sent(found["document"]) == document
    assert found["pictures"][1]["sentences"] == [document["sentence"]]


def test_two_receipts_are_compared_by_their_names(table: pd.DataFrame) -> None:
    one, other = (
        release(rows, column="vote", categories=["yes", "no"], epsilon=2, ledger=None)
        for rows in (table, table.iloc[:10])
    )
    sent: dict[str, Any] = {"receipts": [one.to_json(), other.to_json()], "titles": ["north", "south"]}
    found: Any = answer("compare", **sent, category="yes", different_people=True)
    assert found["document"]["groups"] == ["north", "south"]


def test_a_series_is_the_librarys_waves(table: pd.DataFrame) -> None:
    receipts = [
        release(rows, column="vote", categories=["yes", "no"], epsilon=2, ledger=None)
        for rows in (table, table.iloc[:10], table.iloc[5:])
    ]
    titles = ["May", "June", "July"]
    texts = [one.to_json() for one in receipts]
    found: Any = answer("series", receipts=texts, titles=titles, category="yes")
    expected = waves(dict(zip(titles, receipts, strict=True)), "yes")
    for line, share in zip(found["pictures"][0]["lines"], expected.shares.values(), strict=True):
        assert line["aware"][::2] == pytest.approx(share.interval())
    changes = [line["name"] for line in found["pictures"][1]["lines"]]
    assert changes == ["May to June", "June to July"]
    with pytest.raises(InvalidInput, match="each with its name"):
        answer("series", receipts=texts, titles=["May", "May", "July"], category="yes")


def test_no_cell_of_a_table_that_is_saved_begins_like_a_formula(table: pd.DataFrame) -> None:
    receipt = release(table, column="vote", categories=["yes", "no"], other="=HYPERLINK(1)", epsilon=1, ledger=None)
    read: Any = answer("read", receipts=[receipt.to_json()])
    [found] = read["receipts"]
    assert "\n'=HYPERLINK(1)," in found["pictures"][0]["table"]["csv"]


@pytest.fixture
def desk(tmp_path: Path) -> PageApi:
    Ledger.create(tmp_path / "l.db", dataset="d", epsilon=3)
    return PageApi(ledger=str(tmp_path / "l.db"), may_release=True)


TRIAL = b"arm;outcome\nnew;cured\nnew;not cured\nold;Cured\nodl;cured\n"


def test_a_check_is_the_commands_and_says_that_it_is_not_for_publication(desk: PageApi, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(TRIAL)
    held: Any = desk.hold("t.csv", TRIAL)
    sent: dict[str, Any] = {"column": "outcome", "categories": ["cured", "not cured"], "delimiter": ";"}
    sent |= {"by": "arm", "groups": ["new", "old"]}
    checked: Any = answer("check", desk, upload=held["upload"], **sent)
    [found] = checked["checks"]
    line = f"check {tmp_path / 't.csv'} --column outcome --delimiter ; --by arm --groups new,old --json"
    command = typed(line, "--categories", "cured,not cured")
    document = json.loads(command.out)
    assert {key: found[key] for key in document} == document
    assert checked["mark"] == "not publishable: speaks of the true data"
    assert found["strays"] == [{"value": "Cured", "rows": 1, "like": "cured"}]


@pytest.mark.parametrize(
    ("sent", "parameter"),
    [
        ({"column": "outcme"}, "column"),
        ({"by": "amr", "groups": ["new", "old"]}, "by"),
        ({"id_column": "person"}, "id_column"),
        ({"categories": ["cured"], "other": ""}, "categories"),
        ({"categories": ["cured", "cured"]}, "categories"),
        ({"by": "arm", "groups": ["new"]}, "groups"),
        ({"delimiter": ";;"}, "delimiter"),
        ({"encoding": "klingon"}, "encoding"),
        ({"source": "none.csv", "upload": ""}, "source"),
        ({"upload": "another"}, "file"),
        ({"epsilon": "-1"}, "epsilon"),
        ({"epsilon": ""}, "epsilon"),
        ({"prior": "1,1,1,1,1"}, "prior"),
        ({"prior": "1,x"}, "prior"),
        ({"column": ""}, "column"),
        ({"dataset": "x"}, "dataset"),
    ],
)
def test_a_refusal_says_which_field_it_is_about(sent: dict[str, Any], parameter: str, desk: PageApi) -> None:
    held: Any = desk.hold("t.csv", TRIAL)
    asked: dict[str, Any] = {"upload": held["upload"], "column": "outcome", "categories": ["cured", "not cured"]}
    asked |= {"delimiter": ";", "other": "else", "epsilon": "1", "mechanism": "geometric", "dataset": "d"}
    with pytest.raises(DiscreetError) as refused:
        answer("price", desk, **asked | sent)
    assert refused.value.parameter == parameter


def test_an_unfinished_request_is_named_and_finished_for_free(desk: PageApi) -> None:
    held: Any = desk.hold("t.csv", TRIAL)
    asked: dict[str, Any] = {"upload": held["upload"], "column": "outcome", "categories": ["cured", "not cured"]}
    asked |= {"delimiter": ";", "other": "else", "epsilon": "1", "mechanism": "geometric", "dataset": "d"}
    price: Any = answer("price", desk, **asked)
    Ledger(str(desk.ledger)).charge("d", 1, request_id=price["request_id"], digest=price["digest"])
    budgets: Any = answer("budgets", desk)
    assert budgets["shown"]["unfinished"] == [{"dataset": "d", "request_id": price["request_id"]}]
    again: Any = answer("price", desk, **asked, request_id=price["request_id"])
    assert again["is_paid"]
    answer("release", desk, **asked, request_id=price["request_id"], digest=price["digest"])
    assert Ledger(str(desk.ledger)).spent("d").epsilon == 1
    assert answer("budgets", desk)["shown"]["unfinished"] == []  # type: ignore[index]
    sealed: Any = answer("sealed", desk, request_id=price["request_id"])
    assert json.loads(sealed["text"])["request_id"] == price["request_id"]


def test_a_release_may_protect_the_number_of_records_and_select_some(desk: PageApi) -> None:
    Ledger.create(str(desk.ledger), dataset="private", epsilon=2, adjacency="add-remove")
    held: Any = desk.hold("t.csv", TRIAL)
    asked: dict[str, Any] = {"upload": held["upload"], "column": "outcome", "categories": ["cured", "not cured"]}
    asked |= {"delimiter": ";", "filters": ["arm=new", "arm=old "]}
    checked: Any = answer("check", desk, **asked)
    assert checked["checks"][0]["filters"] == {"arm": ["new", "old"]}
    asked |= {"epsilon": "1", "mechanism": "geometric", "dataset": "private", "adjacency": "add-remove"}
    price: Any = answer("price", desk, **asked)
    assert ["Records", "private: not counted"] in as_sent(price)["facts"]  # type: ignore[index]
    assert "adding or removing one row changes" in price["meaning"]
    assert price["price_text"] == "ε = 1"
    dearer: Any = answer("price", desk, **asked | {"dataset": "d", "epsilon": "1/2"})
    assert dearer["price_text"] == "ε = 1"
    assert any(name == "Privacy loss" and "ε = 0.5; under this budget" in fact for name, fact in dearer["facts"])
    found: Any = answer("release", desk, **asked, request_id=price["request_id"], digest=price["digest"])
    assert found["receipt"]["filters"] == {"arm": ["new", "old"]}
    assert "n" not in found["receipt"]
    read: Any = answer("infer", receipt=found["text"])
    assert "total" in read["belief"]
    for wrong in ({"adjacency": ""}, {"filters": ["arm"]}, {"filters": ["outcome=cured"]}):
        with pytest.raises(InvalidInput):
            answer("price", desk, **asked | wrong)


def test_a_budget_is_opened_verified_and_exported(desk: PageApi) -> None:
    answer("create_budget", desk, dataset="many", epsilon="2", delta="1e-6", composition="zcdp")
    with pytest.raises(InvalidInput, match="set once"):
        answer("create_budget", desk, dataset="many", epsilon="2")
    found: Any = answer("budgets", desk)
    assert [row[0] for row in found["shown"]["accounts"]["rows"]] == ["d", "many"]
    assert answer("verify_ledger", desk, head=found["head"])["rows"] == 2
    assert json.loads(str(answer("export_ledger", desk, kind="json")["text"]))[1]["dataset"] == "many"
    every = {name for choices in answer("facts")["choices"].values() for name, _ in choices}  # type: ignore[attr-defined]
    assert every <= set(MEANINGS), "every choice is explained"


def test_a_schedule_is_opened_at_the_librarys_price_and_its_slots_are_the_commands(desk: PageApi) -> None:
    asked = {"dataset": "year", "composition": "exact", "schedule": "12 x 0.25, 1 x 1", "delta": "1e-6"}
    opened = answer("create_budget", desk, **asked, categories_at_least="3")
    assert opened["sentence"] == "year has a budget: it may spend ε = 3.74894, δ = 0.000001 in all."
    Ledger(str(desk.ledger)).charge("year", "0.2", request_id="r", digest="x")
    found: Any = answer("budgets", desk)
    printed = typed(f"ledger show {desk.ledger}", COLUMNS="120").out
    assert [len(slots) for slots in found["shown"]["slots"]] == [0, 2]
    for words, drawn in found["shown"]["slots"][1]:
        assert f"year: {words}  {drawn}" in printed
    assert found["shown"]["accounts"]["rows"][1][3] == "ε = 0.25 at once", "not all that is left: the largest free slot"
    assert "│ ε = 0.25 at once │" in printed


@pytest.mark.parametrize(
    ("sent", "parameter"),
    [
        ({"schedule": "12 times"}, "schedule"),
        ({"schedule": "12 x -1"}, "schedule"),
        ({"schedule": "999999 x 1"}, "schedule"),
        ({"schedule": ""}, "schedule"),
        ({"composition": "basic"}, "schedule"),
        ({"composition": "basic", "schedule": ""}, "epsilon"),
        ({"categories_at_least": "1"}, "categories_at_least"),
        ({"categories_at_least": "1e9"}, "categories_at_least"),
        ({"delta": "2"}, "delta"),
    ],
)
def test_a_refused_schedule_says_which_field_it_is_about(sent: dict[str, Any], parameter: str, desk: PageApi) -> None:
    head = Ledger(str(desk.ledger)).head()
    with pytest.raises(InvalidInput) as refused:
        answer("create_budget", desk, **{"dataset": "year", "composition": "exact", "schedule": "12 x 0.25"} | sent)
    assert refused.value.parameter == parameter
    assert Ledger(str(desk.ledger)).head() == head


def test_rows_of_a_plan_are_merged_and_rounded_as_the_command_does_it() -> None:
    found: Any = answer("plan", prior="1,1", n="9", epsilon="1", compare=True)
    printed = typed("plan --prior 1,1 --n 9 --epsilon 1 --compare").out
    for name, _, *cells in found["shown"]["table"]["rows"]:
        assert name in printed
        assert all(cell in printed for cell in cells)
    assert sum(row["best"] for row in found["shown"]["errors"]) == 1
