"""The inverse questions: the least ε for a wanted error at a wanted confidence, or for a wanted interval width.

They are answered for geometric with its default way back, which every space can use. A bracket is found by doubling
and closed by bisection among the numbers of four digits: the ε given meets the target, and 0.99 of it does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from discreet.arithmetic.numbers import exact
from discreet.errors import InvalidInput
from discreet.mechanisms import Geometric
from discreet.posteriors.space import PosteriorSpace
from discreet.utility.measure import accuracy
from discreet.utility.plans import Plan, Progress, plan_at
from discreet.utility.widths import expected_width, width_without_privacy

LEAST, MOST = Fraction(1, 10**6), Fraction(10**4)
"""Beyond these no ε is sought."""

DIGITS = 4


def plan(
    space: PosteriorSpace,
    *,
    epsilon: object = None,
    target_error: object = None,
    confidence: object = None,
    target_width: object = None,
    worst_case: bool = False,
    thorough: bool = False,
    progress: Progress | None = None,
) -> Plan:
    """Every mechanism side by side for an ε, and the one to use; or for the least ε that meets a target.

    `target_error` and `confidence`: the Hellinger distance from the true posterior is at most the one with at least the
    other's probability, on average over data that the prior expects, or (`worst_case`) for every data set.
    `target_width`: the expected width of the noise-aware 95 % interval of the first category, as a share. With
    `thorough` the exponential mechanisms are calibrated also where that takes minutes.

    >>> wanted = plan(PosteriorSpace(prior=[1, 1], n=60), target_error="0.2", confidence="0.9")
    >>> float(wanted.epsilon), wanted.recommended
    (1.35, 'geometric')
    """
    asked = [epsilon is not None, target_error is not None or confidence is not None, target_width is not None]
    if sum(asked) != 1 or (target_error is None) != (confidence is None):
        raise InvalidInput(
            "a plan needs one question", hint="give epsilon, or target_error with confidence, or target_width"
        )
    if worst_case and target_error is None:
        raise InvalidInput("the worst case is about a target error", hint="give target_error and confidence")
    question: dict[str, Any]
    if epsilon is not None:
        question = {"epsilon": str(exact(epsilon, "epsilon", above=0))}
        return plan_at(space, epsilon, thorough=thorough, question=question, progress=progress)
    if target_width is not None:
        wanted = exact(target_width, "target_width", above=0)
        question = {"target_width": str(wanted)}
        found = least_epsilon_for_width(space, wanted)
    else:
        distance, share = exact(target_error, "target_error", above=0), exact(confidence, "confidence", above=0)
        question = {"target_error": str(distance), "confidence": str(share), "worst_case": worst_case}
        found = least_epsilon_for_error(space, distance, share, worst_case=worst_case)
    return plan_at(space, found, thorough=thorough, question=question, progress=progress)


def least_epsilon_for_error(
    space: PosteriorSpace, distance: Fraction, confidence: Fraction, *, worst_case: bool = False
) -> Fraction:
    """The least ε (four digits, rounded up) at which Pr[H ≤ distance] ≥ confidence."""
    if confidence >= 1:
        raise InvalidInput("confidence must be below 1", hint="give it as a share, such as 0.95")
    if distance >= 1:
        raise InvalidInput("no Hellinger distance is above 1, so any epsilon keeps it", hint="want a smaller error")

    def meets(epsilon: Fraction) -> bool:
        return meets_error(space, epsilon, distance, confidence, worst_case=worst_case)

    return _least(meets, "no epsilon meets this target error", "allow a larger error")


def meets_error(
    space: PosteriorSpace, epsilon: object, distance: Fraction, confidence: Fraction, *, worst_case: bool = False
) -> bool:
    """Whether geometric at ε keeps within the distance with the confidence, on average or for every data set."""
    found = accuracy(Geometric(space, epsilon=epsilon))
    just_above = Fraction(math.nextafter(float(distance), math.inf))
    tail = found.worst_tail(just_above) if worst_case else found.tail(just_above)
    return tail <= float(1 - confidence)


def least_epsilon_for_width(space: PosteriorSpace, width: Fraction) -> Fraction:
    """The least ε (four digits, rounded up) at which the expected noise-aware width is at most the wanted one."""
    if width >= 1:
        raise InvalidInput(
            "no interval of a share is wider than 1, so any epsilon meets it", hint="want a narrower one"
        )
    without = width_without_privacy(space).value
    if float(width) <= without * (1 + 1e-6):
        raise InvalidInput(
            f"the interval has an expected width of {without:.4g} even without privacy", hint="allow a wider interval"
        )
    return _least(
        lambda epsilon: expected_width(Geometric(space, epsilon=epsilon)).value <= float(width),
        "no epsilon meets this target width",
        "allow a wider interval",
    )


def _least(meets: Callable[[Fraction], bool], failure: str, hint: str) -> Fraction:
    low, high = Fraction(1, 2), Fraction(1)
    while not meets(high):
        low, high = high, 2 * high
        if high > MOST:
            raise InvalidInput(failure, hint=hint)
    while meets(low):
        low, high = low / 2, low
        if low < LEAST:
            return high
    unit = Fraction(10) ** (math.floor(math.log10(low)) + 1 - DIGITS)
    below, above = math.floor(low / unit), math.ceil(high / unit)
    while above - below > 1:
        middle = (below + above) // 2
        if meets(middle * unit):
            above = middle
        else:
            below = middle
    found = above * unit
    while found > LEAST and meets(found * Fraction(99, 100)):  # where the error is not monotone in ε
        found *= Fraction(99, 100)
    return found
