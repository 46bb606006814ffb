"""Receipts of releases that protect the number of records: no key holds it, and every text says so."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import discreet as dc
from discreet.errors import DiscreetError
from discreet.receipts import KEYS, Receipt, read_sealed, require_modest
from discreet.receipts.schemas import BUNDLE_KEYS, BUNDLE_OF, PRIVATE_N_SCHEMA
from discreet.requests.request import Question
from discreet.requests.run import release_columns, release_counts
from tests.cli.command import discreet, told
from tests.support.forgeries import every_forgery, verifies
from tests.support.schema import faults

PUBLISHED, MANY = (
    json.loads(files("discreet.receipts").joinpath(f"{name}.schema.json").read_text("utf-8"))
    for name in ("receipt-private-n", "receipts-private-n")
)
SECOND: dict[str, Any] = json.loads(files("discreet.receipts").joinpath("receipt.schema.json").read_text("utf-8"))

PEOPLE = pd.DataFrame(
    {"vote": ["a", "b"] * 10, "sex": ["f"] * 8 + ["m"] * 12, "region": ["north", "south", "east", "west"] * 5}
)
ASKED: dict[str, Any] = {"column": "vote", "categories": ["a", "b"], "epsilon": "1/2", "adjacency": "add-remove"}
FORMS: dict[str, dict[str, Any]] = {
    "plain": {},
    "filtered": {"filters": {"region": ["south", "north"]}},
    "groups": {"by": "sex", "groups": ["f", "m"], "filters": {"region": ["north", "south"]}},
    "other": {"other": "rest", "missing": "none", "title": "Votes"},
}


def released(form: str = "filtered") -> Receipt:
    return dc.release(PEOPLE, **ASKED, **FORMS[form], ledger=None)


def keys_of(value: Any) -> set[str]:
    """All keys anywhere in a document."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return (set(value) if isinstance(value, dict) else set()).union(*map(keys_of, parts))


@pytest.mark.parametrize("form", FORMS)
def test_every_receipt_obeys_its_schema_verifies_and_has_no_n(form: str) -> None:
    receipt = released(form)
    assert faults(receipt.document, PUBLISHED, PUBLISHED) == []
    assert not keys_of(receipt.document) & {"n", "size", "rows", "records"}
    again = Receipt.from_json(receipt.to_json())
    assert again.verify().digest == receipt.document["certificate"]["digest"]
    assert (receipt.n, again.document["adjacency"]) == (None, "add-remove")
    assert " n=" not in repr(receipt)


def test_the_schema_is_the_second_one_s_but_for_what_tells_n() -> None:
    assert sorted(PUBLISHED["required"]) == sorted(PUBLISHED["properties"]) == sorted(KEYS[PRIVATE_N_SCHEMA])
    assert sorted(MANY["required"]) == sorted(MANY["properties"]) == sorted(BUNDLE_KEYS[BUNDLE_OF[PRIVATE_N_SCHEMA]])
    changed = {"schema", "n", "group_sizes", "adjacency", "filters", "total", "rates"}
    own, other = PUBLISHED["properties"], SECOND["properties"]
    assert {key for key in own.keys() | other.keys() if own.get(key) != other.get(key)} == changed
    document = released().document
    for key, wrong in (("n", 20), ("group_sizes", {"f": 8, "m": 12}), ("adjacency", "replace-one"), ("total", 20)):
        assert faults({**document, key: wrong}, PUBLISHED, PUBLISHED)


@pytest.mark.parametrize("form", ["groups", pytest.param("filtered", marks=pytest.mark.soak)])
def test_any_field_that_was_changed_is_noticed(form: str) -> None:
    many = pd.concat([PEOPLE] * 30)  # all counts below zero say the same, and nobody could tell them apart
    asked = {**ASKED, **FORMS[form], "epsilon": 4}  # the less noise, the sooner it is derived
    document = json.loads(dc.release(many, **asked, ledger=None).to_json())
    forgeries = list(every_forgery(document))
    assert len(forgeries) > 60
    assert [at for at, forgery in forgeries if verifies(forgery)] == []


def test_an_n_that_is_added_or_another_adjacency_is_no_receipt() -> None:
    document = released("plain").document
    public = release_counts([7, 5], epsilon="1/2", categories=["a", "b"]).document
    for forged in (
        {**document, "n": 20},
        {**document, "adjacency": "replace-one"},
        {**document, "schema": "discreet-receipt-2"},
        {**{key: value for key, value in document.items() if key not in ("filters", "total", "rates")},
         "schema": "discreet-receipt-2", "n": 20},
        {**public, "adjacency": "add-remove"},
        {**{key: value for key, value in public.items() if key != "n"}, "schema": "discreet-receipt-3",
         "filters": {}, "total": None, "rates": None},
    ):  # fmt: skip
        with pytest.raises(DiscreetError):
            Receipt.from_json(json.dumps(forged)).verify()


@pytest.mark.parametrize("form", FORMS)
def test_the_belief_has_the_noise_in_it_and_says_how_many_records_there_may_be(form: str) -> None:
    receipt = released(form)
    total, mean = receipt.document["total"], receipt.belief.total
    assert receipt.document["interval_kind"] == "noise-aware, privacy noise included"
    assert total == {"mean": pytest.approx(mean.mean), "interval": list(mean.interval())}
    low, high = total["interval"]
    assert 0 <= low <= high
    assert f"Records in the categories: {total['mean']:,.0f}, 95 % interval {low:,.0f} to {high:,.0f}." in (
        receipt.to_methods()
    )


def test_a_reader_may_know_more_of_n(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(released("plain").to_json(), encoding="utf-8")
    plain, ranged, mean = (told(f"infer {path} {more}") for more in ("", "--records 19,20", "--records mean=20"))
    assert ranged["total"]["interval"] == [19, 20]
    assert plain["total"]["mean"] != mean["total"]["mean"]
    for document in (plain, ranged, mean):
        assert "n" not in document
    assert "every n from 19 to 20 alike" in ranged["method"]
    far = discreet("infer", str(path), "--records", "800,1200")
    assert (far.code, far.err.count("\n")) == (0, 1)
    assert far.err.startswith("warning: the noisy counts contradict --records")
    ordinal = told(f"infer {path} --records 19,20 --ordinal")["ordinal"]
    assert ordinal["score"]["mean"] == pytest.approx(1 + ranged["noise_aware"]["b"]["mean"], abs=1e-6)
    for wrong in ("20", "20,19", "x,y", "mean=0"):
        answer = discreet("infer", str(path), "--records", wrong)
        assert (answer.code, answer.err.count("\n")) == (2, 1)
    path.write_text(release_counts([7, 5], epsilon=1).to_json(), encoding="utf-8")
    assert "n is public here" in discreet("infer", str(path), "--records", "10,14").err


@pytest.mark.parametrize("form", ["shares", "rates"])
def test_a_stranger_s_receipt_that_would_take_minutes_is_refused_before_it_is_computed(form: str) -> None:
    names = [f"c{i}" for i in range(3000)]
    document = released("plain").document | {"epsilon_exact": "1/1000", "categories": names, "prior": [1] * 3000}
    if form == "rates":
        document |= {"rates": {"exposure": dict.fromkeys(names, 1), "per": 1, "prior": [1, 1]}}
    receipt = Receipt.from_json(json.dumps(document))
    with pytest.raises(dc.TooLarge, match="million steps"):
        require_modest([receipt], reading=True)
    if form == "rates":
        with pytest.raises(dc.TooLarge, match="million steps"):
            receipt.verify()


def test_texts_say_that_the_number_of_records_is_protected_and_which_were_selected() -> None:
    receipt = released()
    text = receipt.to_methods()
    assert "when one row is added or removed: the number of records is protected too" in text
    assert "Only records with “region” north or south were counted." in text
    assert "Records outside the categories were not counted." in text
    assert receipt.document["question"] == (
        "What share of the records with “region” north or south has each category of “vote”?"
    )
    for said in (text, receipt.document["citation"], receipt._repr_html_()):
        assert "n private" in said
    assert "Adding or removing one record" in receipt._repr_html_()


def test_faces_read_it(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(released("groups").to_json(), encoding="utf-8")
    assert told(f"receipt verify {path}")["verified"]
    shown = discreet("receipt", "show", str(path))
    assert (shown.code, shown.err) == (0, "")
    assert "private: their number is protected too" in shown.out
    assert "adding or removing one row" in shown.out
    for form in ("registry", "jsonld", "methods"):
        answer = discreet("receipt", "export", str(path), "--format", form)
        assert (answer.code, answer.err) == (0, "")


def test_several_columns_share_a_request_and_no_n() -> None:
    asked = [Question(name, ["a", "b", "f", "m"], adjacency="add-remove") for name in ("vote", "sex")]
    bundle = release_columns(PEOPLE, asked, epsilon=1, ledger=None)
    assert faults(bundle.document, MANY, MANY) == []
    assert [one.loss for one in read_sealed(bundle.to_json()).verify()] == ["1/2", "1/2"]  # type: ignore[union-attr]
    assert (bundle.n, "n" in bundle.document) == (None, False)
    with pytest.raises(DiscreetError, match="private for one column and public for another"):
        release_columns(PEOPLE, [asked[0], Question("sex", ["f", "m"])], epsilon=1, ledger=None)
