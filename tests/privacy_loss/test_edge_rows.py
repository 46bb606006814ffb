"""Losses beyond enumeration: the rows near the ends, and bounds on everything between them."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from discreet import (
    ExponentialGlobal,
    ExponentialLocal,
    ExponentialReciprocal,
    ExponentialSmooth,
    PosteriorSpace,
    audit,
)
from discreet.mechanisms.exponential import Exponential
from discreet.privacy_loss.edge_rows import scan_ends
from discreet.privacy_loss.scan import MARGIN, scanner


@pytest.mark.few(1)
@pytest.mark.parametrize(("n", "loss"), [(10**6, 0.897720576), (10**12, 0.897742396)])
def test_the_documents_own_mechanism_is_certified_at_a_million_and_a_million_million_records(
    n: int, loss: float
) -> None:
    found = audit(ExponentialReciprocal.as_published(PosteriorSpace([1, 1], n), epsilon=1))
    assert float(found.lower) == pytest.approx(loss, abs=1e-9)
    assert float(found.epsilon) == pytest.approx(loss, abs=1e-8)
    assert found.worst is not None
    assert (found.worst.counts[0], found.worst.neighbour[0], found.worst.output[0]) == (3, 2, 3)
    assert found.private
    assert found.certificate.method == "bounds"
    found.certificate.check(found.mechanism)


def test_the_local_sensitivity_at_a_million_records_loses_what_is_printed() -> None:
    found = audit(ExponentialLocal(PosteriorSpace([1, 1], 10**6), scale="1/2"))
    assert float(found.epsilon) == pytest.approx(0.921777, abs=1e-6)


@pytest.mark.few(1)
@pytest.mark.parametrize("n", [10**6, 10**12])
def test_the_textbook_mechanism_hardly_loses_more_than_its_scale(n: int) -> None:
    found = audit(ExponentialGlobal(PosteriorSpace([1, 1], n), scale="1/2"))
    assert Fraction(1, 2) < found.epsilon < Fraction(50001, 100000)


def _families(space: PosteriorSpace) -> list[Exponential]:
    return [
        ExponentialReciprocal(space, scale="1/2"),
        ExponentialReciprocal(space, scale="1/2", gamma="0.1"),
        ExponentialLocal(space, scale="1/2"),
        ExponentialGlobal(space, scale="1/2"),
        ExponentialSmooth(space, scale="1/2"),
    ]


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(4))
def test_it_agrees_with_enumeration_within_its_own_bound(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a fixed sample of spaces
    space = PosteriorSpace([f"{10 ** chance.uniform(-1.3, 1):.3g}" for _ in range(2)], chance.randint(650, 2900))
    scan = scanner(space)
    for mechanism in _families(space):
        truth = scan.worst(float(mechanism.scale) * mechanism.inverse_sensitivities(scan.rows)).loss
        found = scan_ends(mechanism)
        assert found.loss <= truth + MARGIN, mechanism
        assert truth <= found.bound + MARGIN, mechanism
        if not isinstance(mechanism, ExponentialSmooth):
            assert found.loss == pytest.approx(truth, abs=MARGIN), mechanism


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(2))
def test_what_is_certified_is_within_a_few_per_cent_of_what_is_reached(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a fixed sample of spaces
    prior = [f"{10 ** chance.uniform(-2, 2):.3g}" for _ in range(2)]
    space = PosteriorSpace(prior, int(10 ** chance.uniform(5, 12)))
    found = scan_ends(ExponentialReciprocal(space, scale="0.7", gamma=f"{10 ** chance.uniform(-2, -0.5):.3g}"))
    assert found.loss <= found.bound < 1.03 * found.loss


def test_a_halved_sensitivity_is_still_rejected_beyond_enumeration() -> None:
    space = PosteriorSpace([1, 1], 10**6)
    honest = ExponentialReciprocal(space, epsilon=1)
    fault = ExponentialReciprocal(space, scale=8 * honest.scale).certified(Fraction(1), Fraction(1), "somebody said so")
    found = audit(fault)
    assert not found.holds
    assert not found.private


@pytest.mark.parametrize("scale", ["1000", "1e6"])
def test_a_large_scale_is_audited_with_a_margin_as_large(scale: str) -> None:
    for made in (ExponentialLocal, ExponentialReciprocal):
        found = audit(made(PosteriorSpace([1, 1], 10**5), scale=scale))
        assert found.certificate.method == "bounds"
        assert Fraction(scale) < found.lower <= found.epsilon <= found.mechanism.guarantee
