"""Releases from a small table: of a column, by group, and of two columns at once."""

from pathlib import Path
from typing import Any

import pandas as pd

import discreet as dc
from discreet.ledger import Ledger
from discreet.receipts import Bundle, Receipt

TABLE = pd.DataFrame(
    {"vote": ["a", "b", "a", "b", "b", "a", "b"], "sex": ["f", "f", "f", "m", "m", "m", "m"], "who": [*range(6), 0]}
)
GROUPED: dict[str, Any] = {"column": "vote", "categories": ["a", "b"], "by": "sex", "groups": ["f", "m"]}
TWO = [dc.Question("vote", ["a", "b"], epsilon="1/4"), dc.Question("sex", ["f", "m"], epsilon="1/4", prior=[2, "1/3"])]

Book = Ledger | str | Path | None


def ask(ledger: Book = None, source: object = TABLE, **options: Any) -> Receipt:
    """One column, for half of the budget."""
    question = {"column": "vote", "categories": ["a", "b"], "epsilon": "1/2", **_paid_by(ledger), **options}
    return dc.release(source, **question)


def grouped(ledger: Book = None, source: object = TABLE, **options: Any) -> Receipt:
    """The same by group."""
    return ask(ledger, source, **{**GROUPED, **options})


def columns(ledger: Book = None, source: object = TABLE, **options: Any) -> Bundle:
    """Two columns, for half of the budget."""
    request = {"questions": TWO, **_paid_by(ledger), **options}
    return dc.release_columns(source, **request)


def untouched(*_: object) -> object:
    """Stands for what must not be asked."""
    raise AssertionError("the data was touched, or somebody asked about what cannot be")


def _paid_by(ledger: Book) -> dict[str, Any]:
    return {"ledger": ledger, "dataset": None if ledger is None else "d"}
