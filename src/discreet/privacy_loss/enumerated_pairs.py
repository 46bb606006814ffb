"""The pair that dominates an exponential mechanism on a small space: chords through its exact δ*.

Neighbours come both ways round, so the greatest δ* over all of them is the curve of a symmetric pair. It is enclosed at
`CHORDS` losses from 0 to the audited ε and rounded up there; chords through such points are nowhere below it
(`discreet.mechanisms.loss_pairs`). Tests: `tests/privacy_loss/test_loss_pairs.py`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from discreet.mechanisms import Mechanism
from discreet.mechanisms.loss_pairs import CurvePair
from discreet.posteriors.space import exceeds
from discreet.privacy_loss.audits import audit

MAX_DATA_SETS = 128
"""Beyond so many data sets, a δ* at every loss takes too long to be asked for in passing."""

CHORDS = 32


@lru_cache(maxsize=64)
def enumerated_pair(mechanism: Mechanism) -> CurvePair | None:
    """The pair; None where the space is large, or the losses follow from noise that is the same for all data.

    >>> from discreet import ExponentialReciprocal, PosteriorSpace
    >>> pair = enumerated_pair(ExponentialReciprocal(PosteriorSpace(prior=[1, 1], n=20), epsilon=1))
    >>> round(float(pair.epsilon), 4), round(float(pair.variation_upper), 4)  # where the theorem says 1 and 0.2449
    (0.3196, 0.0881)
    """
    if not mechanism.kernel.weighted or exceeds(mechanism.space, MAX_DATA_SETS):
        return None
    found = audit(mechanism)
    largest = _short_upper(Fraction(found.epsilon))
    deltas = tuple(Fraction(found.delta(i * largest / CHORDS)) for i in range(CHORDS))
    return CurvePair(largest, deltas)


def _short_upper(loss: Fraction) -> Fraction:
    """The next multiple of 2^-40, whose multiples are short."""
    return Fraction(-(-loss.numerator * (1 << 40) // loss.denominator), 1 << 40)
