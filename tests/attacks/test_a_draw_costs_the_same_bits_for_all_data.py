"""How many bits a draw reads does not depend on the data: small laws are inverted, additive noise knows no counts."""

import numpy as np
import pytest

from discreet import PosteriorSpace
from discreet.mechanisms import Geometric, Laplace, LaplaceImproved, Mechanism, mechanism
from discreet.mechanisms.exponential import KINDS
from discreet.testing import CountedBits, HashedBits, draw_with

SPACES = [PosteriorSpace([1, 1], 40), PosteriorSpace(["0.05", "3"], 25), PosteriorSpace([1, 1, 1], 8)]


def used(form: Mechanism, counts: tuple[int, ...], name: str) -> int:
    bits = CountedBits(HashedBits(name))
    draw_with(form.law(counts), bits)
    return bits.used


@pytest.mark.parametrize("family", KINDS)
@pytest.mark.parametrize("space", SPACES, ids=str)
def test_small_laws_read_the_same_number_of_bits_for_every_data_set_and_outcome(
    family: type[Mechanism], space: PosteriorSpace
) -> None:
    form = mechanism(family.name, space, epsilon=1)
    assert len({used(form, c, f"{name} {c}") for c in space.candidates() for name in range(3)}) == 1


def test_a_draw_that_walks_from_candidate_to_candidate_is_found_out() -> None:
    """The planted fault: the right law, by one coin for each candidate until one falls true."""
    space = SPACES[0]
    form, lengths = mechanism("exponential-global", space, epsilon=1), set()
    for c in space.candidates():
        bits, left = CountedBits(HashedBits("walk")), 1.0
        for chance in np.exp(form.log_pmf(c)):
            if bits.draw_bits(64) < chance / left * 2**64:
                break
            left -= chance
        lengths.add(bits.used)
    assert len(lengths) > 1


@pytest.mark.parametrize("family", [Laplace, LaplaceImproved, Geometric])
@pytest.mark.parametrize("space", SPACES, ids=str)
def test_additive_noise_is_drawn_alike_whatever_it_is_added_to(family: type[Mechanism], space: PosteriorSpace) -> None:
    """The same bits: the same number of them is read for every data set, though it varies with the noise."""
    form = mechanism(family.name, space, epsilon="0.2")
    for name in ("one", "two", "three"):
        assert len({used(form, c, name) for c in space.candidates()}) == 1


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_geometric_noise_is_the_same_vector_for_every_data_set(space: PosteriorSpace) -> None:
    form = Geometric(space, epsilon="0.2")
    noises = {
        tuple(z - x for z, x in zip(draw_with(form.law(c), HashedBits("noise")), c, strict=True))
        for c in space.candidates()
    }
    assert len(noises) == 1
