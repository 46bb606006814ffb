"""Tables and sentences for people."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import ROUND_CEILING, Context
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from discreet.arithmetic.texts import visible_text

EXPONENT_CAP = 700
"""exp of more than this is no float; a factor of 10^304 has said enough."""


def console() -> Console:
    """Standard output as Rich sees it, without markup. What is foreign goes through `say` and `print_table`."""
    return Console(markup=False, highlight=False, emoji=False)


def say(*lines: str) -> None:
    """Print sentences, a line each. What is foreign in them is shown, and never obeyed."""
    for line in lines:
        print(visible_text(line), flush=True)  # whoever waits for an address gets it at once


def print_table(
    title: str,
    columns: Mapping[str, str],
    rows: Iterable[Sequence[str] | None],
    *,
    unbroken: Collection[str] = (),
    **style: Any,
) -> None:
    r"""Print a table; None between rows is a rule. Every cell is shown, and never obeyed: it may be foreign.

    >>> print_table("[red]votes[/]", {"category": "left", "share": "right"}, [["yes\u202e", "0.5"]])
      [red]votes[/]
    ┏━━━━━━━━━━━┳━━━━━━━┓
    ┃ category  ┃ share ┃
    ┡━━━━━━━━━━━╇━━━━━━━┩
    │ yes\u202e │   0.5 │
    └───────────┴───────┘
    """
    table = Table(title=Text(visible_text(title)) if title else None, **style)
    for heading, side in columns.items():
        justify: Literal["left", "right"] = "right" if side == "right" else "left"
        table.add_column(heading, justify=justify, overflow="fold", no_wrap=heading in unbroken)
    for row in rows:
        if row is None:
            table.add_section()
        else:
            table.add_row(*(Text(visible_text(cell)) for cell in row))
    console().print(table)


def listed(names: Sequence[str]) -> str:
    """Names in a row, quoted where a comma would tear one in two, as they are typed.

    >>> print(listed(["red", "green, blue"]))
    red, "green, blue"
    """
    quoted = [name.replace('"', '""') for name in names]
    return ", ".join(f'"{name}"' if {",", '"'} & set(name) else name for name in quoted)


def print_json(document: dict[str, Any]) -> None:
    """One document on standard output, strict JSON in ASCII."""
    print(json.dumps(document, indent=2, allow_nan=False))


def print_plan(document: dict[str, Any]) -> None:
    """What a release will cost and how accurate it will be, before it is charged: public facts only."""
    rows = [("categories", listed(document["categories"]))]
    if document["groups"]:
        rows.append((f"groups, by {document['by']}", listed(document["groups"])))
    rows.append(("records", f"{document['n']:,}"))
    if document["group_sizes"]:
        sizes = ", ".join(f"{size:,}" for size in document["group_sizes"].values())
        rows.append(("in each group, declared public", sizes))
    rows += [
        ("mechanism", document["mechanism"]["name"]),
        ("to be spent", f"ε = {document['epsilon_exact']}, δ = {document['delta']:g}"),
        *_accuracy(document),
    ]
    print_table("about to release", {"what": "left", "value": "right"}, rows)


def print_release(document: dict[str, Any]) -> None:
    """A release for people: the table, what its ε means, and a paragraph for a report."""
    if document["posterior"] is None:
        print_plan(document)
        say("dry run: nothing was drawn")
    else:
        print_posterior(document)
        say(f"intervals: {document['interval_kind']}")
    say(f"mechanism: {document['mechanism']['name']}, on n = {document['n']:,} records", meaning(document))
    if document["posterior"] is not None and private(document):
        say("", "For the methods section:", methods(document))


def print_posterior(document: dict[str, Any]) -> None:
    """The table of a released posterior; with groups, of the shares within each."""
    groups, lines = document["groups"], list[list[str] | None]()
    for group in groups or (None,):
        rows, ends = ((document[key] if group is None else document[key][group]) for key in ("posterior", "interval"))
        for name, row in rows.items():
            own = [name] if group is None else [group, name]
            lines.append([*own, f"{_number(row['parameter']):.10g}", f"{row['mean']:.4f}", _ends(ends[name])])
        lines.append(None)
    numbers = {"parameter": "right", "mean": "right", "95 % interval": "right"}
    title = "released posterior" + (", shares within each group" if groups else "")
    print_table(title, {**({"group": "left"} if groups else {}), "category": "left", **numbers}, lines)
    if document["group_shares"]:
        shares = [[g, f"{row['mean']:.4f}", _ends(row["interval"])] for g, row in document["group_shares"].items()]
        columns = {"group": "left", "mean": "right", "95 % interval": "right"}
        print_table(f"share of each group, by {document['by']}", columns, shares)


def _ends(ends: list[float] | None) -> str:
    return "beyond floats" if ends is None else f"{ends[0]:.4f} – {ends[1]:.4f}"


def methods(document: dict[str, Any]) -> str:
    """A paragraph that says how the release was made, ready to paste; public values only."""
    mechanism, accuracy = document["mechanism"]["name"], document["accuracy"] or {}
    given, groups = document["prior"], document["groups"]
    parameters = [str(one) for one in (given if groups is None else [each for own in given.values() for each in own])]
    prior = ", ".join(parameters)
    error = accuracy.get("mean")
    expected = "" if not isinstance(error, float) else (
        f" The expected Hellinger distance to the true posterior is {error:.3f}."
    )  # fmt: skip
    shares = f"{len(document['categories'])} category shares"
    if groups is not None:
        shares += f" within {len(groups)} groups"
        if document["group_sizes"] is not None:
            shares += ", whose members are declared public"
    return (
        f"The posterior distribution of the {shares} (n = {document['n']:,}, "
        f"Dirichlet prior with parameters {prior}) was released with the {mechanism} mechanism of discreet "
        f"{document['version']}, which satisfies ε-differential privacy with ε = {document['epsilon_exact']} when "
        f"{_replaced(document)} is replaced.{expected} "
        f"Certificate {', '.join(one['digest'][:16] for one in _certificates(document['certificate']))}."
    )


def _replaced(document: dict[str, Any]) -> str:
    """What the neighbours differ in.

    >>> _replaced({"unit": "one person, all rows with the same id", "adjacency": "replace-answer"})
    'the answer of one person (all rows with the same id)'
    """
    unit, _, rows = str(document["unit"]).partition(", ")
    whom = f"{unit} ({rows})" if rows else unit
    return f"the answer of {whom}" if document["adjacency"] == "replace-answer" else whom


def _certificates(said: Any) -> list[dict[str, Any]]:
    """All certificates of a document: one, or one for each public group, or those of several columns."""
    if isinstance(said, list):
        return [one for each in said for one in _certificates(each)]
    if "loss" in said and isinstance(said["loss"], str):
        return [said]
    return [one for one in said.values() if one is not None]


def private(document: dict[str, Any]) -> bool:
    """Whether the certified loss is at most the ε that was asked for."""
    losses = [one["loss"] for one in _certificates(document["certificate"])]
    return all(loss != "inf" and Fraction(loss) <= Fraction(document["epsilon_exact"]) for loss in losses)


def _accuracy(document: dict[str, Any]) -> list[tuple[str, str]]:
    accuracy = document["accuracy"] or {}
    if document["group_sizes"]:
        means = [f"{own['mean']:.4f}" if own and own["mean"] is not None else "–" for own in accuracy.values()]
        return [("expected error (Hellinger), by group", ", ".join(means))]
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
    say(*(f"written: {path}" for path in paths))


def meaning(document: dict[str, Any]) -> str:
    """What the guarantee of a release says, in a sentence over public values.

    >>> said = {"epsilon": 0.5, "epsilon_exact": "1/2", "unit": "one row", "certificate": {"loss": "1/2"}}
    >>> said["adjacency"] = "replace-one"
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
        f"ε = {document['epsilon_exact']}: replacing {_replaced(document)} changes the probability "
        f"of any output by {bound}."
    )


def print_bundle_plan(document: dict[str, Any]) -> None:
    """The price of each column and of all, before anything is spent: public facts only."""
    rows: list[list[str] | None] = []
    for column, part in zip(document["columns"], document["parts"], strict=True):
        named = listed(part["categories"]) + (f" by {part['by']}" if part["groups"] else "")
        error = (part["accuracy"] or {}).get("mean")
        rows.append([column, named, f"{error:.4f}" if isinstance(error, float) else "–", part["epsilon_exact"]])
    rows += [None, ["all together", f"n = {document['n']:,}", "", document["epsilon_exact"]]]
    columns = {"column": "left", "categories": "left", "expected error": "right", "ε": "right"}
    print_table("about to release", columns, rows)


def print_bundle(document: dict[str, Any]) -> None:
    """Every column's release, and what all of them mean together."""
    if document["parts"][0]["posterior"] is None:
        print_bundle_plan(document)
        say("dry run: nothing was drawn")
    for column, part in zip(document["columns"], document["parts"], strict=True):
        if part["posterior"] is not None:
            say(f"column {column!r}, ε = {part['epsilon_exact']}")
            print_posterior(part)
    losses = [part["certificate"] for part in document["parts"]]
    total = meaning({**document, "certificate": losses})
    say(f"all columns together, on n = {document['n']:,} records", total)


def print_any(document: dict[str, Any]) -> None:
    """A receipt or a bundle, drawn or not, for people."""
    if "parts" in document:
        print_bundle(document)
    else:
        print_release(document)


def print_any_plan(document: dict[str, Any]) -> None:
    """What is about to be spent, for people."""
    if "parts" in document:
        print_bundle_plan(document)
    else:
        print_plan(document)
