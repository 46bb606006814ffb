"""A certificate is bound to the mechanism that it speaks of: any change refuses."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from flint import fmpq

import discreet
from discreet import (
    Certificate,
    ExponentialGlobal,
    ExponentialLocal,
    ExponentialReciprocal,
    ExponentialSmooth,
    Geometric,
    InvalidInput,
    Laplace,
    LaplaceImproved,
    Mechanism,
    NotPrivate,
    Optimal,
    PosteriorSpace,
    TooLarge,
    audit,
    calibrate,
)
from discreet.arithmetic.numbers import float_upper
from discreet.privacy_loss.certificates import certificate_by_theorem, facts
from tests.support.forgeries import every_forgery, leaves

SPACE = PosteriorSpace([1, 1], 20)

EACH_UNLIKE_THE_OTHERS: list[Mechanism] = [
    ExponentialReciprocal(SPACE, epsilon=1),
    ExponentialReciprocal(SPACE, epsilon=1, gamma="1/2"),
    ExponentialReciprocal(SPACE, epsilon="1.0001"),
    ExponentialReciprocal(SPACE, scale="1/2"),
    ExponentialReciprocal.as_published(SPACE, epsilon=1),
    ExponentialReciprocal(PosteriorSpace([1, 1], 21), epsilon=1),
    ExponentialReciprocal(PosteriorSpace([1, "1.0000000001"], 20), epsilon=1),
    ExponentialReciprocal(PosteriorSpace([1, 2], 20), epsilon=1),
    ExponentialReciprocal(PosteriorSpace([2, 1], 20), epsilon=1),
    ExponentialReciprocal(PosteriorSpace([1, 1, 1], 20), epsilon=1),
    ExponentialSmooth(SPACE, epsilon=1, gamma=1),
    ExponentialLocal(SPACE, epsilon=1),
    ExponentialGlobal(SPACE, epsilon=1),
    Laplace(SPACE, epsilon=1),
    LaplaceImproved(SPACE, epsilon=1),
    LaplaceImproved(SPACE, epsilon=1, rounding="floor"),
    Geometric(SPACE, epsilon=1),
    Geometric(SPACE, epsilon=1, way="bayes"),
    Geometric(SPACE, epsilon=1, way="bayes", weighting="uniform"),
    Geometric(SPACE, epsilon=1, way="free"),
    Optimal(SPACE, epsilon=1),
    Optimal(SPACE, epsilon=1, objective="worst"),
    Optimal(SPACE, epsilon=1, weighting="uniform"),
]


def test_no_two_different_mechanisms_share_their_facts_or_a_digest() -> None:
    proofs = [certificate_by_theorem(mechanism) for mechanism in EACH_UNLIKE_THE_OTHERS]
    assert len({proof.digest for proof in proofs}) == len(proofs)
    assert len({json.dumps(proof.facts, sort_keys=True) for proof in proofs}) == len(proofs)


def test_a_certificate_covers_its_own_mechanism_and_none_of_the_others() -> None:
    for mechanism in EACH_UNLIKE_THE_OTHERS:
        proof = certificate_by_theorem(mechanism)
        for other in EACH_UNLIKE_THE_OTHERS:
            if other is mechanism and mechanism.guarantee <= mechanism.epsilon:
                proof.check(other)
                continue
            with pytest.raises(NotPrivate, match="exceeds" if other is mechanism else "another mechanism"):
                proof.check(other)


def test_a_mechanism_built_again_from_the_same_facts_is_covered() -> None:
    certificate = audit(ExponentialReciprocal(SPACE, epsilon=0.5, gamma=0.25)).certificate
    certificate.check(ExponentialReciprocal(PosteriorSpace(discreet.Beta(1, 1), "2e1"), epsilon="1/2", gamma="0.25"))


def test_every_public_fact_is_in_a_certificate() -> None:
    shown = facts(ExponentialSmooth(PosteriorSpace(["1/3", 2], 9), epsilon="0.1", gamma="0.2"))
    assert shown.pop("law").endswith("ExponentialSmooth")
    assert set(shown.pop("parameters")) == {"scale", "gamma"}
    assert shown == {
        "scheme": 1,
        "version": discreet.__version__,
        "mechanism": "exponential-smooth",
        "prior": ["1/3", "2"],
        "n": 9,
        "adjacency": "replace-one",
        "epsilon": "1/10",
        "delta": "0",
    }


def test_a_certificate_of_another_version_covers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = Geometric(SPACE, epsilon=1)
    proof = certificate_by_theorem(mechanism)
    monkeypatch.setattr("discreet.privacy_loss.certificates.__version__", "0.0.9")
    with pytest.raises(NotPrivate, match="another mechanism"):
        proof.check(mechanism)
    assert certificate_by_theorem(mechanism).digest != proof.digest


def document_of(mechanism: Mechanism) -> dict[str, Any]:
    """A certificate as it comes back from a file."""
    document: dict[str, Any] = json.loads(json.dumps(audit(mechanism).certificate.to_json()))
    return document


@pytest.mark.parametrize(
    "mechanism",
    [
        ExponentialLocal(SPACE, epsilon=1),
        LaplaceImproved(PosteriorSpace([1, "0.5", 2], 6), epsilon="1/3"),
        Geometric(PosteriorSpace([1, 1, 1], 10**12), epsilon="1/3"),
        Optimal(PosteriorSpace([7, 4], 30), epsilon=2),
    ],
    ids=lambda mechanism: mechanism.name,
)
def test_a_certificate_comes_back_from_json_as_it_was(mechanism: Mechanism) -> None:
    certificate = audit(mechanism).certificate
    document = document_of(mechanism)
    assert Certificate.from_json(document) == certificate
    assert Certificate.from_json(document).to_json() == document


DOCUMENT = document_of(ExponentialReciprocal(SPACE, epsilon=1))


def test_a_certificate_with_any_value_changed_is_refused() -> None:
    for at, _ in leaves(DOCUMENT):
        if at != ("epsilon",):
            with pytest.raises(InvalidInput, match="digest"):
                Certificate.from_json(dict(every_forgery(DOCUMENT))[at])


@pytest.mark.parametrize(
    "document",
    [
        *({key: value for key, value in DOCUMENT.items() if key != name} for name in DOCUMENT if name != "epsilon"),
        *({**DOCUMENT, "digest": digest} for digest in ("", None)),
        {**DOCUMENT, "facts": {**DOCUMENT["facts"], "approved": "yes"}},
        {**DOCUMENT, "epsilon": DOCUMENT["epsilon"] / 10},
        *({}, [], None, 5, "text"),
    ],
)
def test_what_is_no_certificate_lacks_or_adds_a_part_or_shows_another_loss_is_refused(document: Any) -> None:
    with pytest.raises(InvalidInput):
        Certificate.from_json(document)


def test_the_epsilon_of_a_document_is_the_loss_rounded_up() -> None:
    for mechanism in (LaplaceImproved(SPACE, epsilon="1/3"), ExponentialLocal(SPACE, epsilon="1/7")):
        certificate = audit(mechanism).certificate
        shown, bound = certificate.to_json()["epsilon"], certificate.bound
        assert isinstance(bound, Fraction)
        assert shown == float_upper(bound)
        assert Fraction(shown) >= bound == Fraction(certificate.loss)


def test_an_infinite_loss_has_no_number_in_json() -> None:
    document = document_of(Optimal(PosteriorSpace([7, 4], 30), epsilon=2))
    assert document["loss"] == "inf"
    assert document["epsilon"] is None


@pytest.mark.parametrize(
    "mechanism",
    [
        ExponentialReciprocal(PosteriorSpace([1, 1, 1], 10**12), epsilon="1/3"),
        ExponentialSmooth(PosteriorSpace([1, 2, 3], 10**12), epsilon="1/3"),
        ExponentialLocal(PosteriorSpace([1, 1, 1], 1000), epsilon="1/3"),
        LaplaceImproved(PosteriorSpace([1, 1], 10**12), epsilon="1/3"),
        Laplace(PosteriorSpace([1] * 5000, 10**6), epsilon="1/3"),
        Geometric(PosteriorSpace([1] * 50, 10**12), epsilon="1/3"),
    ],
    ids=lambda mechanism: mechanism.name,
)
def test_beyond_what_can_be_scanned_the_theorem_stands_and_the_certificate_says_so(mechanism: Mechanism) -> None:
    proof, found = certificate_by_theorem(mechanism), audit(mechanism)
    assert proof == found.certificate
    assert (proof.method, proof.statement) == ("theorem", mechanism.guaranteed_by)
    assert proof.bound == found.epsilon == mechanism.guarantee <= Fraction(1, 3)
    assert found.holds
    assert found.private
    assert found.delta("1/3") == 0
    proof.check(mechanism)
    if mechanism.name != "geometric":
        assert (proof.worst, found.worst, found.lower) == (None, None, 0)
        with pytest.raises(TooLarge):
            found.delta(mechanism.guarantee / 2)


@pytest.mark.parametrize("adjacency", ["replace-one", "replace-answer"])
@pytest.mark.parametrize("way", ["nearest", "bayes", "free"])
@pytest.mark.parametrize(("prior", "n"), [([1, 1], 1), (["1/2", 3, 7], 5), ([1, 2, 3, 4], 4)])
def test_where_a_theorem_s_bound_is_reached_the_law_reaches_it(
    prior: list[object], n: int, way: Any, adjacency: str
) -> None:
    mechanism = Geometric(PosteriorSpace(prior, n, adjacency=adjacency), epsilon="1/3", way=way)
    found = audit(mechanism)
    assert found.epsilon == found.lower == Fraction(1, 3)
    assert found.holds
    assert found.private
    assert found.worst is not None
    said = certificate_by_theorem(mechanism).worst
    assert said == found.certificate.worst == found.worst.to_json()
    assert found.worst.neighbour in list(mechanism.space.adjacency.neighbours(found.worst.counts))
    one, other = (
        mechanism.law(c).log_probability(found.worst.output) for c in (found.worst.counts, found.worst.neighbour)
    )
    assert (one - other).contains(fmpq(1, 3))


def test_a_subclass_is_not_said_to_reach_its_parent_s_bound() -> None:
    class Another(Geometric):
        """A mechanism with a law of its own, perhaps."""

    assert certificate_by_theorem(Another(SPACE, epsilon=1)).worst is None


def test_a_theorem_that_gives_less_than_was_asked_for_does_not_certify() -> None:
    mechanism = ExponentialReciprocal.as_published(SPACE, epsilon=1)
    with pytest.raises(NotPrivate, match="exceeds"):
        certificate_by_theorem(mechanism).check(mechanism)
    audit(mechanism).certificate.check(mechanism)


@pytest.mark.parametrize(
    "name", ["exponential-global", "exponential-local", "exponential-smooth", "exponential-reciprocal"]
)
def test_the_certificate_of_a_calibrated_mechanism_is_derived_again_from_its_facts(name: str) -> None:
    space = PosteriorSpace([1, "0.6"], 40)
    one, again = (calibrate(name, space, epsilon="3/4") for _ in range(2))
    certificate = audit(one).certificate
    assert certificate.method == "enumeration"
    assert certificate.digest == audit(again).certificate.digest
    certificate.check(again)
    assert certificate.bound == one.guarantee
    assert certificate_by_theorem(one).method != "theorem"
    nominal = discreet.mechanism(name, space, epsilon="3/4")
    with pytest.raises(NotPrivate, match="another mechanism"):
        certificate.check(nominal)


def test_a_certificate_cannot_be_made_with_a_digest_of_something_else() -> None:
    certificate = audit(ExponentialLocal(SPACE, epsilon=1)).certificate
    with pytest.raises(InvalidInput, match="digest"):
        replace(certificate, loss="1/10")
