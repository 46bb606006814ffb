"""What a budget allows: which neighbours its charges must protect, how they add up, and whether one more fits.

Under `basic` composition the ε add up, and the δ. Under `zcdp` a budget of ε and δ is also a ρ, worked out once when it
is made, and charges fit while either their ε add up to no more than ε, or their ρ to no more than ρ. Both are sums of
fractions, so nothing is decided by a rounded number. docs/composition.md proves that the two rules together still keep
the promise (ε, δ) when each request is chosen after seeing the outcomes of the earlier ones. That needs pure charges:
the whole δ pays for the way back from ρ, and a charge with a δ of its own is refused.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import NamedTuple

from discreet.errors import InvalidInput
from discreet.ledger.entries import NOTHING, Amount, Entry, read_number
from discreet.privacy_loss.composition import epsilon_upper, rho_lower, rho_of_range, rounded_up

REPLACE_ONE, REPLACE_ANSWER = "replace-one", "replace-answer"
ADJACENCIES = (REPLACE_ONE, REPLACE_ANSWER)

BASIC, ZCDP = "basic", "zcdp"
COMPOSITIONS = (BASIC, ZCDP)

ROOT_STEP = 10**9


def covers(charged: object, budgeted: object) -> bool:
    """Whether a loss under one adjacency is also a loss under the other, because it protects no fewer neighbours.

    Who replaces a record may replace only its answer, so a release that hides the first hides the second.

    >>> covers("replace-one", "replace-answer"), covers("replace-answer", "replace-one")
    (True, False)
    """
    return charged == budgeted or (charged, budgeted) == (REPLACE_ONE, REPLACE_ANSWER)


class Spent(NamedTuple):
    """What charges add up to. `rho` is None where some were written before ρ was kept."""

    amount: Amount = NOTHING
    rho: Fraction | None = Fraction(0)

    def plus(self, amount: Amount, rho: Fraction | None) -> Spent:
        """With one more charge; ρ is rounded up where its denominator would grow long."""
        both = None if rho is None or self.rho is None else rounded_up(self.rho + rho)
        return Spent(self.amount.plus(amount), both)


def spent_with(charge: Entry | None) -> Spent:
    """What a dataset has spent with its newest charge."""
    if charge is None:
        return Spent()
    return Spent(charge.spent, None if charge.spent_rho is None else read_number(charge.spent_rho))


def composition_of(budget: Entry) -> str:
    """How the charges to a budget add up; budgets of version 1 do not say."""
    return budget.composition or BASIC


def allowed_rho(budget: Entry) -> Fraction:
    """What the ρ of a zCDP budget's charges may add up to."""
    return read_number(budget.rho)


def budget_rho(amount: Amount, composition: str) -> Fraction | None:
    """The ρ that a new budget allows: None under basic composition."""
    if composition not in COMPOSITIONS:
        raise InvalidInput(f"there is no composition {composition!r}", hint=f"use {' or '.join(COMPOSITIONS)}")
    if composition == BASIC:
        return None
    if amount.delta == 0:
        raise InvalidInput("a zcdp budget needs a delta", hint="give a small one, like 1e-8, or use basic composition")
    if not Fraction(1, 10**9) <= amount.epsilon <= 10**6:
        raise InvalidInput(
            "epsilon is out of range for a zcdp budget", hint="stay between 1e-9 and 1e6", parameter="epsilon"
        )
    return rho_lower(amount.epsilon, amount.delta)


def is_sound(budget: Entry) -> bool:
    """Whether a budget says what this library would: the ρ of a zCDP budget must be certified anew."""
    if composition_of(budget) == BASIC:
        return budget.rho is None
    rho = allowed_rho(budget)
    return (
        budget.composition == ZCDP
        and budget.amount.delta > 0
        and epsilon_upper(rho, budget.amount.delta) <= budget.amount.epsilon
    )


def is_price(rho: Fraction | None, amount: Amount) -> bool:
    """Whether a charge of this size could have been written with this ρ."""
    return rho is None or 0 < rho <= rho_of_range(2 * amount.epsilon)


def fits(budget: Entry, spent: Spent) -> bool:
    """Whether this much may be spent in all: exactly."""
    if composition_of(budget) == BASIC:
        return spent.amount.within(budget.amount)
    by_rho = spent.rho is not None and spent.rho <= allowed_rho(budget)
    return spent.amount.delta == 0 and (spent.amount.epsilon <= budget.amount.epsilon or by_rho)


def largest(budget: Entry, spent: Spent) -> Amount:
    """The largest ε that one more charge may have if it is known by its ε alone, and the largest δ; rounded down.

    Under basic composition that is what is left of the budget.
    """
    left = budget.amount.minus(spent.amount)
    if composition_of(budget) == BASIC:
        return left
    room = Fraction(0) if spent.rho is None else max(Fraction(0), allowed_rho(budget) - spent.rho)
    return Amount(max(Fraction(0), left.epsilon, _root_lower(2 * room)), Fraction(0))


def guaranteed(budget: Entry, spent: Spent) -> Amount | None:
    """What a zCDP budget's charges cost so far at its δ, rounded up: shown beside their plain sum."""
    if composition_of(budget) == BASIC or spent.rho is None:
        return None
    return Amount(epsilon_upper(spent.rho, budget.amount.delta), budget.amount.delta)


def _root_lower(square: Fraction) -> Fraction:
    """A multiple of 1e-9 that is at most the square root, and whose own ρ therefore fits."""
    return Fraction(isqrt(square.numerator * ROOT_STEP**2 // square.denominator), ROOT_STEP)
