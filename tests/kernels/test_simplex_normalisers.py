"""Normalisers of three categories or more without a list of candidates: those of enumeration, within what is stated."""

import math

import numpy as np
import pytest
from scipy.special import gammaln

import discreet as dc
from discreet.arithmetic.arrays import Floats, Wholes
from discreet.kernels import HellingerKernel
from discreet.kernels.powers import Powers, powers
from discreet.kernels.simplex_normalisers import SimplexNormalisers, _ladder, _places
from discreet.mechanisms.exponential import Exponential

SPACES = [([1, 1, 1], 40), (["1/2", 30, 2], 60), ([1, 1, 1, 1], 14), ([1] * 8, 5)]
FAMILIES = ["exponential-global", "exponential-local", "exponential-smooth", "exponential-reciprocal"]


def family(name: str, prior: list[object], n: int, epsilon: str) -> Exponential:
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=prior, n=n), epsilon=epsilon)
    assert isinstance(mechanism, Exponential)
    return mechanism


@pytest.mark.few(1)
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize(("prior", "n"), SPACES, ids=str)
def test_normalisers_are_those_of_enumeration(name: str, prior: list[object], n: int) -> None:
    for epsilon in ("1/10", "30"):
        mechanism = family(name, prior, n, epsilon)
        every = mechanism.space.candidates().array()
        rows = every[np.linspace(0, len(every) - 1, 40).astype(int)]
        exact = exact_normalisers(mechanism, rows)
        totals = SimplexNormalisers(mechanism, rows)
        assert totals(rows) == pytest.approx(exact, abs=2e-5)
        assert totals.rounding < 1e-4
        some = rows[::8]
        assert SimplexNormalisers(mechanism, some, finer=True)(some) == pytest.approx(exact[::8], abs=5e-6)


def exact_normalisers(mechanism: Exponential, rows: Wholes) -> Floats:
    return np.array([float(HellingerKernel(mechanism).log_normaliser(row).values) for row in rows])


def log_sums(mechanism: Exponential, rows: Wholes, exponents: Floats) -> Floats:
    """ln Σ BC^m over all candidates: the coefficient of a product of polynomials, one for each category."""
    n, sums = mechanism.space.n, []
    for row in rows:
        product = np.eye(1, n + 1).repeat(len(exponents), axis=0)
        for alpha, c in zip(map(float, mechanism.space.prior.parameters), row, strict=True):
            before, product, r = product, np.zeros_like(product), np.arange(n + 1)
            loss = gammaln(alpha + c) + gammaln(alpha + r) - 2 * gammaln(alpha + (c + r) / 2)
            factor = np.exp(-0.5 * exponents[:, None] * loss)
            for count in r:
                product[:, count:] += factor[:, count, None] * before[:, : n + 1 - count]
        sums.append(np.log(product[:, n]))
    return np.array(sums)


def normalisers_by_products(mechanism: Exponential, rows: Wholes) -> Floats:
    every = powers(80.0 * mechanism.space.n, 400.0)
    none, logs, rest = every.log_weights(mechanism.rates(rows))
    ends = np.stack([none + math.log(mechanism.space.size), np.log(rest + 1e-300)], axis=1)
    terms = np.concatenate([logs + log_sums(mechanism, rows, every.exponents), ends], axis=1)
    total: Floats = np.logaddexp.reduce(terms, axis=1)
    return total


@pytest.mark.every
@pytest.mark.parametrize(
    ("prior", "n", "within"),
    [
        ([1, 1, 1], 32, 1.5e-7),
        (["1/2", 30, 2], 200, 1e-5),
        ([1] * 8, 300, 1e-5),
        ([1] * 12, 2, 2e-7),
        ([5] * 20, 6, 2e-7),
        ([5] * 20, 60, 1e-5),
    ],
    ids=str,
)
def test_powers_are_summed_as_by_products_of_polynomials(prior: list[object], n: int, within: float) -> None:
    k = len(prior)
    mechanism, rows = family("exponential-local", prior, n, "1"), np.zeros((3, k), dtype=np.int64)
    rows[0], rows[1, 0], rows[1, 1] = n // k, n - n // 6, n // 6
    rows[0, 0] += n - rows[0].sum()
    rows[2, k - 1], rows[2, 0] = n // 2, n - n // 2
    for finer in (False, True):
        totals = SimplexNormalisers(mechanism, rows, finer=finer)
        some = _places(len(totals._exponents), 20)
        sums, blur = totals._log_sums(rows)
        off = np.abs(sums[:, some] - log_sums(mechanism, rows, totals._exponents[some]))
        assert off.max() < (2e-7 if finer else within)
        assert 2.0**-24 < blur.min() < blur.max() < 2.0**-18
        assert (off < blur[:, some]).all() or not finer


@pytest.mark.every
@pytest.mark.parametrize(
    ("k", "alpha", "n", "epsilon"), [(12, 1, 2, "1"), (100, 1, 10, "30"), (6, 100, 20, "1"), (300, 1, 4, "3")]
)
def test_few_records_in_many_categories_keep_to_the_stated_error(k: int, alpha: int, n: int, epsilon: str) -> None:
    mechanism, rows = family("exponential-global", [alpha] * k, n, epsilon), np.zeros((2, k), dtype=np.int64)
    rows[0, : min(k, n)], rows[1, 0], rows[1, 1] = n // min(k, n), n // 2, n - n // 2
    rows[0, 0] += n - rows[0].sum()
    totals = SimplexNormalisers(mechanism, rows)
    off = np.abs(totals(rows) - normalisers_by_products(mechanism, rows))
    assert off.max() < min(1e-6, totals.error)
    sums, blur = totals._log_sums(rows)
    some = _places(len(totals._exponents), 30)
    assert (np.abs(sums[:, some] - log_sums(mechanism, rows, totals._exponents[some])) < blur[:, some]).all()
    assert totals.error < 1e-4
    assert SimplexNormalisers(mechanism, rows, finer=True).cost > totals.cost


@pytest.mark.parametrize("order", [1, -1])
def test_the_error_is_twice_what_a_finer_one_sees_at_the_worst_row(order: int) -> None:
    mechanism = family("exponential-local", [1, 1, 1], 120, "10")
    rows = np.array([[14, 37, 69], [120, 0, 0]])[::order]
    exact, totals = exact_normalisers(mechanism, rows), SimplexNormalisers(mechanism, rows)
    gaps = np.abs(totals(rows) - exact)
    assert gaps.min() < gaps.max() / 10
    assert totals.error - totals.rounding == pytest.approx(2 * gaps.max(), rel=0.05)
    assert gaps.max() < 2e-6
    finer = SimplexNormalisers(mechanism, rows, finer=True)
    assert finer(rows) == pytest.approx(exact, abs=5e-8)
    assert len(finer._all.exponents) > len(totals._all.exponents)


@pytest.mark.parametrize("epsilon", ["1/100", "1", "100"])
def test_exponents_that_are_left_out_do_not_matter(epsilon: str, monkeypatch: pytest.MonkeyPatch) -> None:
    n = 10**6
    mechanism, rows = family("exponential-local", [1, 1, 1], n, epsilon), np.array([[n // 3] * 3, [n - 2, 1, 1]])
    rows[0, 0] += 1
    some = SimplexNormalisers(mechanism, rows, finer=True)
    monkeypatch.setattr("discreet.kernels.simplex_normalisers._LOST", np.inf)
    every = SimplexNormalisers(mechanism, rows, finer=True)
    assert some(rows) == pytest.approx(every(rows), abs=1e-9)
    assert some.cost < every.cost


@pytest.mark.parametrize("epsilon", ["1/100", "1/10", "1"])
def test_an_exponent_is_kept_just_if_its_term_could_be_above_the_25th_power_of_1_over_e(
    epsilon: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = 10**6
    mechanism, rows = family("exponential-global", [1, 1, 1], n, epsilon), np.array([[n // 4, n // 4, n // 2]])
    kept = SimplexNormalisers(mechanism, rows, finer=True)._relevant
    monkeypatch.setattr("discreet.kernels.simplex_normalisers._LOST", np.inf)
    every = SimplexNormalisers(mechanism, rows, finer=True)
    none, logs, rest = every._all.log_weights(mechanism.rates(rows))
    top = max(logs.max(), none[0] + math.log(mechanism.space.size), math.log(rest[0]))
    sums, m, wide = every._log_sums(rows)[0][0], every._all.exponents[:, None], 8 * math.pi * (rows + 1)
    normal = 0.5 * (np.log1p(wide / m).sum(axis=1) - np.log1p(wide.sum() / m[:, 0]))
    assert np.abs(sums - normal)[m[:, 0] < 1000].max() < 1e-3
    terms = logs[0] + sums - top
    assert terms[kept].min() > -25 > terms[~kept].max()


def test_what_matters_to_some_rows_is_what_matters_to_any_of_them() -> None:
    mechanism, rows = family("exponential-local", [1, 1, 1], 10**6, "1/10"), np.array([[333_333] * 3, [999_999, 0, 0]])
    rates = np.array([50.0, 5000.0])
    totals = SimplexNormalisers(mechanism, rows, finer=True)
    first, second = (totals._matter(rows[i : i + 1], rates[i : i + 1]) for i in range(2))
    assert (totals._matter(rows, rates) == first | second).all()
    assert (first & ~second).any()


@pytest.mark.parametrize(("count", "exponents"), [(3333, [4.0, 16.0]), (3, [400.0, 410.0])])
def test_sums_of_one_category_are_those_of_all_its_moves(count: int, exponents: list[float]) -> None:
    totals = SimplexNormalisers(family("exponential-global", [1, 1, 1], 12, "1"), np.array([[4, 4, 4]]))
    totals._exponents, totals._tilts, totals._ladder = np.array(exponents), np.zeros(2), np.array([count])
    totals._tabulate(np.sqrt(4 * (count + 1) / totals._exponents))
    r = np.arange(4 * count + 20.0)
    loss = 0.5 * (gammaln(1 + count) + gammaln(1 + r)) - gammaln(1 + (count + r) / 2)
    turns = np.exp(1j * totals._angles[:, :8, None] * (r - count))
    sums = (np.exp(-totals._exponents[:, None, None] * loss) * turns).sum(axis=2)
    height, ratios = totals._table(1.0)
    assert height[0] == pytest.approx(np.log(sums[:, 0].real), abs=1e-9)
    assert np.exp(ratios[0, :, :8]) == pytest.approx(sums / sums[:, :1], abs=1e-6)


@pytest.mark.parametrize("alpha", [0.25, 1.0, 30.0])
def test_counts_between_rungs_are_by_the_cubic_of_two_on_either_side(alpha: float) -> None:
    totals = SimplexNormalisers(family("exponential-global", [1, 1, 1], 50, "1"), np.array([[34, 8, 8]]))
    counts = np.array([8, 33, 38, 45, 49])
    at, pull = totals._between(counts, alpha)
    assert totals._ladder[at].tolist() == [7, 31, 32, 36, 36]  # the last four at the end
    nodes, x = (np.log(max(alpha, 0.5) + c) for c in (totals._ladder[at[:, None] + np.arange(4)], counts))
    for power in range(4):
        assert (pull * nodes**power).sum(axis=1) == pytest.approx(x**power, rel=1e-9)
    at, pull = totals._between(np.array([0, 32, 50]), alpha)
    assert totals._ladder[at].tolist() == [0, 32, 50]
    assert pull.tolist() == [[1], [1], [1]]


@pytest.mark.parametrize("scale", ["1e-9", "1e5"])
def test_a_normaliser_is_at_least_one_and_at_most_the_number_of_candidates(scale: str) -> None:
    space = dc.PosteriorSpace(prior=[1, 1, 1], n=6)
    rows = space.candidates().array()
    logs = SimplexNormalisers(dc.ExponentialGlobal(space, scale=scale), rows)(rows)
    assert logs.min() >= 0
    assert logs.max() <= np.log(28)
    row = np.array([[333_333_333, 333_333_333, 333_333_334]])
    steep = family("exponential-local", [1, 1, 1], 10**9, "10000")
    assert SimplexNormalisers(steep, row, finer=True)(row).tolist() == [0]


def test_a_sensitivity_costs_by_the_pairs_of_categories(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.kernels.simplex_normalisers._LOST", np.inf)  # the sums of both cost the same
    more = []
    for k in (3, 6):
        mechanisms = [family(name, [1] * k, 12, "10000") for name in FAMILIES[:2]]
        totals, local = (SimplexNormalisers(one, np.full((1, k), 12 // k), finer=True) for one in mechanisms)
        assert totals.cost == (45 * len(totals._exponents) + 600) * k
        more.append(local.cost - totals.cost)
    assert more == [900, 3600]


@pytest.mark.soak
@pytest.mark.parametrize("name", ["exponential-local", "exponential-reciprocal"])
def test_a_normaliser_hardly_depends_on_how_many_records_there_are(name: str) -> None:
    errors = []
    for n in (9 * 10**8, 9 * 10**11, 9 * 10**14):
        mechanism = family(name, [1, 1, 1], n, "1")
        rows = np.array([[n // 3] * 3, [n // 2, n // 4, n // 4]])
        errors.append(SimplexNormalisers(mechanism, rows)(rows))
    assert errors[1] == pytest.approx(errors[0], abs=1e-4)
    assert errors[2] == pytest.approx(errors[0], abs=1e-4)


def test_data_sets_like_those_that_tables_are_made_for_keep_to_the_stated_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mechanism = family("exponential-reciprocal", [1, 1, 1], 90, "1")
    every = mechanism.space.candidates().array()
    totals = SimplexNormalisers(mechanism, every[::400])
    others = every[7::420]
    assert np.abs(totals(others) - exact_normalisers(mechanism, others)).max() <= totals.error < 2e-6
    assert 2.0**-23 < totals.rounding < 2.0**-21  # no float of 24 bits promises more
    whole = totals(others)
    monkeypatch.setattr("discreet.kernels.simplex_normalisers._ROWS", 2)
    monkeypatch.setattr("discreet.kernels.simplex_normalisers._CELLS", 200)
    assert totals(others) == pytest.approx(whole, abs=1e-12)


def test_rungs_are_all_small_counts_and_then_steps_of_an_eighth() -> None:
    assert _ladder(9).tolist() == list(range(10))
    assert _ladder(50).tolist() == [*range(33), 36, 40, 46, 50]
    far = _ladder(10**15)
    assert far[-1] == 10**15
    assert np.diff(far[60:-1]) / far[60:-2] == pytest.approx(0.125, abs=0.001)


@pytest.mark.parametrize(
    ("count", "most", "places"), [(1, 12, [0]), (3, 12, [0, 1, 2]), (10, 4, [0, 3, 6, 9]), (8, 3, [0, 4, 7])]
)
def test_some_places_are_from_the_first_to_the_last(count: int, most: int, places: list[int]) -> None:
    assert _places(count, most).tolist() == places


def test_a_rest_of_nothing_counts_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, rows = family("exponential-global", [1, 1, 1], 12, "1"), np.array([[5, 4, 3], [0, 0, 12]])
    whole, right = SimplexNormalisers(mechanism, rows), Powers.log_weights
    rest = right(whole._all, mechanism.rates(rows))[2]
    expected = np.log(np.exp(whole(rows)) - rest)
    monkeypatch.setattr(Powers, "log_weights", lambda self, a: (*right(self, a)[:2], np.zeros(len(a))))
    assert SimplexNormalisers(mechanism, rows)(rows) == pytest.approx(expected, abs=1e-9)
