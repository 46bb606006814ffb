"""Tables of all distances: every value has its twelve digits, and no table is made that would not fit."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import gammaln

from discreet import PosteriorSpace, TooLarge
from discreet.posteriors.grid import LONGEST_LINE, Grid, Line, Simplex, grid
from tests.oracles.sensitivity import between
from tests.support.enumeration import enumerate_space, random_spaces, seeded

STATED = 1e-12
"""The relative error of H that the tables state."""


@pytest.mark.few(1)
@pytest.mark.parametrize("batch", range(4))
def test_all_distances_of_random_small_spaces_keep_their_digits(batch: int) -> None:
    sizes = {2: 60, 3: 10, 4: 6, 5: 4}
    for alpha, n in random_spaces(f"grid {batch}", 12, sizes=sizes, low=0.001, high=10**6):
        table, every = grid(PosteriorSpace(alpha, n)), enumerate_space(alpha, n)
        assert [tuple(row) for row in table.rows.tolist()] == every.rows
        found = np.stack([table.distances(rank) for rank in range(table.size)])
        assert (np.abs(found - every.hellinger) <= STATED * every.hellinger).all()


@pytest.mark.few(1)
@pytest.mark.parametrize("alpha", [("1", "1"), ("0.01", "40"), ("1e-9", "1e6"), ("1/3", "2/7")], ids=",".join)
def test_a_long_line_keeps_its_digits_near_and_far(alpha: tuple[str, str]) -> None:
    n = 50_000
    table, rng = grid(PosteriorSpace(alpha, n)), seeded(f"long line {alpha}")
    prior = [Fraction(a) for a in alpha]
    for _ in range(30):
        c = rng.choice([rng.randrange(n + 1), rng.randrange(9), n - rng.randrange(9)])
        row = table.distances(c)
        for r in {min(n, c + 1), max(0, c - 1), rng.randrange(n + 1), min(n, c + rng.randrange(300)), 0, n}:
            expected = float(between(prior, (c, n - c), (r, n - r)))
            assert row[r] == pytest.approx(expected, rel=STATED, abs=0)


def test_a_plain_difference_of_log_gammas_would_lose_those_digits() -> None:
    n, c = 50_000, 25_000
    r = np.arange(c + 1, c + 30)
    middle = gammaln(1 + (c + r) / 2) + gammaln(1 + n - (c + r) / 2)
    ends = gammaln(1.0 + c) + gammaln(1.0 + n - c) + gammaln(1.0 + r) + gammaln(1.0 + n - r)
    plain = np.sqrt(-np.expm1(middle - ends / 2))
    right = grid(PosteriorSpace([1, 1], n)).distances(c)[r]
    assert np.abs(plain / right - 1).max() > 1000 * STATED


@pytest.mark.parametrize("strong", ["1e10", "1e12"])
@pytest.mark.parametrize(
    ("rest", "n", "ranks"), [([], 40, (1, 2, 20, 40)), ([1], 12, (0, 5, 50, 90))], ids=["line", "simplex"]
)
def test_the_strongest_priors_cost_no_digits(strong: str, rest: list[int], n: int, ranks: tuple[int, ...]) -> None:
    table = grid(PosteriorSpace([strong, strong, *rest], n))
    for rank in ranks:
        c, r = (tuple(table.rows[at].tolist()) for at in (0, rank))
        expected = float(between([Fraction(strong), Fraction(strong), *rest], c, r))
        assert table.distances(0)[rank] == pytest.approx(expected, rel=STATED, abs=0)


@pytest.mark.parametrize("space", [PosteriorSpace(["0.2", 3], 700), PosteriorSpace(["0.2", 3, 1], 12)])
def test_rows_are_symmetric_with_no_distance_from_oneself_and_parts_of_them_are_parts(space: PosteriorSpace) -> None:
    table, rng = grid(space), seeded("parts")
    whole = np.stack([table.distances(rank) for rank in range(table.size)])
    assert (np.diag(whole) == 0).all()
    assert (np.abs(whole - whole.T) <= STATED * whole).all()
    assert ((whole >= 0) & (whole <= 1)).all()
    for _ in range(20):
        rank = rng.randrange(table.size)
        start, stop = sorted(rng.sample(range(table.size + 1), 2))
        assert table.distances_between(rank, start, stop).tolist() == whole[rank, start:stop].tolist()


def test_the_steps_of_a_line_are_the_distances_of_neighbours() -> None:
    table = grid(PosteriorSpace(["0.05", "12"], 400))
    assert isinstance(table, Line)
    expected = [table.distances(c)[c + 1] for c in range(400)]
    assert table.steps() == pytest.approx(expected, rel=STATED, abs=0)
    ranks = np.arange(400)
    assert table.log_affinities(ranks, ranks + 1).tolist() == table.log_affinities(ranks + 1, ranks).tolist()


def test_a_space_is_tabled_once() -> None:
    assert grid(PosteriorSpace([1, "0.5"], 33)) is grid(PosteriorSpace([1, 0.5], 33))


@pytest.mark.parametrize(
    ("kind", "space"),
    [
        (Line, PosteriorSpace([1, 1], LONGEST_LINE)),
        (Line, PosteriorSpace([1, 1], 10**15)),
        (Simplex, PosteriorSpace([1, 1, 1], 10**5)),
        (Simplex, PosteriorSpace([1] * 1000, 10**6)),
    ],
)
def test_a_table_that_would_not_fit_is_refused_before_it_is_made(kind: type[Grid], space: PosteriorSpace) -> None:
    with pytest.raises(TooLarge):
        grid(space)
    with pytest.raises(TooLarge):
        kind(space)
