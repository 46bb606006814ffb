"""`discreet check`: does the data fit the declaration? For the curator's eyes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, NoReturn

import typer

from discreet.arithmetic.texts import visible_text
from discreet.cli.inputs import Delimiter, Encoding, FilterOption, Header
from discreet.cli.outputs import busy, print_answer, print_table, say
from discreet.counting import CsvFormat, Declaration, Inspection, count_records, inspect_source, strays_error
from discreet.counting.inspection import BYTES, NOT_PUBLISHABLE, inspection_document, meant_by
from discreet.errors import InvalidInput
from discreet.requests.texts import read_axes, read_filters, read_labels, read_names

EXAMPLE = "Example: discreet check people.csv --column vote --categories Clinton,Dole --other 'someone else'"


def check(
    source: Annotated[
        str, typer.Argument(help="A file or glob, duckdb://file.db/table, postgres://…/table or spark://…/table.")
    ],
    column: Annotated[str | None, typer.Option(help="The column to count.")] = None,
    categories: Annotated[
        str, typer.Option(help='Its categories, like a,b,c; one in double quotes is meant as it is typed: "a,b ",c.')
    ] = "",
    cross: Annotated[
        list[str] | None,
        typer.Option(help="A column of a cross table with its categories, like sex=f,m; two or more of them."),
    ] = None,
    impossible: Annotated[
        list[str] | None, typer.Option(help="Cells of it that cannot occur by definition, like sex=m,pregnant=yes.")
    ] = None,
    category: Annotated[
        list[str] | None, typer.Option(help="One more category, as it is typed, as often as you like.")
    ] = None,
    other: Annotated[str | None, typer.Option(help="A category for whatever is outside these.")] = None,
    missing: Annotated[str | None, typer.Option(help="A category for NULL, NaN and empty texts.")] = None,
    id_column: Annotated[str | None, typer.Option(help="The column that tells people apart.")] = None,
    by: Annotated[str | None, typer.Option(help="The column of groups.")] = None,
    groups: Annotated[str | None, typer.Option(help="The groups, like a,b,c.")] = None,
    other_group: Annotated[str | None, typer.Option(help="A group for whatever is outside these.")] = None,
    filters: FilterOption = None,
    engine: Annotated[str | None, typer.Option(help="duckdb, ibis or spark; it follows from the source.")] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = "utf-8",
    header: Header = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """See whether the data fits the declaration, before anything is spent. Not for publication: exit code 2 if not."""
    names = [*(read_names(categories, "categories") if categories else ()), *(category or ())]
    declared = () if groups is None else read_names(groups, "groups")
    form, selected = CsvFormat(delimiter, header, encoding), read_filters(filters)
    if cross or impossible:
        if column is not None or names or by is not None or declared:
            raise InvalidInput("--cross names all columns of a table", hint="leave --column, --categories and --by out")
        table = Declaration.cross(
            read_axes(cross or ()), other=other, missing=missing, filters=selected,
            impossible=[read_labels(text, "--impossible") for text in impossible or ()],
        )  # fmt: skip
        _check_table(source, replace(table, id_column=id_column), engine, form, as_json=as_json)
        return
    if column is None:
        raise InvalidInput("say which column is counted", hint="name it by --column, or several by --cross")
    declaration = Declaration(
        column, names, other, id_column, by=by, groups=declared, other_group=other_group, missing=missing,
        filters=selected,
    )  # fmt: skip
    with busy("counting"):
        inspection = inspect_source(source, declaration, engine=engine, form=form)
    print_answer(
        inspection_document(inspection, declaration), lambda _: _print_table(inspection, declaration), as_json=as_json
    )
    if not inspection.fits:
        strays = inspection.stray_columns
        where = " and ".join(map(repr, strays))
        rest = " and ".join("--other-group" if each == by else "--other" for each in strays)
        message = f"some values of {where} are not declared; declare them too, or give the rest a name with {rest}"
        _stop(message, inspection)


def _stop(message: str, inspection: Inspection) -> NoReturn:
    """One line of what does not fit, and the exit code."""
    reason = message if inspection.records else "the table has no records; give one with at least one"
    print(visible_text(f"error: {reason}"), file=sys.stderr)
    raise typer.Exit(InvalidInput.exit_code)


def _check_table(source: str, table: Declaration, engine: str | None, form: CsvFormat, *, as_json: bool) -> None:
    """Each column of a cross table by itself, and whether anybody is in a cell that cannot be."""
    with busy("counting"):
        columns = {each: inspect_source(source, each, engine=engine, form=form) for each in table.alone}
        strays = 0
        if table.impossible:
            strays = count_records(source, table, engine=engine, form=form).in_impossible_cells
    document = {
        "fits": not strays and all(inspection.fits for inspection in columns.values()),
        "publishable": False,
        "in_impossible_cells": strays,
        "columns": {each.column: inspection_document(inspection, each) for each, inspection in columns.items()},
    }

    def print_columns(_: object) -> None:
        for each, inspection in columns.items():
            _print_table(inspection, each)
        if table.impossible:
            say(f"records in cells that were declared impossible: {strays}", NOT_PUBLISHABLE)

    print_answer(document, print_columns, as_json=as_json)
    if not document["fits"]:
        _stop(f"{strays_error(table).message}; declare them too, or give the rest a name with --other",
              next(iter(columns.values())))  # fmt: skip


def _stray_rows(what: str, strays: Sequence[tuple[str, int]], names: Sequence[str]) -> list[tuple[str, int]]:
    likes = [(value, often, meant_by(value, names)) for value, often in strays]
    return [(f"{what} {value!r}" + (f" (like {like!r})" if like else ""), often) for value, often, like in likes]


def _print_table(inspection: Inspection, declaration: Declaration) -> None:
    selected = "rows that the filters select" if declaration.filters else "rows"
    rows: list[tuple[str, int]] = [(selected, inspection.rows)]
    missing = "" if declaration.missing is None else f" (they are {declaration.missing!r})"
    if declaration.id_column is not None:
        rows += [
            ("people (n)", inspection.records),
            ("rows without an id, taken as one person's", inspection.without_id or 0),
        ]
    declared = "categories" if declaration.by is None else "categories or groups"
    rows += [
        (f"records outside the {declared}", inspection.outside),
        (f"rows with no value{missing}", inspection.missing),
        (f"rows with an empty text{missing}", inspection.empty),
        *_stray_rows("rows that say", inspection.strays, declaration.categories),
        *_stray_rows("rows in the group", inspection.stray_groups, declaration.groups),
    ]
    title = f"does column {declaration.column!r} fit the declaration?"
    print_table(title, {"what": "left", "how many": "right"}, [(what, str(often)) for what, often in rows])
    if not inspection.records:
        say("there are no records: a release would stop", NOT_PUBLISHABLE)
        return
    if inspection.unused or inspection.unused_groups:
        unused = ", ".join(repr(name) for name in (*inspection.unused, *inspection.unused_groups))
        say(f"no record is in {unused}: a misspelling, perhaps")
    if any(BYTES.search(value) for value, _ in inspection.strays):
        say("some values are not UTF-8: the file is in another --encoding, perhaps")
    others = " or ".join(repr(name) for name in (declaration.other, declaration.other_group) if name is not None)
    where = f"they count as {others}" if inspection.fits else "a release would stop"
    outside = (
        f"there are values outside the {declared}: {where}" if inspection.outside else "every record is in a category"
    )
    say(f"{'it fits' if inspection.fits else 'it does not fit'}: {outside}", NOT_PUBLISHABLE)
