"""Tables of several columns in one request: what each costs, what all cost, and what was released."""

from __future__ import annotations

from typing import Any


def print_bundle_plan(document: dict[str, Any]) -> None:
    """The price of each column and of all, before anything is spent: public facts only."""
    from discreet.cli.tables import listed, print_table

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
    from discreet.cli.tables import meaning, print_posterior, say

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
