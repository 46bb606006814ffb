"""The one place where data, budget and randomness meet.

public facts and n → certificate → domain check → charge → count → law → draw → seal → show

Everything that can be refused is refused before the charge, from public facts; the one exception is the domain check
without `other`, which asserts the declared categories and says neither which value broke it nor how many. After the
charge nothing is refunded: a request that fails later is drawn again under the same charge, and one that was sealed is
shown again as it was. Errors after the data was read have texts that no count can change.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from discreet.counting import CsvFormat, Declaration, engine_for, open_source, shown, strays_error
from discreet.draw import SYSTEM
from discreet.errors import DiscreetError, InvalidInput, SourceError
from discreet.loss import Certificate, audit, calibrate, certificate_by_theorem, rho_upper
from discreet.mechanisms import Mechanism, Released
from discreet.mechanisms import mechanism as named_mechanism
from discreet.numbers import whole
from discreet.posteriors import Dirichlet
from discreet.receipts import UNIT_PERSON, UNIT_ROW, Receipt, receipt_document
from discreet.space import Counts, PosteriorSpace
from discreet.utility.statement import accuracy_statement

if TYPE_CHECKING:
    from discreet.counting import Progress, Table
    from discreet.ledger import Charge, Ledger

T = TypeVar("T")

STEPS = ("prepared", "checked", "charged", "counted", "drawn", "sealed")


def reached(step: str) -> None:
    """Called after each of `STEPS`. It does nothing; the tests put a kill or an exception in its place."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """All that is public about a release, settled before anything is charged: safe to show."""

    declaration: Declaration
    mechanism: Mechanism
    certificate: Certificate
    accuracy: dict[str, Any]
    digest: str

    @property
    def unit(self) -> str:
        """Whose data one record is."""
        return UNIT_ROW if self.declaration.id_column is None else UNIT_PERSON

    def document(self, released: Released | None = None, charge: Charge | None = None) -> dict[str, Any]:
        """The receipt, as far as it is known."""
        return receipt_document(
            self.mechanism,
            self.declaration.labels,
            released,
            certificate=self.certificate,
            accuracy=self.accuracy,
            unit=self.unit,
            request_id=None if charge is None else charge.request_id,
            dataset=None if charge is None else charge.dataset,
            charge=None if charge is None else charge.hash,
        )


def release(
    source: object,
    *,
    column: str,
    categories: Sequence[str],
    epsilon: object,
    ledger: Ledger | str | Path | None,
    dataset: str | None = None,
    prior: object = None,
    mechanism: str = "geometric",
    n: object = None,
    other: str | None = None,
    id_column: str | None = None,
    engine: str | None = None,
    form: CsvFormat | None = None,
    request_id: str | None = None,
    calibrated: bool = False,
    confirm: Callable[[Prepared], bool] | None = None,
    progress: Progress | None = None,
    **options: object,
) -> Receipt:
    """Release a posterior from a table, charge it, and keep the receipt. `ledger=None` says that nothing is charged.

    >>> import pandas as pd
    >>> votes = pd.DataFrame({"vote": ["Clinton"] * 60 + ["Dole"] * 40})
    >>> receipt = release(votes, column="vote", categories=["Clinton", "Dole"], epsilon=1, ledger=None)
    >>> sum(receipt.output), receipt.document["epsilon_exact"]
    (100, '1')
    """
    declaration = Declaration(column, categories, other=other, id_column=id_column)
    asked = None if n is None else whole(n, "n", minimum=1)
    shape = form or CsvFormat()
    book = _opened(ledger, dataset, request_id)
    chosen = engine_for(source, engine)
    with open_source(source, declaration, engine=chosen, form=shape, progress=progress) as table:
        prepared = prepare(
            declaration, _records(table, asked), epsilon=epsilon, prior=prior, mechanism=mechanism,
            calibrated=calibrated, source=shown(source), dataset=dataset, engine=chosen, form=shape, options=options,
        )  # fmt: skip
        prepared.certificate.check(prepared.mechanism)
        sealed = _affordable(book, dataset, prepared, request_id)
        if sealed is not None:
            return sealed
        reached("prepared")
        if confirm is not None and not confirm(prepared):
            raise InvalidInput("the release was not confirmed", mend="nothing was charged and nothing was drawn")
        if declaration.asserts and table.count_strays():
            raise strays_error(declaration)
        reached("checked")
        charge = _charged(book, dataset, prepared, request_id)
        if charge is not None and charge.outcome is not None:
            return Receipt.from_json(charge.outcome)
        return _finished(lambda: _sealed(book, table, prepared, charge), charge)


def release_counts(
    counts: object,
    *,
    epsilon: object,
    categories: Sequence[str] | None = None,
    prior: object = None,
    n: object = None,
    mechanism: str = "geometric",
    calibrated: bool = False,
    accept_no_guarantee: bool = False,
    **options: object,
) -> Receipt:
    """The same from counts in hand: no table, no ledger, nothing charged."""
    prepared, checked = prepare_counts(
        counts, epsilon=epsilon, categories=categories, prior=prior, n=n, mechanism=mechanism, calibrated=calibrated,
        options=options,
    )  # fmt: skip
    released = _finished(
        lambda: prepared.mechanism.release(checked, accept_no_guarantee=accept_no_guarantee), charge=None
    )
    return Receipt(prepared.document(released))


def prepare_counts(
    counts: object,
    *,
    epsilon: object,
    categories: Sequence[str] | None,
    prior: object,
    n: object,
    mechanism: str,
    calibrated: bool,
    options: dict[str, object],
) -> tuple[Prepared, Counts]:
    """What is public about a release of counts in hand, and the counts, checked."""
    values = list(counts) if not isinstance(counts, str) and hasattr(counts, "__iter__") else [counts]
    names = [str(i) for i in range(1, len(values) + 1)] if categories is None else list(categories)
    if len(names) != len(values):
        raise InvalidInput(f"categories must be {len(values)} names", mend="give one for each count")
    size = sum(whole(value, "a count") for value in values) if n is None else n
    declaration = Declaration("counts in hand", names)
    prepared = prepare(
        declaration, whole(size, "n", minimum=1), epsilon=epsilon, prior=prior, mechanism=mechanism,
        calibrated=calibrated, source="counts in hand", dataset=None, engine="none", form=CsvFormat(), options=options,
    )  # fmt: skip
    return prepared, prepared.mechanism.space.counts(values)


def prepare(
    declaration: Declaration,
    n: int,
    *,
    epsilon: object,
    prior: object,
    mechanism: str,
    calibrated: bool,
    source: str,
    dataset: str | None,
    engine: str,
    form: CsvFormat,
    options: dict[str, object],
) -> Prepared:
    """Settle the mechanism, its certificate and its accuracy from public facts alone."""
    labels = declaration.labels
    parameters = Dirichlet([1] * len(labels)) if prior is None else prior
    space = PosteriorSpace(prior=parameters, n=n)
    if space.k != len(labels):
        raise InvalidInput(
            f"the prior has {space.k} parameters for {len(labels)} categories", mend="give one for each, other included"
        )
    if calibrated:
        made = calibrate(mechanism, space, epsilon=epsilon, **options)  # type: ignore[arg-type]
        certificate = audit(made).certificate
    else:
        made = named_mechanism(mechanism, space, epsilon=epsilon, **options)
        certificate = certificate_by_theorem(made)
    request = {
        "certificate": certificate.digest,
        "column": declaration.column,
        "categories": list(declaration.categories),
        "other": declaration.other,
        "id_column": declaration.id_column,
        "source": source,
        "engine": engine,
        "form": asdict(form),
        "dataset": dataset,
    }
    digest = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
    return Prepared(declaration, made, certificate, accuracy_statement(made), digest)


def _opened(ledger: Ledger | str | Path | None, dataset: str | None, request_id: str | None) -> Ledger | None:
    if ledger is None:
        if dataset is not None:
            raise InvalidInput("a dataset was named without a ledger", mend="name the ledger that budgets it")
        if request_id is not None:
            raise InvalidInput("a request id needs a ledger", mend="without one, every request is drawn anew")
        return None
    if dataset is None:
        raise InvalidInput("the ledger needs the name of a dataset", mend="say which budget to charge")
    from discreet.ledger import Ledger

    book = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
    book.remaining(dataset)
    return book


def _records(table: Table, n: int | None) -> int:
    """n: the number of records. It does not change when one is replaced, and is published."""
    found = table.count_rows()
    if n is not None and n != found:
        raise InvalidInput("the table does not have n records", mend="leave n out, or give the true number")
    if found == 0:
        raise InvalidInput("the table has no records", mend="give one with at least one")
    return found


def _affordable(book: Ledger | None, dataset: str | None, prepared: Prepared, request_id: str | None) -> Receipt | None:
    """The receipt of a request that was sealed before. A new one that the budget cannot bear is refused unasked.

    `Ledger.charge` decides again, alone with the book; here it spares a question, and a look at the data.
    """
    if book is None or dataset is None:
        return None
    found = None if request_id is None else book.find(request_id)
    if found is None:
        made = prepared.mechanism
        book.afford(dataset, made.epsilon, made.delta, adjacency=made.adjacency, rho=rho_upper(made))
        return None
    if found.digest != prepared.digest:
        raise InvalidInput(f"request {request_id!r} was made with other parameters", mend="use another id")
    return None if found.outcome is None else Receipt.from_json(found.outcome)


def _charged(book: Ledger | None, dataset: str | None, prepared: Prepared, request_id: str | None) -> Charge | None:
    if book is None or dataset is None:
        return None
    made = prepared.mechanism
    return book.charge(
        dataset,
        made.epsilon,
        made.delta,
        request_id=f"{SYSTEM.draw_bits(128):032x}" if request_id is None else request_id,
        digest=prepared.digest,
        adjacency=made.adjacency,
        rho=rho_upper(made),
    )


def _sealed(book: Ledger | None, table: Table, prepared: Prepared, charge: Charge | None) -> Receipt:
    """Count, draw once from the law of the counts, and seal what was drawn before anyone sees it."""
    reached("charged")
    try:
        counts = table.count_categories()
    except InvalidInput:  # strays that were not there when the declaration was checked
        raise _changed() from None
    reached("counted")
    if sum(counts) != prepared.mechanism.space.n:
        raise _changed()
    released = prepared.mechanism.release(counts)
    reached("drawn")
    receipt = Receipt(prepared.document(released, charge))
    if book is not None and charge is not None:
        book.seal(charge.request_id, receipt.to_json())
    reached("sealed")
    return receipt


def _finished(work: Callable[[], T], charge: Charge | None) -> T:
    """The result of what follows the charge. A failure is told in words without data, and how to go on without paying.

    What an exception of others says could carry a count: it is kept nowhere, not even as a cause.
    """
    again = "" if charge is None else f"repeat it with request id {charge.request_id}: nothing more is charged"
    try:
        return work()
    except DiscreetError as failure:
        kind, message, mend = type(failure), failure.message, failure.mend
    except Exception:  # noqa: BLE001 - raised below, outside of this handler, so that nothing is chained to it
        kind, message, mend = DiscreetError, "the release failed after the data was read", ""
    raise kind(message, mend="; ".join(part for part in (mend, again) if part) or "try again")


def _changed() -> SourceError:
    return SourceError("the table changed while it was read", mend="let nobody write to it meanwhile")
