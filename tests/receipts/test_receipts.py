"""Receipts: they obey the published schema, say nothing else of the data, and any field that was changed is noticed."""

import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.errors import DiscreetError, InvalidInput, NotPrivate
from discreet.mechanisms import RELEASABLE
from discreet.privacy_loss import Certificate
from discreet.receipts import (
    KEYS,
    SCHEMA,
    UNIT_PERSON,
    Receipt,
    mechanism_of,
    read_receipt,
    verify_receipt,
    write_bundle,
)
from discreet.receipts.words import citation, question
from discreet.requests.prepare import check_counts
from discreet.requests.request import Terms
from discreet.requests.run import release_counts
from tests.support.forgeries import every_forgery, verifies
from tests.support.mechanisms import NEEDED
from tests.support.schema import faults

PUBLISHED: dict[str, Any] = json.loads(files("discreet.receipts").joinpath("receipt.schema.json").read_text("utf-8"))

FORMS: dict[str, dict[str, Any]] = {
    **{name: {"mechanism": name, **NEEDED.get(name, {})} for name in RELEASABLE},
    "geometric by bayes": {"mechanism": "geometric", "way": "bayes"},
    "geometric, free": {"mechanism": "geometric", "way": "free"},
    "exponential-smooth, gamma": {"mechanism": "exponential-smooth", "gamma": "1/30"},
    "exponential-reciprocal, gamma": {"mechanism": "exponential-reciprocal", "gamma": 2},
}

CALIBRATED = ["exponential-global", "exponential-local", "exponential-reciprocal", "laplace", "geometric"]


SCHEMAS = [f'{{"schema": "{name}"}}' for name in ("discreet-receipt-4", "discreet-receipts-2")]


def released(counts: object = (7, 5), **options: Any) -> Receipt:
    asked = {"epsilon": "1/3", "categories": ["yes", "no"], "prior": ["1/3", 2], **options}
    return release_counts(counts, **asked)


def again(document: dict[str, Any]) -> Receipt:
    """What a reader has: the text, read anew."""
    return Receipt.from_json(json.dumps(document))


@pytest.mark.parametrize(
    ("form", "calibrated"), [*((form, False) for form in FORMS), *((name, True) for name in CALIBRATED)]
)
def test_every_receipt_obeys_the_published_schema_and_verifies(form: str, calibrated: bool) -> None:
    receipt = released(**FORMS[form], calibrated=calibrated)
    assert faults(receipt.document, PUBLISHED, PUBLISHED) == []
    read = Receipt.from_json(receipt.to_json())
    assert read.document == receipt.document
    certificate = verify_receipt(read)
    assert certificate.method == ("enumeration" if calibrated and form != "geometric" else "theorem")
    assert certificate.to_json() == receipt.document["certificate"]
    assert certificate.bound <= mechanism_of(read).epsilon
    assert mechanism_of(read).parameters().items() <= receipt.document["mechanism"].items()


@pytest.mark.parametrize(
    ("mechanism", "method"),
    [
        (dc.Geometric(dc.PosteriorSpace([1, 1], 10**12), epsilon=1), "theorem"),
        (dc.ExponentialReciprocal(dc.PosteriorSpace([1, 1], 50), epsilon=1), "enumeration"),
        (dc.ExponentialReciprocal(dc.PosteriorSpace([1, 1], 10**6), epsilon=1), "bounds"),
    ],
    ids=["theorem", "enumeration", "bounds"],
)
def test_a_certificate_by_any_method_obeys_the_schema(mechanism: dc.Mechanism, method: str) -> None:
    certificate = dc.audit(mechanism).certificate.to_json()
    assert certificate["method"] == method
    assert certificate["worst"] is not None
    assert faults(certificate, PUBLISHED["$defs"]["certificate"], PUBLISHED) == []


@pytest.mark.parametrize("name", ["exponential-local", "exponential-smooth", "laplace", "geometric"])
def test_a_receipt_with_longer_numbers_than_people_type_verifies(name: str) -> None:
    long = "1.00000000000000000000000000000000000000000000000000000000001"
    receipt = released(mechanism=name, epsilon=long, prior=[long, 2])
    assert len(receipt.document["epsilon_exact"]) > 64
    verify_receipt(again(receipt.document))


def test_a_receipt_is_shown_in_a_line_that_cannot_steer_a_terminal() -> None:
    receipt = released()
    assert repr(receipt).startswith("<Receipt: mechanism='geometric', epsilon_exact=")
    assert len(repr(receipt)) < 200
    forged = again({**receipt.document, "mechanism": "\x1b[31m", "n": None})
    assert repr(forged).isprintable()


def test_what_a_receipt_lets_its_reader_believe_is_its_own_to_tell() -> None:
    receipt = again(released().document)
    low, high = receipt.noise_aware().interval(0.95)
    assert [low[0], high[0]] == pytest.approx(receipt.document["interval"][receipt.document["categories"][0]])
    own = receipt.noise_aware(prior=[5, 1])
    assert own.mean[0] > receipt.noise_aware().mean[0]


def test_a_bundle_that_is_read_as_a_receipt_is_told_apart(tmp_path: Path) -> None:
    part = released().document
    bundle = write_bundle(["a", "b"], [Receipt(part), Receipt(part)])
    (tmp_path / "b.json").write_text(bundle.to_json(), encoding="utf-8")
    with pytest.raises(InvalidInput, match="several columns; read it as a Bundle"):
        Receipt.read(tmp_path / "b.json")
    assert dc.Bundle.read(tmp_path / "b.json").columns == ("a", "b")
    assert repr(bundle).startswith("<Bundle: columns=['a', 'b']")


def test_the_schema_is_the_receipt_s_and_not_a_wider_one() -> None:
    assert PUBLISHED["$id"] == PUBLISHED["properties"]["schema"]["const"] == SCHEMA
    assert sorted(PUBLISHED["required"]) == sorted(PUBLISHED["properties"]) == sorted(KEYS[SCHEMA])
    document = released().document
    for key, wrong in (("n", "12"), ("n", 0), ("unit", "one household"), ("charge", "x"), ("output", [1.5, 2])):
        assert faults({**document, key: wrong}, PUBLISHED, PUBLISHED)
    assert faults({**document, "counts": [7, 5]}, PUBLISHED, PUBLISHED)
    assert faults({key: document[key] for key in KEYS[SCHEMA][1:]}, PUBLISHED, PUBLISHED)


@pytest.mark.few(1)
@pytest.mark.parametrize("form", ["geometric", "laplace", "exponential-reciprocal", "calibrated"])
def test_any_field_that_was_changed_is_noticed(form: str) -> None:
    chosen = FORMS.get(form, {"mechanism": "exponential-reciprocal", "calibrated": True, "gamma": 1})
    document = again(released(**chosen).document).document
    forgeries = list(every_forgery(document))
    assert len(forgeries) > 60
    assert [at for at, forgery in forgeries if verifies(forgery)] == []


@pytest.mark.parametrize("form", ["geometric", "exponential-smooth", "calibrated"])
def test_a_certificate_that_was_changed_together_with_its_digest_is_noticed(form: str) -> None:
    chosen = FORMS.get(form, {"mechanism": "exponential-global", "calibrated": True})
    document = again(released(**chosen).document).document
    fields = ("facts", "loss", "method", "statement", "worst")
    unnoticed = []
    sealed = {name: document["certificate"][name] for name in fields}
    for at, forged in every_forgery(document["certificate"], sealed):
        digest = Certificate(**{name: forged[name] for name in fields}).digest
        if verifies({**document, "certificate": {**forged, "digest": digest}}):
            unnoticed.append(at)
    assert unnoticed == []


def test_a_certificate_may_leave_out_where_its_loss_is_reached_and_may_not_name_another_place() -> None:
    document = again(released().document).document
    fields = {name: document["certificate"][name] for name in ("facts", "loss", "method", "statement")}
    silent, elsewhere = (
        {**document, "certificate": Certificate(**fields, worst=worst).to_json()}
        for worst in (None, {**document["certificate"]["worst"], "output": [1, 11]})
    )
    assert verifies(silent)
    assert not verifies(elsewhere)


def test_a_receipt_is_no_signature_and_only_the_ledger_tells_what_nothing_public_contradicts() -> None:
    document = released().document
    charged = {"request_id": "x", "dataset": "d", "charge": "0" * 64}
    for forged in ({"unit": UNIT_PERSON, "title": "Another"}, charged, {"released_at": "2001-01-01T00:00:00+00:00"}):
        lie = {**document, **forged}
        assert not verifies(lie), "question and citation are built from the other fields"
        assert verifies({**lie, "question": question(lie), "citation": citation(lie)})


@pytest.mark.parametrize("missing", ["request_id", "dataset", "charge"])
def test_a_receipt_names_its_charge_wholly_or_not_at_all(missing: str) -> None:
    request = {"request_id": "x", "dataset": "d", "charge": "0" * 64, missing: None}
    with pytest.raises(InvalidInput):
        verify_receipt(again({**released().document, **request}))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("output", [6, 6.0]),
        ("output", [True, 11]),
        ("output", [12]),
        ("output", "no"),
        ("output", None),
        ("posterior", None),
        ("prior", [1, -1]),
        ("prior", ["1e400", 1]),
        ("n", 10**30),
        ("n", True),
        ("epsilon_exact", "1/0"),
        ("epsilon_exact", "1e1000000"),
        ("epsilon_exact", 0.3),
        ("mechanism", {"name": "gaussian"}),
        ("mechanism", {"name": ["geometric"]}),
        ("mechanism", {"name": "geometric", "way": "home"}),
        ("mechanism", {"name": "geometric", "space": "1"}),
        ("mechanism", {"name": "exponential-global"}),
        ("mechanism", {"name": "exponential-global", "scale": "1e-400"}),
        ("mechanism", {"name": "laplace", "noise_scale": "0"}),
        ("mechanism", None),
        ("certificate", None),
        ("certificate", {}),
        ("categories", ["yes", "yes"]),
        ("categories", [["yes"], "no"]),
        ("categories", 2),
        ("accuracy", None),
        ("epsilon", float("nan")),
    ],
)
def test_nonsense_is_refused_in_one_line(key: str, value: object) -> None:
    with pytest.raises(DiscreetError) as refused:
        verify_receipt(again({**released().document, key: value}))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", "nonsense", "[" * 100_000, *SCHEMAS])
def test_what_is_no_receipt_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(InvalidInput, match="no receipt"):
        dc.Bundle.from_json(text)
    with pytest.raises(InvalidInput, match="no receipt"):
        read_receipt(tmp_path / "r.json")
    with pytest.raises(InvalidInput):
        Receipt.read(tmp_path / "r.json")


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    for name in ("bytes", "nothing", "."):
        with pytest.raises(InvalidInput):
            Receipt.read(tmp_path / name)


def test_a_draft_without_an_output_is_no_release() -> None:
    prepared, _ = check_counts([7, 5], Terms("geometric", False, None, {}), epsilon=1)
    with pytest.raises(InvalidInput):
        verify_receipt(again(prepared.receipt(None, None).document))


def test_a_release_without_a_guarantee_does_not_verify() -> None:
    document = released().document
    certificate = Certificate.from_json(document["certificate"])
    for loss in ("inf", "1"):
        worse = Certificate(certificate.facts, loss, certificate.method, certificate.statement)
        with pytest.raises(NotPrivate):
            verify_receipt(again({**document, "certificate": worse.to_json()}))


def test_categories_keep_their_order_when_a_receipt_is_read_back() -> None:
    receipt = released([1, 0, 9], categories=["z", "a", "m"], prior=[5, 1, 1], epsilon=1000)
    read = Receipt.from_json(receipt.to_json())
    assert list(read.document["posterior"]) == list(read.document["interval"]) == ["z", "a", "m"]
    assert read.posterior == receipt.posterior
    assert [int(parameter) for parameter in read.posterior.parameters] == [6, 1, 10]
    assert read.output == (1, 0, 9)


@pytest.mark.few(4)
@pytest.mark.parametrize("form", [*FORMS, "calibrated"])
def test_all_data_sets_of_size_n_with_the_same_output_have_the_same_receipt(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So price, accuracy and certificate do not depend on data, and posterior and interval only by the output."""
    monkeypatch.setattr("discreet.mechanisms.law.Law.draw", lambda law: (2, 4))
    monkeypatch.setattr("discreet.requests.prepare.utc_now", lambda: "2030-01-01T00:00:00+00:00")
    chosen = FORMS.get(form, {"mechanism": "exponential-local", "calibrated": True})
    assert len({released([first, 6 - first], **chosen).to_json() for first in range(7)}) == 1


def test_a_certificate_may_name_any_place_where_the_loss_is_reached_and_no_other() -> None:
    receipt = release_counts([3, 4], epsilon=1, mechanism="exponential-global", calibrated=True)
    said = Certificate.from_json(receipt.document["certificate"])
    assert said.worst is not None
    mirrored = {key: place[::-1] for key, place in said.worst.items()}
    for worst, holds in ((mirrored, True), (mirrored | {"output": [4, 3]}, False)):
        document = receipt.document | {"certificate": replace(said, worst=worst, digest="").to_json()}
        assert verifies(document) is holds
