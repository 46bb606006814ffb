"""`discreet release`: from a table, or from counts in hand, to a receipt."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from discreet.counting import CsvFormat, Declaration
    from discreet.receipts import Receipt
    from discreet.workflow import Prepared

EXAMPLE = (
    "Example: discreet release votes.csv --column vote --categories Clinton,Dole --epsilon 0.5 "
    "--ledger budgets.db --dataset anes --out receipt.json"
)


def release(
    epsilon: Annotated[str, typer.Option(help="The privacy loss to allow, exact: 0.5, 1e-3 or 1/3.")],
    source: Annotated[
        str | None,
        typer.Argument(help="A file or glob, duckdb://file.db/table, postgres://…/table or spark://…/table."),
    ] = None,
    column: Annotated[str | None, typer.Option(help="The column to count.")] = None,
    categories: Annotated[
        str | None, typer.Option(help='The categories, like a,b,c; of a table, one with a comma as "a,b",c.')
    ] = None,
    counts: Annotated[str | None, typer.Option(help="Counts in hand, like 70,50,30; - reads standard input.")] = None,
    ledger: Annotated[str | None, typer.Option(help="The ledger whose budget is charged.")] = None,
    dataset: Annotated[str | None, typer.Option(help="The dataset in the ledger.")] = None,
    no_ledger: Annotated[bool, typer.Option("--no-ledger", help="Release without a budget to charge.")] = False,
    prior: Annotated[str | None, typer.Option(help="Prior parameters, one a category; ones if not said.")] = None,
    n: Annotated[str | None, typer.Option("--n", help="The number of records; counted if not said.")] = None,
    other: Annotated[str | None, typer.Option(help="A category for whatever is outside the others.")] = None,
    id_column: Annotated[str | None, typer.Option(help="The column that tells people apart: one record each.")] = None,
    engine: Annotated[str | None, typer.Option(help="duckdb, ibis or spark; it follows from the source.")] = None,
    delimiter: Annotated[str, typer.Option(help="What separates the fields of a CSV file.")] = ",",
    header: Annotated[bool, typer.Option(help="Whether a CSV file begins with the names of its columns.")] = True,
    mechanism: Annotated[str, typer.Option(help="The mechanism, by name.")] = "geometric",
    calibrated: Annotated[bool, typer.Option("--calibrated", help="Use the largest scale that keeps ε.")] = False,
    gamma: Annotated[str | None, typer.Option(help="How smooth a smooth or reciprocal sensitivity is.")] = None,
    way: Annotated[str | None, typer.Option(help="geometric's way back: nearest, bayes or free.")] = None,
    request_id: Annotated[str | None, typer.Option(help="A name for the request: repeating it costs nothing.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the receipt to this JSON file.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Paint the released posterior (.png, .svg or .pdf).")] = None,
    accept_no_guarantee: Annotated[
        bool, typer.Option("--accept-no-guarantee", help="Draw counts in hand even without a guarantee.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Touch no data, charge nothing, draw nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Charge without asking.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Release a posterior by one exact draw. What is printed may be published."""
    from discreet.cli.check import read_declaration
    from discreet.counting import CsvFormat, engine_for, shown

    _require_one_way(source, counts, ledger=ledger, dataset=dataset, no_ledger=no_ledger)
    options = {key: value for key, value in (("gamma", gamma), ("way", way)) if value is not None}
    shared: dict[str, Any] = {
        "epsilon": epsilon,
        "prior": None if prior is None else prior.split(","),
        "mechanism": mechanism,
        "calibrated": calibrated,
        **options,
    }
    if counts is not None:
        _refuse_words_about_a_table(column=column, other=other, id_column=id_column, request_id=request_id)
        _from_counts(counts, shared, n, categories, accept_no_guarantee, dry_run, out, plot, as_json)
        return
    if column is None or categories is None:
        raise InvalidInput("a table needs --column and --categories", mend="say which column, and what it may hold")
    declaration = read_declaration(column, categories, other, id_column)
    form = CsvFormat(delimiter=delimiter, header=header)
    if dry_run:
        _dry_run(declaration, shared, n, shown(source), dataset, engine_for(source, engine), form, as_json)
        return
    if ledger is not None and not yes and not sys.stdin.isatty():
        raise InvalidInput("a charge must be confirmed", mend="answer on a terminal, or say --yes")
    declared = {key: getattr(declaration, key) for key in ("column", "categories", "other", "id_column")}
    _refuse_to_overwrite([source, ledger], [out, plot])
    _from_table(
        {**declared, **shared, "n": n, "engine": engine, "form": form, "request_id": request_id},
        source, ledger, dataset, ask=ledger is not None and not yes, out=out, plot=plot, as_json=as_json,
    )  # fmt: skip


def show(receipt: Receipt, places: list[Path], *, as_json: bool) -> None:
    """Print a receipt, for programs or for people."""
    from discreet.cli.tables import print_json, print_release, print_written

    if as_json:
        print_json(receipt.document)
    else:
        print_release(receipt.document)
        print_written(places)


def write(receipt: Receipt, places: dict[str, Any]) -> None:
    """Fill the reserved files: the receipt and its picture."""
    from discreet.figures.rendering import picture_format, render

    if "out" in places:
        places["out"].write((receipt.to_json() + "\n").encode())
    if "plot" in places:
        document = receipt.document
        title = (
            f"Posterior released by {document['mechanism']['name']}, "
            f"ε = {document['epsilon_exact']}, n = {document['n']:,}"
        )
        places["plot"].write(render(_picture(receipt, title), picture_format(places["plot"].path)))


def _picture(receipt: Receipt, title: str) -> Figure:
    """The posterior with what a reader may believe, where the receipt tells it; a drawn release is painted anyhow."""
    from discreet.figures import inference, posterior
    from discreet.inference.statement import NOISE_AWARE
    from discreet.receipts import believed

    document = receipt.document
    if document["interval_kind"] == NOISE_AWARE:
        shown = inference.numbers(believed(receipt), receipt.posterior, document["categories"])
        return inference.paint(shown, title=title)
    return posterior.paint(posterior.numbers(receipt.posterior, document["categories"]), title=title)


def reserve(stack: ExitStack, out: Path | None, plot: Path | None) -> dict[str, Any]:
    """Make sure that both files can be written, before anything is drawn."""
    from discreet.cli.files import Reserved
    from discreet.figures.rendering import picture_format

    if plot is not None:
        picture_format(plot)
    if out is not None and plot is not None and out.resolve() == plot.resolve():
        raise InvalidInput("--out and --plot name the same file", mend="give each its own")
    wanted = {"out": out, "plot": plot}
    return {key: stack.enter_context(Reserved(path)) for key, path in wanted.items() if path is not None}


def _from_table(
    arguments: dict[str, Any],
    source: str | None,
    ledger: str | None,
    dataset: str | None,
    *,
    ask: bool,
    out: Path | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    from discreet.cli.busy import busy
    from discreet.cli.tables import print_plan
    from discreet.workflow import release as release_table

    with ExitStack() as stack, ExitStack() as bars:
        places = reserve(stack, out, plot)
        tell = bars.enter_context(busy("counting"))

        def confirm(prepared: Prepared) -> bool:
            nonlocal tell
            bars.close()  # nobody can answer under a moving bar
            if not as_json:
                print_plan(prepared.document())
            agreed = not ask or _confirmed()
            tell = bars.enter_context(busy("counting"))
            return agreed

        receipt = release_table(
            source,
            ledger=ledger,
            dataset=dataset,
            confirm=confirm,
            progress=lambda share: tell(int(1000 * share), 1000),
            **arguments,
        )
        bars.close()
        write(receipt, places)
    show(receipt, [place.path for place in places.values()], as_json=as_json)


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
    from discreet.cli.tables import print_json, print_release
    from discreet.workflow import prepare_counts, release_counts

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
                write(receipt, places)
    if not dry_run:
        show(receipt, [place.path for place in places.values()], as_json=as_json)
    elif as_json:
        print_json(document)
    else:
        print_release(document)


def _dry_run(
    declaration: Declaration,
    shared: dict[str, Any],
    n: str | None,
    source: str,
    dataset: str | None,
    engine: str,
    form: CsvFormat,
    as_json: bool,
) -> None:
    from discreet.cli.busy import busy
    from discreet.cli.tables import print_json, print_release
    from discreet.numbers import whole
    from discreet.workflow import prepare

    if n is None:
        raise InvalidInput("a dry run touches no data, so n is not known", mend="give --n")
    settled = {key: shared.pop(key) for key in ("epsilon", "prior", "mechanism", "calibrated")}
    with busy("preparing"):
        prepared = prepare(
            declaration, whole(n, "n", minimum=1), source=source, dataset=dataset, engine=engine, form=form,
            options=shared, **settled,
        )  # fmt: skip
        prepared.require_guarantee()
    document = prepared.document()
    if as_json:
        print_json(document)
    else:
        print_release(document)


def _require_one_way(
    source: str | None, counts: str | None, *, ledger: str | None, dataset: str | None, no_ledger: bool
) -> None:
    """Either a table or counts in hand; either a ledger or the word that there is none."""
    if (source is None) == (counts is None):
        raise InvalidInput("give either a table or --counts", mend="a file's name, or --counts 70,50,30 --no-ledger")
    if (ledger is None) == (not no_ledger):
        raise InvalidInput("say either --ledger or --no-ledger", mend="--no-ledger releases without a budget")
    if counts is not None and not no_ledger:
        raise InvalidInput("counts in hand are released without a ledger", mend="say --no-ledger")
    if (dataset is None) != (ledger is None):
        raise InvalidInput("--ledger and --dataset go together", mend="say which budget of the ledger to charge")


def _refuse_words_about_a_table(**words: str | None) -> None:
    """What would be ignored is refused: whoever says it relies on it."""
    for word, said in words.items():
        if said is not None:
            raise InvalidInput(f"counts in hand have no --{word.replace('_', '-')}", mend="leave it out")


def _refuse_to_overwrite(kept: list[str | None], written: list[Path | None]) -> None:
    """A receipt must not take the place of the table or of the ledger."""
    named = [path.removeprefix("sqlite:///") for path in kept if path is not None and "\0" not in path]
    places = {Path(path).resolve() for path in named}
    if any(path is not None and path.resolve() in places for path in written):
        raise InvalidInput("--out or --plot names the table or the ledger", mend="give the release its own file")
