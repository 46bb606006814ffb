"""The rows of a ledger: what they say, and the hash that chains each to the one before.

Everything is text, the numbers too, so that a row is hashed as it is stored and an ε is the fraction that was asked.
"""

from __future__ import annotations

import hashlib
import json
import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from discreet.arithmetic.numbers import exact
from discreet.errors import InvalidInput

FIRST = "0" * 64
"""What stands for the hash before the first row."""

BUDGET, CHARGE, SEAL = "budget", "charge", "seal"

LATER = ("composition", "rho", "spent_rho", "unit", "columns")
"""What rows of earlier versions do not have. They are hashed where they are said: old rows keep their hashes."""

ROW = "row"
"""The unit of a budget that protects single rows."""

MAX_NAME = 200
MAX_DIGITS = 4000
"""Python reads and writes whole numbers of up to 4300 digits; a total that needs more is refused."""

_BEYOND = 10**MAX_DIGITS
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
_FRACTION = re.compile(r"[0-9]+(?:/[0-9]+)?", re.ASCII)


class Amount(NamedTuple):
    """A privacy loss, exactly: under basic composition both parts add up.

    >>> Amount(Fraction(1, 10), Fraction(0)).plus(Amount(Fraction(2, 10), Fraction(0))).epsilon
    Fraction(3, 10)
    """

    epsilon: Fraction
    delta: Fraction

    def plus(self, other: Amount) -> Amount:
        """Both losses together."""
        return Amount(self.epsilon + other.epsilon, self.delta + other.delta)

    def minus(self, other: Amount) -> Amount:
        """What is left of this one."""
        return Amount(self.epsilon - other.epsilon, self.delta - other.delta)

    def within(self, budget: Amount) -> bool:
        """Whether it fits the budget, in both parts."""
        return self.epsilon <= budget.epsilon and self.delta <= budget.delta

    def to_json(self) -> dict[str, str]:
        """Exact, as texts: 1/3 is no JSON number."""
        return {"epsilon": str(self.epsilon), "delta": str(self.delta)}


NOTHING = Amount(Fraction(0), Fraction(0))


class Entry(NamedTuple):
    """One row. A budget opens a dataset, a charge spends from it, a seal keeps what was released for a charge."""

    seq: int
    kind: str
    dataset: str
    time: str
    epsilon: str | None = None
    delta: str | None = None
    spent_epsilon: str | None = None
    """For a charge: what the dataset has spent with it."""
    spent_delta: str | None = None
    adjacency: str | None = None
    request_id: str | None = None
    digest: str | None = None
    """Of all parameters of the request. A seal repeats its charge's."""
    outcome: str | None = None
    previous: str = FIRST
    hash: str = ""
    composition: str | None = None
    """For a budget: how its charges add up."""
    rho: str | None = None
    """For a charge: its loss under zero-concentrated privacy; for a budget under that: what they may add up to."""
    spent_rho: str | None = None
    unit: str | None = None
    """Whose data one record is: `row`, or `id:` and the column that tells people apart. None before units were kept."""
    columns: str | None = None
    """For a charge: a JSON text of the columns that it protects and of those that it takes as public."""

    def computed_hash(self) -> str:
        """SHA-256 of the row in canonical JSON, everything but the hash itself.

        >>> Entry(seq=1, kind=BUDGET, dataset="anes", time="2030-01-01T00:00:00+00:00").computed_hash()[:16]
        '08f6b2603c2a9bd7'
        """
        return hashlib.sha256(self.canonical()).hexdigest()

    def canonical(self) -> bytes:
        """The row without its hash as JSON with sorted keys: the bytes that are hashed, and that a file keeps."""
        told = self._asdict()
        del told["hash"]
        for name in LATER:
            if told[name] is None:
                del told[name]
        return _CANONICAL.encode(told).encode("ascii")

    def chained(self) -> Entry:
        """The row with its hash filled in."""
        return self._replace(hash=self.computed_hash())

    @property
    def amount(self) -> Amount:
        """A budget's size, or a charge's."""
        return read_amount(self.epsilon, self.delta)

    @property
    def spent(self) -> Amount:
        """What the dataset has spent with this charge."""
        return read_amount(self.spent_epsilon, self.spent_delta)


def read_amount(epsilon: object, delta: object) -> Amount:
    """An amount as it is stored; `ValueError` for anything that this module would not have written."""
    return Amount(read_number(epsilon), read_number(delta))


def read_number(text: object) -> Fraction:
    """A number as it is stored."""
    if not isinstance(text, str) or len(text) > 2 * MAX_DIGITS:
        raise ValueError("not an amount")
    return _read_number(text)


@lru_cache(maxsize=256)
def _read_number(text: str) -> Fraction:
    """The same few texts are read again and again while a charge is decided."""
    if not _FRACTION.fullmatch(text):
        raise ValueError("not an amount")
    number = Fraction(text)
    if str(number) != text:
        raise ValueError("not in lowest terms")
    return number


def amount_text(part: Fraction) -> str:
    """How an ε or δ is stored; refused if its digits are beyond all reason."""
    if max(part.denominator, part.numerator) >= _BEYOND:
        raise InvalidInput(
            "epsilon or delta has a denominator that does not go with the earlier ones", hint="round it to few digits"
        )
    return str(part)


def asked_amount(epsilon: object, delta: object) -> Amount:
    """What a caller asks for: ε > 0 and 0 ≤ δ < 1, exactly."""
    amount = Amount(exact(epsilon, "epsilon", above=0), exact(delta, "delta", minimum=0))
    if amount.delta >= 1:
        raise InvalidInput("delta must be less than 1", hint="give a small number, like 1e-8", parameter="delta")
    return amount


def checked_name(text: object, what: str) -> str:
    """A name of a dataset or request, fit to be shown and exported."""
    if not isinstance(text, str) or not text.isprintable() or not 1 <= len(text) <= MAX_NAME or text != text.strip():
        raise InvalidInput(
            f"{what} has no proper name", hint=f"use 1 to {MAX_NAME} printable characters, with no blanks around them"
        )
    return text
