"""What a receipt says of its interval: the right kind, decided by public facts, and never a failed release."""

import pytest

import discreet as dc
from discreet.inference import statement
from discreet.inference.statement import NOISE_AWARE, PLUG_IN, interval_kind, stated_shares
from discreet.requests.run import release_counts


def test_the_kind_is_known_before_the_draw_and_printed_with_it() -> None:
    few, many = (dc.PosteriorSpace(prior=[1, 1], n=n) for n in (40, 10**9))
    for mechanism, kind in (
        (dc.Geometric(few, epsilon=1), NOISE_AWARE),
        (dc.Geometric(many, epsilon=1), NOISE_AWARE),
        (dc.LaplaceImproved(many, epsilon=1), NOISE_AWARE),
        (dc.ExponentialGlobal(few, epsilon=1), NOISE_AWARE),
        (dc.ExponentialGlobal(many, epsilon=1), PLUG_IN),
        (dc.Geometric(many, epsilon="1e-6"), NOISE_AWARE),
        (dc.Geometric(dc.PosteriorSpace(prior=[1, 1, 1], n=10**9), epsilon="1e-6"), PLUG_IN),
    ):
        n = mechanism.space.n
        released = mechanism.release([n // 4, n - n // 4, 0][: mechanism.space.k])
        assert interval_kind(mechanism) == kind
        assert stated_shares(released, 0.95)[0] == kind


def test_a_release_is_shown_whatever_happens_to_its_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: dc.Released, *, prior: object = None) -> dc.NoiseAware:
        raise FloatingPointError

    monkeypatch.setattr(dc.Released, "noise_aware", broken)
    receipt = release_counts([7, 5], epsilon=1)
    assert receipt.document["interval_kind"] == PLUG_IN
    low, high = receipt.posterior.interval(0.95)
    assert receipt.document["interval"]["1"] == pytest.approx([low[0], high[0]])


def test_a_stated_interval_is_the_reader_s() -> None:
    released = dc.Geometric(dc.PosteriorSpace(prior=[1, 2, 3], n=60), epsilon="1/2").release([10, 20, 30])
    kind, (mean, low, high) = stated_shares(released, 0.95)
    assert kind == NOISE_AWARE
    assert (mean == released.noise_aware().mean).all()
    assert (low == released.noise_aware().interval(0.95)[0]).all()
    assert (high - low > released.posterior.interval(0.95)[1] - released.posterior.interval(0.95)[0]).any()
    assert statement.quick(released.mechanism)
