"""Bundle: the receipts of several columns that were released in one request, charged and sealed together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.arithmetic.numbers import float_upper
from discreet.arithmetic.texts import visible_text
from discreet.errors import DiscreetError, NotPrivate
from discreet.privacy_loss import Certificate
from discreet.receipts.receipt import (
    BUNDLE_SCHEMA,
    Receipt,
    canonical,
    contradiction,
    file_text,
    loaded,
    not_a_receipt,
)
from discreet.receipts.verification import verify_receipt
from discreet.receipts.work import require_modest

SHARED = ("n", "adjacency", "unit", "request_id", "dataset", "charge", "version")
"""What all parts of a bundle have in common."""

KEYS = ("schema", "columns", "parts", "epsilon", "epsilon_exact", "delta", *SHARED)


@dataclass(frozen=True, slots=True)
class Bundle:
    """Several receipts under one charge. Their losses add up: `epsilon_exact` is that of all of them together."""

    document: dict[str, Any]
    parts: tuple[Receipt, ...] = field(init=False, repr=False, compare=False)
    """The receipt of each column."""
    drawn: InitVar[Sequence[Receipt]] = ()

    def __post_init__(self, drawn: Sequence[Receipt]) -> None:
        object.__setattr__(self, "parts", tuple(drawn) or tuple(map(Receipt, self.document["parts"])))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, in the order of the request."""
        return tuple(self.document["columns"])

    @property
    def request_id(self) -> str | None:
        """The request that was charged, if there was a ledger."""
        found: str | None = self.document["request_id"]
        return found

    def __repr__(self) -> str:
        shown = (f"{key}={self.document.get(key)!r}" for key in ("columns", "epsilon_exact", "n"))
        return visible_text(f"<Bundle: {', '.join(shown)}>")

    def to_json(self) -> str:
        """One JSON text, the same for the same bundle."""
        return canonical(self.document)

    @classmethod
    def from_json(cls, text: str) -> Bundle:
        """Read a bundle; what is not one is refused in one line."""
        document = loaded(text)
        if document is None or document.get("schema") != BUNDLE_SCHEMA or set(document) != set(KEYS):
            raise not_a_receipt()
        parts, columns = document["parts"], document["columns"]
        if not isinstance(parts, list) or not isinstance(columns, list) or len(parts) != len(columns):
            raise not_a_receipt()
        read = [Receipt.from_json(canonical(part)).document if isinstance(part, dict) else None for part in parts]
        if not parts or None in read or not all(isinstance(column, str) for column in columns):
            raise not_a_receipt()
        return cls({key: document[key] for key in KEYS} | {"parts": read})

    @classmethod
    def read(cls, path: str | Path) -> Bundle:
        """Read a bundle from a file."""
        return cls.from_json(file_text(path))


def write_bundle(columns: Sequence[str], receipts: Sequence[Receipt]) -> Bundle:
    """The bundle of these receipts: losses add up, the rest they share."""
    parts = [receipt.document for receipt in receipts]
    first = parts[0]
    total = sum((Fraction(part["epsilon_exact"]) for part in parts), Fraction(0))
    document = {
        "schema": BUNDLE_SCHEMA,
        "columns": list(columns),
        "parts": parts,
        "epsilon": float_upper(total),
        "epsilon_exact": str(total),
        "delta": float_upper(sum((Fraction(part["delta"]) for part in parts), Fraction(0))),
        **{key: first[key] for key in SHARED},
    }
    return Bundle(document, receipts)


def read_sealed(text: str) -> Receipt | Bundle:
    """A receipt or a bundle, whichever the text is."""
    document = loaded(text)
    if document is not None and document.get("schema") == BUNDLE_SCHEMA:
        return Bundle.from_json(text)
    return Receipt.from_json(text)


def read_receipt(path: str | Path) -> Receipt | Bundle:
    """A receipt or a bundle from a file."""
    return read_sealed(file_text(path))


def verify_any(receipt: Receipt | Bundle, *, thorough: bool = False) -> list[Certificate]:
    """The certificates of a receipt, or of all parts of a bundle, once every field is found to hold."""
    if isinstance(receipt, Bundle):
        return verify_bundle(receipt, thorough=thorough)
    return [verify_receipt(receipt, thorough=thorough)]


def verify_bundle(bundle: Bundle, *, thorough: bool = False) -> list[Certificate]:
    """Check every part as `verify_receipt` does, that they share what they must, and that their losses add up."""
    document = bundle.document
    if not thorough:
        require_modest(document["parts"], reading=False)
    certificates = [verify_receipt(part, thorough=True) for part in bundle.parts]
    try:
        rebuilt = write_bundle(document["columns"], bundle.parts).document
        shared = all(part[key] == document[key] for part in document["parts"] for key in SHARED)
        public = {part["by"] for part in document["parts"] if part["group_sizes"] is not None}
    except (ArithmeticError, LookupError, TypeError, ValueError) as failure:
        if isinstance(failure, DiscreetError):
            raise
        raise contradiction() from None
    # Losses add up over the same neighbours: no column is public as groups here and protected as answers there.
    if not shared or rebuilt != document or public & set(document["columns"]):
        raise NotPrivate("the receipt's fields contradict each other", hint="do not rely on it")
    return certificates
