"""Two shares compared: equal to sums over all data sets, and covering what they say."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

import discreet as dc
from discreet.errors import InvalidInput
from discreet.inference import joint_shares
from discreet.inference.beliefs import Belief
from discreet.inference.comparisons import compare
from discreet.inference.differences import SHARES, Contrast
from discreet.inference.share import Share
from discreet.posteriors.mixtures import BetaMixture
from discreet.posteriors.predictive import log_predictive
from tests.inference.test_posterior import brute

Floats = NDArray[np.float64]

STEPS = np.linspace(-120, 120, 3601)
AXES = {"arm": ("new", "old"), "outcome": ("yes", "no")}


def beta_below(one: tuple[float, float], other: tuple[float, float], low: float, high: float, to: object) -> float:
    """∫ F(to(y))·f(y) dy from low to high for Betas F and f: by trapezia in the logit between the ends."""
    share = special.expit(STEPS)
    y, left = low + (high - low) * share, (1 - high) + (high - low) * special.expit(-STEPS)
    a, b = other
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        log_density = special.xlogy(a - 1, y) + special.xlogy(b - 1, left) - special.betaln(a, b)
        height = np.exp(log_density) * special.betainc(*one, np.clip(to(y), 0.0, 1.0))  # type: ignore[operator]
        parts = height * (high - low) * share * special.expit(-STEPS)
    return float(np.nan_to_num(parts).sum() * (STEPS[1] - STEPS[0]))


def difference_below(one: tuple[float, float], other: tuple[float, float], d: float) -> float:
    """P(X - Y ≤ d)."""
    low, high = max(0.0, -d), min(1.0, 1 - d)
    beyond = 1 - float(special.betainc(*other, 1 - d)) if d > 0 else 0.0
    return beta_below(one, other, low, high, lambda y: y + d) + beyond


def ratio_below(one: tuple[float, float], other: tuple[float, float], r: float) -> float:
    """P(X ≤ r·Y)."""
    if r > 1:
        return 1 - ratio_below(other, one, 1 / r)
    return beta_below(one, other, 0.0, 1.0, lambda y: r * y)


def odds_below(one: tuple[float, float], other: tuple[float, float], o: float) -> float:
    """P(odds of X ≤ o times those of Y)."""
    return beta_below(one, other, 0.0, 1.0, lambda y: o * y / (1 - y + o * y))


def test_the_trial_of_twelve_has_its_numbers() -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * 4, n=12), epsilon=1)
    belief = Belief.of(dc.noise_aware(mechanism, (5, 1, 2, 4)), AXES)
    both = compare(belief.group("new")["yes"], belief.group("old")["yes"])
    assert both.probability_greater == pytest.approx(0.827254, abs=5e-7)
    assert both.difference.mean == pytest.approx(0.295627, abs=5e-7)
    # By brute force the high end is 0.817011: at 0.817008 the distribution function is 0.974999.
    assert both.difference.interval() == pytest.approx((-0.357982, 0.817011), abs=5e-7)
    assert both.odds_ratio.median == pytest.approx(4.73823, abs=5e-6)
    assert both.odds_ratio.interval() == pytest.approx((0.148857, 261.908), rel=2e-6)
    rows, weight = brute(mechanism, [(5, 1, 2, 4)], mechanism.space.prior)
    ends = [
        sum(
            w * difference_below((1 + c[0], 1 + c[1]), (1 + c[2], 1 + c[3]), d)
            for c, w in zip(rows, weight, strict=True)
        )
        for d in (0.817008, 0.817011)
    ]
    assert ends[0] < 0.9749995 < ends[1]


NAMES = ["geometric", "geometric", "geometric", "laplace-improved", "laplace", "exponential-reciprocal"]


def random_table(rng: np.random.Generator) -> tuple[dc.Mechanism, tuple[int, ...], int, int]:
    """A mechanism for G groups of k answers with few data sets, and an output of it."""
    groups, k = int(rng.integers(2, 5)), int(rng.integers(2, 5))
    most = {4: 14, 6: 5, 8: 4, 9: 3}.get(groups * k, 2)
    n = int(rng.integers(1, most + 1))
    prior = [str(round(float(x), 2)) for x in rng.choice([0.3, 0.5, 1, 1, 1, 2.5], size=groups * k)]
    name = str(rng.choice(NAMES))
    mechanism = dc.mechanism(
        name, dc.PosteriorSpace(prior=prior, n=n), epsilon=str(rng.choice(["0.2", "0.7", "1", "3"]))
    )
    counts = rng.multinomial(n, rng.dirichlet(np.ones(groups * k)))
    shift = rng.integers(-3, 4, size=groups * k) if name == "geometric" else np.zeros(groups * k, dtype=int)
    shift[-1] -= shift.sum()
    return mechanism, tuple(int(x) for x in counts + shift), groups, k


@pytest.mark.parametrize("seed", [range(2), pytest.param(range(2, 200), marks=pytest.mark.soak)], ids=len)
def test_comparisons_in_a_joint_table_are_sums_over_all_data_sets(seed: range) -> None:
    for each in seed:
        rng = np.random.default_rng(each)
        mechanism, output, groups, k = random_table(rng)
        posterior, alpha = dc.noise_aware(mechanism, output), mechanism.space.prior.alpha
        names = tuple("abcd"[:groups]), tuple("uvwx"[:k])
        belief = Belief.of(posterior, {"group": names[0], "answer": names[1]})
        among = names[1] if k == 2 or rng.random() < 0.5 else names[1][: int(rng.integers(2, k + 1))]
        one, other = (belief.group(g).among(among)["u"] for g in ("a", "b"))
        both = compare(one, other)
        rows, weight = brute(mechanism, [output], mechanism.space.prior)
        sides = [list(cells) for share in (one, other) for cells in (share.own, share.rest)]
        parameters = np.stack([alpha[cells].sum() + rows[:, cells].sum(axis=1) for cells in sides], axis=1)
        kinds, at = np.unique(parameters, axis=0, return_inverse=True)
        mass = np.bincount(at.reshape(-1), weight)
        for d, r, o in ((0.0, 1.0, 1.0), (-0.31, 0.4, 0.2), (0.57, 2.5, 30.0)):
            truth = [
                sum(m * below((a, b), (c, e), x) for m, (a, b, c, e) in zip(mass, kinds, strict=True))
                for below, x in ((difference_below, d), (ratio_below, r), (odds_below, o))
            ]
            probabilities = [float(q.cdf(x)) for q, x in ((both.difference, d), (both.ratio, r), (both.odds_ratio, o))]
            assert probabilities == pytest.approx(truth, abs=both.difference.error + 1e-9), (each, d, r, o)
        assert both.difference.error < 1e-7
        assert both.difference.mean == pytest.approx(one.mean - other.mean, abs=1e-8)


@pytest.mark.few(1)
@pytest.mark.parametrize(("name", "output"), [("geometric", (7, -1, 3, 1)), ("exponential-global", (6, 0, 3, 1))])
def test_two_categories_of_one_whole_are_compared_like_all_data_sets_together(
    name: str, output: tuple[int, ...]
) -> None:
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=[1, "0.5", 2, 1], n=10), epsilon=1)
    belief = Belief.of(dc.noise_aware(mechanism, output), {"vote": ("a", "b", "c", "d")})
    rows, weight = brute(mechanism, [output], mechanism.space.prior)
    for whole in (("a", "b", "c", "d"), ("a", "c", "d")):
        part = belief.among(whole)
        both = compare(part["a"], part["c"])
        cells = ["abcd".index(label) for label in whole]
        x = mechanism.space.prior.alpha + rows
        rest = x[:, cells].sum(axis=1) - x[:, 0] - x[:, 2]
        for d in (0.0, 0.2, -0.15):
            sign, size = (1, d) if d >= 0 else (-1, -d)
            truth = 0.0
            for w, a, c, r in zip(weight, x[:, 0], x[:, 2], rest, strict=True):
                lead, middle = (a, c) if sign > 0 else (c, a), (1 + size) / 2
                ahead = beta_below((a + c, r), lead, middle, 1.0, lambda v, size=size: size / (2 * v - 1))
                truth += w * (float(special.betainc(*lead, middle)) + ahead)
            assert float(both.difference.cdf(d)) == pytest.approx(truth if sign > 0 else 1 - truth, abs=1e-7)
        ratio = [float(weight @ special.betainc(x[:, 0], x[:, 2], t / (1 + t))) for t in (0.3, 1, 4)]
        assert both.ratio.cdf([0.3, 1, 4]) == pytest.approx(ratio, abs=1e-8)
    with pytest.raises(InvalidInput, match="odds ratio compares two groups; rates and shares"):
        _ = compare(belief["a"], belief["b"]).odds_ratio
    assert belief.probability("a", "c") == pytest.approx(float(belief["a"].posterior.probability(0, 2)), abs=1e-9)


def classes(n: int, epsilon: float, reach: int) -> dict[tuple[int, ...], Floats]:
    """The chance of each clamped output of four cells, for each data set: a class teaches a reader one thing."""
    q, steps = np.exp(-epsilon / 2), np.arange(-reach, reach + 1)
    v = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)
    v = np.column_stack([v, -v.sum(axis=1)])
    chance = q ** np.abs(v).sum(axis=1)
    chance /= chance.sum()
    data = dc.PosteriorSpace(prior=[1] * 4, n=n).candidates().array()
    laws: dict[tuple[int, ...], Floats] = {}
    for i, c in enumerate(data):
        codes = np.clip(c + v, 0, n) @ (n + 1) ** np.arange(4)
        for code, mass in enumerate(np.bincount(codes, chance, minlength=(n + 1) ** 4)):
            if mass > 0:
                kind = tuple(code // (n + 1) ** i % (n + 1) for i in range(4))
                laws.setdefault(kind, np.zeros(len(data)))[i] = mass
    return laws


@pytest.mark.soak
@pytest.mark.parametrize("n", [1, 2, 4])
def test_the_interval_of_a_difference_covers_what_it_says_and_the_plug_in_does_not(n: int) -> None:
    """Summed over all data sets and all outputs: the noise is cut off where less than 1e-9 is left."""
    space = dc.PosteriorSpace(prior=[1] * 4, n=n)
    mechanism, data = dc.Geometric(space, epsilon=1), space.candidates().array()
    expected = np.exp(log_predictive(space.prior, data))
    covered = plain = 0.0
    for kind, chance in classes(n, 1.0, 46).items():
        # An output of this class: what is above or below the counts that are possible says nothing more.
        output = np.array(kind)
        gap = n - output.sum()
        at = int(np.argmax(output == (0 if gap < 0 else n))) if gap else 0
        if gap and output[at] != (0 if gap < 0 else n):
            continue
        output[at] += gap
        belief = Belief.of(dc.noise_aware(mechanism, tuple(output.tolist())), AXES)
        low, high = compare(*(belief.group(g)["yes"] for g in ("new", "old"))).difference.interval()
        near = mechanism.posterior(tuple(output.tolist())).parameters
        ends = plug_in_interval([float(x) for x in near])
        for c, p in zip(data + 1.0, expected * chance, strict=True):
            sides = (c[0], c[1]), (c[2], c[3])
            covered += p * (difference_below(*sides, high) - difference_below(*sides, low))
            plain += p * (difference_below(*sides, ends[1]) - difference_below(*sides, ends[0]))
    print(f"n = {n}: noise-aware {covered:.7f}, plug-in {plain:.5f}")
    assert covered == pytest.approx(0.95, abs=1e-5)
    assert plain < 0.93


def plug_in_interval(parameters: list[float]) -> tuple[float, float]:
    """The interval of a reader who takes the released posterior at its word."""
    one, other = (BetaMixture([1.0], *([x] for x in parameters[i : i + 2])) for i in (0, 2))
    shares = joint_shares.independent_shares(one, other)
    return Contrast(shares, "difference", lambda size, seed: (np.ones(1), np.ones(1)), 0.0, SHARES).interval()


def test_two_runs_of_an_analysis_agree_and_draws_follow_their_seed() -> None:
    def analysis() -> list[float]:
        mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * 6, n=90), epsilon=1)
        belief = Belief.of(dc.noise_aware(mechanism, (30, 9, 6, 25, 12, 8)), {"arm": ("a", "b"), "y": ("u", "v", "w")})
        both = compare(belief.group("a")["u"], belief.group("b")["u"])
        return [*both.difference.interval(), both.ratio.median, *both.difference.sample(3, seed=7).tolist()]

    assert analysis() == analysis()


def test_draws_of_a_difference_have_its_law() -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * 4, n=40), epsilon="1/2")
    belief = Belief.of(dc.noise_aware(mechanism, (15, 7, 6, 12)), AXES)
    difference = compare(*(belief.group(g)["yes"] for g in ("new", "old"))).difference
    drawn = np.sort(difference.sample(4000, seed=1))
    gap = np.abs(difference.cdf(drawn[::40]) - np.arange(0, 4000, 40) / 4000).max()
    assert gap < 0.05  # Kolmogorov's bound at 4,000 draws is exceeded with probability below 1e-8


def test_what_cannot_be_compared_is_refused() -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * 4, n=40), epsilon="1/2")
    posterior = dc.noise_aware(mechanism, (15, 7, 6, 12))
    belief = Belief.of(posterior, AXES, people="trial")
    with pytest.raises(InvalidInput, match="overlap"):
        compare(belief["new", "yes"], belief.group("new")["yes"])
    again = Belief.of(dc.noise_aware(mechanism, (14, 8, 6, 12)), AXES, people="trial")
    with pytest.raises(InvalidInput, match="same people; say `different_people` if they are not"):
        compare(belief.group("new")["yes"], again.group("new")["yes"])
    assert compare(belief.group("new")["yes"], again.group("new")["yes"], different_people=True).difference.sd > 0
    with pytest.raises(InvalidInput, match="there is no 'maybe'"):
        belief.group("new")["maybe"]


def test_panels_that_are_settled_too_soon_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * 4, n=12), epsilon=1)
    posterior = dc.noise_aware(mechanism, (5, 1, 2, 4))
    monkeypatch.setattr(joint_shares, "SHARP", 1e-2)
    shares = [Share(posterior, (i,), (i, i + 1), "yes") for i in (0, 2)]
    both = compare(*shares)
    assert abs(both.probability_greater - 0.8272536629) > 1e-7 or both.difference.error > 1e-4


def test_every_ratio_of_widths_is_compared_both_ways_round() -> None:
    for n, epsilon in ((10**3, "1/2"), (10**6, "2")):
        mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * 4, n=n), epsilon=epsilon)
        belief = Belief.of(dc.noise_aware(mechanism, (n // 2, n // 4, n // 100, n - n // 2 - n // 4 - n // 100)), AXES)
        one, other = (belief.group(g)["yes"] for g in ("new", "old"))
        there, back = compare(one, other), compare(other, one)
        assert there.probability_greater + back.probability_greater == pytest.approx(1, abs=1e-8)
        low, high = there.difference.interval()
        assert back.difference.interval() == pytest.approx((-high, -low), abs=1e-8)
        assert 1 / there.ratio.median == pytest.approx(back.ratio.median, rel=1e-7)
