"""Schedules: the slots of a budget whose releases are fixed when it is opened, and what all of them cost together.

A slot is a pair of laws with losses of at most ε and a total variation v (`LinearPair`). A release takes one that it
fits: whose ε and v are no less than its own. Its curve δ(x) is convex in e^x, at most v at x = 0 and 0 at ε, so it is
below the straight line between them, which is the slot's. All slots together are composed exactly, once, when the
budget is opened, and that is its price.

Which slot is taken next may depend on all earlier outcomes. With the slots S left and s taken, what follows is
dominated by the composition of S without s, whatever the outcome, by induction; together with s that is the composition
of S, whichever s was chosen. Slots that are never taken only make it less. Tests: `tests/ledger/test_schedules.py`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from discreet.arithmetic.numbers import exact
from discreet.arithmetic.words import exact_text
from discreet.errors import InvalidInput
from discreet.mechanisms.base import read_epsilon
from discreet.mechanisms.loss_pairs import GeometricPair, LinearPair, LossPair
from discreet.privacy_loss.composition import six_digits
from discreet.privacy_loss.loss_distributions import compose_pairs

MAX_SLOTS = 100_000
MAX_KINDS = 100
MAX_SQUARES = 40

_SLOTS = re.compile(r"\s*([0-9]{1,6})\s*[x×]\s*(\S+)\s*")
_STORED = re.compile(r"exact (.+) for ([0-9]{1,6}) categories")

HINT = 'write it like "12 x 0.25, 1 x 1"'


class Need(NamedTuple):
    """What one release needs of a slot: its largest loss, and its total variation, rounded up."""

    epsilon: Fraction
    variation: Fraction


class TakenSlot(NamedTuple):
    """A slot that a release has taken, by its place in the schedule, and what the release needed of it."""

    slot: int
    need: Need


class Slot(NamedTuple):
    """So many releases of at most this ε, and how many of them were taken."""

    epsilon: Fraction
    times: int
    used: int

    @property
    def free(self) -> int:
        """How many are left."""
        return self.times - self.used

    def __str__(self) -> str:
        return f"{self.used} of {self.times} slots of ε = {exact_text(self.epsilon)} taken"

    def squares(self) -> str:
        """A square for each, or for equal shares of many, full where it was taken.

        >>> slot = Slot(Fraction(1, 4), times=12, used=2)
        >>> print(slot, slot.squares())
        2 of 12 slots of ε = 0.25 taken ■■□□□□□□□□□□
        """
        squares = min(self.times, MAX_SQUARES)
        full = -(-squares * self.used // self.times)
        return "■" * full + "□" * (squares - full)


class Schedule(NamedTuple):
    """Slots by their ε, from the smallest on, for releases of at least so many categories.

    >>> year = Schedule.read("1 x 1, 12 x 0.25", 3)
    >>> str(year), float(year.price(Fraction(1, 10**6)))
    ('exact 12 x 1/4, 1 x 1 for 3 categories', 3.74894)
    >>> Schedule.read_stored(str(year)) == year
    True
    """

    slots: tuple[tuple[int, Fraction], ...]
    categories: int

    @classmethod
    def read(cls, text: str, categories: int) -> Schedule:
        """As a person writes it: how many, `x`, and their ε, with commas between."""
        times: Counter[Fraction] = Counter()
        for part in text.split(","):
            match = _SLOTS.fullmatch(part)
            if match is None or int(match[1]) == 0:
                raise InvalidInput("the schedule cannot be read", hint=HINT, parameter="schedule")
            times[read_epsilon(match[2])] += int(match[1])
        if sum(times.values()) > MAX_SLOTS or len(times) > MAX_KINDS:
            raise InvalidInput(
                "the schedule is too long",
                hint=f"plan at most {MAX_SLOTS:,} releases of {MAX_KINDS} kinds",
                parameter="schedule",
            )
        if not 2 <= categories <= MAX_SLOTS:
            raise InvalidInput(
                "a release has at least 2 categories",
                hint="say 2, or more if all releases have more",
                parameter="categories_at_least",
            )
        return cls(tuple((times[epsilon], epsilon) for epsilon in sorted(times)), categories)

    @classmethod
    def read_stored(cls, text: object) -> Schedule:
        """As a ledger keeps it; `ValueError` for what this would not have written."""
        match = _STORED.fullmatch(str(text))
        if match is None:
            raise ValueError("not a schedule")
        schedule = cls.read(match[1], int(match[2]))
        if str(schedule) != text:
            raise ValueError("not as it is written")
        return schedule

    def __str__(self) -> str:
        slots = ", ".join(f"{times} x {epsilon}" for times, epsilon in self.slots)
        return f"exact {slots} for {self.categories} categories"

    def needs(self) -> list[Need]:
        """What each kind of slot allows."""
        return [Need(epsilon, _variation(epsilon, self.categories)) for _, epsilon in self.slots]

    def price(self, delta: Fraction) -> Fraction:
        """The ε of all slots together at a δ, rounded up to six digits; never more than their sum."""
        bound = compose_pairs(self._pairs()).epsilon(delta).exact
        return min(Fraction(six_digits(bound, ROUND_CEILING)), sum((m * e for m, e in self.slots), Fraction(0)))

    def keeps(self, epsilon: Fraction, delta: Fraction) -> bool:
        """Whether all slots together are (ε, δ)-DP: proved anew."""
        return _keeps(self, epsilon, delta)

    def uses(self, used: Mapping[int, int]) -> tuple[Slot, ...]:
        """Each kind of slot with how many were taken."""
        return tuple(Slot(epsilon, times, used.get(i, 0)) for i, (times, epsilon) in enumerate(self.slots))

    def take(self, needs: Sequence[Need], used: Mapping[int, int]) -> list[TakenSlot] | None:
        """A slot for each release, the smallest that it fits; None if there is none for one of them.

        Slots are ordered, so serving the greatest needs first finds places for all if there are any.
        """
        taken, left = [], Counter(used)
        allowed = self.needs()
        for need in sorted(needs, reverse=True):
            fits = (i for i, slot in enumerate(allowed) if fits_slot(need, slot) and left[i] < self.slots[i][0])
            place = next(fits, None)
            if place is None:
                return None
            left[place] += 1
            taken.append(TakenSlot(place, need))
        return taken

    def are_free(self, taken: Sequence[TakenSlot], used: Mapping[int, int]) -> bool:
        """Whether these slots exist, are free, and are large enough: what every reader of a ledger checks again."""
        allowed, left = self.needs(), Counter(used)
        left.update(each.slot for each in taken)
        exist = all(0 <= each.slot < len(allowed) for each in taken)
        return exist and all(
            fits_slot(each.need, allowed[each.slot]) and left[each.slot] <= self.slots[each.slot][0] for each in taken
        )

    def _pairs(self) -> dict[LossPair, int]:
        return {LinearPair(*need): times for need, (times, _) in zip(self.needs(), self.slots, strict=True)}


def fits_slot(need: Need, slot: Need) -> bool:
    """Whether a release is below a slot's curve: at both of its ends.

    >>> third, half = Need(Fraction(1, 3), Fraction(1, 9)), Need(Fraction(1, 2), Fraction(1, 10))
    >>> fits_slot(third, third), fits_slot(third, half)
    (True, False)
    """
    return need.epsilon <= slot.epsilon and need.variation <= slot.variation


def need_of_epsilon(epsilon: Fraction) -> Need:
    """That of a release of which only ε is known."""
    return Need(epsilon, _variation(epsilon, 2))


@lru_cache(maxsize=1024)
def _variation(epsilon: Fraction, k: int) -> Fraction:
    return GeometricPair(epsilon, k).variation_upper


@lru_cache(maxsize=64)
def _keeps(schedule: Schedule, epsilon: Fraction, delta: Fraction) -> bool:
    return compose_pairs(schedule._pairs()).delta(epsilon).exact <= delta


def write_taken_slots(taken: Sequence[TakenSlot]) -> str:
    """The slots of a charge as its row keeps them."""
    return json.dumps([[each.slot, *map(str, each.need)] for each in taken], separators=(",", ":"))


def read_taken_slots(text: object) -> list[TakenSlot]:
    """The slots that a row says; `ValueError` for what is not written like that. Nobody takes none."""
    rows = json.loads(str(text))
    needs = [Need(exact(epsilon, "epsilon", above=0), exact(v, "v", minimum=0)) for _, epsilon, v in rows]
    taken = [TakenSlot(int(slot), need) for (slot, _, _), need in zip(rows, needs, strict=True)]
    if not taken or write_taken_slots(taken) != text:
        raise ValueError("not as it is written")
    return taken
