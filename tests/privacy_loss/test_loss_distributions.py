"""What many releases cost together: never below the truth, close to it, and no coarser than Google's dp_accounting."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from flint import arb, fmpz_poly

import discreet as dc
from discreet.arithmetic.numbers import precision
from discreet.errors import InvalidInput, NotPrivate
from discreet.mechanisms.gaussian_loss import GaussianLoss
from discreet.mechanisms.loss_pairs import GeometricPair, LossPair
from discreet.privacy_loss import compose, loss_distribution, loss_distributions
from discreet.privacy_loss.loss_distributions import GaussianLosses, LossDistribution, compose_pairs, share_together
from discreet.typing import Epsilon
from tests.oracles.losses import Atoms, delta_of_all, geometric_atoms, laplace_atoms
from tests.oracles.precision import Real, mp, real

LAST_DIGITS = mp.mpf(10) ** -45
EPSILONS = ("1/10", "1/4", "1/3", "2/7", "1", "13/97", "1/20")
KINDS = ("geometric", "laplace-improved", "laplace-floor", "snapping")


def geometric(k: int, epsilon: Epsilon) -> dc.Geometric:
    return dc.Geometric(dc.PosteriorSpace(prior=[1] * k, n=30), epsilon=epsilon)


def atoms_of(mechanism: dc.Mechanism) -> list[Atoms]:
    """The losses of one release from its noise; of snapping, only the guarantee is known."""
    k, counts = mechanism.space.k, 1 if mechanism.space.k == 2 else 2
    if isinstance(mechanism, dc.LaplaceImproved):
        return [laplace_atoms(mechanism.rate, nearest=mechanism.rounding == "nearest", reach=1)] * counts
    return [geometric_atoms(Fraction(mechanism.guarantee), k if isinstance(mechanism, dc.Geometric) else 2)]


def random_mix(seed: int, most: int) -> list[dc.Mechanism]:
    """Releases of all kinds, each with an ε and a number of categories of its own, and some of them repeated."""
    rng = np.random.default_rng(seed)
    releases: list[dc.Mechanism] = []
    for _ in range(int(rng.integers(1, min(most, 6) + 1))):
        kind, epsilon = KINDS[int(rng.integers(len(KINDS)))], EPSILONS[int(rng.integers(len(EPSILONS)))]
        space = dc.PosteriorSpace(prior=[1] * int(rng.integers(2, 6)), n=30)
        rounding = {"rounding": "floor"} if kind == "laplace-floor" else {}
        name = "laplace-improved" if rounding else kind
        mechanism = dc.mechanism(name, space, epsilon=epsilon, **rounding)
        releases += [mechanism] * int(rng.integers(1, max(most // 6, 1) + 1))
    return releases


@pytest.mark.parametrize(
    ("times", "epsilon", "k", "expected"),
    [
        (100, "1/10", 2, 4.7746),
        (100, "1/10", 3, 3.8265),
        (100, "1/10", 7, 3.4333),
        (20, "1/2", 2, 9.9868),
        (20, "1/2", 3, 8.8095),
        (20, "1/2", 7, 7.9758),
    ],
)
def test_a_year_of_releases_costs_what_it_costs(times: int, epsilon: str, k: int, expected: float) -> None:
    together = compose([geometric(k, epsilon)] * times)
    bound = together.epsilon("1e-6")
    assert round(bound, 4) == expected
    assert bound.lower <= bound <= bound.lower + 1e-12
    assert together.delta(bound.exact).lower <= 1e-6
    assert together.delta(bound.exact - Fraction(1, 10**6)) > 1e-6
    assert together.epsilon(0) == pytest.approx(times * float(Fraction(epsilon)))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_losses_of_geometric_are_those_of_its_law(k: int) -> None:
    """P(v_i ≥ 0, v_j ≤ 0) over all noise whose tail is above 1e-13."""
    epsilon, reach = 1.5, 40 if k < 4 else 24
    steps = np.arange(-reach, reach + 1)
    v = np.stack(np.meshgrid(*[steps] * (k - 1), indexing="ij"), axis=-1).reshape(-1, k - 1)
    v = np.column_stack([v, -v.sum(axis=1)])
    chance = np.exp(-epsilon / 2 * np.abs(v).sum(axis=1))
    inside = chance[(v[:, 0] >= 0) & (v[:, 1] <= 0)].sum() / chance.sum()
    _, [p] = GeometricPair(Fraction(3, 2), k).chances(1)
    assert float(p) == pytest.approx(inside, abs=1e-9)
    assert float(geometric_atoms("3/2", k)[0][1]) == pytest.approx(inside, abs=1e-9)


@pytest.mark.parametrize("seed", range(50))
def test_mixes_of_releases_are_never_below_the_truth_and_close_to_it(seed: int) -> None:
    releases = random_mix(seed, 3)
    together, atoms = compose(releases), [each for release in releases for each in atoms_of(release)]
    for at in ("0", "1/5", "11/10"):
        bound, truth = together.delta(at), delta_of_all(atoms, at)
        assert bound.lower <= truth <= real(bound.exact) + LAST_DIGITS
        assert bound <= truth + 2e-6 * len(atoms)


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(50))
def test_many_releases_lie_within_the_bounds_of_dp_accounting(seed: int) -> None:
    pytest.importorskip("dp_accounting", reason="dp_accounting, Google's accountant, is not installed")
    releases = random_mix(seed, 60)
    bounds = compose(releases)
    pessimistic, optimistic = (google_epsilon(releases, "1e-6", pessimistic=which) for which in (True, False))
    ours = bounds.epsilon("1e-6")
    assert optimistic - 1e-9 <= ours <= pessimistic + 1e-9  # what it says of itself is a float


def google_epsilon(releases: Sequence[dc.Mechanism], delta: str, *, pessimistic: bool) -> float:
    """The ε of all of them by dp_accounting, with its own default discretisation."""
    from dp_accounting.pld import privacy_loss_distribution as google

    parts = []
    for release in {id(each): each for each in releases}.values():
        for atoms in atoms_of(release):
            upper = {i: float(mp.log(chance)) for i, (_, chance) in enumerate(atoms) if chance > 0}
            lower = {i: upper[i] - float(atoms[i][0]) for i in upper}
            pld = google.from_two_probability_mass_functions(lower, upper, pessimistic_estimate=pessimistic)
            parts.append(pld.self_compose(sum(each is release for each in releases)))
    return float(reduce(lambda one, other: one.compose(other), parts).get_epsilon_for_delta(float(delta)))


def test_ten_thousand_releases_lie_within_the_bounds_of_dp_accounting() -> None:
    pytest.importorskip("dp_accounting", reason="dp_accounting, Google's accountant, is not installed")
    from dp_accounting.pld import privacy_loss_distribution as google

    theirs = google.from_discrete_laplace_mechanism(0.01).self_compose(10_000).get_epsilon_for_delta(1e-6)
    ours = compose([geometric(2, "0.01")] * 10_000).epsilon("1e-6")
    assert theirs - 1e-6 <= ours <= theirs + 1e-6
    assert ours - ours.lower < 1e-12


def test_losses_without_a_common_step_are_split(monkeypatch: pytest.MonkeyPatch) -> None:
    releases = [geometric(2, epsilon) for epsilon in ("1/97", "1/3", "1/4")]
    exact = compose(releases)
    assert exact.slack == 0
    monkeypatch.setattr(loss_distributions, "MAX_ATOMS", 1 << 9)
    coarse = compose(releases)
    assert 0 < coarse.slack < 1e-1
    assert exact.epsilon("1e-3") <= coarse.epsilon("1e-3") <= float(exact.epsilon("1e-3")) + 1e-3
    assert coarse.epsilon("1e-3").lower <= exact.epsilon("1e-3")


def test_losses_that_are_rounded_down_would_be_below_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    releases = [geometric(2, epsilon) for epsilon in ("1/97", "1/3", "1/4")]
    truth = compose(releases).epsilon("1e-3")

    def floor(law: LossDistribution, step: Fraction) -> LossDistribution:
        units = [0] * (1 + law.chances.degree() * math.ceil(law.step / step) + 2)
        first = math.floor(law.first * law.step / step)
        for i, chance in enumerate(law.chances.coeffs()):
            units[math.floor((law.first + i) * law.step / step) - first] += int(chance)
        return LossDistribution(step, first, fmpz_poly(units), law.slack)

    monkeypatch.setattr(loss_distributions, "MAX_ATOMS", 1 << 9)
    assert compose(releases).epsilon("1e-3") >= truth
    monkeypatch.setattr(loss_distributions, "_on_grid", floor)  # the planted fault
    assert compose(releases).epsilon("1e-3") < truth


def test_an_average_of_epsilons_would_be_below_the_truth() -> None:
    releases = [geometric(3, "1/10"), geometric(3, 1)]
    truth = delta_of_all([each for release in releases for each in atoms_of(release)], "0.3")
    assert real(compose(releases).delta("0.3").exact) >= truth - LAST_DIGITS
    assert compose([geometric(3, "11/20")] * 2).delta("0.3") < truth  # the planted fault


def test_without_the_atom_at_zero_all_together_would_be_below_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    truth = delta_of_all(atoms_of(geometric(3, 1)) * 3, "0.3")
    pair = GeometricPair(Fraction(1), 3)
    assert real(compose_pairs({pair: 3}).delta("0.3").exact) >= truth - LAST_DIGITS
    sums = loss_distributions._add_two

    def without(one: LossDistribution, other: LossDistribution) -> LossDistribution:
        return sums(*(replace(law, chances=_without_zero(law)) for law in (one, other)))

    monkeypatch.setattr(loss_distributions, "_add_two", without)  # the planted fault
    assert compose_pairs({pair: 3}).delta("0.3") < truth


def _without_zero(law: LossDistribution) -> fmpz_poly:
    return fmpz_poly([0 if law.first + i == 0 else chance for i, chance in enumerate(law.chances.coeffs())])


@pytest.mark.parametrize("name", ["exponential-global", "exponential-reciprocal", "laplace-improved", "geometric"])
def test_no_pair_of_neighbours_is_told_apart_better_than_the_dominating_pair(name: str) -> None:
    space = dc.PosteriorSpace(prior=[1, "0.5", 2], n=5)
    mechanism = dc.mechanism(name, space, epsilon=1)
    losses, audited = loss_distribution(mechanism), dc.audit(mechanism)
    for at in ("0", "1/4", "1/2", "9/10"):
        assert audited.delta(at) <= losses.delta(at) + 1e-12


def test_what_has_no_guarantee_or_no_meaning_is_refused() -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=50)
    with pytest.raises(NotPrivate):
        compose([dc.ExponentialLocal.as_published(space, epsilon=1)])
    with pytest.raises(InvalidInput, match="nothing to compose"):
        compose([])
    with pytest.raises(InvalidInput, match="delta must be less than 1"):
        loss_distribution(geometric(2, 1)).epsilon(1)
    with pytest.raises(InvalidInput, match="delta must be at least 0"):
        loss_distribution(geometric(2, 1)).epsilon("-1e-6")


def test_a_delta_above_all_chances_needs_no_epsilon() -> None:
    losses = compose_pairs({GeometricPair(Fraction(3), 2): 1})
    epsilon = losses.epsilon("0.999999")
    assert (float(epsilon), epsilon.exact, epsilon.lower) == (0.0, Fraction(0), 0.0)
    for law in (GaussianLosses(GaussianLoss(Fraction(4), 2)), losses):
        with pytest.raises(InvalidInput, match="epsilon must be at least 0") as refusal:
            law.delta(-1)
        assert refusal.value.parameter == "epsilon"
        with pytest.raises(InvalidInput, match="delta must be at least 0"):
            law.epsilon(-1)


UNIT, BEYOND = Fraction(1, 1 << 192), Fraction(1, 1 << 20)


def three_losses(more: int = 0) -> LossDistribution:
    """1/2, 1 and 3/2 with chances of a half, a quarter and a quarter; and some units more of the first."""
    units = [(1 << 191) + more, 1 << 190, 1 << 190]
    return LossDistribution(Fraction(1, 2), 1, fmpz_poly(units), beyond=BEYOND)


def test_a_law_above_zero_has_the_delta_and_the_epsilon_of_the_definition_to_its_last_digits() -> None:
    law = three_losses()
    assert [law.largest, law.excess, law.slack] == [Fraction(3, 2), 0, 0]
    with mp.workdps(120):
        atoms = [(mp.mpf(loss) / 2, mp.mpf(p) / 4) for loss, p in ((1, 2), (2, 1), (3, 1))]
        for at in ("0", "1/4", "1", "5/4"):
            above = real(law.delta(at).exact - BEYOND) - delta_of_all([atoms], at)
            assert 0 <= above < mp.mpf(10) ** -90
        for at, place in (("1/2", 0), ("1/10", 1), ("1/100", 2)):  # between two losses δ = A - e^ε·B
            mass, rest = (mp.fsum(p * mp.exp(-loss * i) for loss, p in atoms[place:]) for i in (0, 1))
            above = real(law.epsilon(at).exact) - mp.log((mass - real(at) + real(BEYOND)) / rest)
            assert 0 <= above < mp.mpf(10) ** -90
    assert law.epsilon("3/5").exact == 0
    assert law.delta("3/2").exact == BEYOND


def test_what_chances_add_up_to_beyond_one_is_taken_from_what_is_certainly_reached() -> None:
    law, more = three_losses(more=1 << 180), Fraction(1, 1 << 12)
    assert law.excess == more
    assert law.delta(1).lower == pytest.approx(float(three_losses().delta(1) - BEYOND - more), rel=1e-12)
    epsilon = law.epsilon("1/10").lower
    assert law.delta(epsilon) == pytest.approx(0.1 + float(more + BEYOND), rel=1e-12)


def test_a_delta_of_no_more_than_was_cut_off_has_no_epsilon() -> None:
    for law, delta in ((three_losses(), BEYOND), (GaussianLosses(GaussianLoss(Fraction(4), 2)), 1)):
        with pytest.raises(InvalidInput, match=r"no ε without a δ.*give a delta") as refusal:
            law.epsilon(delta)
        assert refusal.value.parameter == "delta"


def test_a_finer_grid_keeps_every_chance_under_both_laws_and_what_was_cut_off() -> None:
    law = replace(three_losses(), slack=Fraction(1, 7))
    with precision(loss_distributions.WORKING_BITS):
        on_fifths, on_sixths = (loss_distributions._on_grid(law, Fraction(1, n)) for n in (5, 6))
    assert (on_fifths.slack, on_fifths.beyond) == (law.slack + Fraction(1, 5), BEYOND)
    assert (on_sixths.slack, on_sixths.beyond) == (law.slack, BEYOND)
    assert [float(on_sixths.delta(at)) for at in ("0", "2/3")] == [float(law.delta(at)) for at in ("0", "2/3")]
    chances = {(on_fifths.first + i): int(chance) * UNIT for i, chance in enumerate(on_fifths.chances.coeffs())}
    assert {at for at, chance in chances.items() if chance > UNIT} == {2, 3, 5, 7, 8}
    assert chances[4] == 0
    assert 0 <= chances[5] - Fraction(1, 4) <= UNIT
    for low, chance, loss in ((2, Fraction(1, 2), "1/2"), (7, Fraction(1, 4), "3/2")):
        parts = [(real(Fraction(at, 5)), real(chances[at])) for at in (low, low + 1)]
        for i in (0, 1):  # under P, and under Q
            off = mp.fsum(p * mp.exp(-i * at) for at, p in parts) - real(chance) * mp.exp(-i * real(loss))
            assert -LAST_DIGITS < off < LAST_DIGITS
    for step in (Fraction(3, 4), Fraction(1, 5)):  # the coarser one has places where two losses meet, and ends with one
        with precision(loss_distributions.WORKING_BITS):
            placed = loss_distributions._on_grid(law, step)
        assert placed.largest == math.ceil(Fraction(3, 2) / step) * step
        for i in (0, 1):
            sums = [_weighed(each, i) for each in (placed, law)]
            assert 0 <= sums[0] - sums[1] + LAST_DIGITS < 2 * LAST_DIGITS
    half = 1 << 191
    apart = loss_distributions._on_grid(replace(law, first=0, chances=fmpz_poly([half, 0, half])), Fraction(1, 5))
    assert list(map(int, apart.chances.coeffs())) == [half, 0, 0, 0, 0, half]
    together = loss_distributions._add_losses([law, on_sixths])
    assert (together.beyond, together.slack) == (2 * BEYOND, 2 * law.slack)


def test_no_release_is_given_more_than_all_of_them_may_cost() -> None:
    assert share_together([2, 2], Fraction(1), Fraction(9, 10)) == 1
    assert share_together([2, 2], Fraction(10**5), Fraction(0)) == 5 * 10**4


def _weighed(law: LossDistribution, power: int) -> Real:
    """Σ P·e^(-power·L)."""
    losses = ((law.first + i) * law.step for i in range(law.chances.degree() + 1))
    parts = zip(losses, law.chances.coeffs(), strict=True)
    return mp.fsum(real(int(chance) * UNIT) * mp.exp(-power * real(loss)) for loss, chance in parts)


def test_the_equal_share_is_exceeded_by_as_much_as_costs_just_the_delta() -> None:
    each = Fraction("0.6543")
    delta = compose_pairs({GeometricPair(each): 2}).delta(1).exact
    assert share_together([2, 2], Fraction(1), delta) == each


def test_many_releases_without_a_delta_cost_the_sum_of_their_epsilons(monkeypatch: pytest.MonkeyPatch) -> None:
    """The chance of the largest loss is about 2^-300, less than a unit, and rounded up all the same."""
    assert compose_pairs({GeometricPair(Fraction(1, 300)): 300}).epsilon(0).exact == 1
    monkeypatch.setattr(loss_distributions, "MAX_ATOMS", 32)  # of eighths, neither thirds nor fifths
    together = compose_pairs({GeometricPair(Fraction(1, 3)): 3, GeometricPair(Fraction(1, 5)): 5})
    assert (together.step, together.slack) == (Fraction(1, 8), Fraction(1, 4))
    assert together.epsilon(0).exact == 2


def test_chances_of_sums_are_rounded_up_one_by_one_and_what_cannot_happen_still_cannot() -> None:
    units = [[1, 0, (1 << 191) + 1, 1 << 180], [1 << 192, 0, 3, 1]]
    one, other = (LossDistribution(Fraction(1, 2), -1, fmpz_poly(each)) for each in units)
    exact = [sum(units[0][i] * units[1][j - i] for i in range(4) if 0 <= j - i < 4) for j in range(7)]
    together = loss_distributions._add_two(one, other)
    assert list(map(int, together.chances.coeffs())) == [math.ceil(each * UNIT) for each in exact]
    assert [together.first, together.largest, together.slack, together.beyond] == [-2, 2, 0, 0]


class Asked(LossPair):
    """Half of all outcomes have a loss of 1/4, and none 1/8. It keeps how many steps it was asked for."""

    def __init__(self) -> None:
        self.points: list[int] = []

    def chances(self, points: int) -> tuple[Fraction, list[arb]]:
        self.points.append(points)
        return Fraction(1, 8), [arb(0), arb(1) / 2]


def test_a_pair_is_asked_for_so_many_steps_that_all_draws_of_it_have_2_to_the_17() -> None:
    pair = Asked()
    assert [compose_pairs({pair: times}).largest for times in (1, 3)] == [Fraction(1, 4), Fraction(3, 4)]
    assert pair.points == [65_536, 21_845]
    chances = list(map(int, compose_pairs({pair: 1}).chances.coeffs()))
    assert (chances[1], chances[3:]) == (0, [0, 1 << 191])
    assert sum(chances) - (1 << 192) in (0, 1, 2)


def test_as_many_losses_as_are_allowed_are_not_split(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs: dict[LossPair, int] = {GeometricPair(Fraction(1, 2)): 1, GeometricPair(Fraction(1, 3)): 1}
    for most, step in ((10, Fraction(1, 6)), (9, Fraction(5, 27))):
        monkeypatch.setattr(loss_distributions, "MAX_ATOMS", most)
        assert compose_pairs(pairs).step == step


def test_losses_of_which_none_is_above_zero_cost_nothing() -> None:
    below = LossDistribution(Fraction(1, 2), -2, fmpz_poly([1 << 191, 1 << 191]))
    around = LossDistribution(Fraction(1, 2), -1, fmpz_poly([1 << 190, 1 << 190, 1 << 191]))
    for law, delta in ((below, "0"), (below, "1/10"), (around, "3/4")):
        found = law.epsilon(delta)
        assert [found.exact, found.lower] == [0, 0]
