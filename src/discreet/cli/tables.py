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


def print_plan(document: dict[str, Any]) -> None:
    """What a release will cost and how accurate it will be, before it is charged: public facts only."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title="about to release")
    table.add_column("what")
    table.add_column("value", justify="right")
    table.add_row("categories", Text(", ".join(document["categories"])))
    table.add_row("records", f"{document['n']:,}")
    table.add_row("mechanism", document["mechanism"]["name"])
    table.add_row("to be spent", f"ε = {document['epsilon_exact']}, δ = {document['delta']:g}")
    for label, shown in _accuracy(document):
        table.add_row(label, shown)
    console().print(table)


def print_release(document: dict[str, Any]) -> None:
    """A release for people: the table, what its ε means, and a paragraph for a report."""
    from rich.table import Table
    from rich.text import Text

    out = console()
    if document["posterior"] is None:
        print_plan(document)
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
            table.add_row(Text(name), f"{_number(row['parameter']):.10g}", f"{row['mean']:.4f}", shown)
        out.print(table)
        out.print(f"intervals: {document['interval_kind']}", soft_wrap=True)
    out.print(f"mechanism: {document['mechanism']['name']}, on n = {document['n']} records", soft_wrap=True)
    out.print(meaning(document), soft_wrap=True)
    if document["posterior"] is not None and private(document):
        out.print(f"\nFor the methods section:\n{methods(document)}", soft_wrap=True)


def methods(document: dict[str, Any]) -> str:
    """A paragraph that says how the release was made, ready to paste; public values only."""
    mechanism, accuracy = document["mechanism"]["name"], document["accuracy"] or {}
    prior = ", ".join(str(parameter) for parameter in document["prior"])
    error = accuracy.get("mean")
    expected = "" if error is None else f" The expected Hellinger distance to the true posterior is {error:.3f}."
    return (
        f"The posterior distribution of the {len(document['categories'])} category shares (n = {document['n']:,}, "
        f"Dirichlet prior with parameters {prior}) was released with the {mechanism} mechanism of discreet "
        f"{document['version']}, which satisfies ε-differential privacy with ε = {document['epsilon_exact']} when "
        f"{document['unit']} is replaced.{expected} Certificate {document['certificate']['digest'][:16]}."
    )


def private(document: dict[str, Any]) -> bool:
    """Whether the certified loss is at most the ε that was asked for."""
    loss = document["certificate"]["loss"]
    return loss != "inf" and Fraction(loss) <= Fraction(document["epsilon_exact"])


def _accuracy(document: dict[str, Any]) -> list[tuple[str, str]]:
    accuracy = document["accuracy"] or {}
    if accuracy.get("mean") is None:
        return [("expected error", str(accuracy.get("method", "not known")))]
    rows = [
        ("expected error (Hellinger)", f"{accuracy['mean']:.4f}"),
        ("95 % of errors below", f"{accuracy['quantile_95']:.4f}"),
    ]
    worst = accuracy.get("worst_mean")
    return rows if worst is None else [*rows, ("expected error, worst data", f"{worst:.4f}")]


def _number(shown: float | str) -> float:
    return float(Fraction(shown))


def print_written(paths: Sequence[Path]) -> None:
    """Say where the files are."""
    for path in paths:
        console().print(f"written: {path}", soft_wrap=True)


def meaning(document: dict[str, Any]) -> str:
    """What the guarantee of a release says, in a sentence over public values.

    >>> said = {"epsilon": 0.5, "epsilon_exact": "1/2", "unit": "one row", "certificate": {"loss": "1/2"}}
    >>> print(meaning(said))
    ε = 1/2: replacing one row changes the probability of any output by a factor of at most 1.65.
    >>> print(meaning({**said, "certificate": {"loss": "inf"}}))
    no guarantee: this is not private, and not for publication.
    """
    if not private(document):
        return "no guarantee: this is not private, and not for publication."
    epsilon: float = document["epsilon"]
    upwards = Context(prec=3, rounding=ROUND_CEILING)
    factor = upwards.create_decimal_from_float(math.nextafter(math.exp(min(epsilon, EXPONENT_CAP)), math.inf))
    bound = f"a factor of at most {factor}" if epsilon <= EXPONENT_CAP else "any factor: this ε protects nobody"
    return (
        f"ε = {document['epsilon_exact']}: replacing {document['unit']} changes the probability "
        f"of any output by {bound}."
    )
