"""Receipts, checked and read: what `discreet infer` and `discreet compare` answer, with pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discreet.arithmetic.numbers import exact_share
from discreet.arithmetic.words import exact_text
from discreet.errors import InvalidInput
from discreet.inference.comparisons import MEASURES
from discreet.inference.series import waves as series_of
from discreet.receipts import (
    Bundle,
    Receipt,
    TableReceipt,
    belief_document,
    compare_receipts,
    parts_of,
    read_sealed,
    readable,
    receipt_of_column,
    require_modest,
    verify_any,
)
from discreet.receipts.words import replaced, treatment
from discreet.web.fields import Fields
from discreet.web.receipt_pictures import ReaderOptions, comparison_pictures, pictures_of, wave_pictures


def infer(fields: Fields) -> dict[str, Any]:
    """`discreet receipt verify`, and then `discreet infer`; several columns share the reader's prior."""
    receipt, prior = read_sealed(fields.text("receipt")), fields.maybe("prior")
    fields.all_read()
    verify_any(receipt)
    priors = [prior] * len(receipt.columns) if prior is not None and isinstance(receipt, Bundle) else prior
    return {"receipt": receipt.document, "belief": belief_document(receipt, priors)}


def read(fields: Fields) -> dict[str, Any]:
    """One receipt or several: each is checked, and each of its columns and groups is a picture."""
    receipts = [read_sealed(text) for text in fields.names("receipts")]
    level = float(exact_share(fields.maybe("level") or "0.95", "level"))
    options = ReaderOptions(level, fields.maybe("prior"), fields.flag("ordinal"))
    fields.all_read()
    if not receipts:
        raise InvalidInput("there is no receipt", hint="choose a JSON file that discreet wrote", parameter="receipts")
    parts = [part for receipt in receipts for part in parts_of(receipt)]
    require_modest(parts, reading=True)
    for receipt in receipts:
        verify_any(receipt)
    return {"receipts": [_document(receipt, options) for receipt in receipts]}


def compare(fields: Fields) -> dict[str, Any]:
    """`discreet compare`, with its picture: of one receipt with groups, or of two."""
    texts, titles, column = fields.names("receipts"), fields.names("titles"), fields.maybe("column")
    receipts = [receipt_of_column(read_sealed(text), column) for text in texts]
    measure = fields.maybe("measure") or "difference"
    if measure not in MEASURES:
        raise InvalidInput("there is no such measure", hint=f"use {', '.join(MEASURES)}", parameter="measure")
    question: dict[str, Any] = {
        "category": fields.text("category"),
        "groups": fields.names("groups") or None,
        "among": fields.names("among") or None,
        "measure": measure,
        "level": fields.maybe("level") or "0.95",
        "prior": fields.maybe("prior"),
        "different_people": fields.flag("different_people"),
        "column": column,
    }
    fields.all_read()
    analysis = compare_receipts(receipts, titles, **question)
    pictures = [picture.to_json() for picture in comparison_pictures(analysis)]
    return {"pictures": pictures, "document": analysis.to_json()}


def series(fields: Fields) -> dict[str, Any]:
    """Receipts of different people in their order: the share of a category in each wave, and how it changed."""
    receipts, titles = [read_sealed(text) for text in fields.names("receipts")], fields.names("titles")
    category, level = fields.text("category"), float(exact_share(fields.maybe("level") or "0.95", "level"))
    different_people = fields.flag("different_people")
    fields.all_read()
    singles = [receipt for receipt in receipts if isinstance(receipt, Receipt) and not receipt.groups]
    if len(singles) < len(receipts) or len(set(titles)) != len(receipts):
        raise InvalidInput("waves are receipts of one column, each with its name", hint="give each file once")
    require_modest(singles, reading=True)
    for receipt in singles:
        verify_any(receipt)
    waves = series_of(dict(zip(titles, singles, strict=True)), category, different_people=different_people)
    means = {
        name: {"mean": share.mean, "interval": list(share.interval(level))} for name, share in waves.shares.items()
    }
    pictures = [picture.to_json() for picture in wave_pictures(waves, category, level)]
    return {"pictures": pictures, "document": {"category": category, "waves": means}}


def _document(receipt: Receipt | Bundle, options: ReaderOptions) -> dict[str, Any]:
    parts = parts_of(receipt)
    return {
        "title": receipt.title or title_of(parts),
        "facts": receipt_facts(receipt),
        "columns": [
            {"column": part.column, "categories": list(part.categories), "groups": list(part.groups)}
            for part in parts
            if not isinstance(part, TableReceipt)
        ],
        "is_bundle": isinstance(receipt, Bundle),
        "pictures": [picture.to_json() for part in parts for picture in pictures_of(part, options)],
        "methods": receipt.to_methods(),
        "document": readable(receipt).document,
        "text": receipt.to_json(),
    }


def title_of(parts: Sequence[Receipt]) -> str:
    """What a receipt without a title is called."""
    names = (" × ".join(part.axes) if isinstance(part, TableReceipt) else part.column for part in parts)
    return ", ".join(name or "category shares" for name in names)


def receipt_facts(receipt: Receipt | Bundle) -> list[tuple[str, str]]:
    """What a receipt says of itself, in the words of a label."""
    document = readable(receipt).document
    parts = document.get("parts", [document])
    charged = f"budget of {document['dataset']}, request {document['request_id']}"
    rows = {
        "Question": " ".join(part["question"] for part in parts),
        "Source": document["source_name"],
        "Released": document["released_at"],
        "Privacy loss ε": exact_text(receipt.epsilon),
        "Protects": replaced(document),
        "Records n": f"{document['n']:,}" if "n" in document else "private",
        "Mechanism": ", ".join(dict.fromkeys(part["mechanism"]["name"] for part in parts)),
        "Values outside": " ".join(dict.fromkeys(treatment(part) for part in parts if "axes" not in part)),
        "Charged": "nothing" if document["dataset"] is None else charged,
        "Certificate": ", ".join(
            str(part["certificate"]["digest"]) for part in parts if "digest" in part["certificate"]
        ),
        "Cite as": document["citation"],
    }
    return [(name, text) for name, text in rows.items() if text]
