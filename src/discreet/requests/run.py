"""The one place where data, budget and randomness meet.

rows counted once → n and public facts → certificate → domain check → charge → law → draw → seal → show

Everything that can be refused is refused before the charge, from public facts and n. The promise names two exceptions,
which are assertions about the data: that a CSV file is well-formed, and without `other` that every value is one of the
declared categories. A refusal says neither what broke them nor how often. Under add-remove n is private: nothing looks
at it or at what is outside the categories, and an empty table is released like any other. The rows are read once, so
that n, the check and the counts speak of the same table; the counts are looked at only after the charge. Then nothing
is refunded: a request that fails later is drawn again under the same charge, and one that was sealed is shown again as
it was. Errors after the data was read have texts that no count can change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

from discreet.counting import CsvFormat, Filters, Progress, Tally, open_source, strays_error
from discreet.errors import DiscreetError, InvalidInput, SourceError
from discreet.ledger import Charge, Ledger
from discreet.ledger.book import OTHER_PARAMETERS, repetition
from discreet.ledger.budgets import REPLACE_ONE
from discreet.receipts import Bundle, Receipt, ReceiptRequest, read_sealed
from discreet.receipts.documents import sealed_text
from discreet.requests.prepare import PreparedRequest, check_counts, prepare_request
from discreet.requests.request import Question, ReleaseRequest, Sizes, Terms, draw_request_id
from discreet.typing import Epsilon, Label

T = TypeVar("T")

Confirm = Callable[[PreparedRequest], bool]
"""Shown what is about to be spent; answers whether to go on."""

STEPS = ("opened", "counted", "prepared", "checked", "charged", "drawn", "sealed")


def reached(step: str) -> None:
    """Called after each of `STEPS`. It does nothing; the tests put a kill or an exception in its place."""


def release(
    source: object,
    *,
    column: str | None = None,
    categories: Sequence[Label] = (),
    epsilon: Epsilon,
    ledger: Ledger | str | Path | None,
    cross: Mapping[str, Sequence[Label]] | None = None,
    impossible: Sequence[Mapping[str, Label]] = (),
    dataset: str | None = None,
    prior: object = None,
    exposure: object = None,
    per: object = 1,
    mechanism: str = "geometric",
    n: object = None,
    other: str | None = None,
    missing: str | None = None,
    id_column: str | None = None,
    by: str | None = None,
    groups: Sequence[Label] = (),
    other_group: str | None = None,
    group_public: bool = False,
    adjacency: str = REPLACE_ONE,
    filters: Filters = (),
    engine: str | None = None,
    form: CsvFormat | None = None,
    request_id: str | None = None,
    again: bool = False,
    calibrated: bool = False,
    title: str | None = None,
    source_name: str | None = None,
    confirm: Confirm | None = None,
    progress: Progress | None = None,
    **options: object,
) -> Receipt:
    """Release a posterior from a table, charge it, and keep the receipt. `ledger=None` says that nothing is charged.

    The receipt is called `title`, and says that its records are from `source_name`; neither is part of what is asked.

    With `by` and `groups`, one cross table is released, at the price of one release; `group_public` declares that
    everyone may know who is in which group, and protects the answers alone.

    Under the adjacency `add-remove` the number of records is protected too: it is neither asked for nor published, and
    `filters` may select records by their values, like `{"region": ["north", "south"]}`. With the public `exposure` of
    each category the records are events, and their rates are told `per` so many units of it; the prior is then a
    `Gamma`, or its shape and rate.

    With `cross`, columns with their categories, the table of all their cells is released in one draw; combinations that
    are `impossible` by definition are no cells. `receipt.belief` then has `margin` and `given`.

    A question that the dataset was charged for before is refused, unless its `request_id` is given, which shows what
    was released and costs nothing, or it is to be paid for `again`.

    >>> import pandas as pd
    >>> votes = pd.DataFrame({"vote": ["Clinton"] * 60 + ["Dole"] * 40, "sex": ["f", "m"] * 50})
    >>> receipt = release(votes, column="vote", categories=["Clinton", "Dole"], epsilon=1, ledger=None)
    >>> sum(receipt.output), receipt.document["epsilon_exact"]
    (100, '1')
    >>> question = {"column": "vote", "categories": ["Clinton", "Dole"], "by": "sex", "groups": ["f", "m"]}
    >>> receipt = release(votes, **question, epsilon=1, ledger=None)
    >>> sum(receipt.output), list(receipt.posteriors)
    (100, ['f', 'm'])
    >>> receipt = release(votes, cross={"sex": ["f", "m"], "vote": ["Clinton", "Dole"]}, epsilon=1, ledger=None)
    >>> receipt.belief.margin("vote").labels, len(receipt.output)
    (('Clinton', 'Dole'), 4)
    >>> question = {"column": "vote", "categories": ["Clinton", "Dole"], "filters": {"sex": ["f"]}}
    >>> receipt = release(votes, **question, adjacency="add-remove", epsilon=1, ledger=None)
    >>> receipt.document["filters"], "n" in receipt.document
    ({'sex': ['f']}, False)
    """
    question = Question(
        column, categories, cross=cross, impossible=impossible, other=other, missing=missing, by=by, groups=groups,
        other_group=other_group, group_public=group_public, adjacency=adjacency, filters=filters, prior=prior,
        exposure=exposure, per=per,
        mechanism=mechanism, calibrated=calibrated, epsilon=epsilon, **options,
    )  # fmt: skip
    request = ReleaseRequest(
        source, [question], n=n, id_column=id_column, dataset=dataset, request_id=request_id,
        again=again or request_id is not None, engine=engine, form=form or CsvFormat(),
        about=ReceiptRequest(title=title, source_name=source_name),
    )  # fmt: skip
    receipt = run_request(request, ledger, confirm=confirm, progress=progress)
    assert isinstance(receipt, Receipt), "a request for one column seals one receipt"
    return receipt


def release_columns(
    source: object,
    questions: Sequence[Question],
    *,
    ledger: Ledger | str | Path | None,
    epsilon: Epsilon | None = None,
    delta: Epsilon = 0,
    dataset: str | None = None,
    n: object = None,
    id_column: str | None = None,
    engine: str | None = None,
    form: CsvFormat | None = None,
    request_id: str | None = None,
    title: str | None = None,
    source_name: str | None = None,
    again: bool = False,
    confirm: Confirm | None = None,
    progress: Progress | None = None,
) -> Bundle:
    """Release several columns of a table in one request: one charge for all of them, which are sealed together.

    Every question says its own `epsilon`, or `epsilon` here is the price of all, shared equally. With a `delta` every
    column gets the largest ε such that all together cost no more than that, by their exact composition.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"vote": ["Clinton"] * 60 + ["Dole"] * 40, "sex": ["f", "m"] * 50})
    >>> questions = [Question("vote", ["Clinton", "Dole"]), Question("sex", ["f", "m"])]
    >>> bundle = release_columns(table, questions, epsilon=1, ledger=None)
    >>> bundle.columns, [part.document["epsilon_exact"] for part in bundle.parts], bundle.document["epsilon_exact"]
    (('vote', 'sex'), ['1/2', '1/2'], '1')
    """
    request = ReleaseRequest(
        source, questions, epsilon=epsilon, delta=delta, n=n, id_column=id_column, dataset=dataset,
        request_id=request_id, again=again or request_id is not None, engine=engine, form=form or CsvFormat(),
        about=ReceiptRequest(title=title, source_name=source_name), is_bundle=True,
    )  # fmt: skip
    bundle = run_request(request, ledger, confirm=confirm, progress=progress)
    assert isinstance(bundle, Bundle), "a request for several columns seals one bundle"
    return bundle


def run_request(
    request: ReleaseRequest,
    ledger: Ledger | str | Path | None,
    *,
    confirm: Confirm | None = None,
    progress: Progress | None = None,
) -> Receipt | Bundle:
    """The steps, from the rows to what was sealed."""
    book = open_ledger(request, ledger)
    tallies = _count_records(request, progress)
    prepared = _prepare(request, tallies)
    earlier = _find_charge(request, prepared, book)
    if earlier is not None and earlier.outcome is not None:
        return read_sealed(earlier.outcome)
    reached("prepared")
    if earlier is None and confirm is not None and not confirm(prepared):
        raise InvalidInput("the release was not confirmed", hint="nothing was charged and nothing was drawn")
    if not request.has_private_n:
        _require_no_strays(tallies)
    reached("checked")
    charge = _charge(request, prepared, book)
    if charge is not None and charge.outcome is not None:
        return read_sealed(charge.outcome)
    return _hide_failure(lambda: _draw_and_seal(prepared, tallies, book, charge), charge)


def price_request(request: ReleaseRequest, ledger: Ledger | None) -> PreparedRequest:
    """What a request would cost and give: the records are counted, and nothing is spent. A sealed one costs nothing."""
    book = open_ledger(request, ledger)
    prepared = _prepare(request, _count_records(request, None))
    _find_charge(request, prepared, book)
    return prepared


def open_ledger(request: ReleaseRequest, ledger: Ledger | str | Path | None) -> Ledger | None:
    """The ledger that pays, or None if nobody keeps a budget; a dataset that it does not know is refused."""
    if ledger is None:
        if request.dataset is not None:
            raise InvalidInput("a dataset was named without a ledger", hint="name the ledger that budgets it")
        if request.request_id is not None:
            raise InvalidInput("a request id needs a ledger", hint="without one, every request is drawn anew")
        return None
    if request.dataset is None:
        raise InvalidInput("the ledger needs the name of a dataset", hint="say which budget to charge")
    book = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
    book.remaining(request.dataset)
    return book


def release_counts(
    counts: object,
    *,
    epsilon: Epsilon,
    categories: Sequence[Label] | None = None,
    prior: object = None,
    n: object = None,
    adjacency: str = REPLACE_ONE,
    mechanism: str = "geometric",
    calibrated: bool = False,
    accept_no_guarantee: bool = False,
    title: str | None = None,
    source_name: str | None = None,
    **options: object,
) -> Receipt:
    """The same from counts in hand: no table, no ledger, nothing charged."""
    terms = Terms(mechanism, calibrated, prior, options)
    prepared, values = check_counts(
        counts, terms, epsilon=epsilon, categories=categories, n=n, adjacency=adjacency,
        about=ReceiptRequest(title=title, source_name=source_name),
    )  # fmt: skip
    [column] = prepared.mechanisms
    released = _hide_failure(lambda: column.release(values, accept_no_guarantee=accept_no_guarantee), charge=None)
    return prepared.receipt((released,), None)


def _count_records(request: ReleaseRequest, progress: Progress | None) -> list[Tally]:
    """One pass over the rows for each column: all that will be asked of them."""

    def count() -> list[Tally]:
        with ExitStack() as stack:
            contexts = [
                open_source(request.source, each, engine=request.engine, form=request.form, progress=progress)
                for each in request.declarations
            ]
            tables = [stack.enter_context(context) for context in contexts]
            reached("opened")
            tallies = [table.count_records() for table in tables]
            reached("counted")
            return tallies

    return _hide_failure(count, charge=None)


def _prepare(request: ReleaseRequest, tallies: Sequence[Tally]) -> PreparedRequest:
    """What is public, checked: n does not change between neighbours, and is published, unless it is private."""
    sizes = [None] * len(tallies) if request.has_private_n else _public_sizes(request, tallies)
    prepared = prepare_request(request, sizes)
    prepared.check()
    return prepared


def _public_sizes(request: ReleaseRequest, tallies: Sequence[Tally]) -> list[Sizes]:
    """The number of records for each question, or of each of its public groups."""
    totals = {tally.n for tally in tallies}
    if len(totals) > 1:
        raise SourceError("the table changed while it was read", hint="let nobody write to it meanwhile")
    pairs = zip(request.questions, tallies, strict=True)
    sizes: list[Sizes] = [tally.groups if question.group_public else tally.n for question, tally in pairs]
    if request.sizes is not None and not all(request.sizes in (size, *totals) for size in sizes):
        raise InvalidInput("the table does not have n records", hint="leave `n` out, or give the true number")
    if totals == {0}:
        raise InvalidInput("the table has no records", hint="give one with at least one")
    return sizes


def _find_charge(request: ReleaseRequest, prepared: PreparedRequest, book: Ledger | None) -> Charge | None:
    """The charge that was made under the request's id, if any, which is all that it will ever cost.

    A new one is refused unasked if its question was paid for before, or the budget cannot bear it. `Ledger.charge`
    decides again, alone with the book; here it spares a question.
    """
    if book is None or request.dataset is None:
        return None
    earlier = None if request.request_id is None else book.find(request.request_id)
    if earlier is not None:
        if earlier.digest != prepared.digest:
            raise InvalidInput(f"request {request.request_id!r} was made with other parameters", hint=OTHER_PARAMETERS)
        return earlier
    for charge in () if request.again else reversed(book.charges(request.dataset)):
        if charge.digest == prepared.digest:
            raise repetition(charge, finished=charge.outcome is not None)
    book.afford(request.dataset, prepared.price, scope=prepared.scope)
    return None


def _require_no_strays(tallies: Sequence[Tally]) -> None:
    """The domain check: of several columns, not even which is said."""
    outside = [tally.declaration for tally in tallies if tally.has_strays]
    if outside and len(tallies) > 1:
        raise InvalidInput("a column has values outside what is declared", hint="look with discreet check")
    if outside:
        raise strays_error(outside[0])


def _charge(request: ReleaseRequest, prepared: PreparedRequest, book: Ledger | None) -> Charge | None:
    """Spend it, durably: the charge, or the one that this request made before."""
    if book is None or request.dataset is None:
        return None
    return book.charge(
        request.dataset,
        prepared.price,
        request_id=draw_request_id() if request.request_id is None else request.request_id,
        digest=prepared.digest,
        scope=prepared.scope,
        again=request.again,
    )


def _draw_and_seal(
    prepared: PreparedRequest, tallies: Sequence[Tally], book: Ledger | None, charge: Charge | None
) -> Receipt | Bundle:
    """Draw once from the law of the counts, and seal what was drawn before anyone sees it."""
    reached("charged")
    pairs = zip(prepared.columns, tallies, strict=True)
    drawn = [column.release(tally.inside if column.has_private_n else tally.counts) for column, tally in pairs]
    reached("drawn")
    receipt = prepared.receipt(drawn, charge)
    if book is not None and charge is not None:
        book.seal(charge.request_id, sealed_text(receipt))
    reached("sealed")
    return receipt


def _hide_failure(work: Callable[[], T], charge: Charge | None) -> T:
    """The result of what touches counts. A failure is told in words without data, and how to go on without paying.

    What an exception of others says could carry a count: it is kept nowhere, not even as a cause.
    """
    again = "" if charge is None else f"repeat it with request id {charge.request_id}: nothing more is charged"
    try:
        return work()
    except KeyboardInterrupt as stop:
        if charge is not None:
            stop.add_note(again)
        raise
    except DiscreetError as failure:
        kind, message, hint, parameter = type(failure), failure.message, failure.hint, failure.parameter
    except Exception:  # noqa: BLE001 - raised below, outside of this handler, so that nothing is chained to it
        kind, message, hint, parameter = DiscreetError, "the release failed after the data was read", "", ""
    hints = "; ".join(part for part in (hint, again) if part) or "try again"
    raise kind(message, hint=hints, parameter=parameter)
