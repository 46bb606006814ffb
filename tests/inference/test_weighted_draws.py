"""Three categories or more beyond enumeration: normalisers without a list, drawn data sets that know their error."""

import math
from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import betaln

import discreet as dc
from discreet.inference import weighted_draws as module
from discreet.inference.weighted_draws import (
    NearOutput,
    NoiseProposal,
    PriorPredictive,
    Proposal,
    WeightedDraws,
    drawn_posterior,
)
from discreet.kernels.simplex_normalisers import SimplexNormalisers
from discreet.mechanisms.exponential import Exponential
from discreet.posteriors.predictive import log_predictive
from discreet.testing import HashedBits
from tests.support.statistics import fits

SPACES = [([1, 1, 1], 40), (["1/2", 30, 2], 60), ([1, 1, 1, 1], 14), ([1] * 8, 5)]
FAMILIES = ["exponential-global", "exponential-local", "exponential-smooth", "exponential-reciprocal"]

CASES: list[tuple[str, list[object], int, str, tuple[int, ...]]] = [
    ("exponential-reciprocal", [1, 1, 1], 60, "2", (21, 29, 10)),
    ("exponential-global", [1, 1, 1], 60, "20", (60, 0, 0)),
    ("exponential-local", ["1/2", 1, 3], 50, "8", (5, 20, 25)),
    ("exponential-smooth", [1, 1, 1, 1], 20, "4", (5, 10, 3, 2)),
    ("exponential-reciprocal", [2, 1, 1, 1], 20, "16", (5, 6, 6, 3)),
    ("geometric", [1, "0.3", 2], 12, "1", (5, 10, -3)),
    ("laplace-improved", [1, 1, 2, 1], 9, "1", (0, 9, 0, 0)),
]


def family(name: str, prior: list[object], n: int, epsilon: str) -> Exponential:
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=prior, n=n), epsilon=epsilon)
    assert isinstance(mechanism, Exponential)
    return mechanism


def drawn(mechanism: dc.Mechanism, output: tuple[int, ...]) -> dc.NoiseAware:
    """The drawn way, also where the space is small."""
    counts = drawn_posterior([(mechanism, output)], mechanism.space)
    assert isinstance(counts, WeightedDraws)
    return dc.NoiseAware(mechanism.space.prior, mechanism.space.n, counts)


def off(one: dc.NoiseAware, whole: dc.NoiseAware) -> NDArray[np.float64]:
    """How far the means are off, in what is stated of them."""
    gaps: NDArray[np.float64] = np.abs(one.mean - whole.mean) / one.mean_errors
    return gaps


@pytest.mark.few(1)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {case[2]} {case[4]}")
def test_drawn_data_sets_agree_with_enumeration_within_what_they_state(
    case: tuple[str, list[object], int, str, tuple[int, ...]],
) -> None:
    name, prior, n, epsilon, output = case
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=prior, n=n), epsilon=epsilon)
    posterior, whole = drawn(mechanism, output), dc.noise_aware(mechanism, output)
    assert not isinstance(whole.counts, WeightedDraws)
    assert (off(posterior, whole) < 1).all()
    assert (posterior.mean_errors <= posterior.error).all()
    for i in range(whole.k):
        ends = whole.marginal(i).quantile(np.array([0.025, 0.2, 0.5, 0.8, 0.975]))
        assert posterior.cdf(ends, i) == pytest.approx(whole.cdf(ends, i), abs=posterior.error)
    one, other = posterior.probability(0, 1), whole.probability(0, 1)
    assert one == pytest.approx(other, abs=one.error)


@pytest.mark.few(2)
@pytest.mark.parametrize("fault", ["totals", "chances", "prior"])
def test_what_is_wrong_would_be_seen(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    name, prior, n, epsilon, output = CASES[0]
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=prior, n=n), epsilon=epsilon)
    whole = dc.noise_aware(mechanism, output)
    right, law, expected = SimplexNormalisers.__call__, NearOutput.log_chance, log_predictive
    if fault == "totals":
        monkeypatch.setattr(
            SimplexNormalisers, "__call__", lambda self, rows: right(self, rows) + 0.2 * np.log1p(rows[:, 0])
        )
    elif fault == "chances":
        monkeypatch.setattr(NearOutput, "log_chance", lambda self, rows: law(self, rows) - 0.02 * rows[:, 0])
    else:
        monkeypatch.setattr(module, "log_predictive", lambda p, rows: expected(p, rows) + 0.01 * rows[:, 0])
        monkeypatch.setattr(PriorPredictive, "log_chance", lambda self, rows: expected(self._prior, rows))
    assert off(drawn(mechanism, output), whole).max() > 1.5


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", ["expected", "expected, uneven", "around", "beside"])
def test_proposals_have_the_law_that_they_say(kind: str) -> None:
    space = dc.PosteriorSpace(prior=["1/2", 1, 3], n=12)
    beside = dc.Geometric(space, epsilon=1).kernel.factors((3, -2, 11))
    assert beside is not None
    laws: dict[str, Proposal] = {
        "expected": PriorPredictive(dc.Dirichlet([1, 1, 1]), 12),
        "expected, uneven": PriorPredictive(space.prior, 12),
        "around": NearOutput(family("exponential-reciprocal", ["1/2", 1, 3], 12, "4").law([3, 4, 5]).proposals()),
        "beside": NoiseProposal(beside, 12),
    }
    rows = laws[kind].draw(HashedBits(f"proposals {kind}"), 40_000)
    seen = Counter(tuple(row) for row in rows.tolist() if min(row) >= 0)
    candidates = space.candidates().array()
    chance = dict(zip(map(tuple, candidates.tolist()), np.exp(laws[kind].log_chance(candidates)).tolist(), strict=True))
    seen[(-1,) * 3] = len(rows) - sum(seen.values())  # what did not fit
    assert fits(seen, chance)
    if kind != "expected":
        assert not fits(seen, {row: p * (1 + 0.2 * (row[0] > 3)) / 1.05 for row, p in chance.items()})


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("name", "k", "n", "epsilon"),
    [
        ("exponential-reciprocal", 3, 10**3, "1"),
        ("exponential-global", 4, 10**9, "1"),
        ("exponential-local", 20, 10**5, "0.01"),
        ("laplace-improved", 7, 10**9, "1e-5"),
        ("geometric", 3, 10**9, "1e-6"),
    ],
)
def test_what_was_refused_before_has_a_posterior_now(name: str, k: int, n: int, epsilon: str) -> None:
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=[1] * k, n=n), epsilon=epsilon)
    belief = dc.noise_aware(mechanism, [n - (k - 1) * (n // (k + 1)), *[n // (k + 1)] * (k - 1)])
    assert isinstance(belief.counts, WeightedDraws)
    assert belief.error < module.ALLOWED
    assert (belief.mean_errors < 0.1 * belief.sd).all()
    assert belief.mean.sum() == pytest.approx(1, abs=1e-9)
    low, high = belief.interval(0.95)
    assert ((low > 0) & (low < belief.mean) & (belief.mean < high)).all()


@pytest.mark.soak
def test_two_readers_agree() -> None:
    mechanism = dc.ExponentialGlobal(dc.PosteriorSpace(prior=[1] * 4, n=1000), epsilon=1)
    one, other = (dc.noise_aware(mechanism, (1000, 0, 0, 0)) for _ in range(2))
    assert (one.mean == other.mean).all()
    assert (one.mean_errors < 1e-3 * one.sd).all()
    with pytest.raises(dc.TooLarge, match="groups"):
        one.within([0, 1]).share  # noqa: B018
    with pytest.raises(dc.TooLarge, match="groups"):
        one.within([0, 1]).mean  # noqa: B018


@pytest.mark.parametrize("n", [10**6, 10**9, 10**12, 10**15])
@pytest.mark.parametrize("weak", ["1e-6", "0.001", "0.01"])
def test_a_rare_category_is_as_often_empty_as_the_predictive_says(n: int, weak: str) -> None:
    prior, size = dc.Dirichlet([weak, 5, 5]), 2000
    rows = PriorPredictive(prior, n).draw(HashedBits(f"{weak} of {n}"), size)
    assert (rows.sum(axis=1) == n).all()
    empty = math.exp(float(betaln(prior.alpha[0], 10 + float(n)) - betaln(prior.alpha[0], 10.0)))
    zeros = int((rows[:, 0] == 0).sum())
    assert abs(zeros - size * empty) <= 6.2 * math.sqrt(size * empty * (1 - empty)) + 1


@pytest.mark.soak
def test_a_reader_with_a_weak_prior_has_a_posterior_for_any_number_of_records() -> None:
    n = 10**12
    mechanism = dc.ExponentialLocal(dc.PosteriorSpace(prior=[1, 1, 1], n=n), epsilon=1)
    belief = dc.noise_aware(mechanism, (n // 2, n // 4, n // 4), prior=["0.01", 5, 5])
    assert belief.error < module.ALLOWED
    assert belief.mean[0] < 0.001
    assert abs(float(belief.mean[1]) - 0.5) < 0.05


def test_few_large_weights_are_refused() -> None:
    rows = np.array([[1, 0, 9], [2, 0, 8], [3, 0, 7]])
    with pytest.raises(dc.TooLarge, match="too few"):
        WeightedDraws(
            rows, np.zeros(3), np.ones(3, int), prior=dc.Dirichlet([1, 1, 1]), prior_weight=0.0, error=0.0, method=""
        )
