"""`discreet receipt`: what a receipt says, for whoever got it by mail, and whether it holds."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.app import HelpTyper
from discreet.cli.outputs import ReservedFile, busy, is_same_file, print_answer, print_table, print_written, say
from discreet.cli.release_outputs import meaning, print_belief
from discreet.errors import InvalidInput, LedgerError
from discreet.ledger import Ledger
from discreet.receipts import Bundle, Receipt, exports, parts_of, read_receipt, readable, verify_any
from discreet.receipts.receipt import refuse_nonsense
from discreet.receipts.words import counted, is_drawn, replaced, selection, treatment, widths
from discreet.receipts.work import require_modest
from discreet.web.sheets import receipt_page

EXAMPLE = "Example: discreet receipt verify receipt.json --ledger budgets.db"

receipt = HelpTyper(help="Read, check and export receipts.", epilog=EXAMPLE)


@receipt.command("show", epilog="Example: discreet receipt show receipt.json")
def show(
    file: Annotated[Path, typer.Argument(help="The receipt, as discreet release wrote it.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Say what a receipt is about: what, when, whom it protects, the shares, how to cite and how to verify it."""
    release = _read_modest(file)
    with refuse_nonsense():
        print_answer(release.document, lambda _: _print_page(readable(release).document, file), as_json=as_json)


def _read_modest(file: Path) -> Receipt | Bundle:
    """A receipt that a stranger may have written; what would take minutes is refused."""
    release = read_receipt(file)
    require_modest(parts_of(release), reading=True)
    return release


def _print_page(document: dict[str, Any], file: Path) -> None:
    parts = document.get("parts", [document])
    if not is_drawn(document):
        raise InvalidInput("nothing was drawn for this receipt", hint="it is the preview of a release")
    charged = f"budget of {document['dataset']}, request {document['request_id']}"
    rows = {
        "title": document["title"],
        "source": document["source_name"],
        "released": document["released_at"],
        counted(document): f"{document['n']:,}" if "n" in document else "private: their number is protected too",
        "protects": replaced(document),
        "charged": "nothing" if document["dataset"] is None else charged,
        "mechanism": ", ".join(dict.fromkeys(part["mechanism"]["name"] for part in parts)),
    }
    lines = [[name, text] for name, text in rows.items() if text is not None]
    print_table("", {"what": "left", "value": "left"}, lines, show_header=False, box=None)
    say("", meaning(document), "These are claims until they are verified.")
    for part in parts:
        say("", part["question"], *selection(part), treatment(part))
        print_belief(part)
        if "axes" not in part:
            say(f"the intervals are {widths(part)} wide")
    say("", "How to cite:", f"  {document['citation'] or 'not dated, or not for publication'}")
    say("", "How to verify:", f"  discreet receipt verify {file}")


@receipt.command("export", epilog="Example: discreet receipt export receipt.json --format registry --out record.yaml")
def export(
    file: Annotated[Path, typer.Argument(help="The receipt, as discreet release wrote it.")],
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            help="registry (YAML for the registry of deployments), jsonld (Croissant and PROV) or methods (Markdown).",
        ),
    ],
    out: Annotated[Path | None, typer.Option(help="Write it to this file instead of printing it.")] = None,
) -> None:
    """Write a receipt as a record that others ask for. What it cannot know is left as a blank with its name."""
    release = _read_modest(file)
    with refuse_nonsense():
        record = exports.export(release, format_)
    if out is None:
        say(*record.splitlines())
        return
    _require_another_file(out, file)
    with ReservedFile(out) as reserved:
        reserved.write(record.encode())
    print_written([out])


def _require_another_file(out: Path, file: Path) -> None:
    if is_same_file(out, file):
        raise InvalidInput("--out names the receipt", hint="choose another name: it would be lost")


@receipt.command("page", epilog="Example: discreet receipt page receipt.json --out receipt.html")
def page(
    file: Annotated[Path, typer.Argument(help="The receipt, as discreet release wrote it.")],
    out: Annotated[Path, typer.Option(help="The HTML file.")],
) -> None:
    """Write one HTML file for readers who have nothing installed. It loads nothing, and needs no script to be read."""
    _require_another_file(out, file)
    release = read_receipt(file)
    with ReservedFile(out) as reserved, busy("weighing the data sets"), refuse_nonsense():
        reserved.write(receipt_page(release).encode())
    print_written([out])


@receipt.command("verify", epilog=EXAMPLE)
def verify(
    file: Annotated[Path, typer.Argument(help="The receipt, as discreet release wrote it.")],
    ledger: Annotated[str | None, typer.Option(help="Also check that this ledger charged and sealed it.")] = None,
    thorough: Annotated[bool, typer.Option("--thorough", help="Check it even if it takes minutes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Derive the certificate anew, and check the receipt against it and against the ledger."""
    release = read_receipt(file)
    with busy("deriving the certificate"):
        certificates = verify_any(release, thorough=thorough)
    if ledger is not None:
        _check_ledger(release, ledger)
    document = {
        "verified": True,
        "epsilon": release.document["epsilon"],
        "certificate": certificates[0].to_json(),
        **({"certificates": [each.to_json() for each in certificates]} if isinstance(release, Bundle) else {}),
        "ledger": None if ledger is None else "charged and sealed",
    }
    lines = [f"certificate {each.digest[:16]}… derived anew, by {each.method}: it holds" for each in certificates]
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
    claimed = (document["dataset"], Fraction(document["epsilon_exact"]), document["adjacency"], document["charge"])
    is_dated = document.get("released_at", charge.time) == charge.time
    if not is_dated or claimed != (charge.dataset, charge.epsilon, charge.adjacency, charge.hash):
        raise LedgerError("the ledger charged something else", hint="ask its owner, and do not rely on it")
