"""`discreet demo`: two private releases of real data, from a table to receipts, a picture and a ledger that adds up."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.outputs import print_json, say
from discreet.cli.release_outputs import print_plan, publish
from discreet.data import ANES96, PARTIES, VOTES
from discreet.errors import DiscreetError, InvalidInput
from discreet.ledger import Ledger
from discreet.requests.prepare import PreparedRequest
from discreet.requests.run import release

EXAMPLE = "Example: discreet demo --out discreet-demo"

DATASET, BUDGET = "anes96 demo", "3/2"

RELEASES = {"vote": (VOTES, "1/2"), "party": (PARTIES, "1")}
"""The columns, each with its categories and what it spends of the budget."""


def demo(
    out: Annotated[Path, typer.Option(help="The directory to write to.")] = Path("discreet-demo"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Release votes and party identification of 944 respondents, with a fresh ledger, and plot them."""
    ledger = _create_ledger(out)
    tell = (lambda *_: None) if as_json else say
    tell(
        "The 1996 American National Election Study asked 944 people how they voted and which party they lean to.",
        f"Each release hides what any one of them answered. A fresh ledger allows ε = {BUDGET} in all.",
        "The data is public, so the pictures also show the true shares.",
        "",
    )

    def confirm(prepared: PreparedRequest) -> bool:
        if not as_json:
            print_plan(prepared.receipt().document)
        return True

    documents = {}
    for column, (categories, epsilon) in RELEASES.items():
        draw = partial(release, ANES96, column=column, categories=categories, epsilon=epsilon, ledger=ledger)
        draw = partial(draw, dataset=DATASET, request_id=f"demo-{column}", confirm=confirm)
        files, truth = (out / f"{column}.json", out / f"{column}.png"), true_shares(column, categories)
        receipt = publish(draw, *files, as_json=as_json, quiet=as_json, truth=truth)
        documents[column] = receipt.document
        tell("")
    rows = ledger.verify().rows
    if as_json:
        print_json({**documents, "ledger": {"rows": rows}})
    tell(
        f"ledger: {rows} rows verified, ε = {ledger.remaining(DATASET).epsilon} left of {BUDGET}",
        f"everything is in {out}: receipts, pictures, and budgets.db",
    )


def true_shares(column: str, categories: Sequence[str]) -> list[float]:
    """The shares in percent, counted without privacy: the study is public, and only the demo may show them.

    >>> [round(share, 1) for share in true_shares("vote", VOTES)]
    [58.4, 41.6]
    """
    with ANES96.open(encoding="utf-8", newline="") as file:
        counts = Counter(row[column] for row in csv.DictReader(file))
    return [100 * counts[name] / counts.total() for name in categories]


def _create_ledger(out: Path) -> Ledger:
    place = out / "budgets.db"
    try:
        out.mkdir(parents=True, exist_ok=True)
        if place.exists():
            if not _is_demo_ledger(place):
                raise InvalidInput(f"{place} is not the ledger of a demo", hint="choose another directory with --out")
            place.unlink()
    except OSError:
        raise InvalidInput(f"{out} cannot be made a directory", hint="choose another with --out") from None
    return Ledger.create(place, dataset=DATASET, epsilon=BUDGET)


def _is_demo_ledger(place: Path) -> bool:
    """Whether a ledger may be thrown away: a real one, whose budget was spent in earnest, never."""
    try:
        rows = Ledger(place).history()
    except DiscreetError:
        return False
    requests = {None, *(f"demo-{column}" for column in RELEASES)}
    return all(row.dataset == DATASET and row.request_id in requests for row in rows)
