"""A certificate is bound to the mechanism that it speaks of: any change refuses."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from flint import fmpq

import discreet as dc
from discreet.arithmetic.numbers import float_upper
from discreet.privacy_loss.certificates import WorstCase, certificate_by_theorem, facts
from tests.support.forgeries import every_forgery, leaves

SPACE = dc.PosteriorSpace([1, 1], 20)

EACH_UNLIKE_THE_OTHERS: list[dc.Mechanism] = [
    dc.ExponentialReciprocal(SPACE, epsilon=1),
    dc.ExponentialReciprocal(SPACE, epsilon=1, gamma="1/2"),
    dc.ExponentialReciprocal(SPACE, epsilon="1.0001"),
    dc.ExponentialReciprocal(SPACE, scale="1/2"),
    dc.ExponentialReciprocal.as_published(SPACE, epsilon=1),
    dc.ExponentialReciprocal(dc.PosteriorSpace([1, 1], 21), epsilon=1),
    dc.ExponentialReciprocal(dc.PosteriorSpace([1, "1.0000000001"], 20), epsilon=1),
    dc.ExponentialReciprocal(dc.PosteriorSpace([1, 2], 20), epsilon=1),
    dc.ExponentialReciprocal(dc.PosteriorSpace([2, 1], 20), epsilon=1),
    dc.ExponentialReciprocal(dc.PosteriorSpace([1, 1, 1], 20), epsilon=1),
    dc.ExponentialSmooth(SPACE, epsilon=1, gamma=1),
    dc.ExponentialLocal(SPACE, epsilon=1),
    dc.ExponentialGlobal(SPACE, epsilon=1),
    dc.Laplace(SPACE, epsilon=1),
    dc.LaplaceImproved(SPACE, epsilon=1),
    dc.LaplaceImproved(SPACE, epsilon=1, rounding="floor"),
    dc.Geometric(SPACE, epsilon=1),
    dc.Geometric(SPACE, epsilon=1, postprocess="bayes"),
    dc.Geometric(SPACE, epsilon=1, postprocess="bayes", weighting="uniform"),
    dc.Geometric(SPACE, epsilon=1, postprocess="free"),
    dc.Optimal(SPACE, epsilon=1),
    dc.Optimal(SPACE, epsilon=1, objective="worst"),
    dc.Optimal(SPACE, epsilon=1, weighting="uniform"),
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
            with pytest.raises(dc.NotPrivate, match="exceeds" if other is mechanism else "another mechanism"):
                proof.check(other)


def test_a_mechanism_built_again_from_the_same_facts_is_covered() -> None:
    certificate = dc.audit(dc.ExponentialReciprocal(SPACE, epsilon=0.5, gamma=0.25)).certificate
    certificate.check(dc.ExponentialReciprocal(dc.PosteriorSpace(dc.Beta(1, 1), "2e1"), epsilon="1/2", gamma="0.25"))


def test_every_public_fact_is_in_a_certificate() -> None:
    public = facts(dc.ExponentialSmooth(dc.PosteriorSpace(["1/3", 2], 9), epsilon="0.1", gamma="0.2"))
    assert public.pop("law").endswith("ExponentialSmooth")
    assert set(public.pop("parameters")) == {"scale", "gamma"}
    assert public == {
        "scheme": 1,
        "version": dc.__version__,
        "mechanism": "exponential-smooth",
        "prior": ["1/3", "2"],
        "n": 9,
        "adjacency": "replace-one",
        "epsilon": "1/10",
        "delta": "0",
    }


def test_a_certificate_of_another_version_covers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = dc.Geometric(SPACE, epsilon=1)
    proof = certificate_by_theorem(mechanism)
    monkeypatch.setattr("discreet.privacy_loss.certificates.__version__", "0.0.9")
    with pytest.raises(dc.NotPrivate, match="another mechanism"):
        proof.check(mechanism)
    assert certificate_by_theorem(mechanism).digest != proof.digest


def document_of(mechanism: dc.Mechanism) -> dict[str, Any]:
    """A certificate as it comes back from a file."""
    document: dict[str, Any] = json.loads(json.dumps(dc.audit(mechanism).certificate.to_json()))
    return document


@pytest.mark.parametrize(
    "mechanism",
    [
        dc.ExponentialLocal(SPACE, epsilon=1),
        dc.LaplaceImproved(dc.PosteriorSpace([1, "0.5", 2], 6), epsilon="1/3"),
        dc.Geometric(dc.PosteriorSpace([1, 1, 1], 10**12), epsilon="1/3"),
        dc.Optimal(dc.PosteriorSpace([7, 4], 30), epsilon=2),
    ],
    ids=lambda mechanism: mechanism.name,
)
def test_a_certificate_comes_back_from_json_as_it_was(mechanism: dc.Mechanism) -> None:
    certificate = dc.audit(mechanism).certificate
    document = document_of(mechanism)
    assert dc.Certificate.from_json(document) == certificate
    assert dc.Certificate.from_json({**document, "facts": dict(reversed(document["facts"].items()))}) == certificate
    assert dc.Certificate.from_json(document).to_json() == document


DOCUMENT = document_of(dc.ExponentialReciprocal(SPACE, epsilon=1))


def test_a_certificate_with_any_value_changed_is_refused() -> None:
    for at, _ in leaves(DOCUMENT):
        if at != ("epsilon",):
            with pytest.raises(dc.InvalidInput, match="digest"):
                dc.Certificate.from_json(dict(every_forgery(DOCUMENT))[at])


@pytest.mark.every
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
    with pytest.raises(dc.InvalidInput):
        dc.Certificate.from_json(document)


def test_the_epsilon_of_a_document_is_the_loss_rounded_up() -> None:
    for mechanism in (dc.LaplaceImproved(SPACE, epsilon="1/3"), dc.ExponentialLocal(SPACE, epsilon="1/7")):
        certificate = dc.audit(mechanism).certificate
        shown, bound = certificate.to_json()["epsilon"], certificate.bound
        assert isinstance(bound, Fraction)
        assert shown == float_upper(bound)
        assert Fraction(shown) >= bound == Fraction(certificate.loss)


def test_nothing_found_yet_is_nowhere_and_has_no_error() -> None:
    assert (WorstCase().loss, WorstCase().bound, WorstCase().error) == (-math.inf, -math.inf, 0)
    assert WorstCase().to_json() == {"counts": [], "neighbour": [], "output": []}
    assert dc.Certificate({}, "1", "theorem", "a proof").worst is None


def test_an_infinite_loss_has_no_number_in_json() -> None:
    document = document_of(dc.Optimal(dc.PosteriorSpace([7, 4], 30), epsilon=2))
    assert document["loss"] == "inf"
    assert document["epsilon"] is None


@pytest.mark.parametrize(
    "mechanism",
    [
        dc.ExponentialReciprocal(dc.PosteriorSpace([1, 1, 1], 10**12), epsilon="1/3"),
        dc.ExponentialSmooth(dc.PosteriorSpace([1, 2, 3], 10**12), epsilon="1/3"),
        dc.ExponentialLocal(dc.PosteriorSpace([1, 1, 1], 1000), epsilon="1/3"),
        dc.LaplaceImproved(dc.PosteriorSpace([1, 1], 10**12), epsilon="1/3"),
        dc.Laplace(dc.PosteriorSpace([1] * 5000, 10**6), epsilon="1/3"),
        dc.Geometric(dc.PosteriorSpace([1] * 50, 10**12), epsilon="1/3"),
    ],
    ids=lambda mechanism: mechanism.name,
)
def test_beyond_what_can_be_scanned_the_theorem_stands_and_the_certificate_says_so(mechanism: dc.Mechanism) -> None:
    proof, result = certificate_by_theorem(mechanism), dc.audit(mechanism)
    assert proof == result.certificate
    assert (proof.method, proof.statement) == ("theorem", mechanism.guaranteed_by)
    assert proof.bound == result.epsilon == mechanism.guarantee <= Fraction(1, 3)
    assert result.holds
    assert result.private
    assert result.delta("1/3") == 0
    proof.check(mechanism)
    if mechanism.name != "geometric":
        assert (proof.worst, result.worst, result.lower) == (None, None, 0)
        with pytest.raises(dc.TooLarge):
            result.delta(mechanism.guarantee / 2)


@pytest.mark.every
@pytest.mark.parametrize("adjacency", ["replace-one", "replace-answer"])
@pytest.mark.parametrize("way", ["nearest", "bayes", "free"])
@pytest.mark.parametrize(("prior", "n"), [([1, 1], 1), (["1/2", 3, 7], 5), ([1, 2, 3, 4], 4)])
def test_where_a_theorem_s_bound_is_reached_the_law_reaches_it(
    prior: list[object], n: int, way: Any, adjacency: str
) -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior, n, adjacency=adjacency), epsilon="1/3", postprocess=way)
    result = dc.audit(mechanism)
    assert result.epsilon == result.lower == Fraction(1, 3)
    assert result.holds
    assert result.private
    assert result.worst is not None
    assert (result.worst.loss, result.worst.error) == (1 / 3, 0)
    said = certificate_by_theorem(mechanism).worst
    assert said == result.certificate.worst == result.worst.to_json()
    assert result.worst.neighbour in list(mechanism.space.adjacency.neighbours(result.worst.counts))
    one, other = (
        mechanism.law(c).log_probability(result.worst.output) for c in (result.worst.counts, result.worst.neighbour)
    )
    assert (one - other).contains(fmpq(1, 3))


def test_a_subclass_is_not_said_to_reach_its_parent_s_bound() -> None:
    class Another(dc.Geometric):
        """A mechanism with a law of its own, perhaps."""

    assert certificate_by_theorem(Another(SPACE, epsilon=1)).worst is None


def test_a_theorem_that_gives_less_than_was_asked_for_does_not_certify() -> None:
    mechanism = dc.ExponentialReciprocal.as_published(SPACE, epsilon=1)
    with pytest.raises(dc.NotPrivate, match="exceeds"):
        certificate_by_theorem(mechanism).check(mechanism)
    dc.audit(mechanism).certificate.check(mechanism)


@pytest.mark.parametrize(
    "name", ["exponential-global", "exponential-local", "exponential-smooth", "exponential-reciprocal"]
)
def test_the_certificate_of_a_calibrated_mechanism_is_derived_again_from_its_facts(name: str) -> None:
    space = dc.PosteriorSpace([1, "0.6"], 40)
    one, again = (dc.calibrate(name, space, epsilon="3/4") for _ in range(2))
    certificate = dc.audit(one).certificate
    assert certificate.method == "enumeration"
    assert certificate.digest == dc.audit(again).certificate.digest
    certificate.check(again)
    assert certificate.bound == one.guarantee
    assert certificate_by_theorem(one).method != "theorem"
    nominal = dc.mechanism(name, space, epsilon="3/4")
    with pytest.raises(dc.NotPrivate, match="another mechanism"):
        certificate.check(nominal)


def test_a_certificate_cannot_be_made_with_a_digest_of_something_else() -> None:
    certificate = dc.audit(dc.ExponentialLocal(SPACE, epsilon=1)).certificate
    with pytest.raises(dc.InvalidInput, match="digest"):
        replace(certificate, loss="1/10")
