"""What is derived anew counts: what a receipt states beside it is taken as far as a tolerance goes, and no further."""

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import pytest

import discreet as dc
from discreet.errors import InvalidInput, NotPrivate
from discreet.privacy_loss import Certificate, audit, certificate_by_theorem
from discreet.receipts import SCHEMA, UNIT_ROW, Receipt, agree, mechanisms_of
from discreet.receipts.receipt import readable
from discreet.receipts.schemas import FIRST_SCHEMA
from discreet.receipts.verification import (
    _check_request,
    _derive_certificate,
    _derive_release,
    _is_as_bad,
    derive_document,
)
from tests.support.forgeries import Document, Place, forged

SPACE = dc.PosteriorSpace(prior=[1, 1], n=12)
WRITTEN = Path(__file__).parent / "written"

FEW, MANY = Fraction(9, 10), Fraction(11, 10)
"""Of a tolerance."""


def test_a_stated_posterior_is_taken_only_of_free_post_processing_and_only_if_it_is_near() -> None:
    output = (5, 7)
    cases: list[tuple[Literal["free", "nearest"], Fraction, bool]]
    cases = [("free", Fraction(1), True), ("free", MANY, False), ("nearest", FEW, False)]
    for postprocess, share, is_taken in cases:
        mechanism = dc.Geometric(SPACE, epsilon=1, postprocess=postprocess)
        derived = mechanism.posterior(output)
        stated = dc.Dirichlet([parameter * (1 + share / 10**5) for parameter in derived.parameters])
        assert _derive_release(mechanism, output, stated).posterior == (stated if is_taken else derived)


def test_a_receipt_is_written_anew_with_the_posterior_that_was_searched_for() -> None:
    document = Receipt.read(WRITTEN / "geometric-free.json").document
    [name, *_] = document["categories"]
    parameter = document["posterior"][name]["parameter"]
    for share, is_taken in ((1e-6, True), (1e-4, False)):
        stated = forged(document, ("posterior", name, "parameter"), parameter * (1 + share))
        derived, _ = derive_document(Receipt(stated))
        assert (derived["posterior"][name]["parameter"] == parameter * (1 + share)) is is_taken


def test_a_stated_posterior_of_other_categories_and_an_output_of_another_n_are_refused() -> None:
    mechanism = dc.Geometric(SPACE, epsilon=1, postprocess="free")
    stated = dc.Dirichlet([*mechanism.posterior((5, 7)).parameters, 1])
    with pytest.raises(ValueError, match=r"shorter|longer"):
        _derive_release(mechanism, (5, 7), stated)
    for output in ((5, 8), (5, 6, 1), (12,)):
        with pytest.raises(InvalidInput):
            _derive_release(mechanism, output, None)


@pytest.mark.parametrize(
    ("derived", "at", "tolerance"),
    [
        ({"interval": {"wide": [0.25, 0.5]}}, ("interval", "wide", 0), 1.25e-10),
        ({"interval": {"narrow": [0.5, 0.50001]}}, ("interval", "narrow", 1), 1e-11),
        ({"interval": {"nearly all": [0.5, 0.999]}}, ("interval", "nearly all", 1), 5e-13),
        ({"interval": {"all": [0.5, 1.0]}}, ("interval", "all", 1), 4 * math.ulp(1.0)),
        ({"interval": {"none": [0.0, 0.5]}}, ("interval", "none", 0), 1e-300),
        ({"rates": {"a": {"interval": [1.25, 1.5]}}}, ("rates", "a", "interval", 1), 7.5e-10),
        ({"total": {"interval": [1e6, 2e6]}}, ("total", "interval", 0), 5e-4),
        ({"belief": {"a": {"mean": 0.5}}}, ("belief", "a", "mean"), 2.5e-10),
        ({"posterior": {"a": {"parameter": 8.0, "mean": 0.5}}}, ("posterior", "a", "mean"), 2.5e-15),
        ({"posterior": {"a": {"parameter": 8.0, "mean": 0.5}}}, ("posterior", "a", "parameter"), 0.0),
        ({"accuracy": {"what": "?", "mean": 0.5, "error": 1e-9}}, ("accuracy", "error"), 2.5e-10),
        ({"accuracy": {"what": "?", "mean": 0.5, "worst_mean": 0.01}}, ("accuracy", "worst_mean"), 5e-12),
        ({"schema": FIRST_SCHEMA, "group_shares": {"f": {"mean": 0.5}}}, ("group_shares", "f", "mean"), 2.5e-15),
        ({"schema": SCHEMA, "group_shares": {"f": {"mean": 0.5}}}, ("group_shares", "f", "mean"), 2.5e-10),
        ({"epsilon": 0.5}, ("epsilon",), 0.0),
    ],
)
def test_a_float_that_is_shown_may_be_off_by_its_tolerance_and_by_no_more(
    derived: Document, at: Place, tolerance: float
) -> None:
    value: Any = derived
    for key in at:
        value = value[key]
    step = math.ulp(value)
    for sign in (1, -1):
        assert agree(derived, forged(derived, at, value + sign * tolerance * 0.75))
        assert not agree(derived, forged(derived, at, value + sign * (tolerance * 1.25 + step)))


@pytest.fixture(scope="module")
def scanned() -> dc.Mechanism:
    """Its loss is scanned, and reached at places that mirror each other."""
    space = dc.PosteriorSpace(prior=[1, 1], n=7)
    return dc.ExponentialGlobal.from_parameters(space, epsilon=Fraction(2), parameters={"scale": 1})


def test_a_scanned_loss_may_be_less_by_a_millionth_of_its_error_and_a_theorem_s_by_nothing(
    scanned: dc.Mechanism,
) -> None:
    result = audit(scanned)
    slack = (Fraction(result.epsilon) - Fraction(result.lower)) / (1 << 20)
    for share, holds in ((0, True), (FEW, True), (MANY, False)):
        loss = str(Fraction(result.epsilon) - share * slack)
        claimed = replace(result.certificate, loss=loss, digest="")
        if holds:
            assert _derive_certificate(scanned, claimed.to_json()) == (claimed, result.certificate)
        else:
            with pytest.raises(NotPrivate, match="does not hold"):
                _derive_certificate(scanned, claimed.to_json())
    geometric = dc.Geometric(SPACE, epsilon=1)
    proved = certificate_by_theorem(geometric)
    with pytest.raises(NotPrivate, match="does not hold"):
        _derive_certificate(geometric, replace(proved, loss=str(1 - Fraction(1, 10**30)), digest="").to_json())


def test_a_certificate_needs_a_method_and_a_version_and_may_be_silent_of_the_place(scanned: dc.Mechanism) -> None:
    said = audit(scanned).certificate
    silent = replace(said, worst=None, digest="")
    assert _derive_certificate(scanned, silent.to_json()) == (silent, said)
    for nonsense in (replace(said, method="decree", digest=""), with_version(said, "0.0.9 or so")):
        with pytest.raises(InvalidInput, match="do not describe a release"):
            _derive_certificate(scanned, nonsense.to_json())
    elsewhere = replace(said, worst={"counts": [3, 4], "neighbour": [2, 5], "output": [3, 4]}, digest="")
    with pytest.raises(NotPrivate, match="does not say what is proved") as refusal:
        _derive_certificate(scanned, elsewhere.to_json())
    assert refusal.value.hint == "do not rely on it"


def with_version(said: Certificate, version: str) -> Certificate:
    return replace(said, facts={**said.facts, "version": version}, digest="")


def test_a_loss_is_the_same_at_a_place_within_the_error_of_a_scan_of_neighbours_only(scanned: dc.Mechanism) -> None:
    result = audit(scanned)
    place, loss = result.certificate.worst, Fraction(result.lower)
    assert place is not None
    for sign in (1, -1):
        assert _is_as_bad(scanned, place, loss + sign * FEW / 10**9)
        assert not _is_as_bad(scanned, place, loss + sign * MANY / 10**9)
    assert not _is_as_bad(scanned, place | {"more": []}, loss)
    assert not _is_as_bad(scanned, place | {"neighbour": place["counts"]}, Fraction(0)), "no neighbour of itself"


REQUEST: Document = {
    "schema": SCHEMA,
    "categories": ["none", "rest"],
    "by": None,
    "groups": None,
    "group_sizes": None,
    "request_id": None,
    "dataset": None,
    "charge": None,
    "unit": UNIT_ROW,
    "released_at": "2030-01-01T00:00:00+00:00",
    "column": "vote",
    "other": "rest",
    "missing": "none",
}
GROUPED = REQUEST | {"by": "sex", "groups": ["f", "m"]}
CHARGED = REQUEST | {"request_id": "x", "dataset": "d", "charge": "0" * 64}


@pytest.mark.parametrize("sound", [REQUEST, GROUPED, CHARGED], ids=["plain", "grouped", "charged"])
def test_a_sound_request_is_taken(sound: Document) -> None:
    _check_request(sound)


@pytest.mark.parametrize(
    ("sound", "said"),
    [
        (REQUEST, {"categories": ["rest", "none", "none"]}),
        (REQUEST, {"categories": ["rest", "none", 1]}),
        (REQUEST, {"other": "others"}),
        (REQUEST, {"column": None}),
        (REQUEST, {"by": "sex"}),
        (REQUEST, {"groups": ["f", "m"]}),
        (REQUEST, {"group_sizes": {"f": 6, "m": 6}}),
        (GROUPED, {"by": ""}),
        (GROUPED, {"by": 1}),
        (GROUPED, {"groups": "fm"}),
        (GROUPED, {"groups": ["f"]}),
        (GROUPED, {"groups": ["f", "f"]}),
        (GROUPED, {"groups": ["f", 1]}),
        (CHARGED, {"request_id": ""}),
        (CHARGED, {"request_id": 1}),
        (CHARGED, {"dataset": ["d"]}),
        (CHARGED, {"charge": "0" * 63}),
        (CHARGED, {"unit": "a household"}),
    ],
)
def test_a_request_that_names_things_twice_or_by_halves_is_refused(sound: Document, said: Document) -> None:
    with pytest.raises(InvalidInput, match="do not describe a release"):
        _check_request(sound | said)


def test_a_public_group_without_records_hides_none_of_those_after_it() -> None:
    document = Receipt.read(WRITTEN / "public-groups.json").document
    assert document["group_sizes"]["x"] == 0
    turned = document | {"groups": ["x", "f", "m"]}
    anew = readable(Receipt(turned)).document
    assert anew["schema"] == SCHEMA
    assert {key: anew[key] for key in ("output", "certificate", "groups")} == {
        key: turned[key] for key in ("output", "certificate", "groups")
    }


def test_a_mechanism_is_built_without_a_certificate_and_only_a_group_without_records_has_none() -> None:
    plain, grouped = (Receipt.read(WRITTEN / f"{name}.json").document for name in ("geometric", "public-groups"))
    [(name, mechanism)] = mechanisms_of(Receipt(plain | {"certificate": None})).items()
    assert (name, type(mechanism)) == ("", dc.Geometric)
    assert [each is None for each in mechanisms_of(Receipt(grouped)).values()] == [False, False, True]
    for group in ("f", "x"):
        certificate = grouped["certificate"] | {"f": None, "x": grouped["certificate"]["f"]}
        chosen = grouped | {"groups": [group], "certificate": certificate}
        with pytest.raises(InvalidInput):
            mechanisms_of(Receipt(chosen))
