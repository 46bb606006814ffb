"""The oracles agree with themselves, by a second way each, and with the numbers printed in the mathematics."""

from fractions import Fraction
from math import comb

import pytest

from . import accuracy, distances, geometric, loss, mechanisms, optimal, postprocessing, sensitivity, spaces
from .precision import Real, exact, mp, real

PRIORS = [(1, 1), ("0.5", 3), (7, 4), ("0.01", "0.01"), (1, 1, 1), (7, 4, 5), ("0.1", 2, 5), (1, 2, 3, 4)]


def close(x: Real, y: Real, digits: int = 30) -> bool:
    return bool(abs(x - y) <= mp.mpf(10) ** -digits * max(1, abs(x), abs(y)))


# The space


@pytest.mark.parametrize(("k", "n"), [(2, 1), (2, 9), (3, 10), (4, 5), (5, 3)])
def test_candidates_are_all_there_once_and_in_lexicographic_order(k: int, n: int) -> None:
    rows = spaces.candidates(k, n)
    assert rows == sorted(set(rows))
    assert len(rows) == comb(n + k - 1, k - 1)
    assert all(len(r) == k and sum(r) == n and min(r) >= 0 for r in rows)


@pytest.mark.parametrize(("k", "n"), [(2, 5), (3, 4), (4, 3)])
def test_moving_one_record_is_replacing_it_and_half_the_l1_distance_counts_the_moves(k: int, n: int) -> None:
    every = spaces.candidates(k, n)
    for c in every:
        assert spaces.neighbours(c) == spaces.neighbours_by_replacement(c)
        assert all(spaces.hamming(c, other) == spaces.hamming_by_orderings(c, other) for other in every)


@pytest.mark.parametrize("alpha", PRIORS)
def test_the_prior_predictive_sums_to_exactly_one(alpha: tuple[int | str, ...]) -> None:
    assert sum(spaces.prior_predictive_exact(alpha, c) for c in spaces.candidates(len(alpha), 6)) == 1


def test_the_prior_predictive_of_ones_is_uniform_and_agrees_with_its_beta_functions() -> None:
    assert {spaces.prior_predictive_exact((1, 1, 1), c) for c in spaces.candidates(3, 6)} == {Fraction(1, 28)}
    alpha, c = [exact(a) for a in ("0.1", 2, 5)], (3, 1, 2)
    arrangements = 60
    by_beta = arrangements * mp.exp(distances.log_beta(spaces.posterior(alpha, c)) - distances.log_beta(alpha))
    assert close(real(spaces.prior_predictive_exact(alpha, c)), by_beta)


# Distances

BETAS = [((1, 1), (2, 1)), ((40, 20), (39, 21)), ((10, 20), (3, 5)), (("0.5", 2), (3, "0.7")), ((300, 5), (290, 15))]


INTEGRANDS = {
    "hellinger": (lambda p, q: (mp.sqrt(p) - mp.sqrt(q)) ** 2 / 2, mp.sqrt),
    "kl": (lambda p, q: p * mp.log(p / q), mp.mpf),
    "total_variation": (lambda p, q: abs(p - q) / 2, mp.mpf),
}


@pytest.mark.few(1)
@pytest.mark.parametrize(("a", "b"), BETAS)
def test_closed_forms_agree_with_integration(a: distances.Parameters, b: distances.Parameters) -> None:
    for name, (integrand, of) in INTEGRANDS.items():
        assert close(getattr(distances, name)(a, b), of(distances.integral(integrand, a, b)), 10)


def test_chi_squared_agrees_with_integration_and_is_infinite_where_that_diverges() -> None:
    integrated = distances.integral(lambda p, q: (p - q) ** 2 / q, (10, 20), (3, 5))
    assert close(distances.chi_squared((10, 20), (3, 5)), integrated, 10)
    assert distances.chi_squared((1, 3), (2, 2)) == mp.inf  # 2·1 - 2 = 0
    assert distances.chi_squared(("1.01", 3), (2, 2)) < mp.inf
    assert close(distances.chi_squared((5, 5), (5, 5)), mp.zero)


def test_renyi_meets_its_neighbours_at_the_orders_where_they_are_known() -> None:
    a, b = (4, 2, 3), (3, 3, 3)
    assert close(distances.renyi(a, b, "0.5"), -2 * distances.log_bhattacharyya(a, b))
    assert close(distances.renyi(a, b, "1.000000000001"), distances.kl(a, b), 11)
    assert distances.renyi(a, b, 1) == distances.kl(a, b)
    assert distances.renyi((1, 2), (2, 1), 2) == mp.inf


@pytest.mark.few(1)
@pytest.mark.parametrize("alpha", PRIORS)
def test_hellinger_factorises_over_the_categories_as_section_1_says(alpha: tuple[int | str, ...]) -> None:
    every = spaces.candidates(len(alpha), 4)
    for c in every:
        for r in every:
            logarithm = mp.fsum(
                mp.loggamma(a + mp.mpf(x + y) / 2) - mp.loggamma(a + x) / 2 - mp.loggamma(a + y) / 2
                for a, x, y in zip(map(real, alpha), c, r, strict=True)
            )
            assert close(sensitivity.between(alpha, c, r) ** 2, -mp.expm1(logarithm))


# Sensitivity


@pytest.mark.parametrize("alpha", PRIORS)
def test_the_largest_change_of_distance_is_the_distance_of_the_neighbour(alpha: tuple[int | str, ...]) -> None:
    n = 7 if len(alpha) == 2 else 4
    definition, reduced = sensitivity.locals_by_definition(alpha, n), sensitivity.locals_everywhere(alpha, n)
    assert definition.keys() == reduced.keys()
    assert all(close(definition[c], reduced[c]) for c in definition)


@pytest.mark.parametrize("alpha", PRIORS)
def test_smooth_sensitivities_lie_between_local_and_global_and_change_slowly(alpha: tuple[int | str, ...]) -> None:
    locals_ = sensitivity.locals_everywhere(alpha, 5)
    top, gamma, rounding = sensitivity.greatest(locals_), mp.mpf("0.3"), 1 + mp.mpf(10) ** -40
    smooth = sensitivity.smooth_everywhere(locals_, gamma)
    reciprocal = sensitivity.reciprocal_everywhere(locals_, gamma)
    for c, value in locals_.items():
        for smoothed in (smooth[c], reciprocal[c]):
            assert value <= smoothed * rounding <= top * rounding**2
        assert all(smooth[c] <= mp.exp(gamma) * smooth[other] * rounding for other in spaces.neighbours(c))
    assert sensitivity.step_of_reciprocals(reciprocal) <= gamma * rounding


# Laws and their loss


@pytest.mark.parametrize("alpha", PRIORS)
@pytest.mark.parametrize("gamma", ["0.1", "1"])
def test_no_exponential_mechanism_loses_more_than_its_theorem_allows(alpha: tuple[int | str, ...], gamma: str) -> None:
    n, scale = 4 if len(alpha) < 4 else 3, mp.mpf("0.5")
    locals_ = sensitivity.locals_everywhere(alpha, n)
    for table in (
        dict.fromkeys(locals_, sensitivity.greatest(locals_)),
        locals_,
        sensitivity.smooth_everywhere(locals_, gamma),
        sensitivity.reciprocal_everywhere(locals_, gamma),
    ):
        kernel = mechanisms.exponential_kernel(alpha, scale, table)
        assert all(close(mp.fsum(row.values()), mp.one) for row in kernel.values())
        worst = loss.exact_loss(kernel)
        assert worst.epsilon <= 2 * scale * (1 + sensitivity.step_of_reciprocals(table))
        assert loss.exact_delta(kernel, worst.epsilon) < mp.mpf(10) ** -40
        assert loss.exact_delta(kernel, worst.epsilon * mp.mpf("0.99")) > 0
        assert worst.epsilon == mp.log(kernel[worst.counts][worst.output] / kernel[worst.neighbour][worst.output])


@pytest.mark.parametrize("rounding", ["nearest", "floor"])
@pytest.mark.parametrize("c", [(3, 4), (0, 5), (2, 0, 3), (1, 1, 1, 2)])
def test_laplace_rows_sum_to_one_and_stay_in_the_space(c: spaces.Counts, rounding: mechanisms.Rounding) -> None:
    row = mechanisms.laplace(c, mp.mpf(2), rounding)
    assert set(row) == set(spaces.candidates(len(c), sum(c)))
    assert close(mp.fsum(row.values()), mp.one)


def test_laplace_intervals_agree_with_integration() -> None:
    for low, high in ((-2, -1), (-1, 2), (0, 1), (3, 5)):
        direct = mechanisms.laplace_interval(mp.mpf(low), mp.mpf(high), mp.mpf(3))
        cuts = sorted({low, high, min(max(low, 0), high)})
        assert close(direct, mp.quad(lambda y: mp.exp(-abs(y) / 3) / 6, cuts))
    assert close(mechanisms.laplace_interval(-mp.inf, mp.inf, mp.mpf(3)), mp.one)


@pytest.mark.few(1)
@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("rounding", ["nearest", "floor"])
def test_improved_laplace_loses_epsilon_and_the_baseline_half_of_it_or_two_kths(
    k: int, rounding: mechanisms.Rounding
) -> None:
    half = mp.mpf(1) / 2 if k == 2 else mp.mpf(2) / k

    def lost(scale: Real) -> Real:
        return loss.exact_loss(mechanisms.kernel(k, 4, lambda c: mechanisms.laplace(c, scale, rounding))).epsilon

    assert close(lost(mechanisms.laplace_scale(k, 1)), half)
    assert close(lost(mechanisms.improved_scale(k, 1)), mp.one)


# Geometric


@pytest.mark.parametrize(("k", "radius"), [(2, 60), (3, 20), (4, 8)])
def test_two_ways_to_normalise_the_geometric_agree(k: int, radius: int) -> None:
    within = geometric.normaliser(k, 1) * (1 - geometric.tail(k, 1, radius))
    assert close(within, geometric.normaliser_by_summation(k, 1, radius))


def test_the_geometric_is_the_two_sided_geometric_for_two_categories() -> None:
    x = mp.exp(-mp.mpf("0.3"))
    for z in ((-4, 11), (3, 4), (9, -2)):
        assert close(geometric.probability((3, 4), z, "0.3"), (1 - x) / (1 + x) * x ** abs(z[0] - 3))


def test_the_projection_leaves_every_other_point_of_the_simplex_at_an_obtuse_angle() -> None:
    for z in geometric.noises(3, 5):
        noisy = (z[0] + 2, z[1] + 1, z[2])
        x = geometric.project(noisy, 3)
        for r in spaces.candidates(3, 3):  # the corners would do
            assert sum((a - b) * (s - b) for a, b, s in zip(noisy, x, r, strict=True)) <= 0


def test_nearest_clamps_for_two_categories_and_keeps_what_is_already_a_candidate() -> None:
    for z in range(-5, 12):
        clamped = max(0, min(6, z))
        assert geometric.nearest((z, 6 - z)) == (clamped, 6 - clamped)
    assert all(geometric.nearest(r) == r for r in spaces.candidates(4, 4))


def test_ties_of_remainders_go_to_the_lower_index() -> None:
    assert geometric.round_by_largest_remainder([Fraction(1, 2), Fraction(1, 2), Fraction(1)]) == (1, 0, 1)
    assert geometric.nearest((-1, 2, 2)) == (0, 2, 1)
    assert geometric.nearest((2, 2, -1)) == (2, 1, 0)


def test_nearest_never_loses_more_than_epsilon_and_sums_to_one_but_for_its_tail() -> None:
    rows = {c: geometric.after_nearest(c, 1, 12) for c in spaces.candidates(3, 3)}
    for row, outside in rows.values():
        assert close(mp.fsum(row.values()) + outside, mp.one)
    kernel = {c: row for c, (row, _) in rows.items()}
    assert loss.exact_loss(kernel).epsilon < mp.mpf("1.001")


def test_a_belief_depends_on_the_clamped_noisy_counts_alone() -> None:
    first = postprocessing.belief_from_noisy((1, 2, 3), (7, -2, 0), 1)
    second = postprocessing.belief_from_noisy((1, 2, 3), (9, -1, -3), 1)
    assert postprocessing.clamp((7, -2, 0)) == postprocessing.clamp((9, -1, -3)) == (5, 0, 0)
    assert all(close(first[c], second[c]) for c in first)


def test_free_is_never_worse_than_bayes_and_ends_in_the_cusp_when_that_is_best() -> None:
    for alpha, z, epsilon, in_cusp in (((1, 1), (10, 10), 3, True), ((1, 1, 1), (3, 1, 0), "0.2", False)):
        belief = postprocessing.belief_from_noisy(alpha, z, epsilon)
        candidate, least = postprocessing.bayes(alpha, belief)
        point, lesser = postprocessing.free(alpha, belief)
        assert lesser <= least
        assert close(postprocessing.expected_error(alpha, belief, point), lesser)
        assert (point == spaces.posterior(alpha, candidate)) is in_cusp


# Accuracy and the limit


def test_the_bounds_on_the_tail_hold_in_their_order() -> None:
    alpha, n, scale = (1, 1), 12, mp.mpf("0.5")
    table = sensitivity.reciprocal_everywhere(sensitivity.locals_everywhere(alpha, n), 1)
    for c, value in table.items():
        row = mechanisms.exponential(alpha, c, scale, value)
        for t in ("0.1", "0.3", "0.6"):
            bounds = accuracy.bounds(alpha, c, scale, table, t)
            assert accuracy.tail(alpha, c, row, t) <= bounds["normalised"] <= bounds["n-normalised"] <= bounds["loose"]
            assert bounds["n-normalised"] <= bounds["data-free"]
        median = accuracy.quantile(alpha, c, row, "0.5")
        assert accuracy.tail(alpha, c, row, median) >= mp.mpf("0.5") > accuracy.tail(alpha, c, row, median * 1.0000001)


def test_the_least_worst_error_is_at_least_the_least_mean_error() -> None:
    assert optimal.least_worst_error((1, 1), 12, 1) >= optimal.least_mean_error((1, 1), 12, 1)
