"""The receipt: what was released, by which law, at what price, and how to check it. Public from end to end.

A receipt is built from public values and the output that was drawn, and from nothing else that depends on data.
`receipt.schema.json` beside this file is its published schema, which comes with the package, and where the number of
records is private `receipt-private-n.schema.json`;
`tests/receipts/test_receipts.py` holds the two together. Several columns that were released in one request have their
receipts in one `Bundle`, charged and sealed together.
"""

from __future__ import annotations

from discreet.receipts.agreement import agree
from discreet.receipts.beliefs import (
    ReaderBelief,
    belief_document,
    cell_belief,
    group_beliefs,
    labelled,
    labelled_plug_in,
    read_beliefs,
)
from discreet.receipts.bundle import Bundle, parts_of, read_receipt, read_sealed
from discreet.receipts.claims import mechanism_of, mechanisms_of
from discreet.receipts.comparison import Analysis, compare_beliefs, compare_receipts, receipt_of_column
from discreet.receipts.documents import Part, ReceiptRequest, write_bundle, write_receipt
from discreet.receipts.rate_terms import RateTerms
from discreet.receipts.receipt import Receipt, readable
from discreet.receipts.schemas import KEYS, SCHEMA
from discreet.receipts.tables import TableReceipt, write_table
from discreet.receipts.verification import verify_any, verify_bundle, verify_receipt
from discreet.receipts.words import UNIT_PERSON, UNIT_ROW, plain
from discreet.receipts.work import require_modest

__all__ = [
    "KEYS",
    "SCHEMA",
    "UNIT_PERSON",
    "UNIT_ROW",
    "Analysis",
    "Bundle",
    "Part",
    "RateTerms",
    "ReaderBelief",
    "Receipt",
    "ReceiptRequest",
    "TableReceipt",
    "agree",
    "belief_document",
    "cell_belief",
    "compare_beliefs",
    "compare_receipts",
    "group_beliefs",
    "labelled",
    "labelled_plug_in",
    "mechanism_of",
    "mechanisms_of",
    "parts_of",
    "plain",
    "read_beliefs",
    "read_receipt",
    "read_sealed",
    "readable",
    "receipt_of_column",
    "require_modest",
    "verify_any",
    "verify_bundle",
    "verify_receipt",
    "write_bundle",
    "write_receipt",
    "write_table",
]
