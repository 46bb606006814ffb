"""The rows of a ledger: what they say, and the hash that chains each to the one before.

Everything is text, the numbers too, so that a row is hashed as it is stored and an ε is the fraction that was asked.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from discreet.arithmetic.numbers import exact
from discreet.errors import InvalidInput
from discreet.privacy_loss.composition import rounded_up
from discreet.typing import Epsilon

FIRST = "0" * 64
"""What stands for the hash before the first row."""

BUDGET, CHARGE, SEAL = "budget", "charge", "seal"

LATER = ("composition", "rho", "spent_rho", "unit", "columns")
"""What rows of earlier versions do not have. They are hashed where they are said: old rows keep their hashes."""

MAX_NAME = 200
MAX_DIGITS = 4000
"""Python reads and writes whole numbers of up to 4300 digits; a total that needs more is refused."""

FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""How a formula begins; some spreadsheets obey the wide ones too."""

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
_FRACTION = re.compile(r"[0-9]+(?:/[1-9][0-9]*)?", re.ASCII)


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


class Loss(NamedTuple):
    """An amount, and the same under zero-concentrated privacy; `rho` is None where it was not kept."""

    amount: Amount = Amount(Fraction(0), Fraction(0))
    rho: Fraction | None = Fraction(0)

    def plus(self, other: Loss) -> Loss:
        """Both together; ρ is rounded up where its denominator would grow long."""
        rho = None if self.rho is None or other.rho is None else rounded_up(self.rho + other.rho)
        return Loss(self.amount.plus(other.amount), rho)

    def times(self, steps: int) -> Loss:
        """The loss between data sets that are this many neighbours apart, if it is pure: ε·k, and ρ·k².

        docs/composition.md proves the second. A δ is refused before.

        >>> Loss(Amount(Fraction(1, 10), Fraction(0)), Fraction(1, 200)).times(2)
        Loss(amount=Amount(epsilon=Fraction(1, 5), delta=Fraction(0, 1)), rho=Fraction(1, 50))
        """
        rho = None if self.rho is None else rounded_up(steps * steps * self.rho)
        return Loss(Amount(steps * self.amount.epsilon, self.amount.delta), rho)

    def texts(self, prefix: str = "") -> dict[str, str]:
        """The fields of a row; refused if the digits of an ε or δ are beyond all reason."""
        if max(max(part.numerator, part.denominator) for part in self.amount) >= 10**MAX_DIGITS:
            raise InvalidInput(
                "epsilon or delta has a denominator that does not go with the earlier ones",
                hint="round it to few digits",
            )
        numbers = {"epsilon": self.amount.epsilon, "delta": self.amount.delta, "rho": self.rho}
        return {prefix + name: str(number) for name, number in numbers.items() if number is not None}


@dataclass(frozen=True, slots=True)
class Scope:
    """Whom a request protects, and which columns: losses add up only over the same neighbours.

    A column that neighbours may change (`protected`: what is counted) cannot also be one that they share (`public`:
    what groups are formed by, where membership is public).

    >>> Scope("patient", frozenset({"vote"})).conflict(Scope("patient", public=frozenset({"vote", "arm"})))
    'vote'
    """

    id_column: str | None = None
    protected: frozenset[str] = frozenset()
    public: frozenset[str] = frozenset()

    @property
    def unit(self) -> str:
        """As a ledger keeps it: a row, or everything with the same value in the id column.

        >>> Scope().unit, Scope("patient").unit
        ('row', 'id:patient')
        """
        return "row" if self.id_column is None else f"id:{proper_name(self.id_column, 'the id column')}"

    @property
    def columns(self) -> str | None:
        """As a charge keeps them; None if there are none.

        >>> Scope().columns, Scope(protected=frozenset({"vote"})).columns
        (None, '{"protected":["vote"],"public":[]}')
        """
        columns = {"protected": sorted(self.protected), "public": sorted(self.public)}
        return json.dumps(columns, separators=(",", ":")) if any(columns.values()) else None

    def plus(self, other: Scope) -> Scope:
        """The columns of both."""
        return Scope(self.id_column, self.protected | other.protected, self.public | other.public)

    def conflict(self, other: Scope) -> str | None:
        """A column that is public in one and protected in the other."""
        return min((self.protected & other.public) | (self.public & other.protected), default=None)


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

    def is_text(self) -> bool:
        """Whether every field but its number is a text or missing, and those that every row has are there."""
        always = (self.kind, self.dataset, self.time, self.previous, self.hash)
        return None not in always and all(text is None or type(text) is str for text in self[1:])

    def computed_hash(self) -> str:
        """SHA-256 of the row in canonical JSON, everything but the hash itself.

        >>> Entry(seq=1, kind=BUDGET, dataset="anes", time="2030-01-01T00:00:00+00:00").computed_hash()[:16]
        '08f6b2603c2a9bd7'
        """
        return hashlib.sha256(self.canonical()).hexdigest()

    def canonical(self) -> bytes:
        """The row without its hash as JSON with sorted keys: the bytes that are hashed, and that a file keeps."""
        fields = self._asdict()
        del fields["hash"]
        for name in LATER:
            if fields[name] is None:
                del fields[name]
        return _CANONICAL.encode(fields).encode("ascii")

    @property
    def loss(self) -> Loss:
        """What a charge costs, or what a budget allows; `ValueError` for what this module would not have written."""
        return _read_loss(self.epsilon, self.delta, self.rho)

    @property
    def total(self) -> Loss:
        """What the dataset has spent with this charge."""
        return _read_loss(self.spent_epsilon, self.spent_delta, self.spent_rho)

    @property
    def amount(self) -> Amount:
        """A budget's size, or a charge's."""
        return self.loss.amount

    @property
    def scope(self) -> Scope:
        """The columns of a charge; none where it does not say."""
        columns = json.loads(self.columns or "{}")
        return Scope(None, frozenset(columns.get("protected", ())), frozenset(columns.get("public", ())))


def _read_loss(epsilon: object, delta: object, rho: object) -> Loss:
    return Loss(Amount(_read_number(epsilon), _read_number(delta)), None if rho is None else _read_number(rho))


@lru_cache(maxsize=256)  # the same few texts are read again and again while a charge is decided
def _read_number(text: object) -> Fraction:
    if not isinstance(text, str) or len(text) > 2 * MAX_DIGITS + 1 or not _FRACTION.fullmatch(text):
        raise ValueError("not an amount")
    number = Fraction(text)
    if str(number) != text:
        raise ValueError("not in lowest terms")
    return number


def exact_amount(epsilon: Epsilon, delta: Epsilon) -> Amount:
    """What a caller asks for: ε > 0 and 0 ≤ δ < 1, exactly."""
    amount = Amount(exact(epsilon, "epsilon", above=0), exact(delta, "delta", minimum=0))
    if amount.delta >= 1:
        raise InvalidInput("delta must be less than 1", hint="give a small number, like 1e-8", parameter="delta")
    return amount


def proper_name(text: object, what: str) -> str:
    """A name of a dataset or request, fit to be shown and exported."""
    if not isinstance(text, str) or not text.isprintable() or not 1 <= len(text) <= MAX_NAME or text != text.strip():
        raise InvalidInput(
            f"{what} has no proper name", hint=f"use 1 to {MAX_NAME} printable characters, with no blanks around them"
        )
    return text


def as_csv(entries: Iterable[Entry]) -> str:
    """One line for each row, without the outcomes, which are documents of their own."""
    columns = [name for name in Entry._fields if name != "outcome"]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([harmless(getattr(entry, column)) for column in columns] for entry in entries)
    return text.getvalue()


def harmless(value: object) -> str:
    """A cell that no spreadsheet computes: one that begins like a formula gets an apostrophe in front.

    >>> harmless("=HYPERLINK(1)"), harmless("anes"), harmless(None)
    ("'=HYPERLINK(1)", 'anes', '')
    """
    text = "" if value is None else str(value)
    return f"'{text}" if text.lstrip().startswith(FORMULA) or text.startswith(("\t", "\r")) else text
