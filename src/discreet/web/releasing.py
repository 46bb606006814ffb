"""From a table to a release: where the rows are, what is asked of them, what it costs, and the draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import discreet as dc
from discreet.arithmetic.words import epsilon_meaning, exact_text, width_words
from discreet.counting import CsvFormat, Declaration, inspect_source
from discreet.counting.column_list import ColumnList, list_columns
from discreet.counting.column_names import find_column
from discreet.counting.inspection import NOT_PUBLISHABLE, inspection_document
from discreet.counting.sources import Named, engine_for
from discreet.errors import BudgetExceeded, InvalidInput
from discreet.ledger.budgets import REPLACE_ONE
from discreet.posteriors import as_prior
from discreet.receipts import Receipt, ReceiptRequest
from discreet.receipts.words import changing, replaced
from discreet.requests.request import Question, ReleaseRequest, draw_request_id
from discreet.requests.run import price_request, run_request
from discreet.web.fields import Fields, about

if TYPE_CHECKING:
    from discreet.web.answers import PageApi


def columns(api: PageApi, fields: Fields) -> dict[str, Any]:
    """The columns of the table, by its header or schema, which is public; no row is looked at."""
    api.require_release()
    source, form = api.source(fields), _form(fields)
    fields.all_read()
    with about("source"):
        listed = list_columns(source, form)
    return {"columns": [column._asdict() for column in listed.columns], "hint": listed.hint}


def check(api: PageApi, fields: Fields) -> dict[str, Any]:
    """`discreet check`: does the data fit the declaration? For the curator's eyes."""
    api.require_release()
    source, form = api.source(fields), _form(fields)
    declaration = Declaration(**_declared(fields), id_column=fields.maybe("id_column"))
    fields.all_read()
    _require_columns(source, form, declaration)
    found = inspect_source(source, declaration, form=form)
    return inspection_document(found, declaration) | {"mark": NOT_PUBLISHABLE}


def price(api: PageApi, fields: Fields) -> dict[str, Any]:
    """All that a release would cost and how accurate it would be. Only the records are counted; nothing is spent.

    The request id that comes with it makes the release that follows one and the same, however often it is asked.
    """
    finished = fields.maybe("request_id")
    request = _request(api, fields, finished or draw_request_id())
    [question] = request.questions
    fields.all_read()
    _require_columns(request.source, request.form, *request.declarations)
    book = dc.Ledger(api.require_ledger())
    with about("dataset"):
        account = book.account(str(request.dataset))
    with about("prior"):
        as_prior(question.terms.prior or "uniform", len(question.answers))
    try:
        prepared = price_request(request, book)
    except BudgetExceeded as refusal:
        refusal.parameter = "epsilon"
        raise
    receipt = prepared.receipt()
    earlier = book.find(finished) if finished else None
    return {
        "document": receipt.document,
        "digest": prepared.digest,
        "request_id": request.request_id,
        "is_paid": earlier is not None,
        "epsilon_text": exact_text(receipt.epsilon),
        "facts": [
            ("Left of the budget now", f"ε = {exact_text(account.remaining.epsilon)}"),
            ("Protects", replaced(receipt.document)),
            *_facts(receipt),
            ("Request", request.request_id),
        ],
        "meaning": epsilon_meaning(receipt.epsilon, changing(receipt.document), receipt.document["delta"]),
        "remaining": account.remaining.to_json(),
    }


def release(api: PageApi, fields: Fields) -> dict[str, Any]:
    """`discreet release`, of the very request whose price was shown.

    Whoever asks for it meanwhile waits, and gets what was sealed: of two draws at once the quicker would be kept.
    """
    request, digest = _request(api, fields, fields.text("request_id")), fields.text("digest")
    fields.all_read()
    with api.turn(str(request.request_id)):
        receipt = run_request(request, api.require_ledger(), confirm=lambda prepared: prepared.digest == digest)
    return {"receipt": receipt.document, "text": receipt.to_json()}


def _facts(receipt: Any) -> list[tuple[str, str]]:
    """What will be published, and how accurate it will be."""
    assert isinstance(receipt, Receipt), "the page asks for one column"
    document = receipt.document
    told = [
        ("Records n, which are published", f"{document['n']:,}" if "n" in document else ""),
        ("Records", "" if "n" in document else "private: not counted"),
        *((f"Only where {column} is", ", ".join(values)) for column, values in document.get("filters", {}).items()),
        ("Mechanism", document["mechanism"]["name"]),
        ("Categories, which are published", ", ".join(receipt.categories)),
        ("Groups, which are published", ", ".join(receipt.groups)),
    ]
    stated = document["accuracy"] or {}
    for group, own in {"": stated}.items() if "what" in stated else stated.items():
        of = f" in {group}" if group else ""
        if (own or {}).get("interval_width") is not None:
            whose = " of the share of a cell" if receipt.groups and not group else ""
            words = width_words(own["interval_width"], own["interval_width_without_privacy"], whose=whose)
            told.append((f"Expected accuracy{of}", words))
        if not own or own["mean"] is None:
            told.append((f"Expected Hellinger distance{of}", str((own or {}).get("method", "not known"))))
            continue
        told.append(
            (f"Expected Hellinger distance{of}", f"{own['mean']:.4g}; 95 % of releases: {own['quantile_95']:.4g}")
        )
    return [(name, text) for name, text in told if text]


def _form(fields: Fields) -> CsvFormat:
    delimiter, header = fields.maybe("delimiter"), not fields.flag("no_header")
    with about("delimiter"):
        CsvFormat(delimiter, header)
    with about("encoding"):
        return CsvFormat(delimiter, header, fields.maybe("encoding") or "utf-8")


def _declared(fields: Fields) -> dict[str, Any]:
    """What is declared of the table; a refusal of the answers is told from one of the groups."""
    answers: dict[str, Any] = {
        "column": fields.text("column"),
        "categories": fields.names("categories"),
        "other": fields.maybe("other"),
        "missing": fields.maybe("missing"),
    }
    grouping: dict[str, Any] = {
        "by": fields.maybe("by"),
        "groups": fields.names("groups"),
        "other_group": fields.maybe("other_group"),
    }
    with about("categories"):
        Declaration(**answers)
    with about("groups"):
        Declaration(**answers, **grouping)
    selected: dict[str, Any] = {"filters": _filters(fields.names("filters"))}
    with about("filters"):
        Declaration(**answers, **grouping, **selected)
    return answers | grouping | selected


def _filters(lines: Sequence[str]) -> dict[str, list[str]]:
    """The values to select by column, from lines like region=north."""
    found: dict[str, list[str]] = {}
    for line in lines:
        column, equals, value = line.partition("=")
        if not equals:
            raise InvalidInput("a filter has no value", hint="write a line like region=north", parameter="filters")
        found.setdefault(column.strip(), []).append(value.strip())
    return found


def _request(api: PageApi, fields: Fields, request_id: str) -> ReleaseRequest:
    api.require_release()
    question = Question(
        **_declared(fields),
        group_public=fields.flag("group_public"),
        adjacency=fields.maybe("adjacency") or REPLACE_ONE,
        prior=fields.maybe("prior"),
        epsilon=fields.text("epsilon"),
        mechanism=fields.text("mechanism"),
    )
    return ReleaseRequest(
        api.source(fields),
        [question],
        id_column=fields.maybe("id_column"),
        dataset=fields.text("dataset"),
        request_id=request_id,
        again=fields.flag("again"),
        form=_form(fields),
        about=ReceiptRequest(title=fields.maybe("title"), source_name=fields.maybe("source_name")),
    )


def _require_columns(source: object, form: CsvFormat, *declarations: Declaration) -> None:
    """Refuse a column that is not there, and say which field named it; of databases the columns are asked later."""
    if not isinstance(source, Named) or engine_for(source) != "duckdb" or str(source).startswith("duckdb://"):
        return
    with about("source"):
        listed: ColumnList = list_columns(source, form)
    names = [column.name for column in listed.columns]
    for declaration in declarations:
        for field in ("column", "by", "id_column"):
            wanted = getattr(declaration, field)
            with about(field):
                if wanted is not None:
                    find_column(names, wanted, "the table", is_header=form.header)
