"""The inverse questions: the least ε for a wanted error at a wanted confidence, or for a wanted interval width.

They are answered for geometric with its default way back, which every space can use, by bisection among the numbers of
four digits: the ε given meets the target, and 0.99 of it does not, as far as is known. What is known of an error or a
width may be an interval: then the end on the safe side has to meet the target, and a plan's `question` says which it is
and how it was found.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from discreet.arithmetic.numbers import exact, exact_share
from discreet.errors import InvalidInput, TooLarge
from discreet.mechanisms import Geometric
from discreet.posteriors.space import PosteriorSpace
from discreet.typing import Epsilon, Progress
from discreet.utility.measure import accuracy
from discreet.utility.plans import Plan, plan_at
from discreet.utility.widths import expected_width, width_without_privacy

LEAST, DECADES = Fraction(1, 10**6), 10
"""No smaller ε is sought, and none beyond so many powers of ten from it."""


def plan(
    space: PosteriorSpace,
    *,
    epsilon: Epsilon | None = None,
    target_error: Epsilon | None = None,
    confidence: Epsilon | None = None,
    target_width: Epsilon | None = None,
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
            "a plan needs one question", hint="give `epsilon`, or `target_error` with `confidence`, or `target_width`"
        )
    if worst_case and target_error is None:
        raise InvalidInput("the worst case is about a target error", hint="give `target_error` and `confidence`")
    question: dict[str, Any]
    if epsilon is not None:
        question = {"epsilon": str(exact(epsilon, "epsilon", above=0))}
        return plan_at(space, epsilon, thorough=thorough, question=question, progress=progress)
    if target_width is not None:
        wanted = exact(target_width, "target_width", above=0)
        found = least_epsilon_for_width(space, wanted)
        width = expected_width(Geometric(space, epsilon=found))
        question = {"target_width": str(wanted), "at_most": width.value + width.error, "by": width.method}
    else:
        distance, share = exact(target_error, "target_error", above=0), exact(confidence, "confidence", above=0)
        found = least_epsilon_for_error(space, distance, share, worst_case=worst_case)
        beyond, method = _beyond(space, found, distance, worst_case)
        question = {"target_error": str(distance), "confidence": str(share), "worst_case": worst_case}
        question |= {"at_least": 1 - beyond, "by": method}
    return plan_at(space, found, thorough=thorough, question=question, progress=progress)


def least_epsilon_for_error(
    space: PosteriorSpace, distance: Fraction, confidence: Fraction, *, worst_case: bool = False
) -> Fraction:
    """The least ε (four digits, rounded up) at which Pr[H ≤ distance] ≥ confidence."""
    exact_share(confidence, "confidence")
    if distance >= 1:
        raise InvalidInput("no Hellinger distance is above 1, so any epsilon keeps it", hint="want a smaller error")

    return _least(
        lambda epsilon: meets_error(space, epsilon, distance, confidence, worst_case=worst_case),
        "no epsilon meets this target error",
        "allow a larger error",
    )


def meets_error(
    space: PosteriorSpace, epsilon: Epsilon, distance: Fraction, confidence: Fraction, *, worst_case: bool = False
) -> bool:
    """Whether geometric at ε keeps within the distance with the confidence, on average or for every data set."""
    return _beyond(space, epsilon, distance, worst_case)[0] <= float(1 - confidence)


def _beyond(space: PosteriorSpace, epsilon: Epsilon, distance: Fraction, worst_case: bool) -> tuple[float, str]:
    """Pr[H > distance] by geometric from above, and how it was found."""
    found = accuracy(Geometric(space, epsilon=epsilon))
    just_above = Fraction(math.nextafter(float(distance), math.inf))
    return found.worst_tail(just_above) if worst_case else found.tail_upper(just_above), found.method


def least_epsilon_for_width(space: PosteriorSpace, width: Fraction) -> Fraction:
    """The least ε (four digits, rounded up) at which the expected noise-aware width is at most the wanted one.

    What is known of a width is an interval, and its upper end has to be at most the wanted width.
    """
    if width >= 1:
        raise InvalidInput(
            "no interval of a share is wider than 1, so any epsilon meets it", hint="want a narrower one"
        )
    without = width_without_privacy(space).value
    if float(width) <= without * (1 + 1e-6):
        raise InvalidInput(
            f"the interval has an expected width of {without:.4g} even without privacy", hint="allow a wider interval"
        )

    def meets(epsilon: Fraction) -> bool:
        found = expected_width(Geometric(space, epsilon=epsilon))
        return found.value + found.error <= float(width)

    return _least(meets, "no epsilon meets this target width", "allow a wider interval")


def _least(meets: Callable[[Fraction], bool], failure: str, hint: str) -> Fraction:
    """The least ε of four digits, by bisection; then smaller ones, where the error is not monotone in ε."""
    known = cache(meets)

    def met(place: int) -> bool:
        try:
            return known(_four_digits(place))
        except TooLarge:  # noise too wide to be measured: the check of what was found says so if it matters
            return False

    last = 9000 * DECADES
    found = _four_digits(min(bisect_left(range(last), True, key=met), last))
    if not known(found):
        raise InvalidInput(failure, hint=hint)
    while found > LEAST and known(found * Fraction(99, 100)):
        found *= Fraction(99, 100)
    return found


def _four_digits(place: int) -> Fraction:
    """The numbers of four digits in their order.

    >>> [float(_four_digits(place)) for place in (0, 1, 9000, 62_500)]
    [1e-06, 1.001e-06, 1e-05, 9.5]
    """
    decade, digits = divmod(place, 9000)
    return LEAST * Fraction((1000 + digits) * 10**decade, 1000)
