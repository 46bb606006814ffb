"""A ledger as a text for other programs. Spreadsheets obey cells that begin like a formula, so none does."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable

from discreet.ledger.entries import Entry

COLUMNS = tuple(name for name in Entry._fields if name != "outcome")


FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""Some spreadsheets obey the wide ones too."""


def as_csv(entries: Iterable[Entry]) -> str:
    """One line for each row, without the outcomes, which are documents of their own."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for entry in entries:
        told = entry._asdict()
        writer.writerow([harmless(told[column]) for column in COLUMNS])
    return text.getvalue()


def harmless(value: object) -> str:
    """A cell that no spreadsheet computes: one that begins like a formula gets an apostrophe in front.

    >>> harmless("=HYPERLINK(1)"), harmless("anes"), harmless(None)
    ("'=HYPERLINK(1)", 'anes', '')
    """
    text = "" if value is None else str(value)
    return f"'{text}" if text.lstrip().startswith(FORMULA) or text.startswith(("\t", "\r")) else text


def as_json(entries: Iterable[Entry]) -> str:
    """Everything, as a list of objects whose keys are the columns."""
    return json.dumps([entry._asdict() for entry in entries], indent=2, allow_nan=False) + "\n"
