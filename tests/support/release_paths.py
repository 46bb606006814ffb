"""What a sampler draws, worked out from how it decides: the thresholds of its coins and tables, found by bisection.

No sample is taken. A coin compares one uniform number with a chance, so it falls true for all words of 64 bits below
some word, and that word is the chance. A table is read the same way, outcome by outcome. What comes out is the law that
is really drawn from, to 2⁻⁶⁰ or so, to be compared with the law that is meant.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

import numpy as np

from discreet.arithmetic.numbers import dyadic, precision
from discreet.mechanisms.exponential_law import ExponentialLaw
from discreet.mechanisms.law import CandidateLaw
from discreet.samplers.bits import CHUNK, Bits
from discreet.samplers.line_rejection import LineRejection
from discreet.samplers.noise import Geometric, RoundedLaplace, TwoSided, ZeroSum, _nonzero_laplace, geometric
from discreet.samplers.simplex_rejection import SimplexRejection, Term
from discreet.testing import FixedBits, HashedBits
from discreet.typing import Outcome

K = TypeVar("K", bound=Hashable)

EXACT = 1e-12
"""What a law may be off by because words have 64 bits."""


def off(drawn: Mapping[K, Fraction], meant: Mapping[K, Fraction]) -> float:
    """By what share a law differs from another at the most, where that has any mass to speak of."""
    ours, theirs = sum(drawn.values()), sum(meant.values())
    shares = {key: mass / theirs for key, mass in meant.items() if mass > theirs / 2**20}
    return float(max(abs(drawn.get(key, Fraction(0)) / ours / share - 1) for key, share in shares.items()))


def bits_of(*numbers: tuple[int, int]) -> Bits:
    """Numbers of so many bits each, and then whatever is needed to decide what they leave open."""
    return FixedBits("".join(f"{number:0{width}b}" for number, width in numbers if width), then=HashedBits("the rest"))


def chance_of(coin: Callable[[Bits], bool], width: int = CHUNK, *before: tuple[int, int]) -> Fraction:
    """The chance that a coin falls true, which reads its uniform number after the bits `before`."""
    low, high = -1, 1 << width  # true at low, false at high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if coin(bits_of(*before, (middle, width))) else (low, middle)
    return Fraction(high, 1 << width)


def masses_of(draw: Callable[[Bits], K], order: Sequence[K], width: int) -> dict[K, Fraction]:
    """How likely a table gives each outcome, in the order in which they take up the uniform number.

    Beyond the last one there may be more.
    """
    place = {key: i for i, key in enumerate(order)}

    def at_most(i: int) -> Fraction:
        return chance_of(lambda bits: place.get(draw(bits), len(order)) <= i, width)

    sums = [Fraction(0), *map(at_most, range(len(order)))]
    return {key: high - low for key, (low, high) in zip(order, itertools.pairwise(sums), strict=True)}


def weights_of(law: CandidateLaw, outcomes: Iterable[Outcome]) -> dict[Outcome, Fraction]:
    """What is meant: the weights of the law, from their enclosures."""
    with precision(192):
        return {outcome: dyadic(law.log_weight(outcome).exp().mid()) for outcome in outcomes}


def by_inversion(law: CandidateLaw) -> dict[Outcome, Fraction]:
    """What a small law draws."""
    return masses_of(law._draw, list(law.space.candidates()), law._inversion()._width)


class _Once:
    """A part of a sampler that answers once; a second question means that the first proposal was thrown back."""

    def __init__(self, answer: object) -> None:
        self._answers = [answer]

    def __call__(self, bits: Bits) -> object:
        return self._answers.pop()  # IndexError if asked again

    draw = __call__


def kept(sampler: LineRejection | SimplexRejection, part: str, proposal: object, *before: tuple[int, int]) -> Fraction:
    """The chance that a sampler keeps what one of its parts proposes."""

    def coin(bits: Bits) -> bool:
        setattr(sampler, part, _Once(proposal))
        try:
            sampler.draw(bits)
        except IndexError:
            return False
        return True

    right = getattr(sampler, part)
    try:
        return chance_of(coin, CHUNK, *before)
    finally:
        setattr(sampler, part, right)


def by_blocks(law: ExponentialLaw) -> dict[Outcome, Fraction]:
    """What the rejection on a line draws: a block, evenly one of its candidates, and the coin that keeps it."""
    line, (first, second) = law._line_rejection(), law.counts
    chances = masses_of(line._choice.draw, range(len(line._blocks)), line._choice._width)
    masses: dict[Outcome, Fraction] = {}
    for index, (side, near, far) in enumerate(line._blocks):
        size = far - near + 1
        for at in range(size):
            keep = kept(line, "_choice", index, (at, (size - 1).bit_length()))
            offset = side * (near + at)
            assert (first + offset, second - offset) not in masses
            masses[first + offset, second - offset] = chances[index] / size * keep
    return masses


def by_terms(law: ExponentialLaw) -> dict[Outcome, Fraction]:
    """What the mixture of three categories or more draws: a term, a block of each category, and the coin."""
    sampler = law._simplex_rejection()
    shares = [Fraction(high - low, sampler.choices[-1]) for low, high in itertools.pairwise([0, *sampler.choices])]
    blocks = [{i: _blocks_of(sampler, term, i) for i in sampler.free} for term in sampler.terms]
    outcomes: dict[Outcome, Fraction] = {}
    for r in law.space.candidates():
        proposed = shares[-2] / law.space.size + (shares[-1] if r == tuple(law.counts) else 0)
        for share, masses in zip(shares, blocks, strict=False):
            product = share
            for i in sampler.free:
                block = int(sampler.blocks.find(i, np.array([r[i]]))[0])
                product *= masses[i][block] / int(sampler.blocks.size[block])
            proposed += product
        outcomes[r] = proposed * kept(sampler, "propose", r)
    return outcomes


def _blocks_of(sampler: SimplexRejection, term: Term, i: int) -> dict[int, Fraction]:
    start, stop = sampler.blocks.starts[i : i + 2]
    return masses_of(lambda bits: int(term.draw_blocks(bits, i, 1)[0]), range(start, stop), CHUNK)


def sizes_of(noise: Geometric, last: int) -> dict[int, Fraction]:
    """What one-sided noise draws up to `last`: its binary digits, and the rest by a table."""
    digits = len(noise._coins)
    order = range((last >> digits) + 1)
    masses = masses_of(noise._rest.draw, order, noise._rest._width)
    for coin in reversed(noise._coins):
        one = 1 - chance_of(lambda bits, coin=coin: coin.draw(bits) == 0, coin._width)  # type: ignore[misc]
        chances = (1 - one, one)
        masses = {2 * size + digit: mass * chances[digit] for size, mass in masses.items() for digit in (0, 1)}
    return {size: mass for size, mass in masses.items() if size <= last}


def two_sided(noise: TwoSided, last: int) -> dict[int, Fraction]:
    """What two-sided noise draws up to `last` either way: from its one table, or a coin for zero, a sign and a size."""
    if noise._folded is not None:
        order = [0, *(sign * size for size in range(1, last + 1) for sign in (1, -1))]
        return masses_of(noise.draw, order, noise._folded._width)
    zero = chance_of(lambda bits: noise.draw(bits) == 0, noise._nonzero._width)
    sizes = sizes_of(geometric(noise.rate), last - 1)
    return {0: zero} | {sign * (size + 1): (1 - zero) * mass / 2 for size, mass in sizes.items() for sign in (1, -1)}


def rounded_laplace(noise: RoundedLaplace, last: int) -> dict[int, Fraction]:
    """What rounded Laplace noise draws up to `last` either way."""
    sizes = sizes_of(geometric(noise.rate), last)
    if noise.rounding == "floor":
        return {t: mass / 2 for size, mass in sizes.items() for t in (size, -1 - size)}
    coin = _nonzero_laplace(noise.rate)
    zero = chance_of(lambda bits: noise.draw(bits) == 0, coin._width)
    return {0: zero} | {t: (1 - zero) * mass / 2 for size, mass in sizes.items() for t in (1 + size, -1 - size)}


def totals_of(noise: ZeroSum, last: int) -> dict[int, Fraction]:
    """How much noise on three categories or more moves in all."""
    return masses_of(noise._totals.draw, range(last + 1), noise._totals._width)


UNDECIDED = "undecided"


def distribution(sampler: Callable[[Bits], Hashable], length: int) -> dict[Hashable, Fraction]:
    """The exact probability of every outcome that strings of this length decide, and of not being decided by them."""
    counts: Counter[Hashable] = Counter()
    for number in range(2**length):
        try:
            counts[sampler(FixedBits(f"{number:0{length}b}"))] += 1
        except EOFError:
            counts[UNDECIDED] += 1
    return {outcome: Fraction(count, 2**length) for outcome, count in counts.items()}
