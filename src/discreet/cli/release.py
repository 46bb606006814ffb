"""`discreet release`: from a table, or from counts in hand, to a receipt."""

from __future__ import annotations

import signal
import sys
from contextlib import ExitStack, suppress
from decimal import ROUND_CEILING
from fractions import Fraction
from pathlib import Path
from typing import Any

import typer

from discreet.arithmetic.numbers import exact
from discreet.arithmetic.texts import visible_text
from discreet.arithmetic.words import exact_text
from discreet.cli import UNCHARGED
from discreet.cli.app import in_groups
from discreet.cli.failures import ChargedRequest
from discreet.cli.inputs import read_categories, read_counts
from discreet.cli.outputs import busy, is_same_file, print_answer, say, unfinished_lines
from discreet.cli.release_options import ReleaseOptions
from discreet.cli.release_outputs import print_plan, print_release, publish, reserve
from discreet.counting import CsvFormat
from discreet.counting.sources import Files, find_source
from discreet.errors import DiscreetError, InvalidInput
from discreet.ledger import Ledger
from discreet.ledger.budgets import REPLACE_ONE, cost_to
from discreet.privacy_loss.composition import six_digits
from discreet.privacy_loss.prices import Price
from discreet.receipts import Bundle, Receipt, ReceiptRequest, read_receipt
from discreet.requests.prepare import PreparedRequest, check_counts, prepare_request
from discreet.requests.request import Question, ReleaseRequest, Terms, draw_request_id, place_delta
from discreet.requests.run import release_counts, run_request
from discreet.requests.texts import (
    each,
    look_alikes,
    only,
    read_axes,
    read_exposure,
    read_filters,
    read_labels,
    read_names,
)

EXAMPLE = (
    "Example: discreet release votes.csv --column vote --categories Clinton,Dole --epsilon 0.5 "
    "--ledger budgets.db --dataset anes --out receipt.json\n\n"
    "By group: … --column vote --categories Clinton,Dole --by sex --groups women,men …\n\n"
    "Cross table: … --cross sex=f,m --cross region=north,south --cross vote=yes,no --epsilon 1 …\n\n"
    "Several columns: … --column vote --categories Clinton,Dole --column sex --categories women,men --epsilon 1 …\n\n"
    "Rates: … --adjacency add-remove --rates --by region --groups north,south --exposure north=120000,south=88000 "
    "--per 100000 …\n\n"
    "Of selected records: … --column vote --categories Clinton,Dole --filter region=north --adjacency add-remove …"
)


@in_groups
def release(options: ReleaseOptions) -> None:
    """Release a posterior by one exact draw. What is printed may be published."""
    _require_one_source(options)
    if not options.dry_run and not options.force:
        _refuse_to_replace(options.out, options.request_id)
    if options.counts is not None:
        _refuse_table_options(options)
        _release_counts(options, options.counts)
        return
    if options.accept_no_guarantee:
        raise InvalidInput("a table is never released without a guarantee", hint="leave --accept-no-guarantee out")
    request = _read_request(options)
    if options.dry_run:
        _dry_run(request, as_json=options.as_json)
        return
    can_ask = not options.yes and sys.stdin.isatty()
    if options.ledger is not None and not options.yes and not can_ask:
        raise InvalidInput("a charge must be confirmed", hint="answer on a terminal, or say --yes")
    _refuse_to_overwrite(options.source, options.ledger, [options.out, options.plot])
    for names in [*(options.categories or ()), *([] if options.groups is None else [options.groups])]:
        _confirm_look_alikes(names, can_ask=can_ask)
    _release_table(request, options)


def _read_request(options: ReleaseOptions) -> ReleaseRequest:
    """The request: of rates, of a cross table, or of shares."""
    epsilon = None
    if options.cross or options.impossible:
        questions = [_read_cross(options)]
        epsilon = only(options.epsilon, "--epsilon", "a cross table has one")
    elif options.rates:
        questions = [_read_rates(options)]
    elif options.exposure is not None or options.per != "1":
        raise InvalidInput("--exposure and --per are for rates", hint="say --rates, or leave them out")
    else:
        questions = _read_questions(options)
        epsilon = options.epsilon[0] if len(options.epsilon) == 1 else None
    is_charged, request_id = options.ledger is not None, options.request_id
    return ReleaseRequest(
        options.source,
        questions,
        epsilon=epsilon,
        delta=place_delta(options.mechanism, options.delta, len(questions))[1],
        n=options.n.split(",") if options.n is not None and "," in options.n else options.n,
        id_column=options.id_column,
        dataset=options.dataset,
        request_id=draw_request_id() if request_id is None and is_charged else request_id,
        again=options.again or request_id is not None,
        engine=options.engine,
        form=CsvFormat(options.delimiter, options.header, options.encoding),
        about=ReceiptRequest(title=options.title, source_name=options.source_name),
    )


def _read_rates(options: ReleaseOptions) -> Question:
    """Every row is an event, and what is counted is its group."""
    if options.column or options.categories or options.category or options.other or options.missing:
        raise InvalidInput("rates are of rows by group", hint="name the groups with --by and --groups, and no --column")
    if options.by is None or options.groups is None or options.exposure is None:
        raise InvalidInput("rates need groups and their exposure", hint="say --by, --groups and --exposure")
    return Question(
        options.by,
        read_names(options.groups, "groups"),
        other=options.other_group,
        filters=read_filters(options.filters),
        prior=only(options.prior, "--prior", "all rates have one prior"),
        exposure=read_exposure([options.exposure]),
        per=options.per,
        epsilon=only(options.epsilon, "--epsilon", "rates are one question"),
        **_terms(options),
    )


def _read_questions(options: ReleaseOptions) -> list[Question]:
    """One question for each `--column`, in their order.

    What may be left out is given once for all columns or once for each, where an empty one says that there is none. A
    single `--epsilon` is the price of all columns together, shared equally.
    """
    columns, epsilons = options.column, options.epsilon
    if not columns or not (options.categories or options.category):
        raise InvalidInput("a table needs --column and --categories", hint="say which column, and what it may hold")
    if options.category and len(columns) > 1:
        raise InvalidInput("--category is for a single --column", hint="give every --column its --categories")
    names = [read_names(text, "categories") for text in options.categories or ()] or [[]]
    if len(names) != len(columns):
        raise InvalidInput("every --column needs its --categories", hint="give them in the same order")
    if options.by is None and options.group_public:
        raise InvalidInput("there are no groups to be public", hint="name their column with --by")
    size = len(columns)
    prices = [None] * size if len(epsilons) == 1 else epsilons
    if len(prices) != size:
        raise InvalidInput("--epsilon is one for all columns, or one for each", hint="give them in the same order")
    filters = read_filters(options.filters)
    others, missing = each(options.other, size, "--other"), each(options.missing, size, "--missing")
    rows = zip(columns, names, others, missing, each(options.prior, size, "--prior"), prices, strict=True)
    return [
        Question(
            column,
            [*labels, *(options.category or ())],
            other=other or None,
            missing=blank or None,
            by=options.by,
            groups=() if options.groups is None else read_names(options.groups, "groups"),
            other_group=options.other_group,
            group_public=options.group_public,
            filters=filters,
            prior=prior or None,
            epsilon=price,
            **_terms(options, size),
        )
        for column, labels, other, blank, prior, price in rows
    ]


def _read_cross(options: ReleaseOptions) -> Question:
    """What is asked of crossed columns."""
    if options.column or options.categories or options.category or options.by is not None:
        raise InvalidInput("--cross names all columns of a table", hint="leave --column, --categories and --by out")
    return Question(
        cross=read_axes(options.cross or ()),
        impossible=[read_labels(text, "--impossible") for text in options.impossible or ()],
        other=only(options.other, "--other", "a cross table has one") or None,
        missing=only(options.missing, "--missing", "a cross table has one") or None,
        filters=read_filters(options.filters),
        prior=only(options.prior, "--prior", "a cross table has one") or None,
        **_terms(options),
    )


def _terms(options: ReleaseOptions, columns: int = 1) -> dict[str, Any]:
    """How a question is to be answered, in the words of one."""
    terms = {"adjacency": options.adjacency, "mechanism": options.mechanism, "calibrated": options.calibrated}
    return terms | _mechanism_parameters(options, columns)


def _mechanism_parameters(options: ReleaseOptions, columns: int = 1) -> dict[str, object]:
    """Those of the mechanism, as far as they are said; if it has a δ, each column has its share."""
    share_of_delta = place_delta(options.mechanism, options.delta, columns)[0]
    parameters = {"gamma": options.gamma, "postprocess": options.postprocess, "way": options.way} | share_of_delta
    return {key: value for key, value in parameters.items() if value is not None}


def _release_table(request: ReleaseRequest, options: ReleaseOptions) -> None:
    """Count, tell the price, ask for a yes where that is needed, draw and publish.

    From the yes on, whatever stops it says under which id the request goes on for free: Ctrl-C and SIGTERM too.
    """
    book, agreed = None if options.ledger is None else Ledger(options.ledger), False

    def draw() -> Receipt | Bundle:
        with ExitStack() as bars:
            tell = bars.enter_context(busy("counting and preparing"))

            def confirm(prepared: PreparedRequest) -> bool:
                nonlocal agreed
                bars.close()  # nobody can answer under a moving bar
                if book is not None and request.dataset is not None:
                    left = [charge.request_id for charge in book.charges(request.dataset) if charge.outcome is None]
                    for line in unfinished_lines(request.dataset, left):
                        print(visible_text(line), file=sys.stderr)
                if not options.as_json:
                    print_plan(prepared.receipt().document, _cost(prepared.price, request.dataset, book))
                    if exact(request.delta, "delta"):
                        say(prepared.gain)
                agreed = book is None or options.yes or _ask("Charge this and release?")
                bars.enter_context(busy("drawing"))
                return agreed

            receipt = run_request(request, book, confirm=confirm, progress=lambda share: tell(int(1000 * share), 1000))
        if not agreed and not options.as_json:
            say("charged before under this request id: nothing more was charged")
        return receipt

    with ExitStack() as stack:
        stack.callback(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, signal.default_int_handler))
        try:
            publish(draw, options.out, options.plot, as_json=options.as_json)
            sys.stdout.flush()
        except BaseException as stop:
            is_late = agreed or isinstance(stop, KeyboardInterrupt)
            if is_late and book is not None and _may_be_charged(book, str(request.request_id)):
                raise ChargedRequest(str(request.request_id)) from stop
            if isinstance(stop, KeyboardInterrupt) and not agreed and book is not None:
                print(UNCHARGED, file=sys.stderr)
            raise


def _cost(price: Price, dataset: str | None, book: Ledger | None) -> Fraction:
    """What is spent of the budget, if there is one."""
    budgeted = price.adjacency if book is None or dataset is None else book.account(dataset).adjacency
    return cost_to(budgeted, price.adjacency, price.epsilon)


def _may_be_charged(book: Ledger, request_id: str) -> bool:
    """Whether a request that was stopped was charged; it may have been where the ledger no longer answers."""
    with suppress(DiscreetError, KeyboardInterrupt):
        return book.find(request_id) is not None
    return True


def _ask(question: str) -> bool:
    """Ask on the terminal; Ctrl-C and the end of input are a no."""
    try:
        return typer.confirm(question, err=True)
    except typer.Abort:
        print(file=sys.stderr)
        return False


def _release_counts(options: ReleaseOptions, counts: str) -> None:
    epsilon, prior = only(options.epsilon, "--epsilon") or "", only(options.prior, "--prior")
    in_hand = read_counts(counts)
    names = read_categories(only(options.categories, "--categories"), options.category, len(in_hand))

    def draw() -> Receipt:
        with busy("preparing and drawing"):
            return release_counts(
                in_hand,
                epsilon=epsilon,
                categories=names,
                prior=prior,
                n=options.n,
                accept_no_guarantee=options.accept_no_guarantee,
                title=options.title,
                source_name=options.source_name,
                **_terms(options),
            )

    if not options.dry_run:
        publish(draw, options.out, options.plot, as_json=options.as_json)
        return
    with reserve(options.out, options.plot), busy("preparing"):
        terms = Terms(options.mechanism, options.calibrated, prior, _mechanism_parameters(options))
        prepared, _ = check_counts(
            in_hand, terms, epsilon=epsilon, categories=names, n=options.n, adjacency=options.adjacency
        )
        if not options.accept_no_guarantee:
            prepared.mechanisms[0].require_guarantee()
        print_answer(prepared.receipt(None, None).document, print_release, as_json=options.as_json)


def _dry_run(request: ReleaseRequest, *, as_json: bool) -> None:
    if request.sizes is None and not request.has_private_n:
        raise InvalidInput("a dry run touches no data, so n is not known", hint="give --n")
    with busy("preparing"):
        prepared = prepare_request(request, [request.sizes] * len(request.questions))
        prepared.require_guarantee()
    print_answer(prepared.receipt().document, print_release, as_json=as_json)
    if not as_json:
        if exact(request.delta, "delta"):
            say(prepared.gain)
        if request.has_private_n:
            cost = cost_to(REPLACE_ONE, prepared.price.adjacency, prepared.price.epsilon)
            say(f"from a budget under {REPLACE_ONE} it would take ε = {exact_text(cost)}")
        # What a budget under zero-concentrated privacy would be charged, next to the ε of basic composition.
        say(f"from a zcdp budget it would take ρ = {six_digits(prepared.price.rho, ROUND_CEILING)}")


def _require_one_source(options: ReleaseOptions) -> None:
    """Either a table or counts in hand; either a ledger or the word that there is none."""
    if (options.source is None) == (options.counts is None):
        raise InvalidInput("give either a table or --counts", hint="a file's name, or --counts 70,50,30 --no-ledger")
    if (options.ledger is None) == (not options.no_ledger):
        raise InvalidInput("say either --ledger or --no-ledger", hint="--no-ledger releases without a budget")
    if options.counts is not None and not options.no_ledger:
        raise InvalidInput("counts in hand are released without a ledger", hint="say --no-ledger")
    if (options.dataset is None) != (options.ledger is None):
        raise InvalidInput("--ledger and --dataset go together", hint="say which budget of the ledger to charge")


def _refuse_table_options(options: ReleaseOptions) -> None:
    """What would be ignored is refused: whoever says it relies on it."""
    names = (
        "column", "cross", "impossible", "other", "missing", "by", "groups", "other-group", "engine", "delimiter",
        "encoding", "no-header", "filter", "group-public", "id-column", "request-id", "again", "rates", "exposure",
    )  # fmt: skip
    values = vars(options) | {
        "encoding": options.encoding != "utf-8",
        "no_header": not options.header,
        "filter": options.filters,
    }
    for name in names:
        if values[name.replace("-", "_")]:
            raise InvalidInput(f"counts in hand have no --{name}", hint="leave it out")


def _confirm_look_alikes(names: str, *, can_ask: bool) -> None:
    """Names that differ only in case or blanks are a slip, or are said to be meant."""
    if pair := look_alikes(names, "categories"):
        message = f"{pair[0]!r} and {pair[1]!r} differ only in case or blanks"
        if not (can_ask and _ask(f"{message}. Are both meant?")):
            raise InvalidInput(message, hint="leave one out, or put both in double quotes if they are meant")


def _refuse_to_replace(out: Path | None, request_id: str | None) -> None:
    """A receipt that was paid for is not written over, but by the same request. A picture can be drawn again."""
    if out is None or not out.is_file():
        return
    with suppress(DiscreetError):
        if request_id is not None and read_receipt(out).request_id == request_id:
            return
    raise InvalidInput(f"{out} exists", hint="choose another name, or replace it with --force")


def _refuse_to_overwrite(source: str | None, ledger: str | None, written: list[Path | None]) -> None:
    """A receipt must not take the place of the table, or of one of its files, or of the ledger."""
    inputs = [] if ledger is None or "\0" in ledger else [Path(ledger.removeprefix("sqlite:///"))]
    with suppress(DiscreetError):  # what is no file, or not there, is told later
        table = find_source(source or "")
        inputs += [path for path in table.paths if isinstance(path, Path)] if isinstance(table, Files) else [table.path]
    if any(is_same_file(path, file) for path in written if path is not None for file in inputs):
        raise InvalidInput("--out or --plot names the table or the ledger", hint="give the release its own file")
