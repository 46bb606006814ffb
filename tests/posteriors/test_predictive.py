"""The prior predictive against 50 digits, weak priors and strong ones alike."""

import numpy as np
import pytest
from scipy.special import gammaln

from discreet import Dirichlet, Geometric, PosteriorSpace, accuracy
from discreet.posteriors.predictive import log_predictive
from discreet.utility.widths import expected_width, width_without_privacy
from tests.oracles.precision import mp

PRIORS = [
    ([1e-9, 1.0], 40),
    ([0.5, 1e3], 40),
    ([1e3, 1001.0], 4000),
    ([1e12, 1e12], 40),
    ([1e6, 1e12], 4000),
    ([1e-6, 9.9, 10.0], 40),
    ([1e12, 1e12, 1e6], 7),
    ([1.0, 1e8, 1e9, 0.01], 100),
    ([1.0, 1.0, 1.0], 10**15),
    ([1e-3, 5.0], 10**12),
    ([1e12, 1e9, 1e-9], 10**12),
]


def exact(alpha: list[float], c: list[int]) -> float:
    """ln of the Dirichlet-multinomial probability, from its definition."""
    with mp.workdps(50):
        a = [mp.mpf(x) for x in alpha]
        each = [mp.loggamma(x + y) - mp.loggamma(x) - mp.loggamma(y + 1) for x, y in zip(a, c, strict=True)]
        total, n = mp.fsum(a), sum(c)
        return float(mp.loggamma(n + 1) + mp.loggamma(total) - mp.loggamma(total + n) + mp.fsum(each))


def some_counts(k: int, n: int) -> list[list[int]]:
    """All in one category, one in each of the others, and nearly even."""
    corner, even = [n, *[0] * (k - 1)], [n // k] * k
    even[-1] += n - sum(even)
    return [corner, corner[::-1], [n - k + 1, *[1] * (k - 1)], even]


@pytest.mark.parametrize(("alpha", "n"), PRIORS)
def test_strong_priors_and_many_records_keep_their_digits(alpha: list[float], n: int) -> None:
    rows = some_counts(len(alpha), n)
    rows.append([*np.rint(n * np.array(alpha) / sum(alpha)).astype(np.int64).tolist()])  # what the prior expects
    rows[-1][0] += n - sum(rows[-1])
    found = log_predictive(Dirichlet([str(x) for x in alpha]), rows)
    assert found == pytest.approx([exact(alpha, row) for row in rows], rel=1e-12, abs=1e-11)


def test_differences_of_large_gammas_would_be_noticed() -> None:
    alpha, rows = np.array([1e12, 1e12, 1e6]), np.array(some_counts(3, 7))
    each = (gammaln(rows + alpha) - gammaln(alpha) - gammaln(rows + 1)).sum(axis=1)
    naive = each + gammaln(8) + gammaln(alpha.sum()) - gammaln(7 + alpha.sum())
    assert naive != pytest.approx([exact(alpha.tolist(), row) for row in rows.tolist()], rel=1e-12, abs=2e-11)


def test_the_expected_error_under_a_strong_prior_is_right() -> None:
    """Shares are then certain: counts are multinomial, and L1 of noise and clamping has a mean of its own."""
    space = PosteriorSpace(["1e12", "1e12"], 2)
    found = accuracy(Geometric(space, epsilon=1), metric="l1").mean
    fall = float(np.exp(-1.0))
    end, middle = 2 * (fall + fall**2) / (1 + fall), 2 * 2 * fall / (1 + fall)
    assert found == pytest.approx((end + middle) / 2, rel=1e-10)


@pytest.mark.few(1)
@pytest.mark.parametrize(("prior", "n"), [(["1.2e6"] * 3, 100), (["1e6", "1", "1"], 100), (["1e9"] * 4, 12)])
def test_a_strong_prior_leaves_the_noise_no_width_to_add(prior: list[str], n: int) -> None:
    space = PosteriorSpace(prior, n)
    without = width_without_privacy(space).value
    assert without < expected_width(Geometric(space, epsilon=1)).value < 1.1 * without
