"""The geometric mechanism: an exact law on noisy counts, and what post-processing makes of it."""

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet import Dirichlet, InvalidInput, PosteriorSpace, TooLarge
from discreet.arithmetic.numbers import precision
from discreet.mechanisms import Geometric
from discreet.mechanisms.geometric import TAIL, _require_noise, noise_vectors
from discreet.mechanisms.noisy_counts import zero_sum_moves
from discreet.mechanisms.postprocessing import WEIGHTINGS, Postprocess
from discreet.testing import HashedBits
from tests.oracles import geometric as oracle
from tests.oracles.precision import mp
from tests.support.statistics import Outcome, assert_drawn_from, fits, pmf, tally

CASES = [((2, 3), "1"), ((0, 7), "0.3"), ((4, 0, 1), "1"), ((1, 2, 1), "2.5"), ((1, 0, 2, 0), "2")]


@pytest.mark.parametrize(("c", "epsilon"), CASES)
def test_the_law_on_noisy_counts_meets_the_oracle(c: tuple[int, ...], epsilon: str) -> None:
    law = Geometric(PosteriorSpace([1] * len(c), sum(c)), epsilon=epsilon).law(c)
    with precision(128):
        for z in oracle.law(c, epsilon, 4):
            found = law.log_probability(z)
            assert float(found) == pytest.approx(float(mp.log(oracle.probability(c, z, epsilon))), rel=1e-14)
            assert found.rel_accuracy_bits() > 100


def test_the_law_does_not_depend_on_the_prior() -> None:
    for prior in ([1, 1, 1], ["0.01", 5, 1000]):
        law = Geometric(PosteriorSpace(prior, 6), epsilon=1).law([3, 2, 1])
        with precision(64):
            assert float(law.log_weight((-1, 4, 3))) == -4.0


def test_weights_are_exact_whatever_the_distance() -> None:
    law = Geometric(PosteriorSpace([1, 1], 10), epsilon="1/3").law([3, 7])
    with precision(64):
        assert (law.log_weight((3 + 10**9, 7 - 10**9)) * 3).contains(-(10**9))


@pytest.mark.few(1)
@pytest.mark.parametrize(("c", "epsilon", "radius"), [((2, 3), "1", 60), ((0, 7), "0.3", 150), ((4, 0, 1), "1", 40)])
def test_the_pmf_on_candidates_after_nearest_meets_the_oracle(c: tuple[int, ...], epsilon: str, radius: int) -> None:
    mechanism = Geometric(PosteriorSpace([1] * len(c), sum(c)), epsilon=epsilon)
    row, left_out = oracle.after_nearest(c, epsilon, radius)
    assert left_out < 1e-12
    for r, p in pmf(mechanism, c).items():
        assert p == pytest.approx(float(row[r]), abs=2 * TAIL + float(left_out))


@pytest.mark.parametrize(("n", "c"), [(9, 0), (9, 4), (9, 9), (40, 13)])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_two_categories_are_clamped_in_closed_form(n: int, c: int, epsilon: str) -> None:
    """Beyond an end the noisy counts come back to it: a geometric series on either side."""
    found = Geometric(PosteriorSpace([1, 1], n), epsilon=epsilon).log_pmf([c, n - c])
    q = mp.exp(-mp.mpf(epsilon))
    for r in range(n + 1):
        weight = q ** abs(r - c) * (1 if 0 < r < n else 1 / (1 - q))
        assert found[r] == pytest.approx(float(mp.log(weight * (1 - q) / (1 + q))), rel=1e-12)


@pytest.mark.parametrize(("k", "radius"), [(2, 5), (3, 4), (4, 3)])
def test_noise_vectors_are_all_there_once(k: int, radius: int) -> None:
    moves, norms = noise_vectors(k, radius)
    assert sorted(map(tuple, moves.tolist())) == sorted(oracle.noises(k, radius))
    assert norms.tolist() == np.abs(moves).sum(axis=1).tolist()
    assert len(zero_sum_moves(k, radius)) == (2 * radius + 1) ** (k - 1)


@pytest.mark.parametrize("epsilon", ["0.5", "1", "3"])
@pytest.mark.parametrize("k", [3, 4])
def test_the_noise_that_a_pmf_leaves_out_is_as_rare_as_stated(k: int, epsilon: str) -> None:
    radius = Geometric(PosteriorSpace([1] * k, 3), epsilon=epsilon).noise_radius(3)
    assert oracle.tail(k, epsilon, radius) <= TAIL

    def pairs(t: int) -> mp.mpf:  # of gains and losses: at least as many as there are noises
        return mp.mpf(math.comb(t + k - 1, k - 1)) ** 2 * mp.exp(-mp.mpf(epsilon) * t)

    beyond = [mp.fsum(map(pairs, range(near, near + 200))) for near in (radius - 1, radius)]
    assert beyond[1] <= TAIL * oracle.normaliser(k, epsilon) < 3 * beyond[0]


@pytest.mark.every
@pytest.mark.parametrize(("k", "epsilon"), [(3, "1/20"), (3, "1/10"), (4, "1/2"), (5, "2")])
def test_the_radius_is_the_first_whose_geometric_tail_is_rare_enough(k: int, epsilon: str) -> None:
    """Pairs of gains and losses fall at least as fast from T on as they do there."""
    x = mp.exp(-mp.mpf(Fraction(epsilon).numerator) / Fraction(epsilon).denominator)
    mechanism = Geometric(PosteriorSpace([1] * k, 3), epsilon=epsilon)
    with precision(128):
        total = mp.exp(mp.mpf(float(mechanism.noise.log_total())))

    def rare(t: int) -> bool:
        pairs = [mp.mpf(math.comb(s + k - 1, k - 1)) ** 2 * x**s for s in (t, t + 1)]
        return bool(pairs[1] < pairs[0] and pairs[0] / (1 - pairs[1] / pairs[0]) < TAIL * total)

    radius = mechanism.noise_radius(3)
    assert rare(radius)
    assert not rare(radius - 1)
    assert [mechanism.noise_radius(radius + more) for more in range(3)] == [radius, radius + 1, radius + 2]


def test_former_names_of_the_post_processing_lead_to_it() -> None:
    mechanism, noisy = Geometric(PosteriorSpace([1, 1, 1], 9), epsilon=1, postprocess="bayes"), np.array([[4, -2, 7]])
    assert mechanism.way == "bayes"
    assert mechanism.way_back(noisy).tolist() == mechanism.postprocess(noisy).tolist()


def pmf_of_noisy(c: tuple[int, ...], epsilon: Fraction, radius: int) -> dict[Outcome, float]:
    text = f"{epsilon.numerator}/{epsilon.denominator}"
    return {z: float(p) for z, p in oracle.law(c, text, radius).items()}


@pytest.mark.few(1)
@pytest.mark.parametrize(("c", "radius"), [((2, 3), 40), ((0, 700), 40), ((4, 0, 1), 20), ((1, 0, 2, 0), 9)])
def test_draws_have_the_law_and_reject_an_epsilon_that_is_30_percent_off(c: tuple[int, ...], radius: int) -> None:
    epsilon = Fraction(6, 5)
    law = Geometric(PosteriorSpace([1] * len(c), sum(c)), epsilon=epsilon).law(c)
    assert_drawn_from(law, *(pmf_of_noisy(c, epsilon * tenths / 10, radius) for tenths in (10, 13, 7)))


def test_released_candidates_have_the_pmf_after_post_processing() -> None:
    mechanism, c = Geometric(PosteriorSpace([1, 1, 1], 4), epsilon=1), [1, 3, 0]
    noisy = mechanism.law(c)._draw_many(HashedBits("way back"), 40_000)
    assert fits(tally(mechanism.postprocess(noisy).tolist()), pmf(mechanism, c))


def test_the_noisy_counts_are_the_output_and_the_posterior_is_post_processed() -> None:
    mechanism = Geometric(PosteriorSpace([1, 1, 1], 150), epsilon="0.1")
    for _ in range(20):
        released = mechanism.release([70, 50, 30])
        assert sum(released.output) == 150
        assert released.posterior == mechanism.posterior(released.output)
        assert released.posterior.total == 153
    assert mechanism.posterior((70, -2, 82)) == Dirichlet([70, 1, 82])


def test_free_post_processing_leaves_the_candidates_and_has_no_pmf_on_them() -> None:
    mechanism = Geometric(PosteriorSpace([1, 1], 8), epsilon=1, postprocess="free")
    with pytest.raises(InvalidInput):
        mechanism.log_pmf([3, 5])
    assert mechanism.release([3, 5]).posterior.k == 2


def test_a_pmf_that_would_sum_over_too_many_noises_is_refused() -> None:
    with pytest.raises(TooLarge):
        Geometric(PosteriorSpace([1] * 6, 4), epsilon="0.5").log_pmf([4, 0, 0, 0, 0, 0])


def test_as_many_noises_as_a_box_of_four_million_holds_are_summed_over() -> None:
    _require_noise(3, 1023)  # 2047² of them
    _require_noise(4, 80)  # 161³
    with pytest.raises(TooLarge, match="more than 4,194,304 noises"):
        _require_noise(3, 1024)


def test_the_normaliser_is_that_of_a_two_sided_geometric_for_two_categories() -> None:
    law = Geometric(PosteriorSpace([1, 1], 8), epsilon="0.7").law([3, 5])
    with precision(128):
        assert float(law.log_total()) == pytest.approx(-math.log(math.tanh(0.35)), rel=1e-14)


@pytest.mark.parametrize(("k", "n", "epsilon"), [(2, 1000, 1), (3, 12, 5), (2, 30, 200)])
def test_every_candidate_can_be_released_from_every_corner_and_from_the_middle(k: int, n: int, epsilon: int) -> None:
    mechanism = Geometric(PosteriorSpace([1] * k, n), epsilon=epsilon)
    even = (n - (k - 1) * (n // k), *([n // k] * (k - 1)))
    for c in ((n, *([0] * (k - 1))), even):
        assert np.isfinite(mechanism.log_pmf(c)).all()


def test_a_strong_prior_moves_the_bayes_candidate_alike_for_few_and_many_records() -> None:
    shares = [
        Geometric(PosteriorSpace([n, 1], n), epsilon=1, postprocess="bayes").posterior((0, n)).mean[0]
        for n in (2047, 2048)
    ]
    assert shares[0] == pytest.approx(shares[1], abs=1e-3)


def test_the_theorem_names_the_rate_of_its_weights() -> None:
    """Half of ε where a replaced record moves two counts; all of it where an added one moves one."""
    said = [Geometric(PosteriorSpace([1, 1], n), epsilon=1).guaranteed_by for n in (5, None)]
    assert [text.rpartition("weights are ")[2] for text in said] == ["exp(-ε‖z-c‖₁/2)", "exp(-ε‖z-c‖₁)"]


@pytest.mark.parametrize("way", ["bayes", "free"])
def test_data_sets_are_weighed_as_the_mechanism_says(way: Postprocess) -> None:
    pulled, not_pulled = (
        Geometric(PosteriorSpace([100, 1], 10), epsilon="1/2", postprocess=way, weighting=weighting).posterior((3, 7))
        for weighting in WEIGHTINGS
    )
    assert pulled.mean[0] > not_pulled.mean[0] + 0.01
    with pytest.raises(InvalidInput, match=r"^weighting must be predictive or uniform; leave it out for predictive$"):
        Geometric(PosteriorSpace([1, 1], 5), epsilon=1, weighting="even")  # type: ignore[arg-type]
    with pytest.raises(TooLarge, match="post-processing"):
        Geometric(PosteriorSpace([1, 1, 1], 100), epsilon=1, postprocess=way)
    with pytest.raises(TooLarge, match="would weigh 15,409 counts"):
        Geometric(PosteriorSpace([1, 1], 5000), epsilon="1/100", postprocess=way)
    assert Geometric(PosteriorSpace([1, 1, 1], 100), epsilon=1).guarantee == 1
