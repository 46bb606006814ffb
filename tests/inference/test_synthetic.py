"""Synthetic copies: their shares are those of the belief, and combined intervals cover; one copy as data does not."""

import csv
from functools import cache

import numpy as np
import pytest

import discreet as dc
from discreet.data import ANES96, PARTIES
from discreet.errors import InvalidInput
from discreet.inference.synthetic import combine_synthetic, synthetic_counts
from discreet.testing import HashedBits

COPIES = 20


@cache
def population() -> tuple[list[str], np.ndarray[tuple[int], np.dtype[np.float64]], int]:
    """The shares of the bundled data, which stand for a population, and how many records it has."""
    with ANES96.open(encoding="utf-8", newline="") as file:
        parties = [row["party"] for row in csv.DictReader(file)]
    return list(PARTIES), np.array([parties.count(label) / len(parties) for label in PARTIES]), len(parties)


def coverage(releases: int, *, epsilon: str = "1/10") -> tuple[float, float]:
    """How often intervals of the first share cover the population's: combined ones, and those of one copy as data."""
    labels, shares, n = population()
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * len(labels), n=n), epsilon=epsilon)
    combined = alone = 0
    for release in range(releases):
        counts = np.random.default_rng(release).multinomial(n, shares).tolist()
        output = mechanism.law(counts)._draw(HashedBits(f"release {release}"))
        belief = dc.Belief.of(dc.noise_aware(mechanism, output), {"answer": labels})
        q = synthetic_counts(belief, COPIES, seed=release)[:, 0] / n
        low, high = combine_synthetic(q.tolist(), (q * (1 - q) / n).tolist()).interval()
        combined += low <= shares[0] <= high
        reach = 1.96 * np.sqrt(q[0] * (1 - q[0]) / n)
        alone += bool(abs(q[0] - shares[0]) <= reach)
    return combined / releases, alone / releases


@pytest.mark.parametrize("releases", [120, pytest.param(1000, marks=pytest.mark.soak)])
def test_combined_intervals_cover_and_those_of_one_copy_taken_for_data_do_not(releases: int) -> None:
    combined, alone = coverage(releases)
    print(f"{releases} releases: combined {combined:.3f}, one copy as data {alone:.3f}")
    assert 0.93 <= combined <= 0.98
    assert alone < 0.85


def test_the_mean_and_the_spread_of_many_copies_are_those_of_the_belief() -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 1, 1], n=200), epsilon="1/10")
    belief = dc.Belief.of(dc.noise_aware(mechanism, (120, 60, 20)), {"answer": ["a", "b", "c"]})
    q = synthetic_counts(belief, 3000, seed=5) / 200
    assert q.mean(axis=0) == pytest.approx(belief.mean, abs=0.01)
    share = combine_synthetic(q[:, 0].tolist(), (q[:, 0] * (1 - q[:, 0]) / 200).tolist())
    assert share.sd == pytest.approx(belief["a"].sd, rel=0.1)


def test_the_rule_that_adds_what_each_copy_adds_would_be_seen() -> None:
    rng, within = np.random.default_rng(1), 4e-4
    q = 0.4 + rng.normal(0, np.sqrt(1e-4 + within), 4000)
    assert combine_synthetic(q.tolist(), [within] * 4000).sd == pytest.approx(0.01, rel=0.1)
    added = np.sqrt((1 + 1 / 4000) * q.var(ddof=1) + within)  # the rule for imputed and not for synthetic data
    assert added > 0.02


def test_copies_are_the_same_for_the_same_seed_and_a_private_n_is_drawn() -> None:
    posterior = dc.noise_aware(dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=None), epsilon=1), (60, 38))
    belief = dc.Belief.of(posterior, {"answer": ["a", "b"]})
    first = synthetic_counts(belief, 9, seed=1)
    assert (first == synthetic_counts(belief, 9, seed=1)).all()
    assert (first != synthetic_counts(belief, 9, seed=2)).any()
    assert len(set(first.sum(axis=1).tolist())) > 1
    with pytest.raises(InvalidInput):
        synthetic_counts(belief, 0, seed=1)
    for wrong in (([0.5], [0.1]), ([0.5, 0.6], [0.1]), ([0.5, float("nan")], [0.1, 0.1]), ([0.5, 0.6], [0.1, -1])):
        with pytest.raises(InvalidInput):
            combine_synthetic(*wrong)
