"""Scans find the greatest loss that there is, and their floats stay well within the error they state."""

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet import (
    ExponentialLocal,
    ExponentialReciprocal,
    ExponentialSmooth,
    PosteriorSpace,
    audit,
)
from discreet.arithmetic.numbers import precision
from discreet.kernels.exponential import LONGEST
from discreet.mechanisms.exponential import Exponential
from discreet.posteriors.space import orbits
from discreet.privacy_loss import scan as module
from discreet.privacy_loss.scan import (
    MARGIN,
    DenseScan,
    Scan,
    margin,
    scannable,
    scanner,
    sweepable,
)
from tests.oracles import loss
from tests.oracles.precision import mp
from tests.privacy_loss.families import (
    KINDS,
    Kind,
    build,
    inverse_by_enumeration,
    log_pmf_by_enumeration,
    members,
    oracle_kernel,
)
from tests.support.enumeration import Floats, enumerate_space, random_spaces, seeded

LINES = [("1", "1"), ("0.3", "7"), ("0.001", "0.001"), ("60", "2")]


def delta(scan: DenseScan | Scan, rates: Floats, epsilon: float) -> float:
    """The greatest δ of any pair, in floats."""
    return max((pair.delta for pair in scan.deltas(rates, epsilon, MARGIN)), default=0.0)


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
    scan = DenseScan(space)
    rates = build(kind, space, g, scale=s).rates(scan.rows)
    worst, scanned = loss.exact_loss(kernel), scan.worst(rates)
    loss_there = mp.log(kernel[scanned.counts][scanned.output] / kernel[scanned.neighbour][scanned.output])
    for reached in (scanned.loss, float(loss_there)):
        assert reached == pytest.approx(float(worst.epsilon), abs=MARGIN / 10)
    for share in (0.0, 0.3, 0.9):
        epsilon = share * float(worst.epsilon)
        assert delta(scan, rates, epsilon) == pytest.approx(float(loss.exact_delta(kernel, epsilon)), abs=1e-13)


@pytest.mark.few(1)
@pytest.mark.parametrize("batch", range(4))
def test_the_dense_scan_is_plain_enumeration_on_random_small_spaces(batch: int) -> None:
    rng = seeded(f"scans {batch}")
    for alpha, n in random_spaces(f"scans {batch}", 10, sizes={2: 40, 3: 8, 4: 4}):
        space, every = PosteriorSpace(alpha, n), enumerate_space(alpha, n)
        gamma, scale = 10 ** rng.uniform(-2, 1), Fraction(str(round(10 ** rng.uniform(-1, 1), 4)))
        scan = DenseScan(space)
        for kind in KINDS:
            rates = build(kind, space, gamma, scale=scale).rates(scan.rows)
            log_pmf = log_pmf_by_enumeration(every, float(scale) * inverse_by_enumeration(kind, every, gamma))
            assert np.abs(scan.log_pmf(rates) - log_pmf).max() < MARGIN / 10
            expected = (log_pmf[every.one] - log_pmf[every.other]).max()
            assert scan.worst(rates).loss == pytest.approx(expected, abs=MARGIN / 10)
            one, other = np.exp(log_pmf[every.one]), np.exp(log_pmf[every.other])
            plain = np.maximum(one - math.exp(expected / 3) * other, 0).sum(axis=1).max()
            assert delta(scan, rates, expected / 3) == pytest.approx(plain, abs=1e-12)


@pytest.mark.few(1)
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
def test_the_scan_of_a_line_is_the_dense_one(
    kind: Kind, alpha: tuple[str, str], n: int, scale: str, gamma: str
) -> None:
    space = PosteriorSpace(alpha, n)
    line, dense = Scan(space), DenseScan(space)
    rates = build(kind, space, gamma, scale=scale).rates(dense.rows)
    log_pmf = dense.log_pmf(rates)
    assert np.abs(line.at(rates).log_normalisers + log_pmf.diagonal()).max() < MARGIN / 100
    worst, expected = line.worst(rates), dense.worst(rates).loss
    # A mirrored space has its extreme twice; either place will do.
    one, other, at = (place[0] for place in (worst.counts, worst.neighbour, worst.output))
    for reached in (worst.loss, log_pmf[one, at] - log_pmf[other, at]):
        assert reached == pytest.approx(expected, abs=MARGIN / 100)
    for share in (0.0, 0.5, 0.97):
        exact = delta(dense, rates, share * expected)
        assert delta(line, rates, share * expected) == pytest.approx(exact, rel=1e-9, abs=1e-13)


def test_the_delta_of_a_line_is_the_dense_one_where_weights_underflow() -> None:
    space = PosteriorSpace([1, 1], 200)
    line, dense = Scan(space), DenseScan(space)
    rates = ExponentialLocal(space, scale=2000).rates(dense.rows)
    assert delta(line, rates, 300.0) == pytest.approx(delta(dense, rates, 300.0), rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("alpha", LINES, ids=",".join)
def test_no_pair_that_a_scan_may_skip_has_a_greater_loss_than_its_bound(kind: Kind, alpha: tuple[str, str]) -> None:
    space = PosteriorSpace(alpha, 250)
    line, dense = Scan(space), DenseScan(space)
    for scale in ("1/10", "1", "6"):
        rates = build(kind, space, "1/4", scale=scale).rates(dense.rows)
        losses = np.abs(np.diff(dense.log_pmf(rates), axis=0)).max(axis=1)
        bounds = line.bounds(line.at(rates))
        assert (bounds >= losses).all()
        assert (bounds <= 2.5 * losses).all()


def test_the_deltas_of_a_line_are_the_dense_ones_pair_by_pair_with_their_errors() -> None:
    space = PosteriorSpace(["0.3", "7"], 40)
    line, dense = Scan(space), DenseScan(space)
    rates = ExponentialLocal(space, scale=1).rates(dense.rows)
    found, expected = (
        {(pair.one, pair.other): (pair.delta, pair.error) for pair in scan.deltas(rates, 0.1, MARGIN)}
        for scan in (line, dense)
    )
    assert len(found) > 40
    for pair, values in found.items():
        assert values == pytest.approx(expected[pair], rel=1e-6, abs=1e-15)
    assert max(value for value, _ in found.values()) == pytest.approx(max(value for value, _ in expected.values()))


def off(mechanism: Exponential, logs: Floats, rank: int, outputs: list[int]) -> float:
    """How far float log-probabilities of a data set are from its law's."""
    unrank = mechanism.space.candidates().unrank
    law = mechanism.law(unrank(rank))
    with precision(96):
        total = law.log_total()
        return max(abs(float(law.log_weight(unrank(r)) - total - float(logs[r]))) for r in outputs)


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
    scan = DenseScan(space)
    for scale in ("1/2", "8"):
        mechanism = build(kind, space, "1", scale=scale)
        log_pmf = scan.log_pmf(mechanism.rates(scan.rows))
        for c in (0, rng.randrange(space.size), rng.randrange(space.size)):
            outputs = [c, 0, space.size - 1, *(rng.randrange(space.size) for _ in range(8))]
            assert off(mechanism, log_pmf[c], c, outputs) < MARGIN / 10


@pytest.mark.soak
@pytest.mark.parametrize("kind", [ExponentialLocal, ExponentialReciprocal])
def test_floats_stay_within_a_tenth_of_the_stated_error_for_fifty_thousand_records(kind: Kind) -> None:
    n = 50_000
    space, rng = PosteriorSpace([1, 1], n), seeded("fifty thousand")
    mechanism, line = build(kind, space, 1, scale="1/2"), Scan(space)
    rates = mechanism.rates(line.rows)
    start, stop = line.at(rates).windows
    for c in (2, 20_000, n):
        distance = line.grid.distances_between(c, int(start[c]), int(stop[c]))
        logs = -rates[c] * line.grid.distances(c) - math.log(np.exp(-rates[c] * distance).sum())
        outputs = [0, n, min(c + 1, n), *(rng.randrange(n + 1) for _ in range(20))]
        assert off(mechanism, logs, c, outputs) < MARGIN / 10


@pytest.mark.parametrize(("alpha", "scale"), [("1", "100000"), ("1e12", "1/2")])
def test_the_stated_error_holds_for_every_scale_and_prior_that_a_mechanism_takes(alpha: str, scale: str) -> None:
    space = PosteriorSpace([alpha, alpha], 300)
    mechanism, scan = ExponentialLocal(space, scale=scale), DenseScan(space)
    rates = mechanism.rates(scan.rows)
    log_pmf = scan.log_pmf(rates)
    for c in (1, 75, 150):
        assert off(mechanism, log_pmf[c], c, list(range(0, 301, 20))) < margin(float(rates.max()))
    assert [margin(largest) / MARGIN for largest in (1, 1000, 5000)] == pytest.approx([1, 1, 5])


def test_a_window_leaves_out_nothing_that_matters() -> None:
    space = PosteriorSpace([1, "0.4"], 2500)
    line = Scan(space)
    for scale in (0.01, 0.5, 30.0):
        rates = scale * ExponentialLocal(space, scale=1).inverse_sensitivities(line.rows)
        start, stop = line.at(rates).windows
        for c in (0, 1, 40, 1250, 2499, 2500):
            assert start[c] <= c < stop[c]
            weights = np.exp(-rates[c] * line.grid.distances(c))
            assert weights[: start[c]].sum() + weights[stop[c] :].sum() <= math.exp(-41.9)
    assert (stop - start).max() < 2501  # the last scale is a peaked law: most of a row is never looked at


def test_unequal_priors_are_not_taken_for_mirrored_ones() -> None:
    space = PosteriorSpace([1, "1.0000001"], 300)
    line, dense = Scan(space), DenseScan(space)
    rates = ExponentialLocal(space, scale=1).rates(dense.rows)
    expected = -dense.log_pmf(rates).diagonal()
    assert np.abs(line.at(rates).log_normalisers - expected).max() < 1e-13
    assert np.abs(expected - expected[::-1]).max() > 1e-9


def test_the_scan_fits_the_space() -> None:
    spaces = ([1, 1], 2999), ([1, 1], 3000), ([1, 1, 1], 10)  # up to 3000 data sets
    kinds = [type(scanner(PosteriorSpace(*space))) for space in spaces]
    assert kinds == [DenseScan, Scan, DenseScan]


@pytest.mark.every
@pytest.mark.parametrize(
    ("k", "n", "expected"),
    [(2, LONGEST - 1, True), (2, LONGEST, False), (2, 10**15, False), (3, 75, True), (3, 77, False), (5000, 5, False)],
)
def test_what_can_be_scanned_is_decided_from_public_facts(k: int, n: int, expected: bool) -> None:
    assert scannable(PosteriorSpace([1] * k, n)) is expected


def test_a_smooth_scale_with_the_extreme_far_from_the_ends_is_found() -> None:
    """Most extremes are at the ends; this one is not, so a scan of the ends alone would miss it."""
    line = Scan(PosteriorSpace([1, 1], 1000))
    worst = line.worst(ExponentialSmooth(line.space, scale="1/2", gamma="0.0190318210294643").rates(line.rows))
    assert 100 < worst.counts[0] < 900
    assert worst.loss == pytest.approx(0.52810, abs=5e-6)


# Three categories and more: one data set of each orbit.


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("prior", "n"),
    [(["1", "1", "1"], 20), (["0.3", "0.3", "5"], 18), (["0.01", "2", "50"], 16), (["1", "1", "2", "2"], 8)],
)
def test_the_scan_of_orbits_finds_the_greatest_loss_of_all(prior: list[str], n: int) -> None:
    space = PosteriorSpace(prior, n)
    dense, sweep = DenseScan(space), Scan(space)
    for mechanism in members(space):
        rates = mechanism.rates(sweep.rows)
        worst = sweep.worst(rates)
        assert worst.bound == -math.inf
        assert worst.loss == pytest.approx(dense.worst(rates).loss, abs=MARGIN), mechanism


def test_what_is_not_scanned_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    space = PosteriorSpace([1, 1, 1], 40)
    dense = DenseScan(space)
    assert Scan(space).budget == (1 << 28) // (2 * 861)
    monkeypatch.setattr(module, "MAX_PAIR_CELLS", 1)
    sweep, cut = Scan(space), 0
    assert sweep.budget == 64
    for mechanism in members(space):
        rates = mechanism.rates(sweep.rows)
        worst, truth = sweep.worst(rates), dense.worst(rates).loss
        assert worst.loss - MARGIN <= truth <= max(worst.loss, worst.bound) + MARGIN
        cut += worst.bound > worst.loss
    assert cut


def test_a_hundred_records_in_three_categories_are_audited_far_below_the_theorem() -> None:
    result = audit(ExponentialReciprocal.as_published(PosteriorSpace([1, 1, 1], 100), epsilon=1))
    assert float(result.epsilon) == pytest.approx(0.845887, abs=1e-6)
    assert result.certificate.method == "enumeration"
    assert result.mechanism.guarantee == 2
    assert result.private


def test_a_scale_that_is_too_large_is_rejected() -> None:
    space = PosteriorSpace([1, 1, 1], 80)
    result = audit(ExponentialLocal(space, scale=2).certified(Fraction(1), Fraction(1), "somebody said so"))
    assert not result.holds
    assert not result.private


def test_orbits_are_those_of_equal_priors() -> None:
    assert len(set(orbits(PosteriorSpace([1, 1, 1], 6)).tolist())) == 7  # partitions of 6 into at most 3 parts
    assert len(set(orbits(PosteriorSpace([1, 2, 3], 6)).tolist())) == 28
    assert [sweepable(PosteriorSpace(prior, 300)) for prior in ([1, 1, 1], [1, 2, 3], [1, 1])] == [True, False, False]


def test_a_sweep_takes_2_to_the_29_distances_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [sweepable(PosteriorSpace([1, 1, 1], n)) for n in (334, 335)] == [True, False]
    for most, fits in ((5 * 21, True), (5 * 21 - 1, False)):  # five records in three categories: orbits, and data sets
        monkeypatch.setattr(module, "MAX_SWEEP_CELLS", most)
        assert sweepable(PosteriorSpace([1, 1, 1], 5)) is fits
