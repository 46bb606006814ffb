"""Total variation of two Betas is the nearest float; of more categories it is within its stated error."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import integrate, special

from discreet import Beta, Dirichlet, PosteriorSpace, Undecided, hellinger, total_variation
from discreet.posteriors import variation
from discreet.posteriors.variation import ERROR
from tests.oracles import distances as oracle

BETAS = [
    ((1, 1), (2, 1)),
    ((40, 20), (39, 21)),
    ((10, 20), (3, 5)),
    (("0.5", 2), (3, "0.7")),
    ((300, 5), (290, 15)),
    ((2, 2), (1, 1)),
    ((51, 51), (52, 50)),
    ((1, 101), (101, 1)),
    (("0.05", 1), ("1.05", 10)),
    (("1.5", "2.5"), ("2.5", "1.5")),
    (("0.41", "3.44"), ("214/3", "3.16")),
    (("3", "4"), ("3", "5")),
    (("5", "5"), ("5.0000000000000000001", "5.0000000000000000001")),
]


@pytest.mark.few(4)
@pytest.mark.parametrize(("a", "b"), BETAS)
def test_between_betas_it_meets_the_oracle(a: oracle.Parameters, b: oracle.Parameters) -> None:
    expected = float(oracle.total_variation(a, b))
    assert total_variation(Beta(*a), Beta(*b)) == total_variation(Beta(*b), Beta(*a)) == expected


@pytest.mark.parametrize("n", [10**4, 10**8, 10**12])
def test_between_neighbours_of_large_spaces_it_tends_to_the_one_of_two_normals(n: int) -> None:
    """One of n balanced records shifts the mean by 1/n at a deviation of 1/(2√n)."""
    found = total_variation(Beta(n // 2 + 1, n // 2 + 1), Beta(n // 2 + 2, n // 2))
    assert found == pytest.approx(math.erf(1 / math.sqrt(2 * n)), rel=3 / math.sqrt(n), abs=ERROR)


@pytest.mark.parametrize("rest", [["30"], ["0.5"], ["30", "1", "7"]])
def test_categories_that_do_not_move_do_not_matter(rest: list[str]) -> None:
    """The share of the first two within their sum is a Beta, and all that p/q depends on."""
    expected = float(oracle.total_variation((70, 50), (71, 49)))
    assert total_variation(Dirichlet([70, 50, *rest]), Dirichlet([71, 49, *rest])) == pytest.approx(expected, abs=ERROR)


@pytest.mark.parametrize("parameters", [(5.0, 3.0, 4.0), (30.0, 20.0, 10.0), (2.5, 1.5, 8.0)])
def test_three_categories_meet_an_integral_over_one_of_them(parameters: tuple[float, float, float]) -> None:
    """For p = q + (2,-1,-1): θ₁ and w = θ₂/(θ₂+θ₃) are independent Betas, and p > q where θ₁/(1-θ₁) is large enough."""
    a, b, c = parameters
    q = (a - 2, b + 1, c + 1)
    level = float((special.gammaln(parameters) - special.gammaln(q)).sum())  # the totals agree

    def chance(x: float, y: float, z: float) -> float:
        def beyond(w: float) -> float:
            odds = math.exp((level + math.log(w) + math.log1p(-w)) / 2)
            return float(special.betaincc(x, y + z, odds / (1 + odds))) * math.exp(
                (y - 1) * math.log(w) + (z - 1) * math.log1p(-w) - special.betaln(y, z)
            )

        return float(integrate.quad(beyond, 0, 1, epsabs=1e-12, epsrel=1e-12, limit=500)[0])

    expected = chance(a, b, c) - chance(*q)
    assert total_variation(Dirichlet([a, b, c]), Dirichlet(q)) == pytest.approx(expected, abs=ERROR)


@given(st.integers(2, 4), st.integers(1, 200), st.data())
def test_it_is_symmetric_and_between_the_bounds_that_hellinger_sets(k: int, n: int, data: st.DataObject) -> None:
    prior = data.draw(st.lists(st.fractions(Fraction(1, 2), 20, max_denominator=10), min_size=k, max_size=k))
    space = PosteriorSpace(prior, n)
    ranks = data.draw(st.lists(st.integers(0, space.size - 1), min_size=2, max_size=2))
    p, q = (space.posterior(space.candidates().unrank(rank)) for rank in ranks)
    found, h = total_variation(p, q), hellinger(p, q)
    assert h * h - ERROR <= found <= h * math.sqrt(2 - h * h) + ERROR
    assert total_variation(q, p) == pytest.approx(found, abs=ERROR)


@given(*[st.fractions(Fraction(1, 20), 100, max_denominator=20)] * 4)
def test_any_two_betas_meet_the_incomplete_beta_functions(a: Fraction, b: Fraction, c: Fraction, d: Fraction) -> None:
    assume((a, b) != (c, d))
    expected = float(oracle.total_variation((a, b), (c, d)))
    assert total_variation(Beta(a, b), Beta(c, d)) == pytest.approx(expected, rel=1e-15)


@pytest.mark.few(16)
@pytest.mark.parametrize("exponent", range(-9, 13, 3))
@pytest.mark.parametrize("other", range(-9, 13, 3))
def test_betas_of_every_size_are_told_apart(exponent: int, other: int) -> None:
    """Parameters from 10⁻⁹ to 10¹²: one that moves alone, and both that move together."""
    p = Beta(f"1e{exponent}", f"1e{other}")
    for q in (Beta(f"3e{exponent}", f"1e{other}"), Beta(f"3e{exponent}", f"3e{other}")):
        found, h = total_variation(p, q), hellinger(p, q)
        assert h * h * (1 - 1e-14) <= found <= h * math.sqrt(2 - h * h) * (1 + 1e-14)


def test_a_second_crossing_that_is_forgotten_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: the gap at one crossing where there are two."""
    p, q = Beta(10, 20), Beta(3, 5)
    assert total_variation(p, q) == float(oracle.total_variation((10, 20), (3, 5)))
    gap, seen = variation._gap, list[object]()

    def once(*at: Any) -> Any:
        seen.append(at)
        return gap(*at) * (len(seen) % 2)

    monkeypatch.setattr(variation, "_gap", once)
    assert abs(total_variation(p, q) - float(oracle.total_variation((10, 20), (3, 5)))) > 0.01


def test_strangers_are_nearly_one_apart() -> None:
    assert total_variation(Beta(1, 10**6), Beta(10**6, 1)) == pytest.approx(1.0, abs=ERROR)


def test_what_converges_too_slowly_says_so() -> None:
    with pytest.raises(Undecided):
        total_variation(Dirichlet([1, 1, 1]), Dirichlet([2, 2, 2]))


@pytest.mark.parametrize(
    ("p", "q", "expected"),
    [
        (("0.0616", "0.428"), ("2.77", "0.0421"), 0.9080033182),
        (("1", "0.001"), ("1", "0.01"), 0.6968373144),
        (("0.001", "1"), ("0.01", "1"), 0.6968373144),
    ],
)
def test_crossings_very_near_an_end_are_found(p: tuple[str, str], q: tuple[str, str], expected: float) -> None:
    """For Beta(a, 1) and Beta(b, 1) the densities cross at x = (a/b)^(1/(b-a)), and the gap there is x^a - x^b."""
    assert total_variation(Dirichlet(p), Dirichlet(q)) == pytest.approx(expected, abs=1e-9)
