"""What the page asks of a table, in the words of the command: every refusal is about the field that it came from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.counting import CsvFormat, Declaration
from discreet.counting.column_list import list_columns
from discreet.counting.column_names import find_column
from discreet.counting.sources import Named
from discreet.errors import InvalidInput
from discreet.ledger.budgets import ADD_REMOVE, REPLACE_ONE
from discreet.receipts import RateTerms, ReceiptRequest
from discreet.requests.prepare import whole_prior
from discreet.requests.request import Question, ReleaseRequest, place_delta
from discreet.requests.texts import read_exposure, read_labels
from discreet.web.fields import Fields, about

if TYPE_CHECKING:
    from discreet.web.answers import PageApi

SHARES, CROSS, RATES = "shares", "cross", "rates"
"""What is released: the shares of each column, one table of all of them, or rates of events."""

MORE = "more"
"""The columns after the first: a list of objects with the fields of a column."""


@dataclass(frozen=True, slots=True)
class ColumnQuestion:
    """A column with what is declared of it."""

    fields: Fields
    declared: dict[str, Any]
    prior: str | None

    @classmethod
    def read(cls, fields: Fields, **shared: str | None) -> ColumnQuestion:
        """From its fields, checked; what columns share is not among them."""
        declared: dict[str, Any] = {"column": fields.text("column"), "categories": fields.names("categories"), **shared}
        for name in ("other", "missing"):
            if name not in shared:
                declared[name] = fields.maybe(name)
        with fields.about("categories"):
            Declaration(**declared)
        return cls(fields, declared, fields.maybe("prior"))

    @property
    def answers(self) -> tuple[str, ...]:
        """Its categories, and those for the rest."""
        return Declaration(**self.declared).answers


@dataclass(frozen=True, slots=True)
class TableQuestion:
    """What is asked of a table: its columns, how they belong together, and which records are looked at."""

    kind: str
    columns: list[ColumnQuestion]
    grouping: dict[str, Any]
    selected: dict[str, Any]
    impossible: list[dict[str, str]]
    id_column: str | None

    @classmethod
    def read(cls, fields: Fields) -> TableQuestion:
        """From the fields of the question, checked as far as that needs no price."""
        kind = fields.maybe("kind") or SHARES
        if kind not in (SHARES, CROSS, RATES):
            raise InvalidInput("this is nothing to release", hint="choose shares, cross or rates", parameter="kind")
        first = ColumnQuestion.read(fields)
        rest = {name: first.declared[name] for name in ("other", "missing")} if kind == CROSS else {}
        columns = [first, *(ColumnQuestion.read(each, **rest) for each in fields.parts(MORE))]
        grouping: dict[str, Any] = {
            "by": fields.maybe("by"),
            "groups": fields.names("groups"),
            "other_group": fields.maybe("other_group"),
        }
        selected: dict[str, Any] = {"filters": _read_filters(fields.names("filters"))}
        with about("groups"):
            Declaration(**first.declared, **grouping)
        with about("filters"):
            Declaration(**first.declared, **grouping, **selected)
        with about("impossible"):
            impossible = [read_labels(line, "a combination") for line in fields.names("impossible")]
        question = cls(kind, columns, grouping, selected, impossible, fields.maybe("id_column"))
        question._require_kind()
        return question

    def _require_kind(self) -> None:
        if self.kind == RATES and (len(self.columns) > 1 or self.grouping["by"] is not None):
            raise InvalidInput("rates are of events by one column", hint="leave the others out", parameter="kind")
        if self.kind == CROSS and len(self.columns) == 1:
            raise InvalidInput("a cross table has at least two columns", hint="add a column", parameter="kind")
        if self.kind == CROSS:
            self._require_distinct()
            with about("impossible"):
                self.declaration()
        elif self.impossible:
            raise InvalidInput(
                "only cells of a cross table may be impossible", hint="cross the columns", parameter="kind"
            )

    def _require_distinct(self) -> None:
        names = [column.declared["column"] for column in self.columns]
        for place, column in enumerate(self.columns):
            with column.fields.about("column"):
                if names[place] in names[:place]:
                    raise InvalidInput("a column is crossed twice", hint="name each column once")

    @property
    def cross(self) -> dict[str, Any]:
        """The columns of a cross table, with their categories."""
        return {column.declared["column"]: column.declared["categories"] for column in self.columns}

    def declaration(self) -> Declaration:
        """What is declared of crossed columns together."""
        rest = {name: self.columns[0].declared[name] for name in ("other", "missing")}
        return Declaration.cross(self.cross, impossible=self.impossible, **rest, **self.selected)

    def declarations(self) -> list[Declaration]:
        """What is declared of each column by itself, with its groups."""
        shared = {**self.grouping, **self.selected, "id_column": self.id_column}
        return [Declaration(**column.declared, **shared) for column in self.columns]

    def require_columns(self, source: object, form: CsvFormat) -> None:
        """Refuse a column that is not there, and say which field named it."""
        if not isinstance(source, Named):
            return
        with about("source"):
            names = [column.name for column in list_columns(source, form).columns]
        if not names:
            return  # of what Spark reads: it is asked later
        for column in self.columns:
            with column.fields.about("column"):
                find_column(names, column.declared["column"], "the table", is_header=form.header)
        for field, name in (("by", self.grouping["by"]), ("id_column", self.id_column)):
            with about(field):
                if name is not None:
                    find_column(names, name, "the table", is_header=form.header)


def read_request(api: PageApi, fields: Fields, request_id: str) -> tuple[TableQuestion, ReleaseRequest]:
    """The request, and what it asks."""
    api.require_release()
    table, mechanism, delta = TableQuestion.read(fields), fields.text("mechanism"), fields.maybe("delta")
    number = len(table.columns) if table.kind == SHARES else 1
    with about("delta"):
        options, together = place_delta(mechanism, delta, number)
    shared: dict[str, Any] = {
        **table.selected,
        "adjacency": fields.maybe("adjacency") or REPLACE_ONE,
        "mechanism": mechanism,
        **options,
    }
    questions = list(_questions(table, fields, shared))
    return table, ReleaseRequest(
        api.source(fields),
        questions,
        epsilon=fields.text("epsilon"),
        delta=together,
        id_column=table.id_column,
        dataset=fields.text("dataset"),
        request_id=request_id,
        again=fields.flag("again"),
        form=read_form(fields),
        about=ReceiptRequest(title=fields.maybe("title"), source_name=fields.maybe("source_name")),
    )


def _questions(table: TableQuestion, fields: Fields, shared: dict[str, Any]) -> Iterator[Question]:
    group_public, first = fields.flag("group_public"), table.columns[0]
    exposure, per = fields.names("exposure"), fields.maybe("per")
    if table.kind == RATES:
        yield _rate_question(first, exposure, per or "1", shared)
    elif exposure or per is not None:
        raise InvalidInput("exposures are for rates", hint="choose rates, or leave them out", parameter="kind")
    elif table.kind == CROSS:
        rest = {name: first.declared[name] for name in ("other", "missing")}
        question = Question(cross=table.cross, impossible=table.impossible, **rest, **shared, prior=first.prior)
        with about("prior"):
            whole_prior(question, question.terms.prior)
        yield question
    else:
        for column in table.columns:
            question = Question(
                **column.declared, **table.grouping, **shared, group_public=group_public, prior=column.prior
            )
            with column.fields.about("prior"):
                whole_prior(question, question.terms.prior)
            yield question


def _rate_question(column: ColumnQuestion, lines: Sequence[str], per: str, shared: dict[str, Any]) -> Question:
    """Every row is an event, and what is counted is its group."""
    with about("exposure"):
        exposure = read_exposure(lines)
        RateTerms.read(exposure, column.answers)
    with about("per"):
        RateTerms.read(exposure, column.answers, per=per)
    with about("prior"):
        RateTerms.read(exposure, column.answers, prior=column.prior)
    if shared["adjacency"] != ADD_REMOVE:
        raise InvalidInput("rates need the number of events to be protected", hint="say so", parameter="private_n")
    return Question(**column.declared, **shared, exposure=exposure, per=per, prior=column.prior)


def read_form(fields: Fields) -> CsvFormat:
    """How a CSV file is written."""
    delimiter, header = fields.maybe("delimiter"), not fields.flag("no_header")
    with about("delimiter"):
        CsvFormat(delimiter, header)
    with about("encoding"):
        return CsvFormat(delimiter, header, fields.maybe("encoding") or "utf-8")


def _read_filters(lines: Sequence[str]) -> dict[str, list[str]]:
    """The values to select by column, from lines like region=north."""
    filters: dict[str, list[str]] = {}
    for line in lines:
        column, equals, value = line.partition("=")
        if not equals:
            raise InvalidInput("a filter has no value", hint="write a line like region=north", parameter="filters")
        filters.setdefault(column.strip(), []).append(value.strip())
    return filters
