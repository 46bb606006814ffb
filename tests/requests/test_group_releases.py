"""Releases by group, of public groups and of several columns: charged once, sealed together, and checked anew."""

import json
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import discreet as dc
from discreet.counting import Table, Tally
from discreet.errors import BudgetExceeded, DiscreetError, InvalidInput, SourceError
from discreet.ledger import Ledger
from discreet.privacy_loss.prices import Price, rho_upper
from discreet.receipts import (
    Bundle,
    Receipt,
    believed,
    believed_groups,
    read_receipt,
    verify_bundle,
    verify_receipt,
)
from discreet.requests import run
from tests.support.forgeries import every_forgery, verifies
from tests.support.schema import faults
from tests.support.tables import fail_at, no_sync

TABLE = pd.DataFrame(
    {"vote": ["a", "b", "a", "b", "b", "a", "b"], "sex": ["f", "f", "f", "m", "m", "m", "m"], "who": [*range(6), 0]}
)
GROUPED: dict[str, Any] = {"column": "vote", "categories": ["a", "b"], "by": "sex", "groups": ["f", "m"]}
TWO = [dc.Question("vote", ["a", "b"], epsilon="1/4"), dc.Question("sex", ["f", "m"], epsilon="1/3", prior=[2, "1/3"])]
PUBLISHED, BUNDLED = (
    json.loads(files("discreet.receipts").joinpath(f"{name}.schema.json").read_text("utf-8"))
    for name in ("receipt", "receipts")
)


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    """A budget of 1 for the dataset `d`, and one for answers."""
    monkeypatch.setattr("discreet.ledger.file._sync", no_sync)
    Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    return Ledger.create(tmp_path / "l.db", dataset="answers", epsilon=1, adjacency="replace-answer")


def grouped(ledger: Ledger | None = None, source: object = TABLE, **options: Any) -> Receipt:
    asked = {**GROUPED, "epsilon": "1/2", "ledger": ledger, "dataset": None if ledger is None else "d", **options}
    return dc.release(source, **asked)


def columns(ledger: Ledger | None = None, source: object = TABLE, **options: Any) -> Bundle:
    asked = {"ledger": ledger, "dataset": None if ledger is None else "d", **options}
    return dc.release_columns(source, asked.pop("questions", TWO), **asked)


@pytest.mark.few(4)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"prior": [1, 2]},
        {"prior": [1, 2, "1/3", 4], "way": "bayes"},
        {"other": "rest", "other_group": "else", "epsilon": "1/3"},
        {"mechanism": "exponential-reciprocal"},
        {"mechanism": "laplace-improved", "epsilon": 3},
        {"mechanism": "exponential-global", "calibrated": True, "epsilon": 1},
        {"group_public": True},
        {"group_public": True, "groups": ["f", "nobody", "m"], "prior": [3, "1/7"]},
        {"group_public": True, "mechanism": "exponential-reciprocal", "calibrated": True, "epsilon": 1},
    ],
    ids=str,
)
def test_receipts_by_group_obey_the_schema_and_verify_and_are_read_back_as_written(options: dict[str, Any]) -> None:
    receipt = grouped(**options)
    assert faults(receipt.document, PUBLISHED, PUBLISHED) == []
    read = Receipt.from_json(receipt.to_json())
    assert read.document == receipt.document
    for key in ("posterior", "interval", "output", "prior"):
        assert tuple(read.document[key]) == receipt.groups, "in their own order"
    assert {tuple(rows) for rows in read.document["posterior"].values()} == {tuple(read.document["categories"])}
    assert verify_receipt(read).bound <= Fraction(receipt.document["epsilon_exact"])
    for group, belief in believed_groups(read).items():
        low, high = belief.interval(0.95)
        said = receipt.document["interval"][group]
        for i, name in enumerate(receipt.document["categories"]):
            assert said[name] == pytest.approx([low[i], high[i]], abs=1e-6)


def test_the_cells_of_a_joint_table_are_counted_group_by_group() -> None:
    receipt = grouped(epsilon=1000)
    assert receipt.document["output"] == {"f": [2, 1], "m": [1, 3]}
    assert (receipt.output, receipt.document["n"], receipt.document["adjacency"]) == ((2, 1, 1, 3), 7, "replace-one")
    assert {group: list(own.alpha) for group, own in receipt.posteriors.items()} == {"f": [3, 2], "m": [2, 4]}
    assert list(receipt.posterior.alpha) == [3, 2, 2, 4]
    assert receipt.document["posterior"]["f"]["a"] == {"parameter": 3, "mean": 0.6}
    assert receipt.document["group_shares"]["f"]["mean"] == pytest.approx(5 / 11)
    assert receipt.document["group_sizes"] is None, "they are not public"


def test_shares_of_groups_are_what_a_reader_may_believe_of_the_sums_of_their_cells() -> None:
    receipt = grouped()
    belief = believed(receipt)
    low, high = belief.within([0, 1]).share.interval(0.95)
    assert receipt.document["group_shares"]["f"]["interval"] == pytest.approx([float(low), float(high)], abs=1e-9)


def test_public_groups_are_released_each_by_itself_with_their_sizes_and_one_without_records_has_its_prior() -> None:
    receipt = grouped(epsilon=1000, group_public=True, groups=["f", "nobody", "m"], prior=[1, 2])
    document = receipt.document
    assert document["output"] == {"f": [2, 1], "nobody": [0, 0], "m": [1, 3]}
    assert document["group_sizes"] == {"f": 3, "nobody": 0, "m": 4}
    assert (document["adjacency"], document["n"], document["group_shares"]) == ("replace-answer", 7, None)
    assert document["certificate"]["nobody"] is document["accuracy"]["nobody"] is None
    assert {facts["facts"]["n"] for facts in document["certificate"].values() if facts} == {3, 4}
    assert list(receipt.posteriors["nobody"].alpha) == [1, 2]
    with pytest.raises(InvalidInput, match="posterior of its own"):
        _ = receipt.posterior


def test_with_people_a_group_is_a_matter_of_the_column_of_groups_alone() -> None:
    receipt = grouped(epsilon=1000, id_column="who", group_public=True)
    assert receipt.document["group_sizes"] == {"f": 3, "m": 3}, "person 0 has rows in both, and is in the first"
    assert receipt.document["unit"] == "one person, all rows with the same id"
    assert receipt.document["output"]["f"] == [2, 1]


@pytest.mark.few(1)
@pytest.mark.parametrize("form", ["a joint table", "public groups"])
def test_any_field_of_a_receipt_by_group_that_was_changed_is_noticed(form: str) -> None:
    options: dict[str, Any] = {"group_public": True, "groups": ["f", "nobody", "m"]} if form == "public groups" else {}
    document = Receipt.from_json(grouped(prior=[1, 2], **options).to_json()).document
    forgeries = [(at, forgery) for at, forgery in every_forgery(document) if at[0] != "by"]
    assert len(forgeries) > 80
    assert [at for at, forgery in forgeries if verifies(forgery)] == []
    assert not verifies({**document, "by": None})


def test_a_receipt_cannot_pass_for_one_under_another_adjacency() -> None:
    document = grouped(group_public=True).document
    assert not verifies({**document, "adjacency": "replace-one"})
    assert not verifies({**grouped().document, "adjacency": "replace-answer"})


def test_several_columns_are_one_charge_one_seal_and_receipts_that_verify(ledger: Ledger) -> None:
    bundle = columns(ledger, request_id="x")
    charge = ledger.find("x")
    assert charge is not None
    assert charge.outcome == bundle.to_json()
    assert charge.epsilon == ledger.spent("d").epsilon == Fraction(7, 12)
    assert bundle.document["epsilon_exact"] == "7/12"
    assert bundle.document["charge"] == charge.hash
    assert bundle.columns == ("vote", "sex")
    assert [part.document["epsilon_exact"] for part in bundle.parts] == ["1/4", "1/3"]
    assert len(verify_bundle(Bundle.from_json(bundle.to_json()))) == 2
    assert faults({**bundle.document, "parts": []}, BUNDLED, BUNDLED) == []
    assert all(faults(part, PUBLISHED, PUBLISHED) == [] for part in bundle.document["parts"])
    assert columns(ledger, request_id="x").document == bundle.document
    assert ledger.verify().rows == 2 + 2


def test_one_price_for_all_is_shared_equally_and_exactly() -> None:
    asked = [dc.Question(name, ["a", "b"], other="rest") for name in ("vote", "sex", "who")]
    with pytest.raises(InvalidInput, match="no category is a number"):
        columns(questions=asked, epsilon=1)
    asked[2] = dc.Question("who", ["1", "2"], other="rest", by="sex", groups=["f", "m"])
    bundle = columns(questions=asked, epsilon="0.1")
    assert [part.document["epsilon_exact"] for part in bundle.parts] == ["1/30"] * 3
    assert bundle.document["epsilon_exact"] == "1/10"
    assert bundle.parts[2].groups == ("f", "m")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"questions": []}, InvalidInput),
        ({"epsilon": 1}, InvalidInput),
        ({"questions": [dc.Question("vote", ["a", "b"]), TWO[1]]}, InvalidInput),
        ({"questions": [TWO[0], dc.Question("sex", ["f", "m"], epsilon=1)]}, BudgetExceeded),
        ({"questions": [TWO[0], dc.Question("sex", ["f", "m"], epsilon="1/4", mechanism="optimal")]}, DiscreetError),
        ({"questions": [TWO[0], dc.Question("sex", ["f"], other="m", epsilon=1, prior=[1] * 3)]}, InvalidInput),
        ({"questions": [TWO[0], dc.Question(**GROUPED, epsilon="1/4", group_public=True)]}, InvalidInput),
        ({"questions": [TWO[0], dc.Question("sex", ["f", "x"], epsilon="1/4")]}, InvalidInput),
        ({"n": 8}, InvalidInput),
        ({"questions": [TWO[0], dc.Question("age", ["1", "2"], epsilon="1/4")]}, SourceError),
    ],
)
def test_what_is_refused_of_one_column_is_refused_of_all_and_costs_nothing(
    options: dict[str, Any], error: type[Exception], ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.counting.Tally.counts", property(lambda _: pytest.fail("counted")))
    with pytest.raises(error):
        columns(ledger, **options)
    assert ledger.verify().rows == 2


@pytest.mark.parametrize("asked", [{"id_column": "who"}, {"n": 7}])
def test_what_all_columns_share_is_no_part_of_a_question(asked: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="one for all columns"):
        dc.Question("vote", ["a", "b"], **asked)


@pytest.mark.parametrize("step", run.STEPS)
def test_a_failure_costs_at_most_one_charge_for_all_columns_and_a_retry_pays_nothing_more(
    step: str, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "reached", fail_at(step))
    with pytest.raises((RuntimeError, DiscreetError)):
        columns(ledger, request_id="x")
    charged = step in ("charged", "drawn", "sealed")
    assert ledger.spent("d").epsilon == (Fraction(7, 12) if charged else 0)
    left = ledger.find("x")
    monkeypatch.setattr(run, "reached", lambda step: None)
    bundle = columns(ledger, request_id="x")
    assert left is None or left.outcome in (None, bundle.to_json())
    assert ledger.spent("d").epsilon == Fraction(7, 12)
    assert ledger.verify().rows == 2 + 2


OTHERWISE: dict[str, dict[str, Any]] = {
    "other groups": {"groups": ["m", "f"]},
    "another group": {"groups": ["f"], "other_group": "m"},
    "no groups": {"by": None, "groups": ()},
    "another column of groups": {"by": "gender"},
}


@pytest.mark.parametrize("change", OTHERWISE)
def test_a_request_with_other_groups_is_refused(change: str, ledger: Ledger) -> None:
    table = TABLE.assign(gender=TABLE["sex"])
    first = grouped(ledger, table, request_id="x")
    with pytest.raises(InvalidInput, match="other parameters"):
        grouped(ledger, table, request_id="x", **OTHERWISE[change])
    assert grouped(ledger, table, request_id="x").document == first.document
    assert ledger.spent("d").epsilon == Fraction(1, 2)


def test_another_prior_of_a_public_group_without_records_is_another_request(ledger: Ledger) -> None:
    asked: dict[str, Any] = {"groups": ["f", "m", "none"], "group_public": True, "dataset": "answers"}
    grouped(ledger, request_id="x", prior=[1] * 6, **asked)
    with pytest.raises(InvalidInput, match="other parameters"):
        grouped(ledger, request_id="x", prior=[1, 1, 1, 1, 2, 2], **asked)


def test_public_and_protected_groups_are_two_requests(ledger: Ledger) -> None:
    grouped(ledger, dataset="answers", request_id="x")
    with pytest.raises(InvalidInput, match="other parameters"):
        grouped(ledger, dataset="answers", request_id="x", group_public=True)
    with pytest.raises(InvalidInput, match="column 'sex' of dataset 'answers' is public in one request and protected"):
        grouped(ledger, dataset="answers", group_public=True)
    assert [row.adjacency for row in ledger.history("answers") if row.kind == "charge"] == ["replace-one"]


def test_a_record_that_arrives_between_two_columns_stops_them_before_the_charge(ledger: Ledger, tmp_path: Path) -> None:
    """Every column is opened by itself; a bundle of two different n would be charged and never verify."""
    path = tmp_path / "t.csv"
    TABLE.to_csv(path, index=False)
    counted = Table.count_records

    def and_write(table: Table) -> Tally:
        found = counted(table)
        with path.open("a") as file:
            file.write("a,f,7\n")
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Table, "count_records", and_write)
        with pytest.raises(SourceError, match="changed while it was read"):
            columns(ledger, path, request_id="x")
    assert ledger.spent("d").epsilon == 0


def charged_rho(folder: Path, number: int) -> Fraction | None:
    """What so many columns at ε = 0.17 cost in one request; None if a budget of ε = 1, or ρ = 0.0243, has no room."""
    table = pd.DataFrame({f"c{i}": ["a", "b"] for i in range(number)})
    asked = [dc.Question(column, ["a", "b"], epsilon="0.17") for column in table]
    ledger = Ledger.create(folder / f"{number}.db", dataset="d", epsilon=1, delta="1e-6", composition="zcdp")
    try:
        columns(ledger, table, questions=asked, request_id="r")
    except BudgetExceeded:
        return None
    [charge] = [entry for entry in ledger.history() if entry.kind == "charge"]
    return Fraction(str(charge.rho))


@pytest.mark.usefixtures("ledger")
def test_several_columns_cost_the_sum_of_their_rho_and_not_the_greatest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Fraction("0.17") ** 2 / 2
    assert [charged_rho(tmp_path, number) for number in (1, 3, 10)] == [one, 3 * one, None]
    # The planted fault: public groups cost the greatest of their ρ, because a record is in one of them. Columns do not.
    monkeypatch.setattr(
        Price, "rho", property(lambda self: max(rho_upper(made) for part in self.parts for made in part))
    )
    faulty = tmp_path / "faulty"
    faulty.mkdir()
    assert [charged_rho(faulty, number) for number in (3, 10)] == [one, one]


@pytest.mark.parametrize(
    "options",
    [
        {"group_public": True, "by": None, "groups": ()},
        {"group_public": True, "n": [3, 5]},
        {"group_public": True, "n": [4, 3]},
        {"n": [3, 4]},
        {"n": 8},
        {"prior": [1, 2, 3]},
        {"groups": ["f", "x"]},
        {"groups": ["f", "x"], "group_public": True},
    ],
    ids=str,
)
def test_groups_that_cannot_be_meant_are_refused(options: dict[str, Any], ledger: Ledger) -> None:
    with pytest.raises(InvalidInput):
        grouped(ledger, dataset="answers", **options)
    assert ledger.verify().rows == 2


def test_n_may_be_told_for_all_records_and_for_each_public_group() -> None:
    assert grouped(n=7).document["n"] == grouped(n=7, group_public=True).document["n"] == 7
    assert grouped(n=[3, 4], group_public=True).document["group_sizes"] == {"f": 3, "m": 4}


def test_a_reader_may_bring_a_prior_for_each_answer_or_each_cell() -> None:
    for receipt in (grouped(), grouped(group_public=True)):
        same = believed_groups(receipt, prior=[3, 1])
        cells = believed_groups(receipt, prior=[3, 1, 3, 1])
        assert same["m"].mean == pytest.approx(cells["m"].mean)
        assert same["m"].mean != pytest.approx(believed_groups(receipt)["m"].mean)
        with pytest.raises(InvalidInput):
            believed_groups(receipt, prior=[1, 1, 1])


@pytest.mark.parametrize("key", ["epsilon_exact", "columns", "parts", "n", "request_id", "adjacency", "epsilon"])
def test_any_field_of_a_bundle_that_was_changed_is_noticed(key: str) -> None:
    document = columns().document
    assert verifies(document)
    for at, forgery in every_forgery(document, {key: document[key]}):
        if at[0] == "parts" and len(at) > 4:
            continue  # what is inside a receipt is noticed there
        if at[:1] == ("columns",) and len(at) == 2:
            continue  # a name that nothing public contradicts: only the ledger tells
        assert not verifies(forgery), at


@pytest.mark.parametrize("text", ["{}", '{"schema": "discreet-receipts-1"}', "[]", "nonsense"])
def test_what_is_no_bundle_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(InvalidInput, match="no receipt"):
        read_receipt(tmp_path / "b.json")
    with pytest.raises(InvalidInput, match="no receipt"):
        Bundle.from_json(text)
