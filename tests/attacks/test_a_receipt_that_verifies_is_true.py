"""Receipts that were put right in every way but one: small numbers, two readings of one text, and other versions."""

import json
import warnings

import pandas as pd
import pytest

import discreet as dc
from discreet.errors import InvalidInput
from discreet.mechanisms.snapping.counts import SnappedCounts
from discreet.privacy_loss import Certificate
from discreet.receipts import Bundle, read_sealed, verify_any
from discreet.receipts.documents import receipt_of
from discreet.receipts.words import citation, question
from discreet.requests.request import Question
from discreet.requests.run import release_columns, release_counts
from tests.support.forgeries import Document, forged, verifies

TABLE = pd.DataFrame({"vote": ["a", "b"] * 20, "sex": ["f", "m", "m", "f"] * 10, "age": ["old", "new"] * 20})
BY_SEX: Document = {"by": "sex", "groups": ["f", "m"], "group_public": True}


@pytest.fixture(scope="module")
def rare() -> Document:
    """A rare answer among very many records, at a very small price."""
    return release_counts([3, 10**9 - 3], categories=["rare", "usual"], prior=["1/2", 1], epsilon="5e-8").document


@pytest.fixture(scope="module")
def bundle() -> Document:
    asked = [Question("vote", ["a", "b"], **BY_SEX), Question("age", ["old", "new"], **BY_SEX)]
    return release_columns(TABLE, asked, epsilon=1, ledger=None).document


def test_a_small_price_cannot_be_said_to_be_smaller(rare: Document) -> None:
    assert verifies(rare)
    for cheaper in (0.0, 4.9e-8, rare["epsilon"] * (1 - 1e-15)):
        assert not verifies(forged(rare, ("epsilon",), cheaper))
    assert not verifies(forged(rare, ("delta",), 1e-9))


def test_a_small_number_is_held_to_its_own_size() -> None:
    rare = release_counts([0, 10**9], categories=["rare", "usual"], epsilon=1).document
    low, high = rare["interval"]["rare"]
    mean = rare["posterior"]["rare"]["mean"]
    assert verifies(rare)
    assert high < 1e-7
    assert verifies(forged(rare, ("posterior", "rare", "mean"), mean * (1 + 1e-15)))
    assert not verifies(forged(rare, ("posterior", "rare", "mean"), mean * (1 + 1e-13)))
    for other in ([low, high * (1 + 1e-8)], [low * (1 + 1e-8), high], [0.0, high]):
        assert not verifies(forged(rare, ("interval", "rare"), other))
    low, high = rare["interval"]["usual"]
    assert not verifies(forged(rare, ("interval", "usual"), [low, (low + high) / 2]))


def test_a_parameter_is_exact(rare: Document) -> None:
    parameter = rare["posterior"]["rare"]["parameter"]
    assert isinstance(parameter, float)
    assert not verifies(forged(rare, ("posterior", "rare", "parameter"), parameter * (1 + 1e-12)))


@pytest.mark.parametrize("which", ["rare", "bundle"])
def test_a_text_that_two_programs_could_read_in_two_ways_is_no_receipt(
    which: str, request: pytest.FixtureRequest
) -> None:
    text = json.dumps(request.getfixturevalue(which))
    assert verifies(text)
    assert not verifies('{"epsilon_exact": "1/1000000000", ' + text[1:])
    assert not verifies(text.replace('"mean": ', '"mean": 0.5, "mean": ', 1))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_no_number_of_json_is_no_receipt(number: str, bundle: Document) -> None:
    whole = json.dumps(bundle)
    for text in (whole, json.dumps(bundle["parts"][0])):
        said = text.replace('"delta": 0.0', f'"delta": {number}')
        assert said != text
        with pytest.raises(InvalidInput, match="no receipt"):
            read_sealed(said)


def renamed(bundle: Document, columns: list[str]) -> Document:
    """The bundle with other names of columns, wherever they stand."""
    parts = [{**part, "column": column} for part, column in zip(bundle["parts"], columns, strict=True)]
    told = [{**part, "question": question(part), "citation": citation(part)} for part in parts]
    other = {**bundle, "columns": columns, "parts": told}
    return {**other, "citation": citation(other)}


def test_no_column_is_public_as_groups_and_protected_as_answers(bundle: Document) -> None:
    assert verifies(bundle)
    assert verifies(renamed(bundle, ["vote", "income"]))
    assert not verifies(renamed(bundle, ["vote", "sex"]))
    assert not verifies(renamed(bundle, ["vote", "income"]) | {"parts": bundle["parts"]}), "parts name their column"


def test_columns_whose_losses_add_up_have_no_other_delta(bundle: Document) -> None:
    other = {**bundle, "delta": 1e-9}
    assert not verifies({**other, "citation": citation(other)})


def test_a_column_that_nothing_was_released_of_is_not_named(bundle: Document) -> None:
    other = {**bundle, "columns": [*bundle["columns"], "income"]}
    with pytest.raises(InvalidInput):
        verify_any(Bundle({**other, "citation": citation(other)}))


def as_version(document: Document, version: object, **said: object) -> Document:
    """What a forger would write in the name of another version, with a digest that fits."""
    facts = {**document["certificate"]["facts"], "version": version}
    fields = ("facts", "loss", "method", "statement", "worst")
    body = {**{name: document["certificate"][name] for name in fields}, "facts": facts, **said}
    other = {**document, "version": version, "certificate": Certificate(**body).to_json()}
    return {**other, "citation": citation(other)}


def test_another_version_proves_by_the_same_arguments(rare: Document) -> None:
    assert verifies(as_version(rare, "0.0.9"))
    assert not verifies(as_version(rare, "0.0.9", method="decree"))
    assert not verifies(as_version(rare, "0.0.9", loss="1/100000000"))
    for version in ("", "certified for all purposes", {"a": 1}, 1, None):
        assert not verifies(as_version(rare, version))


def test_the_words_of_another_version_are_not_passed_on(rare: Document) -> None:
    forged = as_version(rare, "0.0.9", statement="sworn before a judge")
    [certificate] = verify_any(read_sealed(json.dumps(forged)))
    assert "sworn" not in certificate.statement


def test_an_output_that_no_data_set_can_give_is_refused() -> None:
    """Snapped counts lie on a lattice: 33 of 50 is not among what floats can give at this ε."""
    mechanism = SnappedCounts(dc.PosteriorSpace([1, 1], 50), epsilon=1)
    for output, is_possible in (((34, 16), True), ((33, 17), False)):
        drawn = dc.Released(mechanism.posterior(output), output, mechanism)
        with warnings.catch_warnings(action="ignore"):  # nothing of what cannot be is believed
            receipt = receipt_of(drawn, ["a", "b"], title=None, source_name=None)
        assert verifies(receipt.document) == is_possible


def test_categories_of_other_and_missing_values_are_the_last_ones() -> None:
    table = pd.DataFrame({"v": ["a"] * 6 + ["b"] * 3 + [None]})
    receipt = dc.release(table, column="v", categories=["a"], other="b", missing="none", epsilon=1, ledger=None)
    assert verifies(receipt.document)
    for change in ({"other": "a"}, {"missing": "a"}, {"other": "none", "missing": "b"}, {"other": None}):
        assert not verifies(receipt.document | change)


def test_a_number_of_records_that_is_written_as_a_float_is_no_receipts() -> None:
    table = pd.DataFrame({"v": ["a", "b"] * 5, "w": ["a", "b"] * 5})
    bundle = release_columns(table, [Question(name, ["a", "b"]) for name in "vw"], epsilon=1, ledger=None)
    assert verifies(bundle.document)
    assert not verifies(bundle.document | {"n": 10.0})


@pytest.mark.parametrize(
    ("path", "other"),
    [(("facts", "n"), 40.0), (("facts", "scheme"), True), (("worst", "counts"), [40.0, 0]), (("loss",), "١")],
    ids=str,
)
def test_a_certificate_is_compared_as_its_text_and_not_as_python_compares_numbers(
    path: tuple[str, ...], other: object
) -> None:
    document = release_counts([25, 15], epsilon=1).document
    changed = forged(document["certificate"], path, other)
    names = ("facts", "loss", "method", "statement", "worst")
    digest = Certificate(**{name: changed[name] for name in names}).digest
    assert verifies(document)
    assert not verifies({**document, "certificate": {**changed, "digest": digest}})
