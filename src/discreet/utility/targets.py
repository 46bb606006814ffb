"""The inverse questions: the least ε for a wanted error at a wanted confidence, or for a wanted interval width.

They are answered for geometric with its default post-processing, which every space can use, by bisection among the
numbers of four digits: the ε given meets the target, and 0.99 of it does not, as far as is known. What is known of an
error or a width may be an interval: then the end on the safe side has to meet the target, and a plan's `question` says
which it is and how it was found.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

from discreet.arithmetic.numbers import exact, exact_share, whole
from discreet.errors import InvalidInput, TooLarge, require_kind
from discreet.mechanisms import Geometric
from discreet.posteriors.space import PosteriorSpace
from discreet.typing import Epsilon, Steps
from discreet.utility.differences import NOISELESS_RATE, GroupLine, difference_width, group_lines
from discreet.utility.measure import accuracy
from discreet.utility.plans import Plan, plan_at
from discreet.utility.releases import plan_releases
from discreet.utility.widths import Width, expected_width, line_width, width_without_privacy

_ATTEMPTS = 20
LEAST, DECADES = Fraction(1, 10**6), 10
"""No smaller ε is sought, and none beyond so many powers of ten from it."""


@dataclass(frozen=True, kw_only=True)
class Interval:
    """Which interval is meant: its level, the category by its number, and of groups the widest, or a difference.

    `groups` are the sizes by name. Those that are not `group_public` are guesses, because they are not published.
    """

    level: Fraction = Fraction(19, 20)
    category: int = 1
    groups: Mapping[str, int] | None = None
    group_public: bool = False
    of: str = "share"

    def __post_init__(self) -> None:
        if self.of not in ("share", "difference"):
            raise InvalidInput("a width is that of a share or of a difference", hint="say share, or difference")
        if self.of == "difference" and len(self.groups or ()) != 2:
            raise InvalidInput("a difference is between two groups", hint="give two, like new=200,old=206")
        if self.group_public and self.groups is None:
            raise InvalidInput("there are no groups to be public", hint="give groups, like new=200,old=206")

    def width(self, space: PosteriorSpace, epsilon: Fraction) -> Width:
        """Its expected width for geometric; exact, or with an error on the safe side."""
        if self.groups is None:
            return expected_width(Geometric(space, epsilon=epsilon), self.level)
        return self._of_lines(group_lines(space, tuple(self.groups.values()), epsilon, public=self.group_public))

    def width_without_privacy(self, space: PosteriorSpace) -> float:
        """The same without noise."""
        if self.groups is None:
            return width_without_privacy(space, self.level).value
        lines = group_lines(space, tuple(self.groups.values()), Fraction(1), public=self.group_public)
        return self._of_lines([replace(line, rate=NOISELESS_RATE) for line in lines]).value

    def _of_lines(self, lines: Sequence[GroupLine]) -> Width:
        level = float(self.level)
        if self.of == "difference":
            one, other = lines
            return difference_width(one, other, level)
        return max((line_width(line.space, line.rate, level) for line in lines), key=lambda width: width.value)

    def to_json(self) -> dict[str, Any]:
        """What of it is not the default."""
        document: dict[str, Any] = {"level": float(self.level), "category": self.category}
        if self.groups is not None:
            document |= {"groups": dict(self.groups), "group_public": self.group_public, "of": self.of}
        return document


def plan(
    space: PosteriorSpace,
    *,
    epsilon: Epsilon | None = None,
    target_error: Epsilon | None = None,
    confidence: Epsilon | None = None,
    target_width: Epsilon | None = None,
    level: Epsilon = "0.95",
    category: int | str = 1,
    groups: Mapping[str, int] | None = None,
    group_public: bool = False,
    of: str = "share",
    worst_case: bool = False,
    compare: bool = False,
    thorough: bool = False,
    releases: int | str | None = None,
    delta: Epsilon | None = None,
    guess: int | str | None = None,
    progress: Steps | None = None,
) -> Plan:
    """The mechanism to use for an ε and what it will give, or the least ε that meets a target.

    `target_error` and `confidence`: the Hellinger distance from the true posterior is at most the one with at least the
    other's probability, on average over typical data (drawn from the prior predictive), or (`worst_case`) for every
    data set. `target_width`: the expected width, as a share, of the noise-aware interval at this `level` of the
    category of this number; with `groups` (their sizes by name, which sum to n), of the share within the widest group,
    or `of` the "difference" between two. The prior is then that of an answer within a group. With `compare` all
    mechanisms are put side by side; with `thorough` the exponential ones are calibrated also where that takes minutes.

    With `releases` and `delta`, so many releases share `epsilon`: geometric and gaussian at their exact composition.
    Of a space with a private n, `guess` is about how many records there are, and the plan says that it is a guess.

    >>> least = plan(PosteriorSpace(prior=[1, 1], n=60), target_error="0.2", confidence="0.9")
    >>> float(least.epsilon), least.recommended
    (1.35, 'geometric')
    >>> sizes = {"new": 200, "old": 206}
    >>> arms = plan(PosteriorSpace(prior=[1, 1], n=406), epsilon=1, groups=sizes, group_public=True, of="difference")
    >>> print(arms.sentences()[0])
    95 % intervals of the difference will be about 16 points wide, 16 without privacy.
    >>> plan(PosteriorSpace(prior=[1, 1], n=500), epsilon=1, releases=40, delta="1e-6").recommended
    'gaussian'
    """
    require_kind(space, PosteriorSpace, "space", hint="build one: dc.PosteriorSpace(prior=[1, 1], n=1000)")
    questions = [epsilon is not None, target_error is not None or confidence is not None, target_width is not None]
    if sum(questions) != 1 or (target_error is None) != (confidence is None):
        raise InvalidInput(
            "a plan needs one question", hint="give `epsilon`, or `target_error` with `confidence`, or `target_width`"
        )
    if worst_case and target_error is None:
        raise InvalidInput("the worst case is about a target error", hint="give `target_error` and `confidence`")
    if guess is not None or not space.adjacency.keeps_total:
        return _plan_private_n(space, None if groups or releases else epsilon, guess, category, level)
    interval = Interval(
        level=exact_share(level, "level"),
        category=_category_number(space, category),
        groups=_group_sizes(space, groups),
        group_public=group_public,
        of=of,
    )
    first = _category_first(space, interval.category)
    if releases is not None or delta is not None:
        return replace(_plan_shared_price(first, releases, epsilon, delta, interval), space=space)
    question: dict[str, Any]
    if epsilon is not None:
        price = exact(epsilon, "epsilon", above=0)
        question = {"epsilon": str(price)}
    elif target_width is not None:
        target = exact(target_width, "target_width", above=0)
        price = least_epsilon_for_width(first, target, interval, progress)
        width = interval.width(first, price)
        question = {"target_width": str(target), "at_most": width.value + width.error, "by": width.method}
    else:
        distance, share = exact(target_error, "target_error", above=0), exact(confidence, "confidence", above=0)
        price = least_epsilon_for_error(space, distance, share, worst_case=worst_case)
        beyond, method = _error_tail(space, price, distance, worst_case)
        question = {"target_error": str(distance), "confidence": str(share), "worst_case": worst_case}
        question |= {"at_least": 1 - beyond, "by": method}
    question |= {"interval": interval.to_json()}
    table = first if groups is None else _release_space(first, interval)
    base = plan_at(
        table, price, compare=compare, thorough=thorough, level=interval.level, question=question, progress=progress
    )
    return replace(base if interval.groups is None else _within_groups(base, first, price, interval), space=space)


def _within_groups(base: Plan, first: PosteriorSpace, epsilon: Fraction, interval: Interval) -> Plan:
    """The plan of the whole table, with the interval of a share within a group, or of their difference."""
    width = interval.width(first, epsilon)
    row = replace(
        base.answer,
        interval_width=width.value,
        interval_width_within=width.error,
        method=f"{base.answer.method.partition(';')[0]}; interval by {width.method}",
    )
    rows = tuple(row if each is base.answer else each for each in base.mechanisms)
    return replace(base, mechanisms=rows, interval_width_without_privacy=interval.width_without_privacy(first))


def _plan_private_n(
    space: PosteriorSpace, epsilon: Epsilon | None, guess: object, category: object, level: Epsilon
) -> Plan:
    """The plan of a space with a private n."""
    from discreet.inference.private_plans import plan_private

    if space.adjacency.keeps_total:
        raise InvalidInput("n is public, and no guess", hint="leave out `guess`", parameter="guess")
    if epsilon is None or guess is None:
        raise InvalidInput(
            "where n is private a plan takes an epsilon and a guess of n, and no groups",
            hint="give `epsilon` and `guess`, like 1 and 1000",
            parameter="guess",
        )
    number, share = whole(guess, "guess", minimum=1), exact_share(level, "level")
    return plan_private(space, epsilon, number, category=_category_number(space, category), level=share)


def _plan_shared_price(
    space: PosteriorSpace, releases: object, epsilon: Epsilon | None, delta: Epsilon | None, interval: Interval
) -> Plan:
    """The plan of many releases at one price."""
    if epsilon is None or releases is None or interval.groups is not None:
        raise InvalidInput(
            "many releases share an epsilon and a delta", hint="give `epsilon`, `delta` and `releases`, and no groups"
        )
    answer = plan_releases(space, releases, epsilon, delta, interval.level)
    return replace(answer, question=answer.question | {"interval": interval.to_json()})


def _category_number(space: PosteriorSpace, category: object) -> int:
    number = whole(category, "category", minimum=1)
    if number > space.k:
        raise InvalidInput(
            f"the prior has {space.k} categories", hint="give the number of one of them", parameter="category"
        )
    return number


def _group_sizes(space: PosteriorSpace, groups: Mapping[str, object] | None) -> dict[str, int] | None:
    if groups is None:
        return None
    sizes = {name: whole(size, "a group", minimum=1) for name, size in groups.items()}
    if len(sizes) < 2 or sum(sizes.values()) != space.n:
        raise InvalidInput("the groups are two or more, and their sizes sum to n", hint="like new=200,old=206")
    return sizes


def _category_first(space: PosteriorSpace, category: int) -> PosteriorSpace:
    """The same space with this category first."""
    if category == 1:
        return space
    parameters = list(space.prior.parameters)
    parameters.insert(0, parameters.pop(category - 1))
    return PosteriorSpace(prior=parameters, n=space.n)


def _release_space(space: PosteriorSpace, interval: Interval) -> PosteriorSpace:
    """What one mechanism releases: the table of all groups, or the smallest of the public groups."""
    sizes = list((interval.groups or {}).values())
    if interval.group_public:
        return PosteriorSpace(prior=space.prior, n=min(sizes), adjacency="replace-answer")
    return PosteriorSpace(prior=list(space.prior.parameters) * len(sizes), n=space.n)


def least_epsilon_for_error(
    space: PosteriorSpace, distance: Fraction, confidence: Fraction, *, worst_case: bool = False
) -> Fraction:
    """The least ε (four digits, rounded up) at which Pr[H ≤ distance] ≥ confidence."""
    exact_share(confidence, "confidence")
    if distance >= 1:
        raise InvalidInput("no Hellinger distance is above 1, so any epsilon keeps it", hint="want a smaller error")

    return _least_epsilon(
        lambda epsilon: meets_error(space, epsilon, distance, confidence, worst_case=worst_case),
        "no epsilon meets this target error",
        "allow a larger error",
    )


def meets_error(
    space: PosteriorSpace, epsilon: Epsilon, distance: Fraction, confidence: Fraction, *, worst_case: bool = False
) -> bool:
    """Whether geometric at ε keeps within the distance with the confidence, on average or for every data set."""
    return _error_tail(space, epsilon, distance, worst_case)[0] <= float(1 - confidence)


def _error_tail(space: PosteriorSpace, epsilon: Epsilon, distance: Fraction, worst_case: bool) -> tuple[float, str]:
    """Pr[H > distance] by geometric from above, and how it was found."""
    error = accuracy(Geometric(space, epsilon=epsilon))
    just_above = Fraction(math.nextafter(float(distance), math.inf))
    return error.worst_tail(just_above) if worst_case else error.tail_upper(just_above), error.method


def least_epsilon_for_width(
    space: PosteriorSpace, width: Fraction, interval: Interval | None = None, progress: Steps | None = None
) -> Fraction:
    """The least ε (four digits, rounded up) at which the expected noise-aware width is at most the wanted one.

    What is known of a width is an interval, and its upper end has to be at most the wanted width.
    """
    interval_kind = interval or Interval()
    if width >= (2 if interval_kind.of == "difference" else 1):
        raise InvalidInput("no interval is as wide as that, so any epsilon meets it", hint="want a narrower one")
    without = interval_kind.width_without_privacy(space)
    if float(width) <= without * (1 + 1e-6):
        raise InvalidInput(
            f"the interval has an expected width of {without:.4g} even without privacy", hint="allow a wider interval"
        )
    attempts = itertools.count()

    def meets(epsilon: Fraction) -> bool:
        if progress is not None:
            progress(f"width at ε = {float(epsilon):.4g}", min(next(attempts), _ATTEMPTS), _ATTEMPTS)
        expected = interval_kind.width(space, epsilon)
        return expected.value + expected.error <= float(width)

    return _least_epsilon(meets, "no epsilon meets this target width", "allow a wider interval")


def _least_epsilon(meets: Callable[[Fraction], bool], failure: str, hint: str) -> Fraction:
    """The least ε of four digits, by bisection; then smaller ones, where the error is not monotone in ε."""
    is_met = cache(meets)

    def is_met_at(place: int) -> bool:
        try:
            return is_met(_four_digits(place))
        except TooLarge:  # noise too wide to be measured: the check of what was found says so if it matters
            return False

    last = 9000 * DECADES
    epsilon = _four_digits(min(bisect_left(range(last), True, key=is_met_at), last))
    if not is_met(epsilon):
        raise InvalidInput(failure, hint=hint)
    while epsilon > LEAST and is_met(epsilon * Fraction(99, 100)):
        epsilon *= Fraction(99, 100)
    return epsilon


def _four_digits(place: int) -> Fraction:
    """The numbers of four digits in their order.

    >>> [float(_four_digits(place)) for place in (0, 1, 9000, 62_500)]
    [1e-06, 1.001e-06, 1e-05, 9.5]
    """
    decade, digits = divmod(place, 9000)
    return LEAST * Fraction((1000 + digits) * 10**decade, 1000)
