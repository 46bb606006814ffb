"""Several receipts under one charge, and how whatever was sealed for a charge is read back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field
from pathlib import Path
from typing import Any

from discreet.inference import Belief
from discreet.privacy_loss import Certificate
from discreet.receipts.receipt import Receipt, SealedDocument
from discreet.receipts.schemas import BUNDLE_KEYS, not_a_receipt, parse_object, read_text


@dataclass(frozen=True, slots=True, repr=False)
class Bundle(SealedDocument):
    """Several receipts under one charge. Their losses add up: `epsilon_exact` is that of all of them together."""

    parts: tuple[Receipt, ...] = field(init=False, compare=False)
    """The receipt of each column."""
    drawn: InitVar[Sequence[Receipt]] = ()
    _keys = BUNDLE_KEYS
    _summary_keys = ("columns", "epsilon_exact", "n")

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
    def _order_keys(document: dict[str, Any]) -> dict[str, Any]:
        parts, columns = document["parts"], document["columns"]
        if not isinstance(parts, list) or not isinstance(columns, list) or not 0 < len(parts) == len(columns):
            raise not_a_receipt()
        if not all(isinstance(column, str) for column in columns):
            raise not_a_receipt()
        return {key: document[key] for key in BUNDLE_KEYS[document["schema"]]} | {
            "parts": [Receipt._from_document(part).document for part in parts]
        }


def parts_of(receipt: Receipt | Bundle) -> tuple[Receipt, ...]:
    """The receipts of a bundle, or the only one."""
    return receipt.parts if isinstance(receipt, Bundle) else (receipt,)


def read_sealed(text: str) -> Receipt | Bundle:
    """A receipt or a bundle, whichever the text is."""
    document = parse_object(text)
    is_bundle = document is not None and str(document.get("schema")) in BUNDLE_KEYS
    return Bundle._from_document(document) if is_bundle else Receipt._from_document(document)


def read_receipt(path: str | Path) -> Receipt | Bundle:
    """A receipt or a bundle from a file."""
    return read_sealed(read_text(path))
