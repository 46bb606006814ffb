"""Sweeps of three and more categories: what the scan of everything finds, with one data set of each orbit."""

from fractions import Fraction

import pytest

from discreet import ExponentialLocal, ExponentialReciprocal, PosteriorSpace, audit
from discreet.posteriors.space import orbits
from discreet.privacy_loss import scan as module
from discreet.privacy_loss.scan import MARGIN, Dense, Sweep, sweepable
from tests.privacy_loss.test_interior_bounds import families

SPACES = [(["1", "1", "1"], 20), (["0.3", "0.3", "5"], 18), (["0.01", "2", "50"], 16), (["1", "1", "2", "2"], 8)]


@pytest.mark.parametrize(("prior", "n"), SPACES)
def test_it_finds_the_greatest_loss_of_all(prior: list[str], n: int) -> None:
    space = PosteriorSpace(prior, n)
    dense, sweep = Dense(space), Sweep(space)
    for mechanism in families(space, "0.5"):
        rates = float(mechanism.scale) * mechanism.inverse_sensitivities(sweep.rows)
        found = sweep.worst(rates)
        assert found.bound == -float("inf")
        assert found.loss == pytest.approx(dense.worst(rates).loss, abs=MARGIN), mechanism


def test_what_is_not_scanned_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAIRS", 1)
    space = PosteriorSpace([1, 1, 1], 40)
    dense, sweep = Dense(space), Sweep(space)
    cut = 0
    for mechanism in families(space, "0.5"):
        rates = float(mechanism.scale) * mechanism.inverse_sensitivities(sweep.rows)
        found, truth = sweep.worst(rates), dense.worst(rates).loss
        assert found.loss <= truth + MARGIN
        assert truth <= max(found.loss, found.bound) + MARGIN
        cut += found.bound > found.loss
    assert cut


def test_a_hundred_records_in_three_categories_are_audited_far_below_the_theorem() -> None:
    found = audit(ExponentialReciprocal.as_published(PosteriorSpace([1, 1, 1], 100), epsilon=1))
    assert float(found.epsilon) == pytest.approx(0.845887, abs=1e-6)
    assert found.certificate.method == "enumeration"
    assert found.mechanism.guarantee == 2
    assert found.private


def test_a_scale_that_is_too_large_is_rejected() -> None:
    space = PosteriorSpace([1, 1, 1], 80)
    fault = ExponentialLocal(space, scale=2).certified(Fraction(1), Fraction(1), "somebody said so")
    found = audit(fault)
    assert not found.holds
    assert not found.private


def test_orbits_are_those_of_equal_priors() -> None:
    assert len(set(orbits(PosteriorSpace([1, 1, 1], 6)).tolist())) == 7  # partitions of 6 into at most 3 parts
    assert len(set(orbits(PosteriorSpace([1, 2, 3], 6)).tolist())) == 28
    assert sweepable(PosteriorSpace([1, 1, 1], 300))
    assert not sweepable(PosteriorSpace([1, 2, 3], 300))
    assert not sweepable(PosteriorSpace([1, 1], 300))
