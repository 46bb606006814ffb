"""The expected width of what a reader may believe: against the noise-aware posterior of every output."""

import numpy as np
import pytest

import discreet as dc
from discreet.mechanisms.geometric import noise_vectors
from discreet.posteriors.predictive import log_predictive
from discreet.testing import HashedBits
from discreet.utility import widths
from discreet.utility.count_mixtures import mixture_widths
from discreet.utility.studies import drawn_data
from discreet.utility.widths import expected_width, first_count_given, width_without_privacy
from tests.oracles import postprocessing, spaces
from tests.oracles import widths as oracle


@pytest.mark.parametrize(
    ("name", "prior", "n", "epsilon"),
    [
        *((name, [1, 3], 7, 1) for name in ("geometric", "laplace-improved", "exponential-reciprocal")),
        ("exponential-global", [1, 3], 7, 1),
        ("laplace-improved", [2, 1, 1], 4, 2),
    ],
)
def test_it_is_the_mean_over_all_outputs(name: str, prior: list[int], n: int, epsilon: int) -> None:
    space = dc.PosteriorSpace(prior=prior, n=n)
    mechanism = dc.mechanism(name, space, epsilon=epsilon)
    weight = np.exp(log_predictive(space.prior, space.candidates().array()))
    # Beyond 0 and n noisy counts say the same as at the ends, so the released candidates are all there is to know.
    chance = sum(w * np.exp(mechanism.log_pmf(c)) for w, c in zip(weight, space.candidates(), strict=True))
    ends = [dc.noise_aware(mechanism, r).interval(0.95) for r in space.candidates()]
    expected = float(chance @ np.array([high[0] - low[0] for low, high in ends]))
    width = expected_width(mechanism)
    assert width.value == pytest.approx(expected, rel=1e-6)
    assert width.method == "all 8 outputs" or len(prior) > 2


def test_given_noisy_counts_the_first_count_has_its_exact_distribution() -> None:
    alpha: list[str | int] = ["1/2", 1, 2, 1]
    space = dc.PosteriorSpace(prior=alpha, n=5)
    for z in ([2, 1, 1, 1], [-3, 7, 0, 1], [9, -2, -2, 0]):
        expected, chances = np.zeros((2, 6))
        for c, p in postprocessing.belief_from_noisy(alpha, z, "0.8").items():
            expected[c[0]] += float(p)
        count, chance = first_count_given(space, 0.4, np.array(z))
        chances[count] = chance
        assert chances == pytest.approx(expected, abs=1e-12)


@pytest.mark.few(1)
@pytest.mark.parametrize(("alpha", "n", "epsilon"), [((1, 1), 128, 1), ((1, 1), 129, 2), ((2, "1/2"), 300, "0.15")])
def test_along_a_line_it_is_the_mean_over_all_outputs_within_its_error(
    alpha: tuple[int, int], n: int, epsilon: str
) -> None:
    """From 128 outputs on, 64 of them once stood for all: 1.9 % off, and nothing said."""
    width = expected_width(dc.Geometric(dc.PosteriorSpace(prior=list(alpha), n=n), epsilon=epsilon))
    expected, _, _ = oracle.expected_width(alpha, n, oracle.geometric_kernel(n, epsilon))
    assert abs(width.value - expected) <= width.error + 1e-12
    assert width.error <= 1.1e-7 * width.value


@pytest.mark.soak
@pytest.mark.parametrize("name", ["exponential-reciprocal", "exponential-global"])
def test_so_are_the_widths_of_the_exponential_family(name: str) -> None:
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=[1, 2], n=280), epsilon=2)
    width, kernel = expected_width(mechanism), np.exp(mechanism.kernel.all_rows())
    assert abs(width.value - oracle.expected_width((1, 2), 280, kernel)[0]) <= width.error + 1e-12


def test_geometric_with_three_categories_is_the_mean_over_all_noise() -> None:
    space = dc.PosteriorSpace(prior=[1, 1, 1], n=6)
    width = expected_width(dc.Geometric(space, epsilon=4))
    moves, norms = noise_vectors(3, 12)
    mass = np.exp(-2.0 * norms)
    weights = spaces.prior_predictive([1, 1, 1], 6)
    chances: dict[tuple[int, ...], float] = {}
    for c in space.candidates():
        for move, p in zip(moves.tolist(), mass / mass.sum(), strict=True):
            z = tuple(max(-1, x + v) for x, v in zip(c, move, strict=True))  # how negative a count is says nothing
            chances[z] = chances.get(z, 0.0) + float(weights[c]) * float(p)
    expected = 0.0
    for z, p in chances.items():
        count, chance = first_count_given(space, 2.0, np.array(z))
        expected += p * oracle.mixture_width(chance, 1.0 + count, 8.0 - count, 0.95)
    assert width.value == pytest.approx(expected, abs=width.error + 1e-9)
    assert width.error < 1e-8


@pytest.mark.few(1)
@pytest.mark.parametrize(("prior", "n", "epsilon"), [([1, 1, 1], 20, 1), ([3, 1, "1/2", 1], 9, 2)])
def test_where_outputs_are_drawn_the_stated_error_holds(prior: list[int], n: int, epsilon: int) -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=prior, n=n), epsilon=epsilon)
    every, drawn = expected_width(mechanism), widths._drawn_width(mechanism.space, mechanism.noise, 0.95)
    assert every.method.startswith("all ")
    assert abs(drawn.value - every.value) <= drawn.error < 0.02 * every.value


def test_strong_priors_of_three_categories_have_widths(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others together may be stronger than any single parameter may be."""
    monkeypatch.setattr("discreet.utility.studies.MAX_DRAWS", 2000)
    space = dc.PosteriorSpace(prior=[10**12, 10**12, 10**12], n=1000)
    without = width_without_privacy(space).value
    assert without == pytest.approx(2 * 1.959964 * np.sqrt(2 / 9 / 3e12), rel=1e-6)
    assert expected_width(dc.Geometric(space, epsilon=1)).value == pytest.approx(without, rel=1e-6)


def test_without_privacy_it_is_the_mean_width_of_the_posteriors() -> None:
    space = dc.PosteriorSpace(prior=[1, 2, 1], n=9)
    weights = spaces.prior_predictive([1, 2, 1], 9)
    ends = {c: space.posterior(c).interval(0.95) for c in space.candidates()}
    expected = sum(float(weights[c]) * float(high[0] - low[0]) for c, (low, high) in ends.items())
    assert width_without_privacy(space).value == pytest.approx(expected, rel=1e-9)


def test_without_privacy_a_few_counts_do_for_all_within_the_error() -> None:
    space = dc.PosteriorSpace(prior=["1/2", 3], n=5000)
    c = np.arange(5001)
    width = mixture_widths(np.ones((5001, 1)), 0.5 + c, 3 + 5000 - c, 0.95)
    weight = np.exp(log_predictive(space.prior, np.stack([c, 5000 - c], axis=1)))
    without = width_without_privacy(space)
    assert abs(without.value - float(weight @ width)) <= without.error < 2e-7 * without.value


def test_it_falls_with_epsilon_to_the_width_without_privacy() -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=200)
    widths = [expected_width(dc.Geometric(space, epsilon=e)).value for e in ("0.01", "0.1", "1", "30")]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] == pytest.approx(width_without_privacy(space).value, rel=1e-7)


def test_a_million_million_records_have_a_width() -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=10**12)
    without = width_without_privacy(space).value
    assert without == pytest.approx(2 * 1.959963985 * np.pi / 8 * 1e-6, rel=1e-8)
    assert expected_width(dc.Geometric(space, epsilon=1)).value == pytest.approx(without, rel=1e-8)


def test_what_cannot_be_weighed_is_refused() -> None:
    long, wide = dc.PosteriorSpace(prior=[1, 1], n=10**5), dc.PosteriorSpace(prior=[1] * 3, n=200)
    with pytest.raises(dc.TooLarge, match="summed up to"):
        expected_width(dc.ExponentialLocal(long, epsilon=1))
    with pytest.raises(dc.TooLarge, match="summed up to"):
        expected_width(dc.LaplaceImproved(wide, epsilon=1))
    with pytest.raises(dc.TooLarge, match="convolve"):
        expected_width(dc.Geometric(dc.PosteriorSpace(prior=[1] * 40, n=10**6), epsilon="0.001"))


def test_gaussian_noise_has_the_widths_of_all_outputs_those_beyond_the_ends_included() -> None:
    space = dc.PosteriorSpace(prior=[1, "1/2"], n=30)
    mechanism = dc.Gaussian(space, sigma=4)
    predictive = np.exp(log_predictive(space.prior, space.candidates().array()))
    chances, lengths = [], []
    for o in range(-30, 61):
        low, high = dc.noise_aware(mechanism, (o, 30 - o)).marginal(0).interval(0.95)
        chances.append(float(predictive @ np.exp(mechanism.kernel.column((o, 30 - o)).values)))
        lengths.append(float(high - low))
    width = expected_width(mechanism)
    assert width.value == pytest.approx(np.average(lengths, weights=chances), abs=width.error + 1e-9)
    assert width.error < 1e-6


@pytest.mark.few(1)
@pytest.mark.parametrize(("k", "n", "sigma"), [(3, 60, 6), (7, 300, 12)])
def test_gaussian_noise_of_one_count_stands_for_that_of_all(k: int, n: int, sigma: int) -> None:
    """Within the error that is stated for it, and four standard errors of the outputs that are drawn."""
    space = dc.PosteriorSpace(prior=[1] * k, n=n)
    mechanism = dc.Gaussian(space, sigma=sigma)
    outputs = drawn_data(space, 100, "Gaussian widths") + mechanism.noise.draw_many(HashedBits("of widths"), 100)
    laws = (dc.noise_aware(mechanism, tuple(z)).marginal(0) for z in outputs.tolist())
    lengths = [float(high - low) for low, high in (law.interval(0.95) for law in laws)]
    width = expected_width(mechanism)
    assert abs(width.value - np.mean(lengths)) < width.error + 4 * np.std(lengths) / 10
