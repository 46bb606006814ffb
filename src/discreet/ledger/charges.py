"""What the ledger answers: charges, verdicts, and the refusal of what does not fit."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import BudgetExceeded
from discreet.ledger.entries import Amount, Entry


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


def exceeded(dataset: str, asked: Amount, budget: Amount, spent: Amount) -> BudgetExceeded:
    """The refusal: everything in it is public.

    >>> one, half = Amount(Fraction(1), Fraction(0)), Amount(Fraction(1, 2), Fraction(0))
    >>> raise exceeded("anes", one, one, half)
    Traceback (most recent call last):
    discreet.errors.BudgetExceeded: epsilon = 1 does not fit: 1/2 of 1 is left for 'anes'; ask for less, or not at all
    """
    left = budget.minus(spent)
    part = 0 if asked.epsilon > left.epsilon else 1
    name = ("epsilon", "delta")[part]
    return BudgetExceeded(
        f"{name} = {asked[part]} does not fit: {left[part]} of {budget[part]} is left for {dataset!r}",
        mend="ask for less, or not at all",
    )
