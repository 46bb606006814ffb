"""The goodness-of-fit test accepts what is right and refuses what is wrong: else it could vouch for nothing."""

import math
from collections import Counter

import pytest
from scipy import stats

from tests.support.enumeration import seeded
from tests.support.statistics import LEAST_EXPECTED, Outcome, _pool, fits, p_value, tally


def geometric(ratio: float, size: int = 60) -> dict[Outcome, float]:
    return {(t,): (1 - ratio) * ratio**t for t in range(size)}


def sample(law: dict[Outcome, float], draws: int, seed: str) -> Counter[Outcome]:
    return Counter(seeded(seed).choices(list(law), weights=list(law.values()), k=draws))


def test_a_right_sample_is_accepted_and_its_p_values_are_uniform() -> None:
    law = geometric(0.6)
    p_values = [p_value(sample(law, 4000, f"right {i}"), law) for i in range(400)]
    assert min(p_values) > 1e-9
    assert stats.kstest(p_values, "uniform").pvalue > 1e-6


def test_many_equal_cells_that_must_be_pooled_are_no_reason_to_refuse() -> None:
    law: dict[Outcome, float] = {(x,): 1 / 2000 for x in range(2000)}
    p_values = [p_value(sample(law, 5000, f"equal {i}"), law) for i in range(100)]
    assert stats.kstest(p_values, "uniform").pvalue > 1e-6


@pytest.mark.parametrize("factor", [0.7, 1.3])
def test_a_rate_that_is_30_percent_off_is_refused(factor: float) -> None:
    wrong = sample(geometric(math.exp(-factor)), 4000, f"wrong {factor}")
    assert fits(wrong, geometric(math.exp(-factor)))
    assert not fits(wrong, geometric(math.exp(-1)))


def test_a_die_that_favours_one_face_by_a_fifth_is_refused() -> None:
    fair: dict[Outcome, float] = {(face,): 1 / 6 for face in range(6)}
    loaded: dict[Outcome, float] = fair | {(0,): 1.2 / 6, (1,): 0.8 / 6}
    assert fits(sample(fair, 20_000, "fair"), fair)
    assert not fits(sample(loaded, 20_000, "loaded"), fair)


def test_a_sample_that_is_too_good_for_chance_in_one_cell_and_shifted_in_another_is_refused() -> None:
    law: dict[Outcome, float] = {(0,): 0.5, (1,): 0.25, (2,): 0.25}
    assert fits({(0,): 5000, (1,): 2500, (2,): 2500}, law)
    assert not fits({(0,): 5000, (1,): 2800, (2,): 2200}, law)


def test_what_cannot_happen_is_refused_however_rare() -> None:
    law: dict[Outcome, float] = {(0,): 0.5, (1,): 0.5, (2,): 0.0}
    assert not fits({(0,): 500_000, (1,): 500_000, (2,): 1}, law)
    assert not fits({(0,): 500_000, (1,): 500_000, (3,): 1}, law)


def test_what_the_law_leaves_of_one_is_the_share_of_everything_it_does_not_list() -> None:
    law: dict[Outcome, float] = {(0,): 0.5, (1,): 0.25}
    assert fits({(0,): 5000, (1,): 2500, (7,): 1200, (8,): 1300}, law)
    assert not fits({(0,): 5000, (1,): 4900, (7,): 100}, law)


def test_cells_are_pooled_until_each_expects_enough_and_nothing_is_lost() -> None:
    cells = [(0.5, 1), (3.0, 2), (18.0, 17), (19.0, 20), (4.0, 5)]
    pooled = _pool(cells)
    assert all(expected >= LEAST_EXPECTED for expected, _ in pooled)
    assert sum(expected for expected, _ in pooled) == sum(expected for expected, _ in cells)
    assert sum(count for _, count in pooled) == sum(count for _, count in cells)
    assert _pool([(1.0, 2), (2.0, 1)]) == [(3.0, 3)]


def test_a_single_cell_fits() -> None:
    assert p_value({(0,): 3}, {(0,): 1.0}) == 1.0


def test_rows_are_tallied_by_their_numbers() -> None:
    assert tally([[1, 2], (1, 2), [2, 1]]) == {(1, 2): 2, (2, 1): 1}
