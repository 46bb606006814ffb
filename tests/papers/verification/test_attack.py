"""The attack: outputs that only one neighbour can give, decided exactly, and none of them for snapping."""

import math
from fractions import Fraction

import pytest

import discreet as dc
from discreet.arithmetic.binary64 import Dyadic, unit
from discreet_papers.verification.attack import FloatLaplace, SnappingAdapter, scan


@pytest.mark.few(1)
@pytest.mark.parametrize("exact_uniforms", [False, True])
@pytest.mark.parametrize("epsilon", ["1", "0.3"])
def test_a_float_laplace_gives_its_value_away(exact_uniforms: bool, epsilon: str) -> None:
    laplace = FloatLaplace(epsilon=epsilon, exact_uniforms=exact_uniforms)
    attack = scan(laplace, 0, 1, count=24)
    assert attack.pores
    for pore in attack.pores[:4]:
        assert laplace.probability(Fraction(0), pore.output) == pore.probability
        assert pore.probability.mantissa > 0
        assert laplace.probability(Fraction(1), pore.output).mantissa == 0


def test_an_impossible_output_is_jumped_over_by_uniforms_next_to_each_other() -> None:
    """A second look, by hand: the two uniforms around it land below and above it, with the machine's own arithmetic."""
    laplace = FloatLaplace(epsilon=1)
    output = scan(laplace, 0, 1, count=8).pores[0].output
    for sign in (1, -1):
        distance = sign * (output - 1)
        if distance <= 0:
            continue
        place = round(math.exp(-distance) * 2**53)
        sums = [1 + sign * laplace._noise(k - 2**53) for k in range(place - 40, place + 40)]
        assert output not in sums
        assert min(sums) < output < max(sums)


def test_the_probabilities_of_neighbouring_doubles_add_up() -> None:
    laplace, y = FloatLaplace(epsilon=1), 0.3
    run = [y]
    while len(run) < 12:
        run.append(math.nextafter(run[-1], 1.0))
    total = Dyadic(0, 0)
    for double in run:
        total = total.plus(laplace.probability(Fraction(0), double))
    beyond = [laplace._beyond(Fraction(0), limit, 1) for limit in (run[0], math.nextafter(run[-1], 1.0))]
    assert total.fraction() == beyond[0].minus(beyond[1]).half().fraction()
    width = Fraction(math.nextafter(run[-1], 1.0)) - Fraction(run[0])
    assert abs(total.fraction() / width - Fraction(math.exp(-0.3) / 2)) < Fraction(1, 4)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("epsilon", "value", "neighbour"), [("1", "0", "1"), ("0.1", "-3.5", "-2.6"), ("5", "1/3", "1")]
)
def test_the_same_scan_finds_nothing_for_snapping_and_its_loss_is_certified(
    epsilon: str, value: str, neighbour: str
) -> None:
    snapping = dc.Snapping(epsilon=epsilon, bound=60)
    for one, other in ((value, neighbour), (neighbour, value)):
        attack = scan(SnappingAdapter(snapping), one, other, count=32)
        assert attack.tried >= 3
        assert attack.pores == ()
    assert snapping.verify_all().holds


def test_uniforms_of_both_kinds_have_the_probability_of_being_below_them() -> None:
    assert FloatLaplace(epsilon=1)._uniform(-1).fraction() == 1 - Fraction(1, 2**53)
    assert FloatLaplace(epsilon=1, exact_uniforms=True)._uniform(-5) == unit(-5)
    assert math.isinf(FloatLaplace(epsilon=1)._noise(-(2**53)))
