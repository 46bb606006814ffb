"""Tables of several columns in one request: what each costs, what all cost, and what was released."""

from __future__ import annotations

from typing import Any


def print_bundle_plan(document: dict[str, Any]) -> None:
    """The price of each column and of all, before anything is spent: public facts only."""
    from rich.table import Table
    from rich.text import Text

    from discreet.cli.tables import console, listed

    table = Table(title="about to release")
    for heading in ("column", "categories"):
        table.add_column(heading)
    for heading in ("expected error", "ε"):
        table.add_column(heading, justify="right")
    for column, part in zip(document["columns"], document["parts"], strict=True):
        named = Text(listed(part["categories"]) + (f" by {part['by']}" if part["groups"] else ""))
        error = (part["accuracy"] or {}).get("mean")
        table.add_row(Text(column), named, f"{error:.4f}" if isinstance(error, float) else "–", part["epsilon_exact"])
    table.add_section()
    table.add_row("all together", f"n = {document['n']:,}", "", document["epsilon_exact"])
    console().print(table)


def print_bundle(document: dict[str, Any]) -> None:
    """Every column's release, and what all of them mean together."""
    from discreet.cli.tables import console, meaning, print_posterior

    out = console()
    if document["parts"][0]["posterior"] is None:
        print_bundle_plan(document)
        out.print("dry run: nothing was drawn", soft_wrap=True)
    for column, part in zip(document["columns"], document["parts"], strict=True):
        if part["posterior"] is not None:
            out.print(f"column {column!r}, ε = {part['epsilon_exact']}", soft_wrap=True)
            print_posterior(part)
    out.print(f"all columns together, on n = {document['n']:,} records", soft_wrap=True)
    losses = [part["certificate"] for part in document["parts"]]
    out.print(meaning({**document, "certificate": losses}), soft_wrap=True)
