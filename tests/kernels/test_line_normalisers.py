"""Normalisers of a line: those of enumeration at every count, and sums of their own where nothing is enumerated."""

import numpy as np
import pytest

import discreet as dc
from discreet.arithmetic.arrays import Floats
from discreet.kernels import HellingerKernel
from discreet.kernels.line_normalisers import _UNSEEN, LineNormalisers
from discreet.mechanisms.exponential import Exponential

FAMILIES = ["exponential-global", "exponential-smooth", "exponential-local", "exponential-reciprocal"]


def family(name: str, prior: list[str], n: int, epsilon: str) -> Exponential:
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=prior, n=n), epsilon=epsilon)
    assert isinstance(mechanism, Exponential)
    return mechanism


@pytest.mark.parametrize("name", FAMILIES)
def test_totals_agree_with_enumeration_at_every_count(name: str) -> None:
    mechanism = family(name, ["1/2", "3"], 1500, "1")
    totals, exact = LineNormalisers(mechanism), HellingerKernel(mechanism).enumerated.log_normalisers
    normalisers = totals(np.arange(1501.0))
    gap = np.abs(normalisers.values - exact)
    assert (gap <= normalisers.errors).all()
    assert gap.max() < 1e-8
    assert np.abs(totals.directly(np.arange(1501.0)) - exact).max() < 1e-13


@pytest.mark.parametrize("prior", [["1e12", "1"], ["1", "1e12"], ["1e-9", "1e9"]])
def test_normalisers_between_panels_are_sums_of_their_own_under_any_prior(prior: list[str]) -> None:
    n = 10**9
    totals = LineNormalisers(dc.ExponentialGlobal(dc.PosteriorSpace(prior=prior, n=n), scale="1/2"))
    near = np.array([128.0, 140.0, 200.0, 3000.0, 1e5, 1e7])
    c = np.concatenate([near, n - near, [n / 2]])
    normalisers = totals(c)
    assert (np.abs(normalisers.values - totals.directly(c)) <= normalisers.errors).all()
    assert normalisers.errors.max() < 1e-8
    assert 0 <= min(totals.bends) <= max(totals.bends) <= n


@pytest.mark.parametrize("name", FAMILIES)
def test_normalisers_are_sums_of_their_own_where_a_rate_bends_and_between_whole_counts(name: str) -> None:
    totals = LineNormalisers(family(name, ["1e-3", "2"], 2000, "1"))
    assert any(200 < bend < 1800 for bend in totals.bends)
    changes = np.flatnonzero(np.diff(totals._least_term(np.arange(2001))))
    assert totals.bends == sorted({1000, *changes.tolist()})
    c = np.concatenate([np.arange(128.0), np.arange(128.0, 1872.5, 0.5), np.arange(1873.0, 2001.0)])
    normalisers = totals(c)
    assert (np.abs(normalisers.values - totals.directly(c)) <= normalisers.errors + 1e-11).all()
    assert normalisers.errors[c % 1 == 0].max() < 1e-7


@pytest.mark.every
@pytest.mark.parametrize(("n", "epsilon"), [(1000, "1"), (12345, "1"), (10**6 + 7, "1/2"), (10**9, "1e-4")])
def test_a_rate_bends_where_another_term_becomes_the_least(
    n: int, epsilon: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LineNormalisers, "directly", lambda self, c: np.zeros(len(c)))
    for prior in (["1/2", "3"], ["3", "1/2"]):
        totals = LineNormalisers(family("exponential-smooth", prior, n, epsilon))
        assert len(totals.bends) == 5
        turns = np.array(totals.bends)[[0, 1, 3, 4]]  # the other is where both categories balance
        assert n < 10**9 or np.minimum(turns, n - turns).max() > 10**6
        assert (totals._least_term(turns) != totals._least_term(turns + 1)).all()


def test_panels_double_from_both_ends_and_are_halved_where_a_polynomial_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    def curve(c: Floats, n: int) -> Floats:
        step = np.arctan(1000 * c / n - 300) if n == 10**9 else 0.0
        logs: Floats = np.log((c + 1) * (n - c + 1)) + step
        return logs

    monkeypatch.setattr(LineNormalisers, "directly", lambda self, c: curve(c, self.n))
    for n in (10**4, 10**9, 10**15):
        totals = LineNormalisers(dc.ExponentialGlobal(dc.PosteriorSpace(prior=[1, 1], n=n), scale=1))
        grown = [128 * 2**j for j in range(50) if 128 * 2**j < n / 2]
        edges = sorted({*grown, *(n - at for at in grown), n // 2, n // 2 + 1})
        if n != 10**9:  # also where the places of a panel are not told apart by floats
            assert totals._edges.tolist() == edges
            continue
        assert set(edges) < set(totals._edges)
        assert len(totals._errors) < 2 * len(edges)
        assert totals._errors.max() < 2.1e-8
        worst = totals._errors.argmax()
        low, high = totals._edges[worst : worst + 2]
        c = 0.5 * (low + high + (high - low) * np.array(_UNSEEN))
        normalisers = totals(c)
        assert np.abs(normalisers.values - curve(c, n)).max() == pytest.approx(normalisers.errors[0] / 2, rel=1e-2)


@pytest.mark.parametrize("apart", [0.1, 0.5, 2.0])
def test_what_a_polynomial_misses_of_growth_towards_an_end_is_measured(
    apart: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def growing(c: Floats) -> Floats:
        values: Floats = 1 / np.maximum((c - 2048) / 1024 + apart, 1e-9)
        return values

    monkeypatch.setattr("discreet.kernels.line_normalisers._HALVED", 0)
    monkeypatch.setattr(LineNormalisers, "directly", lambda self, c: growing(c))
    totals = LineNormalisers(dc.ExponentialGlobal(dc.PosteriorSpace(prior=[1, 1], n=10**4), scale=1))
    assert {2048, 4096} < set(totals._edges.tolist())
    c = np.linspace(2048, 4096, 500)[1:-1]
    normalisers = totals(c)
    assert (np.abs(normalisers.values - growing(c)) <= normalisers.errors).all()


def test_a_panel_of_a_single_count_is_not_halved() -> None:
    totals = LineNormalisers(family("exponential-smooth", ["1/2", "3"], 1000, "1"))
    inner = [bend for bend in totals.bends if 128 <= bend < 872]
    assert len(inner) == 2
    assert {bend + side for bend in inner for side in (0, 1)} <= set(totals._edges.tolist())
    assert totals._errors.max() > 1e-6
    assert np.diff(totals._edges).min() == 1


@pytest.mark.parametrize("n", [1, 3, 127, 128, 129, 254, 255, 256, 257])
def test_short_lines_are_summed_count_by_count(n: int) -> None:
    mechanism = family("exponential-smooth", ["1/2", "3"], n, "1")
    normalisers = LineNormalisers(mechanism)(np.arange(n + 1.0))
    assert np.abs(normalisers.values - HellingerKernel(mechanism).enumerated.log_normalisers).max() < 1e-12


def test_panels_that_are_not_halved_as_often_as_needed_state_what_they_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.kernels.line_normalisers._HALVED", 0)
    totals = LineNormalisers(family("exponential-smooth", ["1e-3", "2"], 2000, "1"))
    c = np.arange(128.0, 1873.0, 7)
    normalisers = totals(c)
    assert (np.abs(normalisers.values - totals.directly(c)) <= normalisers.errors).all()
    assert normalisers.errors.max() > 1e-8
