"""A release inside a real OpenDP context: its map is the certified loss, and its draws have the law of ours."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import opendp.prelude as dp
import pytest

import discreet as dc
from discreet.bridges.opendp import make_release
from discreet.mechanisms import base
from discreet.mechanisms import law as laws
from discreet.privacy_loss import certificate_by_theorem
from discreet.testing import HashedBits
from tests.support.statistics import fits, tally

RECORDS = ["yes", "no", "no", "yes", "no", "yes", "no", "no"]

NAMES = ["geometric", "laplace-improved", "exponential-reciprocal"]


@pytest.fixture(autouse=True)
def _features() -> Iterator[None]:
    dp.enable_features("contrib", "honest-but-curious")
    yield
    dp.disable_features("contrib", "honest-but-curious")


def made(name: str, epsilon: str) -> dc.Mechanism:
    return dc.mechanism(name, dc.PosteriorSpace(prior=[1, 1], n=len(RECORDS)), epsilon=epsilon)


def context(epsilon: float, **unit: Any) -> dp.Context:
    return dp.Context.compositor(
        data=RECORDS,
        privacy_unit=dp.unit_of(**(unit or {"changes": 1})),
        privacy_loss=dp.loss_of(epsilon=epsilon),
        domain=dp.vector_domain(dp.atom_domain(T=dp.String), size=len(RECORDS)),
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_map_is_the_certified_loss(name: str) -> None:
    mechanism = made(name, "1/3")
    measurement = make_release(mechanism, ["no", "yes"])
    certified = certificate_by_theorem(mechanism).bound
    for changes in (0, 1, 2, 5):
        mapped = Fraction(measurement.map(changes))
        assert changes * certified <= mapped <= changes * certified + Fraction(1, 10**15)
    assert measurement.check(1, measurement.map(1))
    assert not measurement.check(1, float(certified) * (1 - 1e-12))


def test_a_context_charges_it_and_refuses_what_it_cannot_pay() -> None:
    measurement = make_release(made("geometric", "1/4"), ["no", "yes"])
    queries = context(1.0)
    for spent in (0.25, 0.5, 0.75, 1.0):
        output = queries(measurement)
        assert sum(output) == len(RECORDS)
        assert queries.current_privacy_loss() == spent  # type: ignore[no-untyped-call]
    with pytest.raises(dp.OpenDPException, match="exhausted"):
        queries(measurement)


def test_it_composes_with_a_measurement_of_opendp() -> None:
    queries = context(1.0, contributions=2)
    ours = make_release(made("geometric", "1/2"), ["no", "yes"], distance="contributions")
    assert [ours.map(far) for far in range(5)] == [0.0, 0.0, 0.5, 0.5, 1.0]
    queries(ours)
    count = queries.query(epsilon=0.5).count_by_categories(categories=["no"], null_category=True).laplace().release()
    assert len(count) == 2
    with pytest.raises(dp.OpenDPException, match="exhausted"):
        queries(make_release(made("geometric", "1/100"), ["no", "yes"], distance="contributions"))


@pytest.mark.few(1)
@pytest.mark.parametrize("name", NAMES)
def test_its_draws_have_the_law_of_ours(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws, "SYSTEM", HashedBits(f"opendp {name}"))
    mechanism = made(name, "1")
    measurement = make_release(mechanism, ["no", "yes"])
    seen = tally(measurement(RECORDS) for _ in range(4000))
    law = mechanism.law([5, 3])
    outcomes = [(z, 8 - z) for z in range(-30, 39)] if name == "geometric" else list(mechanism.space.candidates())
    chance = {tuple(o): float(law.log_probability(tuple(o)).exp()) for o in outcomes}
    assert fits(seen, chance)
    assert not fits(seen, {o: chance.get((8 - o[0], o[0]), 0.0) for o in chance}), "no is not yes"


def test_texts_outside_the_categories_are_the_other_one() -> None:
    mechanism = made("geometric", "40")
    measurement = make_release(mechanism, ["no", "yes"], other="no")
    assert measurement(["x", "", "yes", "NO", "no", "no", "no", "no"]) == [7, 1]


def test_what_has_no_guarantee_is_no_measurement() -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=8)
    with pytest.raises(dc.NotPrivate):
        make_release(dc.ExponentialLocal.as_published(space, epsilon=1), ["no", "yes"])
    with pytest.raises(dc.InvalidInput):
        make_release(made("geometric", "1"), ["no", "yes", "perhaps"])
    with pytest.raises(dc.InvalidInput):
        make_release(made("geometric", "1"), ["no", "yes"], other="perhaps")


def test_the_law_drawn_from_is_the_mechanism_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, seen = made("geometric", "1"), []
    whole = base.Mechanism.release

    def spied(self: dc.Mechanism, counts: object, **options: bool) -> dc.Released:
        seen.append(np.array(counts).tolist())
        return whole(self, counts, **options)

    monkeypatch.setattr(base.Mechanism, "release", spied)
    make_release(mechanism, ["no", "yes"])(RECORDS)
    assert seen == [[5, 3]]
