"""`discreet ledger`: open a budget, see what is left of it, and check that nobody changed its book."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR
from pathlib import Path
from typing import Annotated

import typer

import discreet as dc
from discreet.arithmetic.numbers import whole
from discreet.arithmetic.texts import visible_text
from discreet.cli.app import HelpTyper
from discreet.cli.completion import complete_dataset
from discreet.cli.outputs import (
    ReservedFile,
    print_answer,
    print_json,
    print_table,
    print_written,
    say,
    unfinished_lines,
)
from discreet.ledger import Account, Amount, Entry
from discreet.ledger.budgets import ADD_REMOVE, cost_words
from discreet.ledger.entries import BUDGET
from discreet.privacy_loss.composition import six_digits
from discreet.receipts import plain

SHOW_EXAMPLE = "Example: discreet ledger show budgets.db"

ledger = HelpTyper(
    help="Budgets of privacy loss: what may be spent, what was, and proof that the book was not changed.",
    epilog=SHOW_EXAMPLE,
)

Place = Annotated[str, typer.Argument(metavar="LEDGER", help="The ledger's file, or postgresql://user@host/database.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


@ledger.command(
    "create",
    epilog="Example: discreet ledger create budgets.db --dataset anes --epsilon 2 --delta 1e-8 --composition zcdp",
)
def create(
    place: Place,
    dataset: Annotated[str, typer.Option(help="The dataset that the budget is for.")],
    epsilon: Annotated[
        str | None,
        typer.Option(help="All that may ever be spent on it, exact: 2, 0.5 or 1/3. A schedule's price is worked out."),
    ] = None,
    delta: Annotated[str, typer.Option(help="The same for δ.")] = "0",
    composition: Annotated[
        str,
        typer.Option(
            help="How charges add up: basic; zcdp, which needs a δ and is cheaper for many; or exact, for a --schedule."
        ),
    ] = "basic",
    schedule: Annotated[
        str | None, typer.Option(help='All releases that there will be, each at most so large: "12 x 0.25, 1 x 1".')
    ] = None,
    categories_at_least: Annotated[
        str, typer.Option(help="The fewest categories of a release on the schedule: more are cheaper.")
    ] = "2",
    adjacency: Annotated[
        str,
        typer.Option(
            help="What one person may change: replace-one; replace-answer, if groups are public; add-remove, if the "
            "number of records is not."
        ),
    ] = "replace-one",
    id_column: Annotated[
        str | None, typer.Option(help="Protect people and not rows: the column that tells them apart.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Open a budget for a dataset, in a new ledger or one that is there. A budget is set once."""
    book = dc.Ledger.create(
        place,
        dataset=dataset,
        epsilon=epsilon,
        delta=delta,
        adjacency=adjacency,
        composition=composition,
        schedule=schedule,
        categories_at_least=whole(categories_at_least, "categories_at_least", minimum=2),
        id_column=id_column,
    )
    account, head = book.account(dataset), book.head()
    rules = {"composition": composition, "adjacency": adjacency, "unit": account.unit}
    document = {"ledger": book.name, "dataset": dataset, "budget": account.budget.to_json(), **rules, "head": head}
    if account.slots:
        document["slots"] = account.to_json()["slots"]
    lines = (
        f"{dataset} may spend {_text(account.budget)} in all, by {book.name}",
        f"composition: {composition}, adjacency: {adjacency}, protects: {_unit(account.unit)}",
        *_slot_lines(account),
        f"head: {head}",
    )
    print_answer(document, lambda _: say(*lines), as_json=as_json)


@ledger.command("show", epilog=SHOW_EXAMPLE)
def show(place: Place, as_json: AsJson = False) -> None:
    """Show every dataset's budget, what was spent, and what is left."""
    book = dc.Ledger(place)
    accounts, head = book.accounts(), book.head()
    if as_json:
        print_json({"ledger": book.name, "datasets": [account.to_json() for account in accounts], "head": head})
        return
    columns = ["dataset", "protects", "budget", "spent", "by zCDP", "left", "charges", "without a seal"]
    rows = [_account_row(account) for account in accounts]
    if not any(account.concentrated for account in accounts):
        columns, rows = columns[:4] + columns[5:], [row[:4] + row[5:] for row in rows]
    print_table(f"budgets of {book.name}", dict.fromkeys(columns, "left"), rows)
    for account in accounts:
        if len(account.units) > 1:
            mixed = " and ".join(map(_unit, account.units))
            say(
                f"{account.dataset} was charged for {mixed}: its guarantee holds for one row, "
                "and not for a person with several"
            )
        say(*_slot_lines(account), *unfinished_lines(account.dataset, account.unfinished))
    say(f"head: {head}")


@ledger.command("history", epilog="Example: discreet ledger history budgets.db --dataset anes")
def history(
    place: Place,
    dataset: Annotated[
        str | None, typer.Option(help="Only this dataset's rows.", autocompletion=complete_dataset)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show every row: budgets, charges and seals, in their order."""
    book = dc.Ledger(place)
    if dataset is not None:
        book.spent(dataset)  # refuses a dataset that is not there
    entries = book.history(dataset)
    if as_json:
        print_json({"ledger": book.name, "entries": [entry._asdict() for entry in entries]})
        return
    columns = dict.fromkeys(["row", "time (UTC)", "kind", "dataset", "amount", "request"], "left")
    whole = ("row", "time (UTC)", "kind", "request")  # no use in pieces
    lean = {"box": None, "padding": (0, 1, 0, 0), "title_justify": "left"}  # an id of 32 digits fits 80 columns
    budgeted = {entry.dataset: entry.adjacency for entry in entries if entry.kind == BUDGET}
    rows = (_history_row(entry, budgeted.get(entry.dataset)) for entry in entries)
    print_table(f"history of {book.name}", columns, rows, unbroken=whole, **lean)


@ledger.command("verify", epilog="Example: discreet ledger verify budgets.db --head 5f3c…")
def verify(
    place: Place,
    head: Annotated[str | None, typer.Option(help="A head noted earlier, which must still be there.")] = None,
    as_json: AsJson = False,
) -> None:
    """Check every row and the chain of hashes; the first row that is wrong is named, with exit code 5."""
    book = dc.Ledger(place)
    verified = book.verify(head)
    lines = [
        f"{book.name} is sound: {verified.rows} rows, each as it was written",
        *([] if head is not None else ["rows dropped from its end would not show: only a head noted earlier tells"]),
        f"head: {verified.head}",
    ]
    document = {"ledger": book.name, "sound": True, "rows": verified.rows, "head": verified.head}
    print_answer(document, lambda _: say(*lines), as_json=as_json)


@ledger.command("export", epilog="Example: discreet ledger export budgets.db --format csv --out budgets.csv")
def export(
    place: Place,
    kind: Annotated[str, typer.Option("--format", help="json (everything) or csv (without outcomes).")] = "json",
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Write all rows for other programs."""
    text = dc.Ledger(place).export("json" if as_json else kind)
    text = "\n".join(map(visible_text, text.split("\n")))  # a file that somebody changed may hold what steers
    if out is None:
        print(text, end="")
        return
    with ReservedFile(out) as reserved:
        reserved.write(text.encode())
    print_written([out])


def _account_row(account: Account) -> list[str]:
    concentrated, left = "", _text(account.remaining) + " at once" * bool(account.slots)
    if account.concentrated is not None:
        concentrated = f"ε = {six_digits(account.concentrated.epsilon, ROUND_CEILING)}"
        left = f"ε = {six_digits(account.remaining.epsilon, ROUND_FLOOR)}"
    amounts = [_text(account.budget), _text(account.spent), concentrated, left]
    protects = _unit(account.unit) + (", and their number" if account.adjacency == ADD_REMOVE else "")
    return [account.dataset, protects, *amounts, str(account.charges), str(account.charges - account.sealed)]


def _slot_lines(account: Account) -> list[str]:
    """A line for each kind of slot."""
    return [f"{account.dataset}: {slot}  {slot.squares()}" for slot in account.slots]


def _unit(unit: str | None) -> str:
    """Whose data one record is, for people."""
    kind, _, column = (unit or "not said").partition(":")
    return f"people, by {column}" if column else {"row": "rows"}.get(kind, kind)


def _history_row(entry: Entry, budgeted: str | None) -> list[str]:
    spent = "" if entry.epsilon is None else _text(entry.amount) + cost_words(entry, budgeted)
    time = entry.time.replace("T", " ")[: len("2026-01-01 00:00")]
    return [str(entry.seq), time, entry.kind, entry.dataset, spent, entry.request_id or ""]


def _text(amount: Amount) -> str:
    """For people: a decimal where that is exact, and no δ where there is none."""
    return f"ε = {plain(amount.epsilon)}" + (f", δ = {plain(amount.delta)}" if amount.delta else "")
