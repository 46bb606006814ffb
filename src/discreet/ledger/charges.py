"""What the ledger answers: charges, verdicts, and the refusal of what does not fit."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction

from discreet.errors import BudgetExceeded, InvalidInput
from discreet.ledger.entries import Amount, Entry, read_number
from discreet.ledger.rules import BASIC, Spent, composition_of, covers, fits, largest
from discreet.ledger.scopes import Scope, columns_of
from discreet.privacy_loss.composition import six_digits

LONG = 10**40


OTHER = "ask as you did before, or use another id, which costs anew"
"""How to mend a request that was made before with other parameters."""


@dataclass(frozen=True, slots=True)
class Charge:
    """What a request has been charged, and what was released for it, if it was sealed."""

    dataset: str
    epsilon: Fraction
    delta: Fraction
    adjacency: str
    request_id: str
    digest: str
    time: str
    hash: str
    """Of the charge's row: what a receipt can name."""
    outcome: str | None
    """The sealed JSON text. A charge without one may be drawn for again; nothing more is spent."""
    is_new: bool
    """Whether this call spent it."""


@dataclass(frozen=True, slots=True)
class Verified:
    """A ledger found sound, up to this head."""

    rows: int
    head: str


def charge_of(entry: Entry, seal: Entry | None, *, is_new: bool) -> Charge:
    """A charge from its row, and the row of its seal."""
    return Charge(
        dataset=entry.dataset,
        epsilon=entry.amount.epsilon,
        delta=entry.amount.delta,
        adjacency=str(entry.adjacency),
        request_id=str(entry.request_id),
        digest=str(entry.digest),
        time=entry.time,
        hash=entry.hash,
        outcome=None if seal is None else seal.outcome,
        is_new=is_new,
    )


def require_room(budget: Entry, before: Spent, scope: Scope, asked: Entry) -> Spent:
    """What will have been spent with one more charge; refused if the budget does not allow it."""
    if not covers(asked.adjacency, budget.adjacency):
        raise InvalidInput(
            f"dataset {budget.dataset!r} is budgeted under {budget.adjacency}", hint="other losses do not add to these"
        )
    if budget.unit not in {None, asked.unit}:
        raise wrong_unit(budget)
    if asked.amount.delta and composition_of(budget) != BASIC:
        raise InvalidInput(
            f"the delta of dataset {budget.dataset!r} is needed for its composition",
            hint="charge what has no delta of its own, or budget it under basic composition",
        )
    conflict = scope.conflict(columns_of(asked))
    if conflict is not None:
        raise InvalidInput(
            f"column {conflict!r} of dataset {budget.dataset!r} is public in one request and protected in another",
            hint="ask for it as before, or open a budget of its own for other data",
        )
    spent = before.plus(asked.amount, read_number(asked.rho))
    if not fits(budget, spent):
        raise exceeded(budget, asked.amount, before)
    return spent


def wrong_unit(budget: Entry) -> InvalidInput:
    """The refusal of a charge for rows to a budget of people, or the other way round: their losses do not add up."""
    _, _, column = str(budget.unit).partition(":")
    if column:
        return InvalidInput(
            f"dataset {budget.dataset!r} is budgeted for people, told apart by {column!r}",
            hint=f"release with the id column {column!r}",
        )
    return InvalidInput(
        f"dataset {budget.dataset!r} is budgeted for rows", hint="release without an id column, or open another budget"
    )


def exceeded(budget: Entry, asked: Amount, before: Spent) -> BudgetExceeded:
    """The refusal: everything in it is public.

    >>> budget = Entry(seq=1, kind="budget", dataset="anes", time="", epsilon="1", delta="0")
    >>> half = Amount(Fraction(1, 2), Fraction(0))
    >>> raise exceeded(budget, Amount(Fraction(1), Fraction(0)), Spent(half))
    Traceback (most recent call last):
    discreet.errors.BudgetExceeded: epsilon = 1 does not fit: 1/2 of 1 is left for 'anes'; ask for less, or not at all
    """
    whole, left, mend = budget.amount, largest(budget, before), "ask for less, or not at all"
    if composition_of(budget) != BASIC:
        most = six_digits(left.epsilon, ROUND_FLOOR)
        return BudgetExceeded(
            f"epsilon = {asked.epsilon} does not fit: at most {most} is left of {whole.epsilon} for {budget.dataset!r}",
            hint=mend,
        )
    part = 0 if asked.epsilon > left.epsilon else 1
    name = ("epsilon", "delta")[part]
    more, rest, most = (
        _told(asked[part], ROUND_CEILING),
        _told(left[part], ROUND_FLOOR),
        _told(whole[part], ROUND_FLOOR),
    )
    return BudgetExceeded(f"{name} = {more} does not fit: {rest} of {most} is left for {budget.dataset!r}", hint=mend)


def _told(number: Fraction, rounding: str) -> str:
    """The fraction, or six digits of one that nobody would read; Python may even refuse to write it."""
    return str(number) if max(number.numerator, number.denominator) < LONG else six_digits(number, rounding)
