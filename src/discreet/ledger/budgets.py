"""What a budget allows: which neighbours its charges must protect, how they add up, and whether one more fits.

Under `basic` composition the ε add up, and the δ. Under `zcdp` a budget of ε and δ is also a ρ, worked out once when it
is made, and charges fit while either their ε add up to no more than ε, or their ρ to no more than ρ. Both are sums of
fractions, so nothing is decided by a rounded number. docs/composition.md proves that the two rules together still keep
the promise (ε, δ) when each request is chosen after seeing the outcomes of the earlier ones. The first rule is
for pure charges: one with a δ of its own is accepted by its ρ alone, or refused if that is not known.

Under `exact` composition a budget is a schedule of slots, whose price was composed when it was opened, and a charge
takes one for each of its releases (`discreet.ledger.schedules`).

A budget adds up losses over its own neighbours: a charge that protects others is translated first, or refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from math import isqrt
from typing import Any

from discreet.arithmetic.numbers import float_upper
from discreet.arithmetic.words import exact_text
from discreet.errors import BudgetExceeded, InvalidInput
from discreet.ledger.entries import CHARGE, Amount, Entry, Loss, Scope
from discreet.ledger.schedules import Need, Schedule, Slot, need_of_epsilon, read_taken_slots, write_taken_slots
from discreet.privacy_loss.composition import epsilon_upper, rho_lower, rho_of_range, six_digits
from discreet.privacy_loss.renyi_bounds import pure_rho

REPLACE_ONE, REPLACE_ANSWER, ADD_REMOVE = ADJACENCIES = ("replace-one", "replace-answer", "add-remove")
BASIC, ZCDP, EXACT = COMPOSITIONS = ("basic", "zcdp", "exact")

ROOT_STEP = 10**9

MAX_FRACTION_PART = 10**40
"""Longer fractions are shown in six digits: nobody would read them, and Python may even refuse to write them."""


@dataclass(frozen=True, slots=True)
class Account:
    """A dataset's budget and what became of it."""

    dataset: str
    adjacency: str
    unit: str | None
    """Whose data one record is; None for budgets from before units were kept."""
    units: tuple[str, ...]
    """What its charges protect: more than one only in a ledger of before."""
    composition: str
    budget: Amount
    spent: Amount
    """The plain sum of the charges."""
    concentrated: Amount | None
    """What they cost together under zero-concentrated privacy, rounded up; None for a budget that adds plainly."""
    remaining: Amount
    """The most that one more charge may cost."""
    charges: int
    sealed: int
    unfinished: tuple[str, ...]
    """The requests that were charged and have no seal. To repeat them costs nothing."""
    slots: tuple[Slot, ...] = ()
    """Of a schedule, each kind of slot and how many of it were taken."""

    @property
    def guarantee(self) -> Amount:
        """What the releases so far promise together: the smaller ε of the sum, and of what its own rule proves."""
        proved = self.budget if self.slots else self.concentrated or self.spent
        return min(self.spent, proved, key=lambda amount: amount.epsilon)

    def to_json(self) -> dict[str, Any]:
        """The account for programs: amounts are exact texts; what has no short fraction is a float, rounded up."""
        document = asdict(self) | {"units": list(self.units), "unfinished": list(self.unfinished)}
        document |= {name: getattr(self, name).to_json() for name in ("budget", "spent", "remaining")}
        slots = ({"epsilon": str(slot.epsilon), "times": slot.times, "used": slot.used} for slot in self.slots)
        document["slots"] = list(slots)
        if self.concentrated is not None:
            epsilon, delta = self.concentrated
            document["concentrated"] = {"epsilon": float_upper(epsilon), "delta": str(delta)}
        return document


@dataclass(slots=True)
class Budget:
    """A dataset's budget as its row says it, and what its charges add up to so far."""

    row: Entry
    spent: Loss = field(default_factory=Loss)
    scope: Scope = field(default_factory=Scope)
    used: Counter[int] = field(default_factory=Counter)
    """How many of each kind of slot were taken."""

    @property
    def composition(self) -> str:
        """How its charges add up; rows of version 1 do not say."""
        return (self.row.composition or BASIC).partition(" ")[0]

    @property
    def schedule(self) -> Schedule | None:
        """The slots of a budget under exact composition."""
        return Schedule.read_stored(self.row.composition) if self.composition == EXACT else None

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Each kind of slot with how many were taken; none without a schedule."""
        return () if self.schedule is None else self.schedule.uses(self.used)

    def is_sound(self) -> bool:
        """Whether the row says what this library would: the ρ of a zCDP budget must be certified anew."""
        amount, rho = self.row.loss
        if self.schedule is not None:
            return rho is None and amount.epsilon > 0 and self.schedule.keeps(*amount)
        if rho is None or amount.epsilon <= 0:
            return amount.epsilon > 0 and self.composition == BASIC
        is_kept = amount.delta > 0 and epsilon_upper(rho, amount.delta) <= amount.epsilon
        return self.composition == ZCDP and is_kept

    @property
    def remaining(self) -> Amount:
        """The largest ε that one more charge may have if it is known by its ε alone, and the largest δ; rounded down.

        Under basic composition that is what is left of the budget; of a schedule, the ε of its largest free slot.
        """
        amount, rho = self.row.loss
        if self.slots:
            return Amount(max((slot.epsilon for slot in self.slots if slot.free), default=Fraction(0)), Fraction(0))
        left = amount.minus(self.spent.amount)
        if rho is None:
            return left
        room = Fraction(0) if self.spent.rho is None else max(Fraction(0), rho - self.spent.rho)
        plain = Fraction(0) if self.spent.amount.delta else left.epsilon
        return Amount(max(Fraction(0), plain, _epsilon_lower(room)), Fraction(0))

    @property
    def concentrated(self) -> Amount | None:
        """What a zCDP budget's charges cost so far at its δ, rounded up: shown beside their plain sum."""
        (_, delta), rho = self.row.loss
        if rho is None or self.spent.rho is None:
            return None
        return Amount(epsilon_upper(self.spent.rho, delta), delta)

    def require_room(self, charge: Entry) -> Loss:
        """What will have been spent with one more charge; refused if the budget does not allow it.

        Whoever reads a ledger holds every charge in it to this rule again.
        """
        dataset, adjacency = self.row.dataset, self.row.adjacency
        times = losses_of_one(charge.adjacency, adjacency)
        if times is None:
            raise InvalidInput(
                f"dataset {dataset!r} is budgeted under {adjacency}, and this release is under {charge.adjacency}",
                hint=WHY_NOT.get((str(charge.adjacency), str(adjacency)), "other losses do not add to these"),
            )
        if self.row.unit not in {None, charge.unit}:
            raise self._wrong_unit()
        if charge.amount.delta and times > 1:
            raise InvalidInput(
                f"a delta under {charge.adjacency} has no price under {adjacency}, which {dataset!r} is budgeted under",
                hint="charge what has no delta, or budget it under its own adjacency",
            )
        loss = charge.loss.times(times)
        if loss.amount.delta and self.composition != BASIC and (self.composition != ZCDP or loss.rho is None):
            raise InvalidInput(
                f"the delta of dataset {dataset!r} is needed for its composition",
                hint="charge what has no delta of its own, or budget it under basic composition",
            )
        conflict = self.scope.conflict(charge.scope)
        if conflict is not None:
            raise InvalidInput(
                f"column {conflict!r} of dataset {dataset!r} is public in one request and protected in another",
                hint="ask for it as before, or open a budget of its own for other data",
            )
        spent = self.spent.plus(loss)
        if self.schedule is not None:
            taken = read_taken_slots(charge.composition)
            is_whole = sum(each.need.epsilon for each in taken) == loss.amount.epsilon
            if not is_whole or not self.schedule.are_free(taken, self.used):
                raise self._no_slot(loss.amount)
        elif charge.composition is not None or not self._fits(spent):
            raise self._refusal(loss.amount, times)
        return spent

    def take_slots(self, charge: Entry, needs: Sequence[Need]) -> Entry:
        """The charge with a slot for each of its releases; refused if there is none for one of them."""
        assert self.schedule is not None, "only a schedule has slots"
        times = losses_of_one(charge.adjacency, self.row.adjacency) or 1
        scaled = needs if times == 1 else [need_of_epsilon(times * need.epsilon) for need in needs]
        taken = self.schedule.take(scaled, self.used)
        if taken is None:
            raise self._no_slot(charge.loss.amount)
        return charge._replace(composition=write_taken_slots(taken))

    def spend(self, charge: Entry, spent: Loss) -> None:
        """Take a charge into the account."""
        self.spent, self.scope = spent, self.scope.plus(charge.scope)
        if self.schedule is not None:
            self.used.update(taken.slot for taken in read_taken_slots(charge.composition))

    def _no_slot(self, amount: Amount) -> BudgetExceeded:
        """The refusal of what no free slot is for: everything in it is public."""
        free = ", ".join(f"{slot.free} x {slot.epsilon}" for slot in self.slots if slot.free) or "none"
        least = ""
        if self.schedule is not None and self.schedule.categories > 2:
            least = f" for releases of at least {self.schedule.categories} categories"
        return BudgetExceeded(
            f"epsilon = {_amount_text(amount.epsilon, ROUND_CEILING)} fits no slot that is left for "
            f"{self.row.dataset!r}: free are {free}{least}",
            hint="ask for what fits one of them, each column for itself: a schedule accepts nothing else",
        )

    def _fits(self, spent: Loss) -> bool:
        amount, rho = self.row.loss
        if rho is None:
            return spent.amount.within(amount)
        # The δ of a zcdp budget pays for the conversion of ρ: what has a δ of its own is paid by its ρ alone.
        by_sum = not spent.amount.delta and spent.amount.within(amount)
        return by_sum or (spent.rho is not None and spent.rho <= rho)

    def _wrong_unit(self) -> InvalidInput:
        """The refusal of a charge for rows to a budget of people, or the other way round: their losses do not add."""
        dataset, (_, _, column) = self.row.dataset, str(self.row.unit).partition(":")
        if column:
            return InvalidInput(
                f"dataset {dataset!r} is budgeted for people, told apart by {column!r}",
                hint=f"release with the id column {column!r}",
            )
        return InvalidInput(
            f"dataset {dataset!r} is budgeted for rows", hint="release without an id column, or open another budget"
        )

    def _refusal(self, amount: Amount, times: int) -> BudgetExceeded:
        """The refusal: everything in it is public."""
        whole, left, dataset = self.row.amount, self.remaining, self.row.dataset
        part = 0 if amount.epsilon > left.epsilon or self.composition != BASIC else 1
        more, rest, most = (
            _amount_text(amount[part], ROUND_CEILING),
            _amount_text(left[part], ROUND_FLOOR),
            _amount_text(whole[part], ROUND_FLOOR),
        )
        reason = f"{rest} of {most} is left for {dataset!r}"
        if self.composition != BASIC:
            reason = f"at most {six_digits(left.epsilon, ROUND_FLOOR)} is left of {most} for {dataset!r}"
        name = Amount._fields[part]
        hint = "ask for less, or not at all"
        if times > 1:
            hint += f"; {TWICE.format(self.row.adjacency)}"
        return BudgetExceeded(f"{name} = {more} does not fit: {reason}", hint=hint)


TWICE = "under {} an add-remove release costs twice its epsilon, as to replace is to remove and to add"
"""What is said of a price that is not the release's own."""

N_IS_PROTECTED = "it would publish the number of records, which this budget protects: release under add-remove"
WHY_NOT = {
    (REPLACE_ONE, ADD_REMOVE): N_IS_PROTECTED,
    (REPLACE_ANSWER, ADD_REMOVE): N_IS_PROTECTED,
    (REPLACE_ANSWER, REPLACE_ONE): "it would publish who is in which group, which this budget protects",
}
"""Why a budget pays for nothing that protects less than it does."""


def losses_of_one(charged: object, budgeted: object) -> int | None:
    """How many losses under the charge's adjacency make one step under the budget's; None if no number of them does.

    Who replaces a record may replace only its answer, so a release that hides the first hides the second. Who replaces
    a record, or its answer, removes one and adds one: two steps under add-remove. No number of replacements changes
    the number of records.

    >>> losses_of_one("replace-one", "replace-answer"), losses_of_one("add-remove", "replace-one")
    (1, 2)
    >>> losses_of_one("replace-answer", "replace-one"), losses_of_one("replace-one", "add-remove")
    (None, None)
    """
    if charged == budgeted or (charged, budgeted) == (REPLACE_ONE, REPLACE_ANSWER):
        return 1
    return 2 if charged == ADD_REMOVE and budgeted in (REPLACE_ONE, REPLACE_ANSWER) else None


def cost_to(budgeted: object, charged: object, epsilon: Fraction) -> Fraction:
    """The ε that a budget of this adjacency pays for a release; the release's own where it is not known to pay.

    >>> cost_to("replace-one", "add-remove", Fraction(1, 4)), cost_to(None, "replace-one", Fraction(1, 4))
    (Fraction(1, 2), Fraction(1, 4))
    """
    return (losses_of_one(charged, budgeted) or 1) * epsilon


def cost_words(entry: Entry, budgeted: object) -> str:
    """What stands beside the amount of a charge that cost its budget more than that."""
    if entry.kind != CHARGE:
        return ""
    cost = cost_to(budgeted, entry.adjacency, entry.amount.epsilon)
    return "" if cost == entry.amount.epsilon else f", paid {exact_text(cost)}"


def budget_rho(amount: Amount, composition: str) -> Fraction | None:
    """The ρ that a new budget allows: None under basic composition."""
    if composition not in COMPOSITIONS:
        raise InvalidInput(f"there is no composition {composition!r}", hint=f"use {' or '.join(COMPOSITIONS)}")
    if composition != ZCDP:
        return None
    if amount.delta == 0:
        raise InvalidInput("a zcdp budget needs a delta", hint="give a small one, like 1e-8, or use basic composition")
    if not Fraction(1, 10**9) <= amount.epsilon <= 10**6:
        raise InvalidInput(
            "epsilon is out of range for a zcdp budget", hint="stay between 1e-9 and 1e6", parameter="epsilon"
        )
    return rho_lower(amount.epsilon, amount.delta)


def worst_rho(amount: Amount) -> Fraction:
    """The largest ρ that a charge of this ε was ever written with: ε²/2, before it was known to be ε·tanh(ε/2)."""
    return rho_of_range(2 * amount.epsilon)


def _amount_text(number: Fraction, rounding: str) -> str:
    is_short = max(number.numerator, number.denominator) < MAX_FRACTION_PART
    return str(number) if is_short else six_digits(number, rounding)


def _epsilon_lower(rho: Fraction) -> Fraction:
    """The largest multiple of 1e-9 whose ρ, if nothing but this ε is known, is at most this."""
    low = isqrt(2 * rho.numerator * ROOT_STEP**2 // rho.denominator)  # ε²/2 ≥ ε·tanh(ε/2) ≥ ε - 1
    high = max(low, int((rho + 1) * ROOT_STEP)) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if pure_rho(Fraction(middle, ROOT_STEP)) <= rho else (low, middle)
    return Fraction(low, ROOT_STEP)
