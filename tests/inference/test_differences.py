"""The A/B test: the difference of two beliefs, both ways round, whichever of the two is the narrower."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

import discreet as dc
from discreet.arithmetic.numbers import precision
from discreet.inference import joint_shares, panels
from discreet.inference.differences import SHARES, Contrast
from discreet.posteriors.mixtures import BetaMixture
from tests.oracles.precision import mp, real

PAIRS = 60


def Difference(one: BetaMixture, other: BetaMixture) -> Contrast:  # noqa: N802
    """The difference of two shares by themselves."""
    shares = joint_shares.independent_shares(one, other)
    return Contrast(shares, "difference", lambda size, seed: (np.ones(1), np.ones(1)), 0.0, SHARES)


def exactly_above(a: int, b: float, c: float, d: float) -> arb:
    """P(X > Y) for X of Beta(a, b) with a whole a, and Y of Beta(c, d): Σ_(i<a) B(c+i, d+b)/((b+i)·B(1+i, b)·B(c, d)).

    P(X > y) is a sum of a terms y^i·(1-y)^b, and each has its mean under Y.
    """

    def log_beta(x: arb, y: arb) -> arb:
        return x.lgamma() + y.lgamma() - (x + y).lgamma()

    first, second, third = arb(b), arb(c), arb(d)
    terms = (
        (log_beta(second + i, third + first) - log_beta(arb(1 + i), first) - log_beta(second, third)).exp()
        / (first + i)
        for i in range(a)
    )
    return sum(terms, arb(0))


def wide_and_narrow(rng: np.random.Generator) -> tuple[BetaMixture, BetaMixture, float]:
    """A mixture of few counts about some share, one of up to 10¹² counts close to it, and P(the wide one is above)."""
    whole = rng.integers(1, 40, size=2)
    share = 10 ** rng.uniform(-8, -0.3)
    rest = whole * (1 / share - 1)
    away = share * np.exp(rng.normal(size=3) / np.sqrt(whole.mean()))
    sure = 10 ** rng.uniform(0, 12)
    first, second = sure * away, sure * (1 - away)
    ours, theirs = rng.dirichlet([1, 1]), rng.dirichlet([1, 1, 1])
    with precision(300):
        total = sum(
            (
                arb(w) * arb(v) * exactly_above(int(a), float(b), float(c), float(d))
                for w, a, b in zip(ours, whole, rest, strict=True)
                for v, c, d in zip(theirs, first, second, strict=True)
            ),
            arb(0),
        )
        chance = float(total / (arb(float(ours.sum())) * arb(float(theirs.sum()))))
    return BetaMixture(ours, whole, rest), BetaMixture(theirs, first, second), chance


def test_it_is_exact_over_eight_decades_of_widths_and_both_ways_round() -> None:
    rng, widths = np.random.default_rng(20240521), []
    for _ in range(PAIRS):
        wide, narrow, chance = wide_and_narrow(rng)
        for mixture in (wide, narrow):
            total = mixture.a + mixture.b
            widths += np.sqrt(mixture.a / total * (mixture.b / total) / (total + 1)).tolist()
        here, there = Difference(wide, narrow).probability, Difference(narrow, wide).probability
        assert here.error < 1e-8
        assert abs(here - chance) <= here.error
        assert abs(there - (1 - chance)) <= there.error
        assert abs(here + there - 1) <= here.error + there.error
    assert max(widths) / min(widths) > 1e8


def test_a_thousand_million_records_against_a_thousand() -> None:
    beliefs = [
        dc.noise_aware(dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=n), epsilon=1), output)
        for n, output in ((10**9, (3 * 10**8, 7 * 10**8)), (1000, (310, 690)))
    ]
    narrow, wide = beliefs
    here, there = narrow.difference(wide).probability, wide.difference(narrow).probability
    at = np.linspace(-9, 9, 4001) * narrow.sd[0] + narrow.mean[0]  # the narrow one by brute force
    height = narrow.pdf(at)
    assert here == pytest.approx(float(height @ wide.cdf(at) / height.sum()), abs=1e-9)
    assert here == pytest.approx(0.241102, abs=1e-6)
    assert abs(here + there - 1) <= here.error + there.error < 1e-9
    low, high = narrow.difference(wide).interval(0.95)
    turned = wide.difference(narrow).interval(0.95)
    assert (low, high) == pytest.approx((-turned[1], -turned[0]), abs=1e-9)


def cdf_by_quadrature(a: int, b: int, c: int, e: int, d: Fraction) -> float:
    """P(X - Y ≤ d) for Beta(a, b) and Beta(c, e) of whole parameters and d ≤ 0: an integral of a polynomial."""
    with mp.workdps(40):
        gap, scale = real(d), mp.beta(c, e)
        return float(
            mp.quad(
                lambda y: mp.betainc(a, b, 0, y + gap, regularized=True) * y ** (c - 1) * (1 - y) ** (e - 1) / scale,
                [-gap, 1],
            )
        )


@pytest.mark.parametrize("d", ["0", "-1/1000", "-1/7", "-1/2", "-9/10"])
@pytest.mark.parametrize("parameters", [(1, 1, 1, 1), (3, 9, 7, 2), (1, 14, 14, 1), (12, 3, 1, 1)])
def test_every_difference_has_its_exact_probability(parameters: tuple[int, int, int, int], d: str) -> None:
    a, b, c, e = parameters
    one, other = BetaMixture([1.0], [a], [b]), BetaMixture([1.0], [c], [e])
    expected = cdf_by_quadrature(a, b, c, e, Fraction(d))
    here, there = Difference(one, other), Difference(other, one)
    assert float(here.cdf(float(Fraction(d)))) == pytest.approx(expected, abs=here.error)
    assert float(there.cdf(-float(Fraction(d)))) == pytest.approx(1 - expected, abs=here.error)
    assert here.cdf(here.interval(0.9)) == pytest.approx([0.05, 0.95], abs=1e-9)
    assert (here.mean, here.sd) == pytest.approx((one.mean - other.mean, np.hypot(one.sd, other.sd)))


def test_a_belief_of_two_widths_hides_nothing() -> None:
    """Half of it a wide prior and half a spike: neither one's panels tell where the other bends."""
    spiked = BetaMixture([0.5, 0.5], [1, 3e11], [1, 7e11])
    between = BetaMixture([0.3, 0.7], [3e6, 1], [7e6, 2])
    here, there = Difference(spiked, between), Difference(between, spiked)
    with precision(300):
        spike = 1 - float(exactly_above(1, 2.0, 3e11, 7e11))
        flat = 1 - float(exactly_above(1, 1.0, 3e6, 7e6))
        slope = float(exactly_above(1, 1.0, 1.0, 2.0))
    # Two spikes at the same share: their difference is normal, and as likely above as below.
    expected = 0.5 * (0.3 * (1 - flat) + 0.7 * slope) + 0.5 * (0.3 * 0.5 + 0.7 * spike)
    assert here.probability == pytest.approx(expected, abs=1e-4)
    assert abs(here.probability + there.probability - 1) <= here.error + there.error < 1e-7
    for d in (-0.2, -1e-6, 1e-9, 1e-4, 0.3):
        assert float(here.cdf(d) + there.cdf(-d)) == pytest.approx(1, abs=here.error + there.error)


def test_what_cannot_be_told_from_nothing_is_stated() -> None:
    """Of Beta(0.0001, 1) more than nine tenths lie below e^-690: which of two is above is then anybody's guess."""
    weak = BetaMixture([1.0], [1e-4], [1.0])
    probability = Difference(weak, weak).probability
    assert probability == pytest.approx(0.5, abs=1e-9)
    assert 0.4 < probability.error < 0.5
    sure = Difference(weak, BetaMixture([1.0], [1.0], [1.0])).probability
    assert sure == pytest.approx(1e-4 / (1 + 1e-4), abs=1e-9)
    assert sure.error < 1e-9


@pytest.mark.soak
def test_a_staircase_of_drawn_counts_states_its_error() -> None:
    rng = np.random.default_rng(5)
    steps = np.sort(rng.uniform(0.2, 0.4, 600))
    lumpy, smooth = BetaMixture(np.ones(600), 1e11 * steps, 1e11 * (1 - steps)), BetaMixture([1.0], [300], [700])
    here, there = Difference(lumpy, smooth).probability, Difference(smooth, lumpy).probability
    expected = float(smooth.cdf(steps).mean())  # a step is 10⁴ times narrower than what it is compared with
    assert abs(here - expected) <= here.error + 1e-9
    assert abs(there - 1 + expected) <= there.error + 1e-9


def test_a_panel_that_is_taken_for_settled_too_soon_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: no panel is halved, and the stated error says so."""
    monkeypatch.setattr(panels, "_HALVINGS", 0)
    narrow = BetaMixture([0.5, 0.5], [1, 3e9], [1, 7e9])
    assert Difference(narrow, narrow).error > 1e-3
