"""What a release will cost, and what it says: tables and sentences of receipts, for people."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain
from math import prod
from typing import Any

from discreet.arithmetic.words import epsilon_meaning, epsilon_text, epsilon_warning, exact_text, width_words
from discreet.cli.tables import listed, percent_range, print_shares, print_table, rate_range, say
from discreet.receipts.words import (
    NOISE_INCLUDED,
    changing,
    is_private,
    methods,
    per_words,
    records_words,
    size_words,
    table_methods,
    total_words,
)

INTERVAL = "95 % interval"


def print_any_plan(document: dict[str, Any]) -> None:
    """What a release will cost and how accurate it will be, before it is charged: public facts only."""
    if "parts" in document:
        _print_bundle_plan(document)
        return
    if "axes" in document:
        _print_table_plan(document)
        return
    rows = [("categories", listed(document["categories"]))]
    if document["groups"]:
        rows.append((f"groups, by {document['by']}", listed(document["groups"])))
    rows += [(f"only where {column} is", listed(values)) for column, values in document.get("filters", {}).items()]
    for group, exposure in (document.get("rates") or {"exposure": {}})["exposure"].items():
        rows.append((f"exposure of {group}, declared public", str(exposure)))
    rows.append(("records", f"{document['n']:,}" if "n" in document else "private: not counted"))
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


def _print_table_plan(document: dict[str, Any]) -> None:
    """The columns of a cross table, how many cells it has, and its price."""
    sizes = [len(axis["labels"]) for axis in document["axes"]]
    rows = [
        *((axis["column"], listed(axis["labels"][:12])) for axis in document["axes"]),
        *(("impossible", ", ".join(f"{column}={label}" for column, label in each.items()))
          for each in document["impossible"]),
        ("cells", f"{prod(sizes):,}" + (", less the impossible" if document["impossible"] else "")),
        *((f"only where {column} is", listed(values)) for column, values in document["filters"].items()),
        ("records", f"{document['n']:,}" if "n" in document else "private: not counted"),
        ("to be spent", f"ε = {epsilon_text(Fraction(document['epsilon_exact']))}, δ = {document['delta']:g}"),
    ]  # fmt: skip
    print_table("about to release", {"what": "left", "value": "right"}, rows)
    say(*epsilon_warning(Fraction(document["epsilon_exact"])))


def print_table_belief(document: dict[str, Any]) -> None:
    """What may be believed of each column of a cross table."""
    for column, rows in (document["belief"] or {}).items():
        lines = [[label, f"{100 * row['mean']:.2f} %", percent_range(row["interval"])] for label, row in rows.items()]
        print_table(
            f"shares of {column}", {column: "left", "mean": "right", INTERVAL: "right"}, lines, unbroken=[INTERVAL]
        )
    say(f"mean and interval: {document['interval_kind']}", "other margins: discreet infer --margin and --given")


def _print_bundle_plan(document: dict[str, Any]) -> None:
    """The price of each column and of all."""
    rows: list[list[str] | None] = []
    for column, part in zip(document["columns"], document["parts"], strict=True):
        named = listed(part["categories"]) + (f" by {part['by']}" if part["groups"] else "")
        error = (part["accuracy"] or {}).get("mean")
        rows.append([column, named, f"{error:.4f}" if isinstance(error, float) else "–", part["epsilon_exact"]])
    also = f", δ = {document['delta']:g}" if document["delta"] else ""
    rows += [None, ["all together", size_words(document), "", document["epsilon_exact"] + also]]
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
    if "axes" in document:
        _print_any_table(document)
        return
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
        say(f"all columns together, {records_words(document)}")
    else:
        say(f"mechanism: {document['mechanism']['name']}, {records_words(document)}")
    say(meaning(document))
    if drawn and is_private(document):
        say("", "For the methods section:", methods(document))


def print_rates(document: dict[str, Any]) -> None:
    """The rates of a release that is read so, and what was released."""
    said, noisy = document["rates"], dict(zip(document["categories"], document["output"], strict=True))
    rows = [
        [group, f"{row['mean']:.4g}", rate_range(row["interval"]), str(said["exposure"][group]), str(noisy[group])]
        for group, row in said["belief"].items()
    ]
    columns = {"group": "left", **dict.fromkeys(("rate", INTERVAL, "exposure", "noisy count"), "right")}
    print_table(f"records {per_words(document)}, by {document['column']}", columns, rows, unbroken=[INTERVAL])
    say(f"rate and interval: {NOISE_INCLUDED}", "noisy count: what was released; it may be below zero")


def _print_any_table(document: dict[str, Any]) -> None:
    drawn = document["output"] is not None
    if drawn:
        print_table_belief(document)
    else:
        print_any_plan(document)
        say("dry run: nothing was drawn")
    say(f"mechanism: {document['mechanism']['name']}, {records_words(document)}", meaning(document))
    if drawn:
        say("", "For the methods section:", table_methods(document))


def print_belief(document: dict[str, Any]) -> None:
    """What may be believed beside what was released; with groups, of the shares within each."""
    if document.get("rates"):
        print_rates(document)
        return
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
    say(*total_words(document))
    say(f"mean and interval: {document['interval_kind']}", "released parameter: of the Dirichlet that was drawn")
    if outside:
        say("a mean outside its interval: that share is almost surely tiny, and hardly ever large")


def meaning(document: dict[str, Any]) -> str:
    """What the guarantee of a release says, in a sentence over public values.

    >>> said = {"epsilon": 0.5, "epsilon_exact": "1/2", "unit": "one row", "certificate": {"loss": "1/2"}}
    >>> said |= {"adjacency": "replace-one", "delta": 0.0}
    >>> print(meaning(said))
    ε = 0.5: replacing one row changes the probability of any output by a factor of at most 1.65. Whoever has to tell \
which of two such data sets it was, and knows all else, is right with a chance of at most 62.3 %.
    >>> print(meaning({**said, "certificate": {"loss": "inf"}}))
    no guarantee: this is not private, and not for publication.
    """
    if not is_private(document):
        return "no guarantee: this is not private, and not for publication."
    epsilon = Fraction(document["epsilon_exact"])
    return " ".join([epsilon_meaning(epsilon, changing(document), document["delta"]), *epsilon_warning(epsilon)])
