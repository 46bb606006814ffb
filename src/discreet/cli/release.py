"""`discreet release`: from a table, or from counts in hand, to a receipt."""

from __future__ import annotations

import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.errors import DiscreetError, InvalidInput

if TYPE_CHECKING:
    from fractions import Fraction

    from discreet.counting import CsvFormat
    from discreet.requests.run import Question

EXAMPLE = (
    "Example: discreet release votes.csv --column vote --categories Clinton,Dole --epsilon 0.5 "
    "--ledger budgets.db --dataset anes --out receipt.json\n\n"
    "By group: … --column vote --categories Clinton,Dole --by sex --groups women,men …\n\n"
    "Several columns: … --column vote --categories Clinton,Dole --column sex --categories women,men --epsilon 1 …"
)


PAYING = "What pays"
PEOPLE = "Groups and people"
READING = "How the table is read"
DRAWING = "How it is drawn"
KEEPING = "What becomes of it"
"""The headings of the help."""


def release(
    epsilon: Annotated[
        list[str],
        typer.Option(help="The privacy loss to allow, exact: 0.5, 1e-3 or 1/3; for all columns, or for each."),
    ],
    source: Annotated[
        str | None,
        typer.Argument(help="A file or glob, duckdb://file.db/table, postgres://…/table or spark://…/table."),
    ] = None,
    column: Annotated[
        list[str] | None, typer.Option(help="The column to count; with its --categories as often as you like.")
    ] = None,
    categories: Annotated[
        list[str] | None, typer.Option(help='The categories, like a,b,c; one with a comma as "a,b",c.')
    ] = None,
    counts: Annotated[str | None, typer.Option(help="Counts in hand, like 70,50,30; - reads standard input.")] = None,
    ledger: Annotated[
        str | None, typer.Option(help="The ledger whose budget is charged.", rich_help_panel=PAYING)
    ] = None,
    dataset: Annotated[str | None, typer.Option(help="The dataset in the ledger.", rich_help_panel=PAYING)] = None,
    no_ledger: Annotated[
        bool, typer.Option("--no-ledger", help="Release without a budget to charge.", rich_help_panel=PAYING)
    ] = False,
    prior: Annotated[
        list[str] | None, typer.Option(help="Prior parameters, one a category or one a cell; ones if not said.")
    ] = None,
    n: Annotated[
        str | None,
        typer.Option(
            "--n", help="The number of records, or of each public group; counted if not said.", rich_help_panel=READING
        ),
    ] = None,
    other: Annotated[list[str] | None, typer.Option(help="A category for whatever is outside the others.")] = None,
    by: Annotated[
        str | None,
        typer.Option(help="The column of groups: one cross table, at the price of one.", rich_help_panel=PEOPLE),
    ] = None,
    groups: Annotated[str | None, typer.Option(help="The groups, like a,b,c.", rich_help_panel=PEOPLE)] = None,
    other_group: Annotated[
        str | None, typer.Option(help="A group for whatever is outside these.", rich_help_panel=PEOPLE)
    ] = None,
    group_public: Annotated[
        bool,
        typer.Option("--group-public", help="Declare that all may know who is in which group.", rich_help_panel=PEOPLE),
    ] = False,
    id_column: Annotated[
        str | None, typer.Option(help="The column that tells people apart: one record each.", rich_help_panel=PEOPLE)
    ] = None,
    engine: Annotated[
        str | None, typer.Option(help="duckdb, ibis or spark; it follows from the source.", rich_help_panel=READING)
    ] = None,
    delimiter: Annotated[
        str, typer.Option(help="What separates the fields of a CSV file.", rich_help_panel=READING)
    ] = ",",
    header: Annotated[
        bool, typer.Option(help="Whether a CSV file begins with the names of its columns.", rich_help_panel=READING)
    ] = True,
    mechanism: Annotated[str, typer.Option(help="The mechanism, by name.", rich_help_panel=DRAWING)] = "geometric",
    calibrated: Annotated[
        bool, typer.Option("--calibrated", help="Use the largest scale that keeps ε.", rich_help_panel=DRAWING)
    ] = False,
    gamma: Annotated[
        str | None, typer.Option(help="How smooth a smooth or reciprocal sensitivity is.", rich_help_panel=DRAWING)
    ] = None,
    way: Annotated[
        str | None, typer.Option(help="geometric's way back: nearest, bayes or free.", rich_help_panel=DRAWING)
    ] = None,
    request_id: Annotated[
        str | None, typer.Option(help="A name for the request: repeating it costs nothing.", rich_help_panel=PAYING)
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the receipt to this JSON file.", rich_help_panel=KEEPING)
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Paint the released posterior (.png, .svg or .pdf).", rich_help_panel=KEEPING)
    ] = None,
    accept_no_guarantee: Annotated[
        bool,
        typer.Option(
            "--accept-no-guarantee", help="Draw counts in hand even without a guarantee.", rich_help_panel=DRAWING
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Touch no data, charge nothing, draw nothing.", rich_help_panel=PAYING)
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Charge without asking.", rich_help_panel=PAYING)] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.", rich_help_panel=KEEPING)] = False,
) -> None:
    """Release a posterior by one exact draw. What is printed may be published."""
    from discreet.cli.parse_options import only, read_questions, read_sizes
    from discreet.counting import CsvFormat

    _require_one_way(source, counts, ledger=ledger, dataset=dataset, no_ledger=no_ledger)
    options = {key: value for key, value in (("gamma", gamma), ("way", way)) if value is not None}
    shared: dict[str, Any] = {"mechanism": mechanism, "calibrated": calibrated, **options}
    if counts is not None:
        said = {"column": column, "other": other, "by": by, "groups": groups, "other_group": other_group}
        said |= {"engine": engine, "delimiter": delimiter if delimiter != "," else None}
        _refuse_words_about_a_table(
            **said, no_header=not header, group_public=group_public, id_column=id_column, request_id=request_id
        )
        parameters = only(prior, "--prior")
        shared |= {
            "epsilon": only(epsilon, "--epsilon"),
            "prior": None if parameters is None else parameters.split(","),
        }
        names = only(categories, "--categories")
        _from_counts(counts, shared, n, names, accept_no_guarantee, dry_run, out, plot, as_json)
        return
    if accept_no_guarantee:
        raise InvalidInput("a table is never released without a guarantee", hint="leave --accept-no-guarantee out")
    questions = read_questions(
        column, categories, others=other, priors=prior, epsilons=epsilon, by=by, groups=groups,
        other_group=other_group, group_public=group_public, **shared,
    )  # fmt: skip
    form = CsvFormat(delimiter=delimiter, header=header)
    for question in questions:
        question.declaration(id_column)  # what it says wrongly is refused before anything else is looked at
    if dry_run:
        _dry_run(questions, id_column, read_sizes(n), source, dataset, engine, form, as_json)
        return
    if ledger is not None and not yes and not sys.stdin.isatty():
        raise InvalidInput("a charge must be confirmed", hint="answer on a terminal, or say --yes")
    _refuse_to_overwrite(source, ledger, [out, plot])
    request = {"ledger": ledger, "dataset": dataset, "n": read_sizes(n), "engine": engine, "form": form}
    _from_table(
        questions, source, {**request, "id_column": id_column, "request_id": request_id},
        ask=ledger is not None and not yes, out=out, plot=plot, as_json=as_json,
    )  # fmt: skip


def _from_table(
    questions: list[Question],
    source: str | None,
    request: dict[str, Any],
    *,
    ask: bool,
    out: Path | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    from discreet.cli.busy import busy
    from discreet.cli.outputs import print_any_plan, require_all, reserve, show, write
    from discreet.cli.tables import say
    from discreet.receipts import Bundle, Receipt
    from discreet.requests.run import release as release_table
    from discreet.requests.run import release_columns

    with ExitStack() as stack, ExitStack() as bars:
        places = reserve(stack, out, plot)
        tell, fresh = bars.enter_context(busy("preparing")), False

        def confirm(prepared: Any) -> bool:
            nonlocal tell, fresh
            fresh = True
            bars.close()  # nobody can answer under a moving bar
            if not as_json:
                print_any_plan(prepared.document())
            agreed = not ask or _confirmed()
            tell = bars.enter_context(busy("counting and drawing"))
            return agreed

        asked: dict[str, Any] = {
            **request, "confirm": confirm, "progress": lambda share: tell(int(1000 * share), 1000)
        }  # fmt: skip
        receipt: Receipt | Bundle
        if len(questions) == 1:
            one = questions[0]
            receipt = release_table(source, column=one.column, categories=one.categories, **one.asked, **asked)
        else:
            receipt = release_columns(source, questions, **asked)
        bars.close()
        kept = write(receipt, places)
    if not fresh and not as_json:
        say("released before under this request id: nothing was charged or drawn")
    show(receipt, kept, as_json=as_json)
    require_all(receipt, places, kept)


def _confirmed() -> bool:
    """The answer on the terminal; Ctrl-C and the end of input are a no."""
    try:
        return typer.confirm("Charge this and release?", err=True)
    except typer.Abort:
        print(file=sys.stderr)
        return False


def _from_counts(
    counts: str,
    shared: dict[str, Any],
    n: str | None,
    categories: str | None,
    accept_no_guarantee: bool,
    dry_run: bool,
    out: Path | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    from discreet.cli.busy import busy
    from discreet.cli.inputs import read_categories, read_counts
    from discreet.cli.outputs import require_all, reserve, show, write
    from discreet.cli.tables import print_json, print_release
    from discreet.requests.run import prepare_counts, release_counts

    in_hand = read_counts(counts)
    names = read_categories(categories, len(in_hand))
    with ExitStack() as stack:
        places = reserve(stack, out, plot)
        with busy("preparing and drawing"):
            if dry_run:
                settled = {key: shared.pop(key) for key in ("epsilon", "prior", "mechanism", "calibrated")}
                prepared, _ = prepare_counts(in_hand, n=n, categories=names, options=shared, **settled)
                if not accept_no_guarantee:
                    prepared.mechanism.require_guarantee()
                document = prepared.document()
            else:
                receipt = release_counts(
                    in_hand, n=n, categories=names, accept_no_guarantee=accept_no_guarantee, **shared
                )
                kept = write(receipt, places)
    if not dry_run:
        show(receipt, kept, as_json=as_json)
        require_all(receipt, places, kept)
    elif as_json:
        print_json(document)
    else:
        print_release(document)


def _dry_run(
    questions: list[Question],
    id_column: str | None,
    n: str | list[str] | None,
    source: str | None,
    dataset: str | None,
    engine: str | None,
    form: CsvFormat,
    as_json: bool,
) -> None:
    from discreet.arithmetic.numbers import whole
    from discreet.cli.busy import busy
    from discreet.cli.outputs import print_any
    from discreet.cli.tables import print_json
    from discreet.counting import engine_for, shown
    from discreet.requests.run import PreparedColumns, prepare

    if n is None:
        raise InvalidInput("a dry run touches no data, so n is not known", hint="give --n")
    size = whole(n, "n", minimum=1) if isinstance(n, str) else tuple(whole(one, "n") for one in n)
    facts: dict[str, Any] = {
        "source": shown(source), "dataset": dataset, "engine": engine_for(source, engine), "form": form
    }  # fmt: skip
    with busy("preparing"):
        parts = tuple(prepare(one.declaration(id_column), size, **one.terms(None), **facts) for one in questions)
        prepared = parts[0] if len(parts) == 1 else PreparedColumns(parts)
        prepared.require_guarantee()
    document = prepared.document()
    if as_json:
        print_json(document)
    else:
        print_any(document)
        _print_rho(prepared.price.rho)


def _print_rho(rho: Fraction) -> None:
    """What a budget under zero-concentrated privacy would be charged, next to the ε of basic composition."""
    from decimal import ROUND_CEILING

    from discreet.cli.tables import say
    from discreet.privacy_loss.composition import six_digits

    say(f"from a zcdp budget it would take ρ = {six_digits(rho, ROUND_CEILING)}")


def _require_one_way(
    source: str | None, counts: str | None, *, ledger: str | None, dataset: str | None, no_ledger: bool
) -> None:
    """Either a table or counts in hand; either a ledger or the word that there is none."""
    if (source is None) == (counts is None):
        raise InvalidInput("give either a table or --counts", hint="a file's name, or --counts 70,50,30 --no-ledger")
    if (ledger is None) == (not no_ledger):
        raise InvalidInput("say either --ledger or --no-ledger", hint="--no-ledger releases without a budget")
    if counts is not None and not no_ledger:
        raise InvalidInput("counts in hand are released without a ledger", hint="say --no-ledger")
    if (dataset is None) != (ledger is None):
        raise InvalidInput("--ledger and --dataset go together", hint="say which budget of the ledger to charge")


def _refuse_words_about_a_table(**words: object) -> None:
    """What would be ignored is refused: whoever says it relies on it."""
    for word, said in words.items():
        if said:
            raise InvalidInput(f"counts in hand have no --{word.replace('_', '-')}", hint="leave it out")


def _refuse_to_overwrite(source: str | None, ledger: str | None, written: list[Path | None]) -> None:
    """A receipt must not take the place of the table, or of one of its files, or of the ledger."""
    from discreet.cli.files import same_file
    from discreet.counting.sources import Files, find_source

    kept = [] if ledger is None or "\0" in ledger else [Path(ledger.removeprefix("sqlite:///"))]
    with suppress(DiscreetError):  # what is no file, or not there, is told later
        found = find_source(source or "")
        kept += found.paths if isinstance(found, Files) else [found.path]
    if any(same_file(path, own) for path in written if path is not None for own in kept):
        raise InvalidInput("--out or --plot names the table or the ledger", hint="give the release its own file")
