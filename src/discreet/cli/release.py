"""`discreet release`: from a table, or from counts in hand, to a receipt."""

import signal
import sys
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from decimal import ROUND_CEILING
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.arithmetic.numbers import exact
from discreet.arithmetic.texts import visible_text
from discreet.cli.busy import busy
from discreet.cli.completion import complete_dataset, complete_mechanism
from discreet.cli.failures import Charged
from discreet.cli.help import in_groups
from discreet.cli.inputs import (
    Delimiter,
    Encoding,
    FilterOption,
    Header,
    read_categories,
    read_counts,
)
from discreet.cli.outputs import publish, reserve
from discreet.cli.release_tables import print_any, print_any_plan
from discreet.cli.tables import print_answer, say, unfinished_lines
from discreet.counting import CsvFormat
from discreet.counting.sources import Files, find_source
from discreet.errors import DiscreetError, InvalidInput
from discreet.ledger import Ledger
from discreet.privacy_loss.composition import six_digits
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


@dataclass(frozen=True, slots=True)
class Asked:
    """Options"""

    epsilon: Annotated[
        list[str],
        typer.Option(help="The privacy loss to allow, exact: 0.5, 1e-3 or 1/3; for all columns, or for each."),
    ]
    source: Annotated[
        str | None,
        typer.Argument(help="A file or glob, duckdb://file.db/table, postgres://…/table or spark://…/table."),
    ] = None
    column: Annotated[
        list[str] | None, typer.Option(help="The column to count; with its --categories as often as you like.")
    ] = None
    categories: Annotated[
        list[str] | None,
        typer.Option(
            help="The categories, like a,b,c; blanks at the commas do not count. One in double quotes is meant as it "
            "is typed. Others that differ only in case or blanks are asked about; --yes is no answer to that."
        ),
    ] = None
    category: Annotated[
        list[str] | None, typer.Option(help="One more category, as it is typed, as often as you like.")
    ] = None
    cross: Annotated[
        list[str] | None,
        typer.Option(help="A column of a cross table with its categories, like sex=f,m; two or more of them."),
    ] = None
    impossible: Annotated[
        list[str] | None,
        typer.Option(help="Cells of the cross table that cannot occur by definition, like sex=m,pregnant=yes."),
    ] = None
    counts: Annotated[str | None, typer.Option(help="Counts in hand, like 70,50,30; - reads standard input.")] = None
    prior: Annotated[
        list[str] | None,
        typer.Option(help="Prior parameters, one per category or cell; or jeffreys, or uniform (if not said)."),
    ] = None
    other: Annotated[list[str] | None, typer.Option(help="A category for whatever is outside the others.")] = None
    missing: Annotated[list[str] | None, typer.Option(help="A category for NULL, NaN and empty texts.")] = None


@dataclass(frozen=True, slots=True)
class Paying:
    """What pays"""

    ledger: Annotated[str | None, typer.Option(help="The ledger whose budget is charged.")] = None
    dataset: Annotated[str | None, typer.Option(help="The dataset in the ledger.", autocompletion=complete_dataset)] = (
        None
    )
    no_ledger: Annotated[bool, typer.Option("--no-ledger", help="Release without a budget to charge.")] = False
    request_id: Annotated[str | None, typer.Option(help="A name for the request: repeating it costs nothing.")] = None
    again: Annotated[
        bool,
        typer.Option("--again", help="Pay for a new draw of what was charged before; refused if not said."),
    ] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Touch no data, charge nothing, draw nothing.")] = False
    yes: Annotated[bool, typer.Option("--yes", help="Charge without asking.")] = False


@dataclass(frozen=True, slots=True)
class Reading:
    """How the table is read"""

    n: Annotated[
        str | None, typer.Option("--n", help="The number of records, or of each public group; counted if not said.")
    ] = None
    filters: FilterOption = None
    engine: Annotated[str | None, typer.Option(help="duckdb, ibis or spark; it follows from the source.")] = None
    delimiter: Delimiter = None
    encoding: Encoding = "utf-8"
    header: Header = True


@dataclass(frozen=True, slots=True)
class People:
    """Groups and people"""

    by: Annotated[str | None, typer.Option(help="The column of groups: one cross table, at the price of one.")] = None
    groups: Annotated[str | None, typer.Option(help="The groups, like a,b,c.")] = None
    other_group: Annotated[str | None, typer.Option(help="A group for whatever is outside these.")] = None
    group_public: Annotated[
        bool, typer.Option("--group-public", help="Declare that all may know who is in which group.")
    ] = False
    id_column: Annotated[str | None, typer.Option(help="The column that tells people apart: one record each.")] = None


@dataclass(frozen=True, slots=True)
class Drawing:
    """How it is drawn"""

    adjacency: Annotated[
        str,
        typer.Option(
            help="What one person may change: replace-one, where the number of records is published, or add-remove, "
            "where it is protected too."
        ),
    ] = "replace-one"

    mechanism: Annotated[str, typer.Option(help="The mechanism, by name.", autocompletion=complete_mechanism)] = (
        "geometric"
    )
    calibrated: Annotated[bool, typer.Option("--calibrated", help="Use the largest scale that keeps ε.")] = False
    gamma: Annotated[str | None, typer.Option(help="How smooth a smooth or reciprocal sensitivity is.")] = None
    postprocess: Annotated[
        str | None, typer.Option(help="Post-processing: nearest or bayes; geometric has free, tight has noisy.")
    ] = None
    way: Annotated[str | None, typer.Option(hidden=True, help="The former name of --postprocess.")] = None
    delta: Annotated[
        str | None,
        typer.Option(
            help="A δ, like 1e-6, for all columns together: several then cost their exact composition, and each gets "
            "more ε. gaussian needs one."
        ),
    ] = None
    accept_no_guarantee: Annotated[
        bool, typer.Option("--accept-no-guarantee", help="Draw counts in hand even without a guarantee.")
    ] = False

    def terms(self, columns: int = 1) -> dict[str, Any]:
        """How a question is to be answered, in the words of one."""
        chosen = {"adjacency": self.adjacency, "mechanism": self.mechanism, "calibrated": self.calibrated}
        return {**chosen, **self.options(columns)}

    def options(self, columns: int = 1) -> dict[str, object]:
        """Those of the mechanism, as far as they are said; if it has a δ, each column has its share."""
        options = {"gamma": self.gamma, "postprocess": self.postprocess, "way": self.way}
        placed = options | place_delta(self.mechanism, self.delta, columns)[0]
        return {key: value for key, value in placed.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Keeping:
    """What becomes of it"""

    out: Annotated[
        Path | None, typer.Option(help="Write the receipt to this JSON file; no other receipt is replaced.")
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Let --out replace a file that is there.")] = False
    plot: Annotated[
        Path | None, typer.Option(help="Plot the released posterior (.png, .svg or .pdf); a picture is replaced.")
    ] = None
    title: Annotated[str | None, typer.Option(help="What the receipt is called.")] = None
    source_name: Annotated[
        str | None, typer.Option(help="Where the receipt says that its records are from; never a path.")
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False


@dataclass(frozen=True, slots=True)
class Events:
    """Rates of events"""

    rates: Annotated[
        bool,
        typer.Option(
            "--rates", help="Every row is an event: release rates --by group; --prior is then a shape and a rate."
        ),
    ] = False
    exposure: Annotated[
        str | None, typer.Option(help="The public exposure of each group, like north=120000,south=88000.")
    ] = None
    per: Annotated[str, typer.Option(help="How many units of exposure a rate is told for.")] = "1"


@in_groups
def release(
    asked: Asked,
    paying: Paying,
    reading: Reading,
    people: People,
    events: Events,
    drawing: Drawing,
    keeping: Keeping,
) -> None:
    """Release a posterior by one exact draw. What is printed may be published."""
    _require_one_way(asked, paying)
    if not paying.dry_run and not keeping.force:
        _refuse_to_replace(keeping.out, paying.request_id)
    if asked.counts is not None:
        _refuse_words_about_a_table(asked, paying, reading, people, events)
        _release_counts(asked, asked.counts, reading.n, drawing, keeping, dry_run=paying.dry_run)
        return
    if drawing.accept_no_guarantee:
        raise InvalidInput("a table is never released without a guarantee", hint="leave --accept-no-guarantee out")
    request = _read_request(asked, paying, reading, people, events, drawing, keeping)
    if paying.dry_run:
        _dry_run(request, as_json=keeping.as_json)
        return
    can_ask = not paying.yes and sys.stdin.isatty()
    if paying.ledger is not None and not paying.yes and not can_ask:
        raise InvalidInput("a charge must be confirmed", hint="answer on a terminal, or say --yes")
    _refuse_to_overwrite(asked.source, paying.ledger, [keeping.out, keeping.plot])
    for names in [*(asked.categories or ()), *([] if people.groups is None else [people.groups])]:
        _require_meant(names, can_ask=can_ask)
    _release_table(request, paying, keeping)


def _read_request(
    asked: Asked,
    paying: Paying,
    reading: Reading,
    people: People,
    events: Events,
    drawing: Drawing,
    keeping: Keeping,
) -> ReleaseRequest:
    """The request: of rates, of a cross table, or of shares."""
    if asked.cross or asked.impossible:
        questions = [_read_cross(asked, reading, people, drawing)]
        together = only(asked.epsilon, "--epsilon", "a cross table has one")
    elif events.rates:
        questions, together = [_read_rates(asked, reading, people, events, drawing)], None
    elif events.exposure is not None or events.per != "1":
        raise InvalidInput("--exposure and --per are for rates", hint="say --rates, or leave them out")
    else:
        questions, together = _read_questions(asked, reading, people, drawing)
    return ReleaseRequest(
        asked.source,
        questions,
        epsilon=together,
        delta=place_delta(drawing.mechanism, drawing.delta, len(questions))[1],
        n=reading.n.split(",") if reading.n is not None and "," in reading.n else reading.n,
        id_column=people.id_column,
        dataset=paying.dataset,
        request_id=draw_request_id() if paying.request_id is None and paying.ledger is not None else paying.request_id,
        again=paying.again or paying.request_id is not None,
        engine=reading.engine,
        form=CsvFormat(reading.delimiter, reading.header, reading.encoding),
        about=ReceiptRequest(title=keeping.title, source_name=keeping.source_name),
    )


def _read_rates(asked: Asked, reading: Reading, people: People, events: Events, drawing: Drawing) -> Question:
    """Every row is an event, and what is counted is its group."""
    if asked.column or asked.categories or asked.category or asked.other or asked.missing:
        raise InvalidInput("rates are of rows by group", hint="name the groups with --by and --groups, and no --column")
    if people.by is None or people.groups is None or events.exposure is None:
        raise InvalidInput("rates need groups and their exposure", hint="say --by, --groups and --exposure")
    return Question(
        people.by,
        read_names(people.groups, "groups"),
        other=people.other_group,
        filters=read_filters(reading.filters),
        prior=only(asked.prior, "--prior", "all rates have one prior"),
        exposure=read_exposure([events.exposure]),
        per=events.per,
        epsilon=only(asked.epsilon, "--epsilon", "rates are one question"),
        **drawing.terms(),
    )


def _read_questions(
    asked: Asked, reading: Reading, people: People, drawing: Drawing
) -> tuple[list[Question], str | None]:
    """One question for each `--column`, in their order, and the price of all, if there is one.

    What may be left out is given once for all columns or once for each, where an empty one says that there is none. A
    single `--epsilon` is the price of all columns together, shared equally.
    """
    columns, categories, epsilons = asked.column, asked.categories, asked.epsilon
    if not columns or not (categories or asked.category):
        raise InvalidInput("a table needs --column and --categories", hint="say which column, and what it may hold")
    if asked.category and len(columns) > 1:
        raise InvalidInput("--category is for a single --column", hint="give every --column its --categories")
    names = [read_names(text, "categories") for text in categories or ()] or [[]]
    if len(names) != len(columns):
        raise InvalidInput("every --column needs its --categories", hint="give them in the same order")
    if people.by is None and people.group_public:
        raise InvalidInput("there are no groups to be public", hint="name their column with --by")
    size, together = len(columns), epsilons[0] if len(epsilons) == 1 else None
    prices = epsilons if together is None else [None] * size
    if len(prices) != size:
        raise InvalidInput("--epsilon is one for all columns, or one for each", hint="give them in the same order")
    filters = read_filters(reading.filters)
    others, missing = each(asked.other, size, "--other"), each(asked.missing, size, "--missing")
    rows = zip(columns, names, others, missing, each(asked.prior, size, "--prior"), prices, strict=True)
    questions = [
        Question(
            column,
            [*labels, *(asked.category or ())],
            other=other or None,
            missing=blank or None,
            by=people.by,
            groups=() if people.groups is None else read_names(people.groups, "groups"),
            other_group=people.other_group,
            group_public=people.group_public,
            filters=filters,
            prior=prior or None,
            epsilon=price,
            **drawing.terms(size),
        )
        for column, labels, other, blank, prior, price in rows
    ]
    return questions, together


def _read_cross(asked: Asked, reading: Reading, people: People, drawing: Drawing) -> Question:
    """What is asked of crossed columns."""
    if asked.column or asked.categories or asked.category or people.by is not None:
        raise InvalidInput("--cross names all columns of a table", hint="leave --column, --categories and --by out")
    return Question(
        cross=read_axes(asked.cross or ()),
        impossible=[read_labels(text, "--impossible") for text in asked.impossible or ()],
        other=only(asked.other, "--other", "a cross table has one") or None,
        missing=only(asked.missing, "--missing", "a cross table has one") or None,
        filters=read_filters(reading.filters),
        prior=only(asked.prior, "--prior", "a cross table has one") or None,
        **drawing.terms(),
    )


def _release_table(request: ReleaseRequest, paying: Paying, keeping: Keeping) -> None:
    """Count, tell the price, ask for a yes where that is needed, draw and publish.

    From the yes on, whatever stops it says under which id the request goes on for free: Ctrl-C and SIGTERM too.
    """
    book, agreed = None if paying.ledger is None else Ledger(paying.ledger), False

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
                if not keeping.as_json:
                    print_any_plan(prepared.receipt().document)
                    if exact(request.delta, "delta"):
                        say(prepared.gain)
                agreed = book is None or paying.yes or _confirmed("Charge this and release?")
                bars.enter_context(busy("drawing"))
                return agreed

            receipt = run_request(request, book, confirm=confirm, progress=lambda share: tell(int(1000 * share), 1000))
        if not agreed and not keeping.as_json:
            say("charged before under this request id: nothing more was charged")
        return receipt

    with ExitStack() as stack:
        stack.callback(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, signal.default_int_handler))
        try:
            publish(draw, keeping.out, keeping.plot, as_json=keeping.as_json)
            sys.stdout.flush()
        except BaseException as stop:
            is_late = agreed or isinstance(stop, KeyboardInterrupt)
            if is_late and book is not None and _may_be_charged(book, str(request.request_id)):
                raise Charged(str(request.request_id)) from stop
            raise


def _may_be_charged(book: Ledger, request_id: str) -> bool:
    """Whether a request that was stopped was charged; it may have been where the ledger no longer answers."""
    with suppress(DiscreetError, KeyboardInterrupt):
        return book.find(request_id) is not None
    return True


def _confirmed(question: str) -> bool:
    """The answer on the terminal; Ctrl-C and the end of input are a no."""
    try:
        return typer.confirm(question, err=True)
    except typer.Abort:
        print(file=sys.stderr)
        return False


def _release_counts(
    asked: Asked, counts: str, n: str | None, drawing: Drawing, keeping: Keeping, *, dry_run: bool
) -> None:
    epsilon, prior = only(asked.epsilon, "--epsilon") or "", only(asked.prior, "--prior")
    in_hand = read_counts(counts)
    names = read_categories(only(asked.categories, "--categories"), asked.category, len(in_hand))

    def draw() -> Receipt:
        with busy("preparing and drawing"):
            return release_counts(
                in_hand, epsilon=epsilon, categories=names, prior=prior, n=n,
                accept_no_guarantee=drawing.accept_no_guarantee, title=keeping.title, source_name=keeping.source_name,
                **drawing.terms(),
            )  # fmt: skip

    if not dry_run:
        publish(draw, keeping.out, keeping.plot, as_json=keeping.as_json)
        return
    with reserve(keeping.out, keeping.plot), busy("preparing"):
        terms = Terms(drawing.mechanism, drawing.calibrated, prior, drawing.options())
        prepared, _ = check_counts(in_hand, terms, epsilon=epsilon, categories=names, n=n, adjacency=drawing.adjacency)
        if not drawing.accept_no_guarantee:
            prepared.mechanisms[0].require_guarantee()
        print_answer(prepared.receipt(None, None).document, print_any, as_json=keeping.as_json)


def _dry_run(request: ReleaseRequest, *, as_json: bool) -> None:
    if request.sizes is None and not request.has_private_n:
        raise InvalidInput("a dry run touches no data, so n is not known", hint="give --n")
    with busy("preparing"):
        prepared = prepare_request(request, [request.sizes] * len(request.questions))
        prepared.require_guarantee()
    print_answer(prepared.receipt().document, print_any, as_json=as_json)
    if not as_json:
        if exact(request.delta, "delta"):
            say(prepared.gain)
        # What a budget under zero-concentrated privacy would be charged, next to the ε of basic composition.
        say(f"from a zcdp budget it would take ρ = {six_digits(prepared.price.rho, ROUND_CEILING)}")


def _require_one_way(asked: Asked, paying: Paying) -> None:
    """Either a table or counts in hand; either a ledger or the word that there is none."""
    if (asked.source is None) == (asked.counts is None):
        raise InvalidInput("give either a table or --counts", hint="a file's name, or --counts 70,50,30 --no-ledger")
    if (paying.ledger is None) == (not paying.no_ledger):
        raise InvalidInput("say either --ledger or --no-ledger", hint="--no-ledger releases without a budget")
    if asked.counts is not None and not paying.no_ledger:
        raise InvalidInput("counts in hand are released without a ledger", hint="say --no-ledger")
    if (paying.dataset is None) != (paying.ledger is None):
        raise InvalidInput("--ledger and --dataset go together", hint="say which budget of the ledger to charge")


def _refuse_words_about_a_table(asked: Asked, paying: Paying, reading: Reading, people: People, events: Events) -> None:
    """What would be ignored is refused: whoever says it relies on it."""
    words = {
        "column": asked.column, "other": asked.other, "missing": asked.missing, "by": people.by,
        "groups": people.groups, "other-group": people.other_group, "engine": reading.engine,
        "delimiter": reading.delimiter, "encoding": reading.encoding != "utf-8", "no-header": not reading.header,
        "filter": reading.filters, "group-public": people.group_public, "id-column": people.id_column,
        "request-id": paying.request_id, "rates": events.rates, "exposure": events.exposure,
    }  # fmt: skip
    for word, said in words.items():
        if said:
            raise InvalidInput(f"counts in hand have no --{word}", hint="leave it out")


def _require_meant(names: str, *, can_ask: bool) -> None:
    """Names that differ only in case or blanks are a slip, or are said to be meant."""
    if pair := look_alikes(names, "categories"):
        said = f"{pair[0]!r} and {pair[1]!r} differ only in case or blanks"
        if not (can_ask and _confirmed(f"{said}. Are both meant?")):
            raise InvalidInput(said, hint="leave one out, or put both in double quotes if they are meant")


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
    kept = [] if ledger is None or "\0" in ledger else [Path(ledger.removeprefix("sqlite:///"))]
    with suppress(DiscreetError):  # what is no file, or not there, is told later
        found = find_source(source or "")
        kept += [path for path in found.paths if isinstance(path, Path)] if isinstance(found, Files) else [found.path]
    if any(_same_file(path, own) for path in written if path is not None for own in kept):
        raise InvalidInput("--out or --plot names the table or the ledger", hint="give the release its own file")


def _same_file(one: Path, other: Path) -> bool:
    """Whether two names lead to one file, by whichever links."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return one.absolute() == other.absolute()
