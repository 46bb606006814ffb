"""Tables and sentences for people."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

EXPONENT_CAP = 700
"""exp of more than this is no float; a factor of 10^304 has said enough."""


def console() -> Console:
    """Standard output as Rich sees it: no markup, so that a label in brackets is shown and not obeyed."""
    from rich.console import Console

    return Console(markup=False, highlight=False, emoji=False)


def print_json(document: dict[str, Any]) -> None:
    """One document on standard output, strict JSON in ASCII."""
    print(json.dumps(document, indent=2, allow_nan=False))


def print_release(document: dict[str, Any]) -> None:
    """A release for people: the table, then what its ε means."""
    from rich.table import Table
    from rich.text import Text

    out = console()
    if document["posterior"] is None:
        out.print("dry run: nothing was drawn", soft_wrap=True)
    else:
        table = Table(title="released posterior")
        table.add_column("category")
        table.add_column("parameter", justify="right")
        table.add_column("mean", justify="right")
        table.add_column("95 % interval", justify="right")
        for name, row in document["posterior"].items():
            ends = document["interval"][name]
            shown = "beyond floats" if ends is None else f"{ends[0]:.4f} – {ends[1]:.4f}"
            table.add_row(Text(name), f"{row['parameter']:.10g}", f"{row['mean']:.4f}", shown)
        out.print(table)
        out.print(f"intervals: {document['interval_kind']}", soft_wrap=True)
    out.print(f"mechanism: {document['mechanism']['name']}, on n = {document['n']} records", soft_wrap=True)
    out.print(meaning(document), soft_wrap=True)


def print_written(paths: Sequence[Path]) -> None:
    """Say where the files are."""
    for path in paths:
        console().print(f"written: {path}", soft_wrap=True)


def meaning(document: dict[str, Any]) -> str:
    """What the guarantee of a release says, in a sentence over public values.

    >>> print(meaning({"epsilon": 0.5, "epsilon_exact": "1/2", "certificate": {"guarantee": "1/2"}}))
    ε = 1/2: replacing one person's record changes the probability of any output by a factor of at most 1.65.
    >>> print(meaning({"epsilon": 0.5, "epsilon_exact": "1/2", "certificate": {"guarantee": "inf"}}))
    no guarantee: this is not private, and not for publication.
    """
    guarantee = document["certificate"]["guarantee"]
    if guarantee == "inf" or Fraction(guarantee) > Fraction(document["epsilon_exact"]):
        return "no guarantee: this is not private, and not for publication."
    epsilon: float = document["epsilon"]
    upwards = Context(prec=3, rounding=ROUND_CEILING)
    factor = upwards.create_decimal_from_float(math.nextafter(math.exp(min(epsilon, EXPONENT_CAP)), math.inf))
    bound = f"a factor of at most {factor}" if epsilon <= EXPONENT_CAP else "any factor: this ε protects nobody"
    return (
        f"ε = {document['epsilon_exact']}: replacing one person's record changes the probability "
        f"of any output by {bound}."
    )
