"""What is asked: of one column, and of a table. Every face puts its words into these, and hands them on as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from fractions import Fraction

from discreet.arithmetic.numbers import exact, whole
from discreet.counting import CsvFormat, Declaration, Filters, engine_for, public_name
from discreet.errors import InvalidInput
from discreet.ledger.budgets import ADD_REMOVE, REPLACE_ANSWER, REPLACE_ONE
from discreet.ledger.entries import exact_amount
from discreet.mechanisms import Gaussian, Geometric
from discreet.mechanisms.base import read_epsilon
from discreet.privacy_loss.loss_distributions import share_together
from discreet.receipts import RateTerms, ReceiptRequest
from discreet.samplers.bits import SYSTEM
from discreet.typing import Epsilon, Label

Sizes = int | tuple[int, ...] | None
"""n: the number of records, or of each public group; None where it is private, and nobody asks for it."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How it is to be released: the mechanism with its options, at its theorem's scale or calibrated, and the prior."""

    mechanism: str
    calibrated: bool
    prior: object
    options: dict[str, object]
    rates: RateTerms | None = None
    """How the counts are read as rates of events, if they are; the prior is then of these."""


@dataclass(frozen=True, slots=True, init=False)
class Question(Declaration):
    """What is asked of one column of a request: a declaration, at a price; the same words as in `release`.

    >>> Question("vote", ["Clinton", "Dole"], other="someone else").categories
    ('Clinton', 'Dole')
    """

    group_public: bool
    adjacency: str
    """What one person may change."""
    epsilon: Epsilon | None
    terms: Terms

    def __init__(
        self,
        column: str | None = None,
        categories: Sequence[Label] = (),
        *,
        cross: Mapping[str, Sequence[Label]] | None = None,
        impossible: Sequence[Mapping[str, Label]] = (),
        other: str | None = None,
        by: str | None = None,
        groups: Sequence[Label] = (),
        other_group: str | None = None,
        missing: str | None = None,
        group_public: bool = False,
        adjacency: str = REPLACE_ONE,
        filters: Filters = (),
        prior: object = None,
        exposure: object = None,
        per: object = 1,
        mechanism: str = "geometric",
        calibrated: bool = False,
        epsilon: Epsilon | None = None,
        **options: object,
    ) -> None:
        shared = {"id_column", "n"} & set(options)
        if shared:
            raise InvalidInput(f"{min(shared)} is one for all columns", hint="give it to release_columns")
        table = _cross_declaration(column, cross, impossible, other=other, missing=missing)
        if table is None and column is None:
            raise InvalidInput("there is no column to count", hint="name it, or several to cross")
        Declaration.__init__(
            self, str(column) if table is None else table.column, categories if table is None else table.categories,
            other, by=by, groups=groups, other_group=other_group, missing=missing, filters=filters,
            crossed=() if table is None else table.crossed, impossible=() if table is None else table.impossible,
        )  # fmt: skip
        if self.crossed and (by is not None or exposure is not None or mechanism != "geometric" or calibrated):
            raise InvalidInput(
                "a cross table has no groups of its own, and is released by geometric", hint="cross them"
            )
        if group_public and by is None:
            raise InvalidInput("there are no groups to be public", hint="name their column with `by`")
        object.__setattr__(self, "group_public", group_public)
        object.__setattr__(self, "adjacency", _require_adjacency(self, adjacency))
        object.__setattr__(self, "epsilon", epsilon)
        rates = None
        if exposure is not None:
            rates, prior = self._rate_terms(exposure, per, prior), None
        object.__setattr__(self, "terms", Terms(mechanism, calibrated, prior, options, rates))

    def _rate_terms(self, exposure: object, per: object, prior: object) -> RateTerms:
        if self.by is not None or not self.has_private_n:
            raise InvalidInput(
                "rates are of events by one column, and of a private number of them",
                hint="count the groups as categories, under `adjacency` add-remove",
            )
        return RateTerms.read(exposure, self.answers, per=per, prior=prior)

    @property
    def has_private_n(self) -> bool:
        """Whether the number of records is protected: it is then neither asked for nor told."""
        return self.adjacency == ADD_REMOVE

    @property
    def loss_categories(self) -> int:
        """Neighbours are told apart no better than by geometric with so many categories: by its ε alone, with two."""
        if self.terms.mechanism != Geometric.name or self.has_private_n:
            return 2
        return len(self.answers if self.group_public else self.labels)

    def declaration(self, id_column: str | None) -> Declaration:
        """What the question declares of its column."""
        declared = {each.name: getattr(self, each.name) for each in fields(Declaration)}
        return Declaration(**declared | {"id_column": id_column})


@dataclass(frozen=True, slots=True)
class ReleaseRequest:
    """One request: where the rows are, what is asked of them, at what price, and which budget pays."""

    source: object
    questions: Sequence[Question]
    _: KW_ONLY
    epsilon: Epsilon | None = None
    """The price of all questions together; None if each says its own."""
    delta: Epsilon = 0
    """With a δ, all questions together cost their exact composition, and not the sum of their ε."""
    n: object = None
    id_column: str | None = None
    dataset: str | None = None
    request_id: str | None = None
    again: bool = True
    """Whether to pay anew for a question that the dataset was charged for before, under another id."""
    engine: str | None = None
    form: CsvFormat = field(default_factory=CsvFormat)
    about: ReceiptRequest = field(default_factory=ReceiptRequest)
    """What the receipt is called, and what it says of the source: presentation, and no part of what is asked."""
    is_bundle: bool = False
    """Whether the receipts of the questions come in one `Bundle`, also if there is only one."""
    declarations: tuple[Declaration, ...] = field(init=False)
    epsilons: tuple[Epsilon, ...] = field(init=False)
    """The price of each question."""
    together: tuple[Fraction, Fraction] | None = field(init=False)
    """ε and δ of all questions, if these buy more than equal shares of ε."""
    sizes: Sizes = field(init=False)

    def __post_init__(self) -> None:
        if self.has_private_n and self.n is not None:
            raise n_is_private()
        if (self.is_bundle or len(self.questions) > 1) and any(question.crossed for question in self.questions):
            raise InvalidInput("a cross table is released by itself", hint="cross all columns, or ask twice")
        epsilons, together = _shares(self.questions, self.epsilon), None
        if exact(self.delta, "delta", minimum=0):
            epsilons, together = self._compose(epsilons)
        derived = {
            "declarations": tuple(question.declaration(self.id_column) for question in self.questions),
            "epsilons": epsilons,
            "together": together,
            "sizes": _sizes(self.n),
            "engine": engine_for(self.source, self.engine),
            "form": self.form.for_source(self.source),
            "is_bundle": self.is_bundle or len(self.questions) > 1,
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    @property
    def has_private_n(self) -> bool:
        """Whether the number of records is protected: for all questions, or for none."""
        private = {question.has_private_n for question in self.questions}
        if len(private) > 1:
            raise InvalidInput("n is private for one column and public for another", hint="ask twice")
        return True in private

    def _compose(self, epsilons: tuple[Epsilon, ...]) -> tuple[tuple[Epsilon, ...], tuple[Fraction, Fraction] | None]:
        """The ε of each question by the exact composition of all; where that is an equal share, δ is not spent."""
        if self.epsilon is None or len(epsilons) == 1:
            raise InvalidInput(
                "a delta is for one epsilon of several columns", hint="leave it out: the epsilon alone is charged"
            )
        epsilon, delta = exact_amount(read_epsilon(self.epsilon), self.delta)
        proved = min(delta, Fraction(float(delta)))  # a receipt says it as a float: it is proved for that too
        share = share_together([question.loss_categories for question in self.questions], epsilon, proved)
        return ((share,) * len(epsilons), (epsilon, delta)) if share != epsilons[0] else (epsilons, None)

    @property
    def name(self) -> str:
        """What may be said of the source: no password is in it."""
        return public_name(self.source)


def _cross_declaration(
    column: str | None,
    cross: Mapping[str, Sequence[Label]] | None,
    impossible: Sequence[Mapping[str, Label]],
    *,
    other: str | None,
    missing: str | None,
) -> Declaration | None:
    """What a question declares of crossed columns, if it is about some."""
    if cross is None:
        if impossible:
            raise InvalidInput("only cells of a cross table may be impossible", hint="name its columns with `cross`")
        return None
    if column is not None:
        raise InvalidInput("there is one column to count, and others to cross", hint="give all of them to `cross`")
    return Declaration.cross(cross, other=other, missing=missing, impossible=impossible)


def n_is_private() -> InvalidInput:
    """What is said to whoever gives n where nobody may know it."""
    return InvalidInput(
        "under add-remove the number of records is private", hint="leave `n` out: nothing asks for it", parameter="n"
    )


def draw_request_id() -> str:
    """A name for a request that was given none."""
    return f"{SYSTEM.draw_bits(128):032x}"


def place_delta(mechanism: str, delta: Epsilon | None, columns: int) -> tuple[dict[str, object], Epsilon]:
    """Where the δ of a request goes: to each column's mechanism, as one of its options, or to the composition of all.

    >>> place_delta("gaussian", "1e-6", 2), place_delta("geometric", "1e-6", 2), place_delta("geometric", None, 2)
    (({'delta': Fraction(1, 2000000)}, 0), ({}, '1e-6'), ({}, 0))
    """
    if delta is None:
        return {}, 0
    if columns == 1:
        return {"delta": delta}, 0
    return ({"delta": exact(delta, "delta") / columns}, 0) if mechanism == Gaussian.name else ({}, delta)


def _shares(questions: Sequence[Question], epsilon: Epsilon | None) -> tuple[Epsilon, ...]:
    """The price of each question: its own, or an equal share of the price of all."""
    if not questions:
        raise InvalidInput("there is no question", hint="ask for at least one column")
    prices = tuple(question.epsilon for question in questions if question.epsilon is not None)
    if epsilon is None:
        if len(prices) < len(questions):
            raise InvalidInput("a column has no epsilon", hint="give each its own, or one for all together")
        return prices
    if prices:
        raise InvalidInput("there is an epsilon for all and one of a column", hint="give the one or the others")
    return (read_epsilon(epsilon) / len(questions),) * len(questions)


def _require_adjacency(question: Question, adjacency: str) -> str:
    """The neighbour relation that is meant, if it goes with what is declared."""
    if adjacency == ADD_REMOVE:
        if question.group_public:
            raise InvalidInput(
                "groups that are public have sizes that are, and add-remove protects them",
                hint="leave `group_public` out: the groups of one cross table cost no more",
            )
        return adjacency
    if adjacency != REPLACE_ONE and not (question.group_public and adjacency == REPLACE_ANSWER):
        raise InvalidInput(
            "there is no such adjacency for a release",
            hint="use replace-one or add-remove; where groups are public, `group_public` says so",
            parameter="adjacency",
        )
    if question.filters:
        raise InvalidInput(
            f"under {adjacency} n is published, and with a filter the number of selected records would be",
            hint=f"protect it with `adjacency` add-remove, or leave the filter out and make groups, or categories, of "
            f"{question.filters[0].column!r}",
        )
    return REPLACE_ANSWER if question.group_public else REPLACE_ONE


def _sizes(n: object) -> Sizes:
    """n as it is asked for: None, one for all records, or one for each public group."""
    if n is None:
        return None
    if isinstance(n, Sequence) and not isinstance(n, str | bytes):
        return tuple(whole(size, "n") for size in n)
    return whole(n, "n", minimum=1)
