"""All that is public about a request, settled before anything is charged: mechanisms, certificates, errors, prices.

A question is put to one column. Its answer is one release; where membership of its groups is declared public, one for
each group. Several questions in one request are prepared together: their losses add up.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any

from discreet.arithmetic.numbers import whole
from discreet.arithmetic.words import exact_text, utc_now
from discreet.counting import CsvFormat, Declaration
from discreet.errors import InvalidInput
from discreet.ledger import Charge, Scope
from discreet.ledger.budgets import REPLACE_ONE
from discreet.mechanisms import Mechanism, Released, mechanism
from discreet.posteriors import Dirichlet, as_prior
from discreet.posteriors.space import Counts, PosteriorSpace
from discreet.privacy_loss import Certificate, Price, audit, calibrate, certificate_by_theorem
from discreet.receipts import (
    UNIT_PERSON,
    UNIT_ROW,
    Bundle,
    Part,
    Receipt,
    ReceiptRequest,
    write_bundle,
    write_receipt,
    write_table,
)
from discreet.requests.request import Question, ReleaseRequest, Sizes, Terms, n_is_private
from discreet.typing import Epsilon, Label
from discreet.utility.measure import accuracy_statement

Draws = tuple[Released | None, ...]
"""What was drawn for a column: one release, or one for each public group, None for one without records."""


@dataclass(frozen=True, slots=True)
class PreparedColumn:
    """One column or cross table: the mechanism that releases it, or with public groups one for each of them."""

    declaration: Declaration
    parts: tuple[Part, ...]
    digest: str
    about: ReceiptRequest
    """What its receipt says of the request before there is a charge."""

    @property
    def has_public_groups(self) -> bool:
        """Whether every group is released by itself."""
        return len(self.parts) > 1

    @property
    def has_private_n(self) -> bool:
        """Whether the number of records is protected, and so what is outside the categories is only not counted."""
        return not all(mechanism.space.adjacency.keeps_total for mechanism in self.mechanisms)

    @property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        """Those of the parts that have records."""
        return tuple(part.mechanism for part in self.parts if part.mechanism is not None)

    @property
    def scope(self) -> Scope:
        """Whom it protects, and which columns; public groups are not protected."""
        declaration = self.declaration
        compared = frozenset(each.column for each in declaration.compared)
        public = frozenset({str(declaration.by)}) if self.has_public_groups else frozenset[str]()
        return Scope(declaration.id_column, compared - public, public)

    def release(self, counts: Counts) -> Draws:
        """One draw from the law of the counts; where groups are public, from that of each group that has records."""
        size = len(counts) // len(self.parts)
        pairs = ((part.mechanism, Counts(counts[i * size : (i + 1) * size])) for i, part in enumerate(self.parts))
        return tuple(None if mechanism is None else mechanism.release(block) for mechanism, block in pairs)

    def receipt(self, drawn: Draws | None, charge: Charge | None, now: str | None = None) -> Receipt:
        """The receipt, as far as it is known. A charge dates it: whoever repeats the request gets the same.

        Without a charge it is of `now`, which the columns of a request have in common.
        """
        declaration, about = self.declaration, self.about
        if charge is not None:
            about = replace(about, request_id=charge.request_id, dataset=charge.dataset, charge=charge.hash)
        if drawn is not None:
            about = replace(about, released_at=now or utc_now() if charge is None else charge.time)
        if declaration.crossed:
            impossible = [dict(each) for each in declaration.impossible]
            released = None if drawn is None else drawn[0]
            return write_table(self.parts[0], declaration.axes, impossible, released, request=about)
        return write_receipt(
            self.parts,
            declaration.answers,
            drawn,
            by=declaration.by,
            groups=declaration.group_labels,
            request=about,
        )


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """A request, ready to be charged: all of its columns are released, or none. Safe to show."""

    columns: tuple[PreparedColumn, ...]
    is_bundle: bool
    together: tuple[Fraction, Fraction] | None = None
    """ε and δ of all columns, where that is their exact composition and not the sum of their ε."""

    def __post_init__(self) -> None:
        # Losses add up over the same neighbours: those of one question would move the public sizes of the other.
        if self.scope.public & self.scope.protected:
            raise InvalidInput("a column is public as groups and protected as answers", hint="ask for it one way")

    @property
    def digest(self) -> str:
        """Of all parameters of all questions."""
        digests: list[Any] = [column.digest for column in self.columns]
        if self.together is not None:
            digests.append(list(map(str, self.together)))
        return _digest(digests) if self.is_bundle else str(digests[0])

    @property
    def price(self) -> Price:
        """What it costs: every column is paid for. One answer is one public group's, so the dearest counts for all."""
        return Price(tuple(column.mechanisms for column in self.columns), self.together)

    @property
    def scope(self) -> Scope:
        """Whom it protects, and which columns of all questions."""
        return reduce(Scope.plus, (column.scope for column in self.columns))

    @property
    def gain(self) -> str:
        """What a δ buys, in a sentence: the ε of a column, and the width of its intervals, beside equal shares of ε."""
        if self.together is None:
            return "δ buys nothing here: equal shares of ε are as good, and no δ is spent."
        [first, *_], share = self.columns[0].mechanisms, self.together[0] / len(self.columns)
        equal = type(first).from_parameters(first.space, epsilon=share, parameters=first.parameters())
        gain = (
            f"With δ every column has ε = {exact_text(first.epsilon)} in place of {exact_text(share)} by equal shares"
        )
        width, wide = (accuracy_statement(each).get("interval_width") for each in (first, equal))
        if not width or not wide:
            return f"{gain}."
        name = self.columns[0].declaration.column
        return (
            f"{gain}: 95 % intervals for {name!r} are {100 * width:.1f} points wide in place of {100 * wide:.1f}, "
            f"{100 * (1 - width / wide):.0f} % narrower."
        )

    def check(self) -> None:
        """Refuse what is not proved, of any column."""
        for each, certificate in self._certificates():
            certificate.check(each)

    def require_guarantee(self) -> None:
        """Refuse what has no guarantee, before any data is touched."""
        for each, _ in self._certificates():
            each.require_guarantee()

    def receipt(self, drawn: Sequence[Draws] | None = None, charge: Charge | None = None) -> Receipt | Bundle:
        """The receipt, or the bundle of receipts, as far as it is known."""
        pairs = zip(self.columns, [None] * len(self.columns) if drawn is None else drawn, strict=True)
        now = utc_now()
        receipts = [column.receipt(draw, charge, now) for column, draw in pairs]
        if not self.is_bundle:
            return receipts[0]
        return write_bundle([column.declaration.column for column in self.columns], receipts, self.together)

    def _certificates(self) -> Iterator[tuple[Mechanism, Certificate]]:
        for part in (part for column in self.columns for part in column.parts):
            if part.mechanism is not None and part.certificate is not None:
                yield part.mechanism, part.certificate


def prepare_request(request: ReleaseRequest, sizes: Sequence[Sizes]) -> PreparedRequest:
    """Settle mechanisms, certificates and accuracy from public facts alone: what is asked, and n if that is public."""
    table = {
        "source": request.name,
        "engine": request.engine,
        "form": request.form.to_json(),
        "dataset": request.dataset,
    }
    rows = zip(request.questions, request.declarations, request.epsilons, sizes, strict=True)
    columns = tuple(
        _prepare_column(
            declaration, question.terms, question.adjacency, epsilon, _part_sizes(question, declaration, n), table,
            request.about,
        )
        for question, declaration, epsilon, n in rows
    )  # fmt: skip
    return PreparedRequest(columns, request.is_bundle, request.together)


def check_counts(
    counts: object,
    terms: Terms,
    *,
    epsilon: Epsilon,
    categories: Sequence[Label] | None = None,
    n: object = None,
    adjacency: str = REPLACE_ONE,
    about: ReceiptRequest | None = None,
) -> tuple[PreparedColumn, Counts]:
    """The same for counts in hand, without a table or groups, and the counts, checked."""
    values = list(counts) if not isinstance(counts, str) and hasattr(counts, "__iter__") else [counts]
    names = [str(i) for i in range(1, len(values) + 1)] if categories is None else list(categories)
    if len(names) != len(values):
        raise InvalidInput(
            f"categories must be {len(values)} names", hint="give one for each count", parameter="categories"
        )
    question = Question("counts in hand", names, adjacency=adjacency)
    size = None
    if not question.has_private_n:
        size = whole(sum(whole(value, "a count") for value in values) if n is None else n, "n", minimum=1)
    elif n is not None:
        raise n_is_private()
    table = {"source": "counts in hand", "engine": "none", "form": CsvFormat().to_json(), "dataset": None}
    about = about or ReceiptRequest()
    prepared = _prepare_column(question.declaration(None), terms, question.adjacency, epsilon, (size,), table, about)
    return replace(prepared, about=about), prepared.mechanisms[0].space.counts(values)


def _part_sizes(question: Question, declaration: Declaration, n: Sizes) -> tuple[int | None, ...]:
    """The number of records of each part; None where it is private."""
    if question.has_private_n:
        return (None,)
    if question.group_public:
        if n is None or isinstance(n, int) or len(n) != len(declaration.group_labels) or sum(n) == 0:
            raise InvalidInput(
                "public groups have one n each, and not all are 0", hint="give them in the groups' order"
            )
        return n
    if not isinstance(n, int):
        raise InvalidInput("there is one n for all groups together", hint="or declare the groups public")
    return (n,)


def _prepare_column(
    declaration: Declaration,
    terms: Terms,
    adjacency: str,
    epsilon: Epsilon,
    sizes: tuple[int | None, ...],
    table: Mapping[str, object],
    about: ReceiptRequest,
) -> PreparedColumn:
    """The column's mechanisms, and a digest of all that it asks. That has to stay the same in every version."""
    cells = whole_prior(declaration, terms.prior).parameters
    k = len(cells) // len(sizes)
    parts = tuple(
        _prepare_part(terms, epsilon, Dirichlet(cells[i * k : (i + 1) * k]), n, adjacency) for i, n in enumerate(sizes)
    )
    if not declaration.crossed:  # of a table, what matters is how wide its margins are: `plan` tells
        parts = tuple(
            part if part.mechanism is None else replace(part, accuracy=accuracy_statement(part.mechanism))
            for part in parts
        )
    laws = list(map(_law, parts))
    declared = asdict(declaration)
    for later in ("missing", "filters", "crossed", "impossible"):  # what requests of before could not say
        if not declared[later]:
            del declared[later]
    facts = {**declared, **table, "law": laws if len(parts) > 1 else laws[0]}
    if terms.rates is not None:
        facts["rates"] = terms.rates.to_json()
        if not all(part.mechanism is not None and part.mechanism.kernel.quick for part in parts):
            raise InvalidInput(
                "epsilon is too small to read rates", hint="ask for more, or for fewer groups", parameter="epsilon"
            )
    unit = UNIT_ROW if declaration.id_column is None else UNIT_PERSON
    about = replace(
        about, unit=unit, column=declaration.column, other=declaration.other, missing=declaration.missing,
        filters={each.column: list(each.values) for each in declaration.filters}, rates=terms.rates,
    )  # fmt: skip
    return PreparedColumn(declaration, parts, _digest(facts), about)


def _prepare_part(terms: Terms, epsilon: Epsilon, prior: Dirichlet, n: int | None, adjacency: str) -> Part:
    """One mechanism with its certificate; a public group without records has none."""
    if n == 0:
        return Part(prior, None, None)
    space = PosteriorSpace(prior=prior, n=n, adjacency=adjacency)
    if terms.calibrated:
        chosen = calibrate(terms.mechanism, space, epsilon=epsilon, **terms.options)  # type: ignore[arg-type]
        return Part(prior, chosen, audit(chosen).certificate)
    chosen = mechanism(terms.mechanism, space, epsilon=epsilon, **terms.options)
    return Part(prior, chosen, certificate_by_theorem(chosen))


def whole_prior(declaration: Declaration, prior: object) -> Dirichlet:
    """The prior of all cells: ones, one for each answer that all groups share, or one for each cell.

    Of crossed columns it may be one number for every cell.
    """
    answers, cells = len(declaration.answers), declaration.k
    if prior is None:
        return Dirichlet([1] * cells)
    if declaration.crossed:
        is_one = isinstance(prior, int | float | Fraction) or (isinstance(prior, str) and prior[:1].isdigit())
        cell_prior = Dirichlet([prior] * cells) if is_one and "," not in str(prior) else as_prior(prior, cells)
        if cell_prior.k != cells:
            raise InvalidInput(
                f"the prior has {cell_prior.k} parameters for {cells:,} cells",
                hint="give one for all of them",
                parameter="prior",
            )
        return cell_prior
    cell_prior = as_prior(prior, answers)
    if cell_prior.k == cells:
        return cell_prior
    if cell_prior.k == answers:
        return Dirichlet(list(cell_prior.parameters) * (cells // answers))
    raise InvalidInput(
        f"the prior has {cell_prior.k} parameters for {answers} categories",
        hint="give one for each, other included",
        parameter="prior",
    )


def _law(part: Part) -> object:
    """The law and its price, whichever version of discreet certifies it: an upgrade does not make another request."""
    if part.certificate is None:
        return list(map(str, part.prior.parameters))
    return {key: value for key, value in part.certificate.facts.items() if key != "version"}


def _digest(request: Any) -> str:
    return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
