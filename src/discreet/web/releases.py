"""From a table to a release: where the rows are, what is asked of them, what it costs, and the draw."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import discreet as dc
from discreet.arithmetic.words import epsilon_meaning, exact_text, width_words
from discreet.counting import inspect_source, open_source, public_name
from discreet.counting.column_list import list_columns
from discreet.counting.inspection import NOT_PUBLISHABLE, inspection_document
from discreet.errors import BudgetExceeded
from discreet.ledger.budgets import TWICE, cost_to
from discreet.receipts import Bundle, Receipt, TableReceipt, parts_of
from discreet.receipts.words import changing, per_words, replaced
from discreet.requests.prepare import PreparedRequest
from discreet.requests.request import draw_request_id
from discreet.requests.run import price_request, run_request
from discreet.web.fields import Fields, about
from discreet.web.questions import TableQuestion, read_form, read_request

if TYPE_CHECKING:
    from discreet.web.answers import PageApi


def columns(api: PageApi, fields: Fields) -> dict[str, Any]:
    """The columns of the table, by its header or schema, which is public; no row is looked at."""
    api.require_release()
    source, form = api.source(fields), read_form(fields)
    fields.all_read()
    with about("source"):
        header = list_columns(source, form)
    columns = [column._asdict() for column in header.columns]
    return {"name": public_name(source), "columns": columns, "hint": header.hint}


def check(api: PageApi, fields: Fields) -> dict[str, Any]:
    """`discreet check` of each column: does the data fit the declaration? For the curator's eyes."""
    api.require_release()
    source, form, table = api.source(fields), read_form(fields), TableQuestion.read(fields)
    fields.all_read()
    table.require_columns(source, form)
    checks = [
        {"column": each.column, **inspection_document(inspect_source(source, each, form=form), each)}
        for each in table.declarations()
    ]
    occurs = False
    if table.impossible and all(each["fits"] for each in checks):
        with open_source(source, table.declaration(), form=form) as rows:
            occurs = rows.count_records().has_strays
    return {"checks": checks, "impossible_occurs": occurs, "mark": NOT_PUBLISHABLE}


def price(api: PageApi, fields: Fields) -> dict[str, Any]:
    """All that a release would cost and how accurate it would be. Only the records are counted; nothing is spent.

    The request id that comes with it makes the release that follows one and the same, however often it is asked.
    """
    earlier_id = fields.maybe("request_id")
    table, request = read_request(api, fields, earlier_id or draw_request_id())
    fields.all_read()
    table.require_columns(request.source, request.form)
    book = dc.Ledger(api.require_ledger())
    with about("dataset"):
        account = book.account(str(request.dataset))
    try:
        prepared = price_request(request, book)
    except BudgetExceeded as refusal:
        refusal.parameter = "epsilon"
        raise
    receipt = prepared.receipt()
    document, earlier = receipt.document, book.find(earlier_id) if earlier_id else None
    cost = cost_to(account.adjacency, prepared.price.adjacency, receipt.epsilon)
    is_dearer = cost != receipt.epsilon
    return {
        "document": document,
        "digest": prepared.digest,
        "request_id": request.request_id,
        "is_paid": earlier is not None,
        "price_text": _price_text({**document, "epsilon_exact": str(cost)}),
        "facts": [
            *([("Privacy loss", f"{_price_text(document)}; {TWICE.format('this budget')}")] if is_dearer else []),
            (
                "Left of the budget now",
                f"ε = {exact_text(account.remaining.epsilon)}{' at once' * bool(account.slots)}",
            ),
            ("Protects", replaced(document)),
            *(pair for pair in _facts(prepared, receipt) if pair[1]),
            ("Request", request.request_id),
        ],
        "meaning": epsilon_meaning(receipt.epsilon, changing(document), document["delta"]),
        "remaining": account.remaining.to_json(),
    }


def release(api: PageApi, fields: Fields) -> dict[str, Any]:
    """`discreet release`, of the very request whose price was shown.

    Whoever asks for it meanwhile waits, and gets what was sealed: of two draws at once the quicker would be kept.
    """
    (_, request), digest = read_request(api, fields, fields.text("request_id")), fields.text("digest")
    fields.all_read()
    with api.turn(str(request.request_id)):
        receipt = run_request(request, api.require_ledger(), confirm=lambda prepared: prepared.digest == digest)
    return {"receipt": receipt.document, "text": receipt.to_json()}


def _price_text(document: dict[str, Any]) -> str:
    also = f", δ = {document['delta']:g}" if document["delta"] else ""
    return f"ε = {exact_text(Fraction(document['epsilon_exact']))}{also}"


def _facts(prepared: PreparedRequest, receipt: Receipt | Bundle) -> Iterator[tuple[str, str]]:
    """What will be published, and how accurate it will be."""
    document, parts = receipt.document, parts_of(receipt)
    first = parts[0].document
    yield "Records n, which are published", f"{document['n']:,}" if "n" in document else ""
    yield "Records", "" if "n" in document else "private: not counted"
    for column, values in first.get("filters", {}).items():
        yield f"Only where {column} is", ", ".join(values)
    yield "Mechanism", first["mechanism"]["name"]
    if isinstance(receipt, Bundle):
        yield "Shared by the columns", prepared.gain if prepared.together else ""
    for part in parts:
        of = f" of {part.column}" if len(parts) > 1 else ""
        yield f"Privacy loss{of}", _price_text(part.document) if of else ""
        yield from _table_facts(part) if isinstance(part, TableReceipt) else _column_facts(part, of)


def _table_facts(receipt: TableReceipt) -> Iterator[tuple[str, str]]:
    for column, labels in receipt.axes.items():
        yield f"{column}, which is published", ", ".join(labels)
    for each in receipt.document["impossible"]:
        yield "Impossible", ", ".join(f"{column} = {label}" for column, label in each.items())
    yield "Cells", f"{len(receipt.cells):,}"


def _column_facts(receipt: Receipt, of: str) -> Iterator[tuple[str, str]]:
    document = receipt.document
    yield f"Categories{of}, which are published", ", ".join(receipt.categories)
    yield "Groups, which are published", ", ".join(receipt.groups)
    if document.get("rates"):
        yield "Rates", f"records {per_words(document)}"
        for group, exposure in document["rates"]["exposure"].items():
            amount = exposure if isinstance(exposure, str) else f"{exposure:,}"
            yield f"Exposure of {group}, which is published", amount
        return
    accuracy = document["accuracy"] or {}
    for group, stated in {"": accuracy}.items() if "what" in accuracy else accuracy.items():
        where, part = f"{of} in {group}" if group else of, stated or {}
        if part.get("interval_width") is not None:
            whose = " of the share of a cell" if receipt.groups and not group else ""
            width = width_words(part["interval_width"], part["interval_width_without_privacy"], whose=whose)
            yield f"Expected accuracy{where}", width
        distance = str(part.get("method", "not known"))
        if part and part["mean"] is not None:
            distance = f"{part['mean']:.4g}; 95 % of releases: {part['quantile_95']:.4g}"
        yield f"Expected Hellinger distance{where}", distance
