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
from discreet.privacy_loss.audits import audit

CHORDS = 32


@lru_cache(maxsize=64)
def enumerated_pair(mechanism: Mechanism) -> CurvePair:
    """The pair of an exponential mechanism by its exact δ*, over all neighbours and outputs.

    >>> from discreet import ExponentialReciprocal, PosteriorSpace
    >>> pair = enumerated_pair(ExponentialReciprocal(PosteriorSpace(prior=[1, 1], n=20), epsilon=1))
    >>> round(float(pair.epsilon), 4), round(float(pair.variation_upper), 4)  # where the theorem says 1 and 0.2449
    (0.3196, 0.0881)
    """
    found = audit(mechanism)
    largest = _short_upper(Fraction(found.epsilon))
    deltas = tuple(Fraction(found.delta(i * largest / CHORDS)) for i in range(CHORDS))
    return CurvePair(largest, deltas)


def _short_upper(loss: Fraction) -> Fraction:
    """The next multiple of 2^-40, whose multiples are short."""
    return Fraction(-(-loss.numerator * (1 << 40) // loss.denominator), 1 << 40)
