"""Receipt and Bundle: the documents of one release and of several under one charge, and how they are read back."""

from __future__ import annotations

import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import InitVar, dataclass, field
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.texts import visible_text
from discreet.errors import DiscreetError, InvalidInput, TooLarge
from discreet.inference import Belief, NoiseAware, Rates
from discreet.mechanisms import Mechanism, Released
from discreet.posteriors import Dirichlet
from discreet.privacy_loss import Certificate
from discreet.receipts.words import UNIT_PERSON, UNIT_ROW, methods
from discreet.typing import Outcome

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIRST_SCHEMA, SCHEMA, PRIVATE_N_SCHEMA = "discreet-receipt-1", "discreet-receipt-2", "discreet-receipt-3"
BUNDLE_OF = {
    FIRST_SCHEMA: "discreet-receipts-1",
    SCHEMA: "discreet-receipts-2",
    PRIVATE_N_SCHEMA: "discreet-receipts-3",
}
"""The schema of a bundle by that of its parts. What was written under an earlier one stays readable and verifiable.
Under the third the number of records is private: no key holds it."""

LEVEL = 0.95
MAX_CHARS = 1 << 26
"""A receipt of ten thousand categories has about three million."""

MAX_DEPTH = 12
"""Objects and lists inside each other: a receipt of several columns has eight."""

FRACTION = re.compile("[0-9]{1,1000}(?:/[0-9]{1,1000})?")

UNITS = (UNIT_ROW, UNIT_PERSON)

_FIRST_KEYS = (
    "schema", "posterior", "output", "interval", "interval_kind", "mechanism", "epsilon", "epsilon_exact", "delta", "n",
    "prior", "categories", "by", "groups", "group_sizes", "group_shares", "adjacency", "unit", "accuracy",
    "certificate", "request_id", "dataset", "charge", "version",
)  # fmt: skip

_SECOND_KEYS = (
    "schema", "title", "column", "question", "released_at", "source_name", "other", "missing", "belief",
    *_FIRST_KEYS[1:], "citation",
)  # fmt: skip

KEYS = {
    FIRST_SCHEMA: _FIRST_KEYS,
    SCHEMA: _SECOND_KEYS,
    PRIVATE_N_SCHEMA: (
        *(key for key in _SECOND_KEYS if key not in ("n", "citation")),
        "filters",
        "total",
        "rates",
        "citation",
    ),
}
"""By schema."""

TABLE_OF = {True: "discreet-table-1", False: "discreet-table-2"}
"""The schema of a cross table, by whether its number of records is public."""

_TABLE_KEYS = (
    "schema", "title", "axes", "impossible", "question", "released_at", "source_name", "other", "missing", "filters",
    "belief", "interval_kind", "output", "mechanism", "epsilon", "epsilon_exact", "delta", "prior", "adjacency", "unit",
    "certificate", "request_id", "dataset", "charge", "version", "citation",
)  # fmt: skip
TABLE_KEYS: dict[str, tuple[str, ...]] = {TABLE_OF[True]: (*_TABLE_KEYS, "n"), TABLE_OF[False]: (*_TABLE_KEYS, "total")}
"""By schema."""

QUICK_CELLS = 1 << 14
"""Of a table with more cells, receipts have no time for the margins with the noise in them."""

BY_GROUP = (
    "belief", "posterior", "output", "interval", "prior", "group_sizes", "group_shares", "accuracy", "certificate"
)  # fmt: skip
"""With groups, these have one entry for each; accuracy and certificate only where the groups are public."""

_FIRST_SHARED = ("n", "adjacency", "unit", "request_id", "dataset", "charge", "version")
_SECOND_SHARED = ("title", "released_at", "source_name", *_FIRST_SHARED)
SHARED = {
    BUNDLE_OF[FIRST_SCHEMA]: _FIRST_SHARED,
    BUNDLE_OF[SCHEMA]: _SECOND_SHARED,
    BUNDLE_OF[PRIVATE_N_SCHEMA]: tuple(key for key in _SECOND_SHARED if key != "n"),
}
"""What all parts of a bundle have in common."""

_SUMMED = ("columns", "parts", "epsilon", "epsilon_exact", "delta")
BUNDLE_KEYS = {
    schema: ("schema", *_SUMMED, *shared, *(() if schema == BUNDLE_OF[FIRST_SCHEMA] else ("citation",)))
    for schema, shared in SHARED.items()
}


@dataclass(frozen=True, slots=True)
class Sealed(ABC):
    """What is sealed for a charge: a JSON object. The properties are shortcuts into it."""

    document: dict[str, Any]
    _keys: ClassVar[dict[str, tuple[str, ...]]]
    """By schema."""
    _shown: ClassVar[tuple[str, ...]]

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
        from discreet.receipts.verification import readable

        return methods(readable(self).document)  # type: ignore[arg-type]

    def plot(self) -> Figure:
        """The picture: what may be believed, beside the released parameters at face value (the extra `plot`)."""
        from discreet.figures.releases import picture

        return picture(self)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={self.document[key]!r}" for key in self._shown if key in self.document)
        return visible_text(f"<{type(self).__name__}: {shown}>")  # whoever wrote it

    def to_json(self) -> str:
        """One JSON text, the same for the same document."""
        return canonical(self.document)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read it back; what is no such document is refused in one line."""
        return cls._checked(loaded(text))

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read it from a file."""
        return cls.from_json(file_text(path))

    @classmethod
    def _checked(cls, document: object) -> Self:
        if not isinstance(document, dict):
            raise not_a_receipt()
        schema = str(document.get("schema"))
        if schema in BUNDLE_KEYS and schema not in cls._keys:
            raise InvalidInput("this receipt is of several columns", hint="read it as a Bundle")
        if schema in TABLE_KEYS and schema not in cls._keys and issubclass(cls, Receipt):
            from discreet.receipts.tables import TableReceipt

            return TableReceipt._checked(document)  # type: ignore[return-value]
        if schema not in cls._keys or set(document) != set(cls._keys[schema]):
            raise not_a_receipt()
        return cls(cls._ordered(document))

    @staticmethod
    @abstractmethod
    def _ordered(document: dict[str, Any]) -> dict[str, Any]:
        """The keys as a release writes them."""


@dataclass(frozen=True, slots=True, repr=False)
class Receipt(Sealed):
    """A release with all that a reader needs to check it."""

    released: tuple[Released | None, ...] = field(default=(), compare=False)
    """What was drawn, where this process drew it: one release, or one for each public group. Its belief is kept."""
    _kept: list[Belief] = field(default_factory=list, init=False, compare=False)
    _keys = KEYS
    _shown: ClassVar[tuple[str, ...]] = ("mechanism", "epsilon_exact", "n", "categories")

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
        from discreet.receipts.labelled import labelled
        from discreet.receipts.work import require_modest

        if not self._kept:
            if not self.released:
                require_modest([self], reading=True)
            self._kept.append(labelled(self))
        return self._kept[0]

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
            return Dirichlet([parameter for own in self.posteriors.values() for parameter in own.parameters])
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

        With groups it is of all cells; `discreet.receipts.believed_groups` has the shares within each.
        """
        from discreet.receipts.beliefs import believed

        if self.has_public_groups:
            raise InvalidInput("every group has a posterior of its own", hint="use discreet.receipts.believed_groups")
        return believed(self, prior=prior)

    def _repr_html_(self) -> str:
        from discreet.receipts.cards import receipt_card

        with refuse_nonsense():
            return receipt_card(self)

    @staticmethod
    def _ordered(document: dict[str, Any]) -> dict[str, Any]:
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
        return document

    def _dirichlet(self, rows: dict[str, Any]) -> Dirichlet:
        return Dirichlet([exact_number(rows[name]["parameter"]) for name in self.document["categories"]])


@dataclass(frozen=True, slots=True, repr=False)
class Bundle(Sealed):
    """Several receipts under one charge. Their losses add up: `epsilon_exact` is that of all of them together."""

    parts: tuple[Receipt, ...] = field(init=False, compare=False)
    """The receipt of each column."""
    drawn: InitVar[Sequence[Receipt]] = ()
    _keys = BUNDLE_KEYS
    _shown = ("columns", "epsilon_exact", "n")

    def __post_init__(self, drawn: Sequence[Receipt]) -> None:
        object.__setattr__(self, "parts", tuple(drawn) or tuple(map(Receipt, self.document["parts"])))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, in the order of the request."""
        return tuple(self.document["columns"])

    @property
    def belief(self) -> dict[str, Belief]:
        """The noise-aware posterior of each column."""
        return {column: part.belief for column, part in zip(self.columns, self.parts, strict=True)}

    def verify(self) -> list[Certificate]:
        """Derive all of it anew, and return the certificate of each column; `NotPrivate` if one does not hold."""
        from discreet.receipts.verification import verify_bundle

        return verify_bundle(self)

    def _repr_html_(self) -> str:
        return f"<div>{''.join(part._repr_html_() for part in self.parts)}</div>"

    @staticmethod
    def _ordered(document: dict[str, Any]) -> dict[str, Any]:
        parts, columns = document["parts"], document["columns"]
        if not isinstance(parts, list) or not isinstance(columns, list) or not 0 < len(parts) == len(columns):
            raise not_a_receipt()
        if not all(isinstance(column, str) for column in columns):
            raise not_a_receipt()
        return {key: document[key] for key in BUNDLE_KEYS[document["schema"]]} | {
            "parts": [Receipt._checked(part).document for part in parts]
        }


def read_sealed(text: str) -> Receipt | Bundle:
    """A receipt or a bundle, whichever the text is."""
    document = loaded(text)
    is_bundle = document is not None and str(document.get("schema")) in BUNDLE_KEYS
    return Bundle._checked(document) if is_bundle else Receipt._checked(document)


def read_receipt(path: str | Path) -> Receipt | Bundle:
    """A receipt or a bundle from a file."""
    return read_sealed(file_text(path))


def exact_number(value: Any) -> Any:
    """A fraction of our own writing as a number: it may be longer than what a person may type.

    >>> exact_number("1/3"), exact_number(0.1), exact_number("1e9")
    (Fraction(1, 3), 0.1, '1e9')
    """
    return Fraction(value) if isinstance(value, str) and FRACTION.fullmatch(value) else value


def canonical(document: dict[str, Any]) -> str:
    """One text for one document."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)


def loaded(text: str) -> dict[str, Any] | None:
    """The JSON object of a text, None if it is none, or if another reader could take it for another.

    >>> loaded('{"a": 1}'), loaded('{"a": 1, "a": 2}'), loaded('{"a": NaN}'), loaded('{"a": 1e999}')
    ({'a': 1}, None, None, None)
    """
    try:
        document = json.loads(text, object_pairs_hook=_object, parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError):
        return None
    level = [document]
    for _ in range(MAX_DEPTH):
        inner = (
            value.values() if isinstance(value, dict) else value for value in level if isinstance(value, dict | list)
        )
        level = [value for values in inner for value in values]
    return document if isinstance(document, dict) and not level else None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two values under one name, some programs show the first and others the last."""
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("a name is said twice")
    return document


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("no number of JSON")
    return number


def file_text(path: str | Path) -> str:
    """The text of a file that should hold a receipt."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            text = file.read(MAX_CHARS + 1)
    except FileNotFoundError:
        raise InvalidInput(f"there is no file {path}", hint="check the name") from None
    except (OSError, ValueError):  # no text, or no name of a file
        raise InvalidInput(f"the receipt {path} cannot be read", hint="give the name of a JSON file") from None
    if len(text) > MAX_CHARS:
        raise TooLarge(f"a receipt has at most {MAX_CHARS:,} characters", hint="give one that discreet wrote")
    return text


def not_a_receipt() -> InvalidInput:
    """What is said of every text that is no receipt."""
    return InvalidInput("this is no receipt", hint="give a JSON file that discreet release wrote")


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


def _sorted_by(rows: Any, names: Any) -> Any:
    """The entries in the order of the names, if those are their names."""
    if not isinstance(rows, dict) or not isinstance(names, list) or len(rows) != len(names):
        return rows  # of many groups and many names, no row is searched for names that it cannot have
    return {str(name): rows[str(name)] for name in names} if sorted(rows) == sorted(map(str, names)) else rows
