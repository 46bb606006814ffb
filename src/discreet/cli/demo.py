"""`discreet demo`: two private releases of real data, from a table to receipts, a picture and a ledger that adds up."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.outputs import require_all, reserve, show, write
from discreet.cli.tables import print_json, print_plan, say
from discreet.data import ANES96, PARTIES, VOTES
from discreet.errors import DiscreetError, InvalidInput
from discreet.ledger import Ledger
from discreet.receipts import Receipt
from discreet.requests.prepare import PreparedRequest
from discreet.requests.run import release

EXAMPLE = "Example: discreet demo --out discreet-demo"

BUDGET, VOTE, PARTY = "3/2", "1/2", "1"
"""The demo's budget, and what its two releases spend of it."""

DATASET = "anes96 demo"

REQUESTS = {"vote": "demo-vote", "party": "demo-party"}


def demo(
    out: Annotated[Path, typer.Option(help="The directory to write to.")] = Path("discreet-demo"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Release votes and party identification of 944 respondents, with a fresh ledger, and paint them."""
    ledger = _fresh_ledger(out)
    if not as_json:
        say(
            "The 1996 American National Election Study asked 944 people how they voted and which party they lean to.",
            f"No release may tell on any of them. A fresh ledger allows ε = {BUDGET} in all.",
            "",
        )
    vote = _released(ledger, ANES96, out, "vote", VOTES, VOTE, as_json=as_json)
    party = _released(ledger, ANES96, out, "party", PARTIES, PARTY, as_json=as_json)
    verified = ledger.verify()
    if as_json:
        print_json({"vote": vote.document, "party": party.document, "ledger": {"rows": verified.rows}})
        return
    left = ledger.remaining(DATASET).epsilon
    say(f"ledger: {verified.rows} rows verified, ε = {left} left of {BUDGET}")
    say(f"everything is in {out}: receipts, pictures, and budgets.db")


def _fresh_ledger(out: Path) -> Ledger:
    place = out / "budgets.db"
    try:
        out.mkdir(parents=True, exist_ok=True)
        if place.exists():
            if not _is_of_a_demo(place):
                raise InvalidInput(f"{place} is not the ledger of a demo", hint="choose another directory with --out")
            place.unlink()
    except OSError:
        raise InvalidInput(f"{out} cannot be made a directory", hint="choose another with --out") from None
    return Ledger.create(place, dataset=DATASET, epsilon=BUDGET)


def _is_of_a_demo(place: Path) -> bool:
    """Whether a ledger may be thrown away: a real one, whose budget was spent in earnest, never."""
    try:
        rows = Ledger(place).history()
    except DiscreetError:
        return False
    return all(row.dataset == DATASET and row.request_id in (None, *REQUESTS.values()) for row in rows)


def _released(
    ledger: Ledger, source: Path, out: Path, column: str, categories: tuple[str, ...], epsilon: str, *, as_json: bool
) -> Receipt:
    def tell(prepared: PreparedRequest) -> bool:
        if not as_json:
            print_plan(prepared.receipt().document)
        return True

    options: dict[str, Any] = {"column": column, "categories": categories, "epsilon": epsilon, "dataset": DATASET}
    with ExitStack() as stack:
        places = reserve(stack, out / f"{column}.json", out / f"{column}.png")
        receipt = release(source, ledger=ledger, request_id=REQUESTS[column], confirm=tell, **options)
        kept = write(receipt, places)
    if not as_json:
        show(receipt, kept, as_json=False)
        say("")
    require_all(receipt, places, kept)
    return receipt
