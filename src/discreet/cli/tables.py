"""Tables and sentences for people."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import Any, Literal

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from discreet.arithmetic.texts import visible_text
from discreet.receipts.words import is_private, methods, replaced
from discreet.utility.words import epsilon_meaning, epsilon_text, epsilon_warning, exact_text, width_words

INTERVAL = "95 % interval"

NARROW = 4
"""Characters that a column takes beside what must stay on one line."""


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

    The cells of an `unbroken` column stay on one line each.

    >>> print_table("[red]votes[/]", {"category": "left", "share": "right"}, [["yes\u202e", "0.5"]])
      [red]votes[/]
    ┏━━━━━━━━━━━┳━━━━━━━┓
    ┃ category  ┃ share ┃
    ┡━━━━━━━━━━━╇━━━━━━━┩
    │ yes\u202e │   0.5 │
    └───────────┴───────┘
    """
    table, out = Table(title=Text(visible_text(title)) if title else None, **style), console()
    lines = [None if row is None else [visible_text(cell) for cell in row] for row in rows]
    widths = {}
    for i, (heading, side) in enumerate(columns.items()):
        justify: Literal["left", "right"] = "right" if side == "right" else "left"
        if heading in unbroken:
            cells = (cell for line in lines if line for cell in line[i : i + 1])  # a row may end early
            widths[heading] = max(map(cell_len, [*heading.split(), *cells]))
        table.add_column(heading, justify=justify, overflow="fold", width=widths.get(heading))
    for line in lines:
        if line is None:
            table.add_section()
        else:
            table.add_row(*map(Text, line))
    out.width = max(out.width, sum(widths.values()) + NARROW * len(columns))  # too wide, and not cut
    out.print(table)


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


def unfinished_lines(dataset: str, requests: Sequence[str]) -> list[str]:
    """How to finish what was charged and has no seal, a line for each request."""
    told = f"{dataset}: charged, not finished; the same command with the id charges nothing more:"
    commands = [f"  discreet release … --request-id {quote(request)}" for request in requests]
    return [told, *commands] if commands else []


def print_written(paths: Iterable[Path | None]) -> None:
    """Say where the files are, as far as any were asked for."""
    say(*(f"written: {path}" for path in paths if path is not None))


def print_answer(
    document: dict[str, Any],
    print_it: Callable[[dict[str, Any]], None],
    *,
    as_json: bool,
    written: Iterable[Path | None] = (),
) -> None:
    """A document for programs; or, printed in its own way, for people, who are also told where its files are."""
    if as_json:
        print_json(document)
    else:
        print_it(document)
        print_written(written)


def print_any_plan(document: dict[str, Any]) -> None:
    """What a release will cost and how accurate it will be, before it is charged: public facts only."""
    if "parts" in document:
        _print_bundle_plan(document)
        return
    rows = [("categories", listed(document["categories"]))]
    if document["groups"]:
        rows.append((f"groups, by {document['by']}", listed(document["groups"])))
    rows.append(("records", f"{document['n']:,}"))
    if document["group_sizes"]:
        sizes = ", ".join(f"{size:,}" for size in document["group_sizes"].values())
        rows.append(("in each group, declared public", sizes))
    rows += [
        ("mechanism", document["mechanism"]["name"]),
        ("to be spent", f"ε = {epsilon_text(Fraction(document['epsilon_exact']))}, δ = {document['delta']:g}"),
        *_accuracy(document),
    ]
    print_table("about to release", {"what": "left", "value": "right"}, rows)
    say(*_widths(document), *epsilon_warning(Fraction(document["epsilon_exact"])))


def _print_bundle_plan(document: dict[str, Any]) -> None:
    """The price of each column and of all."""
    rows: list[list[str] | None] = []
    for column, part in zip(document["columns"], document["parts"], strict=True):
        named = listed(part["categories"]) + (f" by {part['by']}" if part["groups"] else "")
        error = (part["accuracy"] or {}).get("mean")
        rows.append([column, named, f"{error:.4f}" if isinstance(error, float) else "–", part["epsilon_exact"]])
    rows += [None, ["all together", f"n = {document['n']:,}", "", document["epsilon_exact"]]]
    columns = {"column": "left", "categories": "left", "expected error": "right", "ε": "right"}
    print_table("about to release", columns, rows)


def _widths(document: dict[str, Any]) -> list[str]:
    """How wide intervals will be, in points: of the first category where the prior tells them apart."""
    stated, groups = document["accuracy"] or {}, document["groups"]
    if document["group_sizes"]:  # public: the widest is that of the smallest
        known = [own for own in stated.values() if own and own.get("interval_width")]
        stated = max(known, key=lambda own: float(own["interval_width"]), default={})
    if not stated.get("interval_width"):
        return []
    priors = chain.from_iterable(document["prior"].values()) if groups else document["prior"]
    whose = "" if len(set(priors)) == 1 else f" of {document['categories'][0]}"
    if groups:
        whose += " within the smallest group" if document["group_sizes"] else ", of a cell's share of all records,"
    return [f"{width_words(stated['interval_width'], stated['interval_width_without_privacy'], whose=whose)}."]


def _accuracy(document: dict[str, Any]) -> list[tuple[str, str]]:
    accuracy = document["accuracy"] or {}
    if document["group_sizes"]:
        means = [f"{own['mean']:.4f}" if own and own["mean"] is not None else "–" for own in accuracy.values()]
        return [("expected error (Hellinger), by group", ", ".join(means))]
    if accuracy.get("mean") is None:
        return [("expected error", str(accuracy.get("method", "not known")))]
    labels = {
        "mean": "expected error (Hellinger)",
        "quantile_95": "95 % of errors below",
        "worst_mean": "expected error, worst data",
    }
    return [(label, f"{accuracy[key]:.4f}") for key, label in labels.items() if accuracy.get(key) is not None]


def print_any(document: dict[str, Any]) -> None:
    """A receipt or a bundle, drawn or not, for people: its tables, what its ε means, and a paragraph for a report."""
    parts = document.get("parts", [document])
    drawn = parts[0]["posterior"] is not None
    if not drawn:
        print_any_plan(document)
        say("dry run: nothing was drawn")
    for column, part in zip(document.get("columns", [None]), parts, strict=True):
        if drawn and column is not None:
            say(f"column {column!r}, ε = {exact_text(Fraction(part['epsilon_exact']))}")
        if drawn:
            print_belief(part)
    if "parts" in document:
        say(f"all columns together, on n = {document['n']:,} records")
    else:
        say(f"mechanism: {document['mechanism']['name']}, on n = {document['n']:,} records")
    say(meaning(document))
    if drawn and is_private(document):
        say("", "For the methods section:", methods(document))


def print_belief(document: dict[str, Any]) -> None:
    """What may be believed beside what was released; with groups, of the shares within each."""
    grouped, released = bool(document["groups"]), document["posterior"]
    outside = False

    def cells(group: str, name: str, row: dict[str, Any]) -> list[str]:
        nonlocal outside
        ends = row["interval"]
        outside |= ends is not None and not ends[0] <= row["mean"] <= ends[1]
        parameter = (released[group] if grouped else released)[name]["parameter"]
        return [f"{100 * row['mean']:.2f} %", percent_range(ends), f"{float(Fraction(parameter)):.10g}"]

    column = document["column"]
    title = ("shares" if column is None else f"shares of {column}") + (" within each group" if grouped else "")
    print_shares(title, document["belief"], grouped, ("mean", INTERVAL, "released\nparameter"), cells)
    if document["group_shares"]:
        shares = [
            [g, f"{100 * row['mean']:.2f} %", percent_range(row["interval"])]
            for g, row in document["group_shares"].items()
        ]
        columns = {"group": "left", "mean": "right", INTERVAL: "right"}
        print_table(f"share of each group, by {document['by']}", columns, shares, unbroken=[INTERVAL])
    say(f"mean and interval: {document['interval_kind']}", "released parameter: of the Dirichlet that was drawn")
    if outside:
        say("a mean outside its interval: that share is almost surely tiny, and hardly ever large")


def print_shares(
    title: str,
    rows: dict[str, Any],
    grouped: bool,
    numbers: Sequence[str],
    cells: Callable[[str, str, dict[str, Any]], list[str]],
) -> None:
    """A table of categories, or of the categories within each group, with these numbers of each."""
    lines: list[list[str] | None] = []
    for group, shares in (rows if grouped else {"": rows}).items():
        for name, row in shares.items():
            lines.append([*([group] if grouped else []), name, *cells(group, name, row)])
        lines.append(None)
    names = ("group", "category") if grouped else ("category",)
    columns = {**dict.fromkeys(names, "left"), **dict.fromkeys(numbers, "right")}
    print_table(title, columns, lines, unbroken=numbers)


def percent_range(ends: list[float] | None) -> str:
    """An interval of shares, in percent."""
    return "beyond floats" if ends is None else f"{100 * ends[0]:.2f} – {100 * ends[1]:.2f} %"


def meaning(document: dict[str, Any]) -> str:
    """What the guarantee of a release says, in a sentence over public values.

    >>> said = {"epsilon": 0.5, "epsilon_exact": "1/2", "unit": "one row", "certificate": {"loss": "1/2"}}
    >>> said["adjacency"] = "replace-one"
    >>> print(meaning(said))
    ε = 0.5: replacing one row changes the probability of any output by a factor of at most 1.65. Whoever has to tell \
which of two such data sets it was, and knows all else, is right with a chance of at most 62.3 %.
    >>> print(meaning({**said, "certificate": {"loss": "inf"}}))
    no guarantee: this is not private, and not for publication.
    """
    if not is_private(document):
        return "no guarantee: this is not private, and not for publication."
    epsilon = Fraction(document["epsilon_exact"])
    return " ".join([epsilon_meaning(epsilon, replaced(document)), *epsilon_warning(epsilon)])
