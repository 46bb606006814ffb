"""The fast enumeration is the slow oracles, and the random spaces are as varied as they should be."""

from fractions import Fraction

import pytest

from tests.oracles import sensitivity, spaces
from tests.support.enumeration import enumerate_space, random_spaces, seeded, telling_counts


@pytest.mark.parametrize(
    ("alpha", "n"), [(("1", "1"), 9), (("0.05", "50"), 6), (("7", "4", "5"), 4), (("0.1", "2", "0.5", "9"), 3)]
)
def test_the_fast_enumeration_agrees_with_the_oracles(alpha: tuple[str, ...], n: int) -> None:
    space = enumerate_space([Fraction(a) for a in alpha], n)
    local = sensitivity.locals_by_definition(alpha, n)
    assert space.rows == list(local)
    assert space.local() == pytest.approx([float(x) for x in local.values()], rel=1e-13)
    smooth, reciprocal = space.smooth(space.local(), 0.3), space.reciprocal(space.local(), 0.3)
    for i, c in enumerate(space.rows):
        assert smooth[i] == pytest.approx(float(sensitivity.smooth(local, c, "0.3")), rel=1e-13)
        assert reciprocal[i] == pytest.approx(float(sensitivity.reciprocal(local, c, "0.3")), rel=1e-13)
        for j, r in enumerate(space.rows):
            assert space.hellinger[i, j] == pytest.approx(float(sensitivity.between(alpha, c, r)), rel=1e-14)
    step = float(sensitivity.step_of_reciprocals(local))
    assert space.largest_step(1 / space.local()) == pytest.approx(step, rel=1e-12)
    pairs = {(space.rows[i], space.rows[j]) for i, j in zip(space.one, space.other, strict=True)}
    assert pairs == set(spaces.adjacent_pairs(len(alpha), n))


def test_random_spaces_are_the_same_every_time_and_reach_the_ends() -> None:
    spaces_drawn = list(random_spaces("ends", 400))
    assert spaces_drawn == list(random_spaces("ends", 400))
    parameters = [a for alpha, _ in spaces_drawn for a in alpha]
    assert {len(alpha) for alpha, _ in spaces_drawn} == {2, 3, 4}
    assert min(parameters) == Fraction("0.05")
    assert max(parameters) == 50
    assert {1, 2, 3} < {n for _, n in spaces_drawn}


def test_telling_counts_hold_the_corners_and_counts_of_zero_and_one() -> None:
    rows = spaces.candidates(3, 9)
    chosen = [rows[i] for i in telling_counts(seeded("telling"), rows, 12)]
    assert {(9, 0, 0), (0, 9, 0), (0, 0, 9)} < set(chosen)
    assert any(min(c) == 1 for c in chosen)
    assert any(min(c) == 0 and max(c) < 9 for c in chosen)
    assert telling_counts(seeded("telling"), spaces.candidates(2, 3), 12) == [0, 1, 2, 3]
