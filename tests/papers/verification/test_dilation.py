"""Dilations, against their definition: sums over points and cells, and integrals over fine grids."""

import math
import random
from fractions import Fraction
from itertools import chain, combinations, pairwise

import pytest

import discreet as dc
from discreet_papers.verification import Log, Steps
from discreet_papers.verification.affine import Affine, factor_of
from discreet_papers.verification.dilations import UNIFORM


def random_steps(seed: int) -> Steps:
    rng = random.Random(f"steps {seed}")  # noqa: S311 - a reproducible density
    edges = [Fraction(0), *sorted({Fraction(rng.randint(1, 29), 30) for _ in range(rng.randint(0, 4))}), Fraction(1)]
    heights = [rng.randint(0, 6) for _ in edges[1:]]
    mass = sum((h * (b - a) for h, (a, b) in zip(heights, pairwise(edges), strict=True)), Fraction(0)) or Fraction(1)
    return Steps(edges, [h / mass for h in heights])


@pytest.mark.parametrize("epsilon", ["0", "1e-6", "0.5", "1", "7"])
def test_the_uniform_has_no_dilation_at_any_epsilon(epsilon: str) -> None:
    gap = dc.dilation(UNIFORM, UNIFORM, epsilon)
    assert gap.constant == gap.slope == 0


@pytest.mark.parametrize("seed", range(40))
def test_the_dilation_of_densities_is_the_integral_of_positive_parts(seed: int) -> None:
    one, other = random_steps(seed), random_steps(seed + 1000)
    epsilon = ("0.3", "1", "2")[seed % 3]
    shrink, grid = math.exp(-float(epsilon)), 20_000
    points = ((i + 0.5) / grid for i in range(grid))
    rough = sum(max(0.0, float(one.height(Fraction(u))) - float(other.height(Fraction(shrink * u)))) for u in points)
    assert float(dc.dilation(one, other, epsilon)) == pytest.approx(rough / grid, abs=5e-3)


def test_a_rational_factor_gives_a_rational_dilation() -> None:
    one, other = Steps([0, "1/2", 1], ["1/2", "3/2"]), Steps([0, "1/4", 1], [2, "2/3"])
    # f₁(u) - f₂(u/2): ½-2 below ½, 3/2-2/3 above.
    gap = dc.dilation(one, other, Log(2))
    assert gap.enclosure() == (Fraction(5, 12), Fraction(5, 12))
    assert str(gap) == "5/12"


def brute_cells(
    one: dict[Fraction, Fraction], other: dict[Fraction, Fraction], factor: Fraction, cuts: list[Fraction]
) -> Fraction:
    """The sup over all unions of cells, one by one."""
    cells, best = list(pairwise([Fraction(-100), *cuts, Fraction(100)])), Fraction(0)
    for event in chain.from_iterable(combinations(cells, size) for size in range(len(cells) + 1)):
        first = sum(w for u, w in one.items() if any(a <= u < b for a, b in event))
        second = sum(w for v, w in other.items() if any(a <= factor * v < b for a, b in event))
        best = max(best, first - factor * second)
    return best


@pytest.mark.parametrize("seed", range(40))
def test_the_dilation_of_points_is_the_sup_over_all_events_that_cells_can_make(seed: int) -> None:
    rng = random.Random(f"cells {seed}")  # noqa: S311 - a reproducible instance

    def points() -> dict[Fraction, Fraction]:
        where = rng.sample(range(1, 25), 5)
        parts = [rng.randint(0, 9) for _ in where]
        return {Fraction(u, 24): Fraction(w, max(1, sum(parts))) for u, w in zip(where, parts, strict=True)}

    one, other = points(), points()
    cuts = sorted(Fraction(c, 12) for c in rng.sample(range(1, 12), 4))
    factor = Fraction(rng.randint(4, 12), 4)
    assert dc.dilation(one, other, Log(factor), cuts=cuts).enclosure().upper == brute_cells(one, other, factor, cuts)
    singletons = sum(max(Fraction(0), w - factor * other.get(u / factor, Fraction(0))) for u, w in one.items())
    assert dc.dilation(one, other, Log(factor)).enclosure().upper == singletons


def test_points_never_meet_at_an_irrational_factor_but_cells_do() -> None:
    grid = {Fraction(k, 16): Fraction(1, 16) for k in range(1, 17)}
    assert float(dc.dilation(grid, grid, 1)) == 1.0
    cuts = [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]
    gap = dc.dilation(grid, grid, 1, cuts=cuts)
    assert float(gap) == pytest.approx(float(brute_cells(grid, grid, Fraction(math.e), cuts)), abs=1e-12)
    assert gap.slope != 0


def test_numbers_with_an_irrational_factor_are_compared_exactly() -> None:
    one = factor_of(1)
    close = Fraction(27182818284590452353602874713526, 10**31)
    assert one.exceeds(close)
    assert not one.exceeds(close + Fraction(1, 10**31))
    assert 0 < Affine(-close, Fraction(1), one).enclosure().lower < Fraction(1, 10**30)
    assert Affine(Fraction(2), Fraction(-1), factor_of(Log(2))).enclosure().is_exact
    assert str(Affine(Fraction(0), Fraction(1, 2), one)) == "1/2·e^ε"


@pytest.mark.every
@pytest.mark.parametrize(
    ("edges", "heights"),
    [([0, 1], [2]), ([0, 1], [1, 1]), ([0, "1/2", "1/2"], [1, 1]), ([0, 2], ["1/2"]), ([0, 1], [-1]), ([1, 0], [1])],
)
def test_what_is_no_density_is_refused(edges: list[object], heights: list[object]) -> None:
    with pytest.raises(dc.InvalidInput):
        Steps(edges, heights)


@pytest.mark.every
@pytest.mark.parametrize(
    ("one", "other", "epsilon", "why"),
    [
        (UNIFORM, {1: 1}, 1, "neither"),
        ({1: "0.7", 2: "0.7"}, {1: 1}, 1, "above 1"),
        (UNIFORM, UNIFORM, -1, "epsilon"),
        (UNIFORM, UNIFORM, Log("1/2"), "epsilon"),
    ],
)
def test_what_cannot_be_dilated_is_refused(one: object, other: object, epsilon: object, why: str) -> None:
    with pytest.raises(dc.InvalidInput, match=why):
        dc.dilation(one, other, epsilon)
