"""`discreet receipt verify`: does a receipt hold what it says?"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.busy import busy
from discreet.cli.help import HelpTyper
from discreet.cli.tables import print_answer, say
from discreet.errors import LedgerError
from discreet.ledger import Ledger
from discreet.receipts import Bundle, Receipt, read_receipt, verify_any

EXAMPLE = "Example: discreet receipt verify receipt.json --ledger budgets.db"

receipt = HelpTyper(help="Check receipts.", epilog=EXAMPLE)


@receipt.command("verify", epilog=EXAMPLE)
def verify(
    file: Annotated[Path, typer.Argument(help="The receipt, as discreet release wrote it.")],
    ledger: Annotated[str | None, typer.Option(help="Also check that this ledger charged and sealed it.")] = None,
    thorough: Annotated[bool, typer.Option("--thorough", help="Check it even if it takes minutes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Derive the certificate anew, and check the receipt against it and against the ledger."""
    given = read_receipt(file)
    with busy("deriving the certificate"):
        certificates = verify_any(given, thorough=thorough)
    if ledger is not None:
        _check_ledger(given, ledger)
    document = {
        "verified": True,
        "epsilon": given.document["epsilon"],
        "certificate": certificates[0].to_json(),
        **({"certificates": [one.to_json() for one in certificates]} if isinstance(given, Bundle) else {}),
        "ledger": None if ledger is None else "charged and sealed",
    }
    lines = [f"certificate {one.digest[:16]}… derived anew, by {one.method}: it holds" for one in certificates]
    lines.append("the receipt's fields agree with it and with each other")
    if ledger is not None:
        lines.append("the ledger charged this request and sealed this very receipt")
    print_answer(document, lambda _: say(*lines), as_json=as_json)


def _check_ledger(receipt: Receipt | Bundle, path: str) -> None:
    book, document = Ledger(path), receipt.document
    book.verify()
    charge = None if receipt.request_id is None else book.find(receipt.request_id)
    if charge is None or charge.outcome != receipt.to_json():
        raise LedgerError("the ledger did not seal this receipt", hint="ask its owner, and do not rely on it")
    said = (document["dataset"], Fraction(document["epsilon_exact"]), document["adjacency"], document["charge"])
    if said != (charge.dataset, charge.epsilon, charge.adjacency, charge.hash):
        raise LedgerError("the ledger charged something else", hint="ask its owner, and do not rely on it")
