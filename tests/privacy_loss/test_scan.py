"""Scans find the greatest loss that there is, and their floats stay well within the error they state."""

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet import ExponentialGlobal, ExponentialLocal, ExponentialReciprocal, ExponentialSmooth, PosteriorSpace
from discreet.arithmetic.numbers import precision
from discreet.kernels.exponential import LONGEST
from discreet.mechanisms.exponential import Exponential
from discreet.privacy_loss.scan import DENSE, MARGIN, Dense, LineScan, margin, scannable, scanner
from tests.oracles import accuracy, loss, spaces
from tests.oracles.precision import mp
from tests.privacy_loss.families import (
    KINDS,
    Kind,
    build,
    inverse_by_enumeration,
    log_pmf_by_enumeration,
    oracle_kernel,
)
from tests.support.enumeration import Enumeration, Floats, enumerate_space, random_spaces, seeded

LINES = [("1", "1"), ("0.3", "7"), ("0.001", "0.001"), ("60", "2")]


def rates_of(mechanism: Exponential, scan: Dense | LineScan) -> Floats:
    """s/S of every data set."""
    found: Floats = float(mechanism.scale) * mechanism.inverse_sensitivities(scan.rows)
    return found


def delta(scan: Dense | LineScan, rates: Floats, epsilon: float) -> float:
    """The greatest δ of any pair, in floats."""
    return max((pair.delta for pair in scan.deltas(rates, epsilon, MARGIN)), default=0.0)


@pytest.mark.few(6)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("alpha", "n", "scale", "gamma"),
    [
        (("1", "1"), 25, "1/2", "1"),
        (("0.05", "3"), 22, "2", "1/5"),
        (("7", "4"), 17, "1/10", "1/100"),
        (("1", "1", "1"), 5, "1/2", "1"),
        (("0.2", "1", "30"), 4, "3", "1/3"),
        (("1", "0.5", "2", "8"), 3, "1", "1/2"),
        (("3", "0.7"), 1, "1", "1"),
    ],
)
def test_the_dense_scan_is_the_definition_in_fifty_digits(
    kind: Kind, alpha: tuple[str, ...], n: int, scale: str, gamma: str
) -> None:
    prior, s, g = [Fraction(a) for a in alpha], Fraction(scale), Fraction(gamma)
    kernel = oracle_kernel(kind, prior, n, s, g)
    space = PosteriorSpace(prior, n)
    scan = Dense(space)
    rates = rates_of(build(kind, space, g, scale=s), scan)
    worst = loss.exact_loss(kernel)
    found = scan.worst(rates)
    assert found.loss == pytest.approx(float(worst.epsilon), abs=MARGIN / 10)
    there = mp.log(kernel[found.counts][found.output] / kernel[found.neighbour][found.output])
    assert float(there) == pytest.approx(float(worst.epsilon), abs=MARGIN / 10)
    for share in (0.0, 0.3, 0.9):
        epsilon = share * float(worst.epsilon)
        assert delta(scan, rates, epsilon) == pytest.approx(float(loss.exact_delta(kernel, epsilon)), abs=1e-13)
    weights = spaces.prior_predictive(prior, n)
    expected = float(accuracy.mean_under(prior, kernel, weights))
    weighed = np.array([float(weights[c]) for c in kernel])
    assert scan.mean_error(rates, weighed) == pytest.approx(expected, rel=1e-12)


@pytest.mark.few(1)
@pytest.mark.parametrize("batch", range(4))
def test_the_dense_scan_is_plain_enumeration_on_random_small_spaces(batch: int) -> None:
    rng = seeded(f"scans {batch}")
    for alpha, n in random_spaces(f"scans {batch}", 10, sizes={2: 40, 3: 8, 4: 4}):
        space, every = PosteriorSpace(alpha, n), enumerate_space(alpha, n)
        gamma, scale = 10 ** rng.uniform(-2, 1), Fraction(str(round(10 ** rng.uniform(-1, 1), 4)))
        scan = Dense(space)
        for kind in KINDS:
            rates = rates_of(build(kind, space, gamma, scale=scale), scan)
            log_pmf = log_pmf_by_enumeration(every, float(scale) * inverse_by_enumeration(kind, every, gamma))
            assert np.abs(scan.log_pmf(rates) - log_pmf).max() < MARGIN / 10
            expected = (log_pmf[every.one] - log_pmf[every.other]).max()
            assert scan.worst(rates).loss == pytest.approx(expected, abs=MARGIN / 10)
            plain = _plain_delta(every, log_pmf, expected / 3)
            assert delta(scan, rates, expected / 3) == pytest.approx(plain, abs=1e-12)


def _plain_delta(every: Enumeration, log_pmf: Floats, epsilon: float) -> float:
    pmf = np.exp(log_pmf)
    return float(np.maximum(pmf[every.one] - math.exp(epsilon) * pmf[every.other], 0).sum(axis=1).max())


@pytest.mark.few(4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("alpha", "n", "scale", "gamma"),
    [
        (LINES[0], 1100, "1/2", "1"),
        (LINES[0], 1000, "3", "0.019"),
        (LINES[1], 900, "1", "0.3"),
        (LINES[2], 400, "5/2", "1"),
        (LINES[3], 601, "1/20", "2"),
    ],
)
def test_the_line_scan_is_the_dense_scan(kind: Kind, alpha: tuple[str, str], n: int, scale: str, gamma: str) -> None:
    space = PosteriorSpace(alpha, n)
    line, dense = LineScan(space), Dense(space)
    rates = rates_of(build(kind, space, gamma, scale=scale), dense)
    log_pmf = dense.log_pmf(rates)
    assert np.abs(line.at(rates).log_normalisers + log_pmf.diagonal()).max() < MARGIN / 100
    found, expected = line.worst(rates), dense.worst(rates)
    assert found.loss == pytest.approx(expected.loss, abs=MARGIN / 100)
    # A mirrored space has its extreme twice; either place will do.
    one, other, at = (place[0] for place in (found.counts, found.neighbour, found.output))
    there = log_pmf[one, at] - log_pmf[other, at]
    assert there == pytest.approx(expected.loss, abs=MARGIN / 100)
    for share in (0.0, 0.5, 0.97):
        epsilon = share * expected.loss
        assert delta(line, rates, epsilon) == pytest.approx(delta(dense, rates, epsilon), rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("alpha", LINES, ids=",".join)
def test_no_pair_that_the_line_scan_may_skip_has_a_greater_loss_than_its_bound(
    kind: Kind, alpha: tuple[str, str]
) -> None:
    space = PosteriorSpace(alpha, 250)
    line, dense = LineScan(space), Dense(space)
    for scale in ("1/10", "1", "6"):
        rates = rates_of(build(kind, space, "1/4", scale=scale), dense)
        log_pmf = dense.log_pmf(rates)
        losses = np.abs(log_pmf[:-1] - log_pmf[1:]).max(axis=1)
        assert (line.bounds(line.at(rates)) >= losses).all()


@pytest.mark.few(6)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("alpha", "n"),
    [
        (("1", "1"), 700),
        (("0.01", "0.01"), 700),
        (("1e-9", "1e9"), 300),
        (("1e6", "1e6"), 300),
        (("1", "1", "1"), 20),
        (("0.001", "0.7", "50"), 18),
        (("9", "9.5", "10", "1"), 7),
    ],
    ids=lambda given: ",".join(given) if isinstance(given, tuple) else str(given),
)
def test_floats_stay_within_a_tenth_of_the_stated_error_of_the_laws_themselves(
    kind: Kind, alpha: tuple[str, ...], n: int
) -> None:
    space, rng = PosteriorSpace(alpha, n), seeded(f"floats {alpha} {n}")
    scan = Dense(space)
    for scale in ("1/2", "8"):
        mechanism = build(kind, space, "1", scale=scale)
        log_pmf = scan.log_pmf(rates_of(mechanism, scan))
        for c in (0, rng.randrange(space.size), rng.randrange(space.size)):
            law = mechanism.law(space.candidates().unrank(c))
            with precision(96):
                total = law.log_total()
                for r in (c, 0, space.size - 1, *(rng.randrange(space.size) for _ in range(8))):
                    exact = law.log_weight(space.candidates().unrank(r)) - total
                    assert abs(exact - float(log_pmf[c, r])) < MARGIN / 10


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", [ExponentialLocal, ExponentialReciprocal])
def test_floats_stay_within_a_tenth_of_the_stated_error_for_fifty_thousand_records(kind: Kind) -> None:
    n = 50_000
    space = PosteriorSpace([1, 1], n)
    mechanism, line = build(kind, space, 1, scale="1/2"), LineScan(space)
    rates, rng = rates_of(mechanism, line), seeded("fifty thousand")
    start, stop = line.at(rates).windows
    for c in (2, 20_000, n):
        distance = line.table.distances_between(c, int(start[c]), int(stop[c]))
        log_total = math.log(np.exp(-rates[c] * distance).sum())
        law, row = mechanism.law((c, n - c)), line.table.distances(c)
        with precision(96):
            assert abs(law.log_total() - log_total) < MARGIN / 20
            for r in (0, n, min(c + 1, n), *(rng.randrange(n + 1) for _ in range(20))):
                assert abs(law.log_weight((r, n - r)) + float(rates[c] * row[r])) < MARGIN / 20


@pytest.mark.parametrize(("alpha", "scale"), [("1", "100000"), ("1e12", "1/2")])
def test_the_stated_error_holds_for_every_scale_and_prior_that_a_mechanism_takes(alpha: str, scale: str) -> None:
    space = PosteriorSpace([alpha, alpha], 300)
    mechanism, scan = ExponentialLocal(space, scale=scale), Dense(space)
    rates = rates_of(mechanism, scan)
    log_pmf, stated = scan.log_pmf(rates), margin(float(rates.max()))
    for c in (1, 75, 150):
        law = mechanism.law((c, 300 - c))
        with precision(96):
            total = law.log_total()
            for r in range(0, 301, 20):
                assert abs(law.log_weight((r, 300 - r)) - total - float(log_pmf[c, r])) < stated


def test_the_delta_of_a_line_scan_is_that_of_a_dense_one_where_weights_underflow() -> None:
    space = PosteriorSpace([1, 1], 200)
    line, dense = LineScan(space), Dense(space)
    rates = rates_of(ExponentialLocal(space, scale=2000), dense)
    assert delta(line, rates, 300.0) == pytest.approx(delta(dense, rates, 300.0), rel=1e-9)


def test_a_window_leaves_out_nothing_that_matters() -> None:
    space = PosteriorSpace([1, "0.4"], 2500)
    line = LineScan(space)
    for scale in (0.01, 0.5, 30.0):
        rates = scale * ExponentialLocal(space, scale=1).inverse_sensitivities(line.rows)
        start, stop = line.at(rates).windows
        for c in (0, 1, 40, 1250, 2499, 2500):
            assert start[c] <= c < stop[c]
            weights = np.exp(-rates[c] * line.table.distances(c))
            left_out = weights[: start[c]].sum() + weights[stop[c] :].sum()
            assert left_out <= math.exp(-41.9)
    assert (stop - start).max() < 2501  # the last scale is a peaked law: most of a row is never looked at


def test_unequal_priors_are_not_taken_for_mirrored_ones() -> None:
    space = PosteriorSpace([1, "1.0000001"], 300)
    line, dense = LineScan(space), Dense(space)
    rates = rates_of(ExponentialLocal(space, scale=1), dense)
    expected = -dense.log_pmf(rates).diagonal()
    assert np.abs(line.at(rates).log_normalisers - expected).max() < 1e-13
    assert np.abs(expected - expected[::-1]).max() > 1e-9


def test_the_scan_fits_the_space() -> None:
    assert isinstance(scanner(PosteriorSpace([1, 1], DENSE - 1)), Dense)
    assert isinstance(scanner(PosteriorSpace([1, 1], DENSE)), LineScan)
    assert isinstance(scanner(PosteriorSpace([1, 1, 1], 10)), Dense)


@pytest.mark.parametrize(
    ("k", "n", "expected"),
    [(2, LONGEST - 1, True), (2, LONGEST, False), (2, 10**15, False), (3, 75, True), (3, 77, False), (5000, 5, False)],
)
def test_what_can_be_scanned_is_decided_from_public_facts(k: int, n: int, expected: bool) -> None:
    assert scannable(PosteriorSpace([1] * k, n)) is expected


def test_a_long_scan_says_how_far_it_is() -> None:
    told: list[tuple[int, int]] = []
    space = PosteriorSpace([1, 1], 3500)
    line = LineScan(space, lambda done, total: told.append((done, total)))
    assert len(line.at(rates_of(ExponentialGlobal(space, scale=1), line)).log_normalisers) == len(line.rows)
    assert told[0] == (0, 1751)
    assert told[-1] == (1751, 1751)
    assert told == sorted(told)


def test_a_smooth_scale_with_the_extreme_far_from_the_ends_is_found() -> None:
    """Most extremes are at the ends; this one is not, so a scan of the ends alone would miss it."""
    space = PosteriorSpace([1, 1], 1000)
    mechanism = ExponentialSmooth(space, scale="1/2", gamma="0.0190318210294643")
    line = LineScan(space)
    found = line.worst(rates_of(mechanism, line))
    assert 100 < found.counts[0] < 900
    assert found.loss == pytest.approx(0.52810, abs=5e-6)
