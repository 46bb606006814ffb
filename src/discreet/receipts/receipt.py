"""The receipt of one release: a JSON object that was sealed for a charge, with shortcuts into it."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.texts import visible_text
from discreet.errors import DiscreetError, InvalidInput
from discreet.inference import Belief, NoiseAware, Rates
from discreet.mechanisms import Mechanism, Released
from discreet.posteriors import Dirichlet
from discreet.privacy_loss import Certificate
from discreet.receipts.schemas import (
    BUNDLE_KEYS,
    BUNDLE_OF,
    BY_GROUP,
    FIRST_SCHEMA,
    KEYS,
    TABLE_KEYS,
    not_a_receipt,
    parse_object,
    read_text,
)
from discreet.receipts.words import UNIT_PERSON, UNIT_ROW, methods
from discreet.typing import Outcome

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FRACTION = re.compile("[0-9]{1,1000}(?:/[0-9]{1,1000})?")

NUMBERS = ("epsilon_exact", "loss", "parameter", "per")
"""What may be told as a text, and is read as a number before anything is derived."""

UNITS = (UNIT_ROW, UNIT_PERSON)

Document = TypeVar("Document", bound="SealedDocument")


@dataclass(frozen=True, slots=True)
class SealedDocument(ABC):
    """What is sealed for a charge: a JSON object. The properties are shortcuts into it."""

    document: dict[str, Any]
    _keys: ClassVar[dict[str, tuple[str, ...]]]
    """By schema."""
    _summary_keys: ClassVar[tuple[str, ...]]

    @property
    def request_id(self) -> str | None:
        """The request that was charged, if there was a ledger."""
        request_id: str | None = self.document["request_id"]
        return request_id

    @property
    def epsilon(self) -> Fraction:
        """The privacy loss that was paid for, exactly."""
        return Fraction(self.document["epsilon_exact"])

    @property
    def n(self) -> int | None:
        """The number of records, where it is public; None where it is protected too."""
        return self.document.get("n")

    @property
    def title(self) -> str | None:
        """What it is called, if its curator said so."""
        return self.document.get("title")

    @property
    def released_at(self) -> datetime | None:
        """When, in UTC; receipts of the first schema do not say."""
        time = self.document.get("released_at")
        return None if time is None else datetime.fromisoformat(time)

    def to_methods(self) -> str:
        """A paragraph for the methods section: what was released, how wide it is, at what price, and how to cite it."""
        return methods(readable(self).document)

    def plot(self) -> Figure:
        """The picture: what may be believed, beside the released parameters at face value (the extra `plot`)."""
        from discreet.figures.releases import picture

        return picture(self)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        facts = {key: self.document[key] for key in self._summary_keys if self.document.get(key) is not None}
        if isinstance(law := facts.get("mechanism"), dict):
            facts["mechanism"] = law.get("name")
        values = ", ".join(f"{key}={value!r}" for key, value in facts.items())
        return visible_text(f"<{type(self).__name__}: {values}>")  # whoever wrote it

    def to_json(self) -> str:
        """One JSON text, the same for the same document."""
        return canonical(self.document)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read it back; what is no such document is refused in one line."""
        return cls._from_document(parse_object(text))

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read it from a file."""
        return cls.from_json(read_text(path))

    @classmethod
    def _from_document(cls, document: object) -> Self:
        if not isinstance(document, dict):
            raise not_a_receipt()
        schema = str(document.get("schema"))
        if schema in BUNDLE_KEYS and schema not in cls._keys:
            raise InvalidInput("this receipt is of several columns", hint="read it as a Bundle")
        if schema in TABLE_KEYS and schema not in cls._keys and issubclass(cls, Receipt):
            from discreet.receipts.tables import TableReceipt

            return TableReceipt._from_document(document)  # type: ignore[return-value]
        if schema not in cls._keys or set(document) != set(cls._keys[schema]):
            raise not_a_receipt()
        fields = ("epsilon_exact", "certificate", "posterior", "rates")  # columns and labels may have any name
        if not all(_says_fractions(document.get(key), key) for key in fields):
            raise not_a_receipt()
        return cls(cls._order_keys(document))

    @staticmethod
    @abstractmethod
    def _order_keys(document: dict[str, Any]) -> dict[str, Any]:
        """The keys as a release writes them."""


@dataclass(frozen=True, slots=True, repr=False)
class Receipt(SealedDocument):
    """A release with all that a reader needs to check it."""

    released: tuple[Released | None, ...] = field(default=(), compare=False)
    """What was drawn, where this process drew it: one release, or one for each public group. Its belief is kept."""
    _beliefs: list[Belief] = field(default_factory=list, init=False, compare=False)
    _keys = KEYS
    _summary_keys: ClassVar[tuple[str, ...]] = (
        "mechanism", "epsilon_exact", "n", "column", "categories", "by", "groups",
    )  # fmt: skip

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of the categories."""
        return tuple(self.document["categories"])

    @property
    def column(self) -> str | None:
        """What was counted; None for counts in hand, and in receipts of the first schema."""
        return self.document.get("column")

    @property
    def mechanism(self) -> Mechanism:
        """What it was released by, built anew from its fields; `combine` reads it. Public groups have one each."""
        from discreet.receipts.claims import mechanism_of

        if self.has_public_groups:
            raise InvalidInput("every group was released by itself", hint="use belief.group")
        return mechanism_of(self)

    @property
    def belief(self) -> Belief:
        """The noise-aware posterior by its labels, computed once: `receipt.belief["yes"].interval()`.

        With groups it is of all cells, and `receipt.belief.group("new")` of the shares within one.

        >>> from discreet.requests.run import release_counts
        >>> receipt = release_counts([60, 40], epsilon=1, categories=["yes", "no"], title="A vote")
        >>> receipt.belief.labels, receipt.title, receipt.epsilon, receipt.n
        (('yes', 'no'), 'A vote', Fraction(1, 1), 100)
        """
        from discreet.receipts.beliefs import labelled
        from discreet.receipts.work import require_modest

        if not self._beliefs:
            if not self.released:
                require_modest([self], reading=True)
            self._beliefs.append(labelled(self))
        return self._beliefs[0]

    @property
    def rates(self) -> Rates:
        """What may be believed of the rates of events, where the release is read so: `receipt.rates["north"]`."""
        from discreet.receipts.beliefs import rates_of

        with refuse_nonsense():
            return rates_of(self)

    @property
    def mean(self) -> Floats:
        """The expected share of each cell of `belief`."""
        return self.belief.mean

    def interval(self, level: object = 0.95) -> tuple[Floats, Floats]:
        """The low ends and the high ends of the same belief."""
        return self.belief.interval(level)

    def verify(self) -> Certificate:
        """Derive all of it anew, and return its certificate; `NotPrivate` if it does not hold."""
        from discreet.receipts.verification import verify_receipt

        return verify_receipt(self)

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups; none for a release without."""
        return tuple(self.document["groups"] or ())

    @property
    def has_public_groups(self) -> bool:
        """Whether membership of the groups is declared public, and each group was released by itself."""
        return self.document["group_sizes"] is not None

    @property
    def posterior(self) -> Dirichlet:
        """The released posterior: of all cells, group by group, where there are groups."""
        if self.has_public_groups:
            raise InvalidInput("every group has a posterior of its own", hint="use posteriors")
        if self.groups:
            return Dirichlet([parameter for part in self.posteriors.values() for parameter in part.parameters])
        return self._dirichlet(self.document["posterior"])

    @property
    def posteriors(self) -> dict[str, Dirichlet]:
        """The released posterior of the shares within each group."""
        rows = self.document["posterior"]
        return {group: self._dirichlet(rows[group]) for group in self.groups}

    @property
    def output(self) -> Outcome:
        """What the law emitted: for all cells, group by group, where there are groups."""
        output = self.document["output"]
        return tuple(value for group in self.groups for value in output[group]) if self.groups else tuple(output)

    def noise_aware(self, *, prior: object = None) -> NoiseAware:
        """What a reader may believe, from the receipt alone: `discreet.receipts.verify_receipt` tells if it holds.

        With groups it is of all cells; `discreet.receipts.group_beliefs` has the shares within each.
        """
        from discreet.receipts.beliefs import cell_belief

        if self.has_public_groups:
            raise InvalidInput("every group has a posterior of its own", hint="use discreet.receipts.group_beliefs")
        return cell_belief(self, prior=prior)

    def _repr_html_(self) -> str:
        from discreet.receipts.cards import receipt_card

        with refuse_nonsense():
            return receipt_card(self)

    @staticmethod
    def _order_keys(document: dict[str, Any]) -> dict[str, Any]:
        """The keys as a release writes them: a text sorts them, and a reader wants categories in their own order."""
        categories, groups = document["categories"], document["groups"]
        document = {key: document[key] for key in KEYS[document["schema"]]}
        for key in BY_GROUP:
            if key not in document:
                continue
            rows = _sorted_by(document[key], groups)
            if key in ("belief", "posterior", "interval"):
                rows = _sorted_by(rows, categories)
                if isinstance(groups, list) and isinstance(rows, dict):
                    rows = {name: _sorted_by(row, categories) for name, row in rows.items()}
            document[key] = rows
        if isinstance(rates := document.get("rates"), dict):
            document["rates"] = {key: _sorted_by(rows, categories) for key, rows in rates.items()}
        return document

    def _dirichlet(self, rows: dict[str, Any]) -> Dirichlet:
        return Dirichlet([exact_number(rows[name]["parameter"]) for name in self.document["categories"]])


def readable(receipt: Document) -> Document:
    """The same under the newest schema: faces need to know no other. Nothing of it is checked."""
    if receipt.document["schema"] not in (FIRST_SCHEMA, BUNDLE_OF[FIRST_SCHEMA]):
        return receipt
    from discreet.receipts.verification import rewrite_as_newest

    return rewrite_as_newest(receipt)  # type: ignore[arg-type, return-value]


def cell_prior(document: dict[str, Any]) -> Any:
    """The parameters of the prior as they stand in a receipt, one for each cell, group by group."""
    prior = document["prior"]
    if "axes" in document:
        return prior if isinstance(prior, list) else [prior] * len(document["output"])
    if document["groups"] is None:
        return prior
    return [parameter for group in document["groups"] for parameter in prior[group]]


def exact_number(value: Any) -> Any:
    """A fraction of our own writing as a number: it may be longer than what a person may type.

    >>> exact_number("1/3"), exact_number(0.1), exact_number("1e9")
    (Fraction(1, 3), 0.1, '1e9')
    """
    return Fraction(value) if isinstance(value, str) and FRACTION.fullmatch(value) else value


def canonical(document: dict[str, Any]) -> str:
    """One text for one document."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)


def contradiction() -> InvalidInput:
    """What is said of every receipt whose fields do not go together."""
    return InvalidInput("the receipt's fields do not describe a release", hint="give one that discreet wrote")


@contextmanager
def refuse_nonsense() -> Iterator[None]:
    """Whatever a stranger's fields make fail is a contradiction between them; what is refused by name stays so."""
    try:
        yield
    except DiscreetError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError):
        raise contradiction() from None


def _says_fractions(value: Any, name: str) -> bool:
    """Whether numbers that are told as texts are fractions: to read 1e999999999 as one would take hours."""
    if isinstance(value, dict):
        return all(_says_fractions(inner, key) for key, inner in value.items())
    if name not in NUMBERS or not isinstance(value, str):
        return True
    return value == "inf" or FRACTION.fullmatch(value) is not None


def _sorted_by(rows: Any, names: Any) -> Any:
    """The entries in the order of the names, if those are their names."""
    if not isinstance(rows, dict) or not isinstance(names, list) or len(rows) != len(names):
        return rows  # of many groups and many names, no row is searched for names that it cannot have
    return {str(name): rows[str(name)] for name in names} if sorted(rows) == sorted(map(str, names)) else rows
