"""The exponential family on two categories beyond enumeration: what is left out is within its bound."""

from __future__ import annotations

import numpy as np
import pytest

import discreet as dc
from discreet.inference.lists import Listed
from discreet.inference.near import near


@pytest.mark.parametrize("output", [(700, 1300), (1, 1999)])
def test_the_near_data_sets_agree_with_all_of_them_within_the_bound(output: tuple[int, int]) -> None:
    space = dc.PosteriorSpace(prior=["1/2", 3], n=2000)
    mechanism = dc.ExponentialReciprocal(space, epsilon=40)
    found, whole = near(mechanism, output, space.prior), dc.noise_aware(mechanism, output).counts
    assert isinstance(whole, Listed)
    one, other = np.zeros(2001), np.zeros(2001)
    one[found.rows[:, 0]], other[whole.rows[:, 0]] = found.weights, whole.weights
    assert len(found.rows) < 1000
    assert 0.5 * np.abs(one - other).sum() <= found.error < 1e-3


def test_a_billion_records_are_weighed_near_the_output() -> None:
    mechanism = dc.ExponentialReciprocal(dc.PosteriorSpace(prior=[1, 1], n=10**9), epsilon=1)
    belief = dc.noise_aware(mechanism, (10**9 // 3, 10**9 - 10**9 // 3))
    assert belief.error < 1e-5
    assert belief.sd[0] == pytest.approx((2 / 9 / 10**9) ** 0.5, rel=1e-3)


def test_where_every_data_set_matters_it_refuses() -> None:
    mechanism = dc.ExponentialGlobal(dc.PosteriorSpace(prior=[1, 1], n=10**9), epsilon=1)
    with pytest.raises(dc.TooLarge, match="too many data sets"):
        dc.noise_aware(mechanism, (10**9 // 3, 10**9 - 10**9 // 3))
