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
from discreet.errors import BudgetExceeded, InvalidInput, SourceError
from discreet.ledger import Ledger
from discreet.privacy_loss.prices import Price, rho_upper
from discreet.privacy_loss.renyi_bounds import pure_rho
from discreet.receipts import (
    Bundle,
    Receipt,
    cell_belief,
    group_beliefs,
    verify_bundle,
    verify_receipt,
)
from tests.requests.questions import TABLE, columns, grouped
from tests.support.forgeries import every_forgery, verifies
from tests.support.schema import faults

PUBLISHED, BUNDLED = (
    json.loads(files("discreet.receipts").joinpath(f"{name}.schema.json").read_text("utf-8"))
    for name in ("receipt", "receipts")
)


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
    for group, belief in group_beliefs(read).items():
        low, high = belief.interval(0.95)
        intervals = receipt.document["interval"][group]
        for i, name in enumerate(receipt.document["categories"]):
            assert intervals[name] == pytest.approx([low[i], high[i]], abs=1e-6)


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
    belief = cell_belief(receipt)
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
    assert charge.epsilon == ledger.spent("d").epsilon == Fraction(1, 2)
    assert bundle.document["epsilon_exact"] == "1/2"
    assert bundle.document["charge"] == charge.hash
    assert bundle.columns == ("vote", "sex")
    assert [part.document["epsilon_exact"] for part in bundle.parts] == ["1/4", "1/4"]
    assert len(verify_bundle(Bundle.from_json(bundle.to_json()))) == 2
    assert faults({**bundle.document, "parts": []}, BUNDLED, BUNDLED) == []
    assert all(faults(part, PUBLISHED, PUBLISHED) == [] for part in bundle.document["parts"])
    assert columns(ledger, request_id="x").document == bundle.document
    assert ledger.verify().rows == 2 + 2


def test_one_price_for_all_is_shared_equally_and_exactly() -> None:
    asked = [dc.Question(name, ["a", "b"], other="rest") for name in ("vote", "sex", "who")]
    with pytest.raises(InvalidInput, match="is numeric, and no name"):
        columns(questions=asked, epsilon=1)
    asked[2] = dc.Question("who", ["1", "2"], other="rest", by="sex", groups=["f", "m"])
    bundle = columns(questions=asked, epsilon="0.1")
    assert [part.document["epsilon_exact"] for part in bundle.parts] == ["1/30"] * 3
    assert bundle.document["epsilon_exact"] == "1/10"
    assert bundle.parts[2].groups == ("f", "m")


@pytest.mark.parametrize("asked", [{"id_column": "who"}, {"n": 7}])
def test_what_all_columns_share_is_no_part_of_a_question(asked: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="one for all columns"):
        dc.Question("vote", ["a", "b"], **asked)


def test_another_prior_of_a_public_group_without_records_is_another_request(ledger: Ledger) -> None:
    options: dict[str, Any] = {"groups": ["f", "m", "none"], "group_public": True, "dataset": "answers"}
    grouped(ledger, request_id="x", prior=[1] * 6, **options)
    with pytest.raises(InvalidInput, match="other parameters"):
        grouped(ledger, request_id="x", prior=[1, 1, 1, 1, 2, 2], **options)


def test_public_and_protected_groups_are_two_requests(ledger: Ledger) -> None:
    grouped(ledger, dataset="answers", request_id="x")
    with pytest.raises(InvalidInput, match="other parameters"):
        grouped(ledger, dataset="answers", request_id="x", group_public=True)
    assert [row.adjacency for row in ledger.history("answers") if row.kind == "charge"] == ["replace-one"]


def test_a_record_that_arrives_between_two_columns_stops_them_before_the_charge(ledger: Ledger, tmp_path: Path) -> None:
    """Every column is opened by itself; a bundle of two different n would be charged and never verify."""
    path = tmp_path / "t.csv"
    TABLE.to_csv(path, index=False)
    counted = Table.count_records

    def and_write(table: Table) -> Tally:
        counts = counted(table)
        with path.open("a") as file:
            file.write("a,f,7\n")
        return counts

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
    one = pure_rho(Fraction("0.17"))
    assert [charged_rho(tmp_path, number) for number in (1, 3, 10)] == [one, 3 * one, None]
    # The planted fault: public groups cost the greatest of their ρ, because a record is in one of them. Columns do not.
    monkeypatch.setattr(
        Price, "rho", property(lambda self: max(rho_upper(made) for part in self.parts for made in part))
    )
    faulty = tmp_path / "faulty"
    faulty.mkdir()
    assert [charged_rho(faulty, number) for number in (3, 10)] == [one, one]


def test_n_may_be_told_for_all_records_and_for_each_public_group() -> None:
    assert grouped(n=7).document["n"] == grouped(n=7, group_public=True).document["n"] == 7
    assert grouped(n=[3, 4], group_public=True).document["group_sizes"] == {"f": 3, "m": 4}


def test_a_reader_may_bring_a_prior_for_each_answer_or_each_cell() -> None:
    for receipt in (grouped(), grouped(group_public=True)):
        same = group_beliefs(receipt, prior=[3, 1])
        cells = group_beliefs(receipt, prior=[3, 1, 3, 1])
        assert same["m"].mean == pytest.approx(cells["m"].mean)
        assert same["m"].mean != pytest.approx(group_beliefs(receipt)["m"].mean)
        with pytest.raises(InvalidInput):
            group_beliefs(receipt, prior=[1, 1, 1])


@pytest.mark.few(3)
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
