"""All that is public about a request, settled before anything is charged: questions, mechanisms, certificates, prices.

A question is put to one column. Its answer is one release; where membership of its groups is declared public, one for
each group. Several questions in one request are prepared together: their losses add up.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from typing import Any

from discreet.counting import CsvFormat, Declaration
from discreet.errors import InvalidInput
from discreet.ledger import Charge, Scope
from discreet.mechanisms import Mechanism, Released
from discreet.mechanisms import mechanism as named_mechanism
from discreet.posteriors import Dirichlet
from discreet.posteriors.space import Counts, PosteriorSpace
from discreet.privacy_loss import Certificate, Price, audit, calibrate, certificate_by_theorem
from discreet.receipts import UNIT_PERSON, UNIT_ROW, bundle_document, public_groups_document, receipt_document
from discreet.receipts.documents import Request
from discreet.receipts.groups import PublicGroup
from discreet.utility.statement import accuracy_statement


@dataclass(frozen=True, slots=True)
class Prepared:
    """One release from one mechanism, of a column or of a cross table: safe to show."""

    declaration: Declaration
    mechanism: Mechanism
    certificate: Certificate
    accuracy: dict[str, Any]
    digest: str

    @property
    def price(self) -> Price:
        """What it costs."""
        return Price(((self.mechanism,),))

    @property
    def scope(self) -> Scope:
        """Whom it protects, and which columns."""
        return Scope(self.declaration.id_column, _columns(self.declaration.column, self.declaration.by))

    @property
    def unit(self) -> str:
        """Whose data one record is."""
        return unit_of(self.declaration)

    def check(self) -> None:
        """Refuse what is not proved."""
        self.certificate.check(self.mechanism)

    def require_guarantee(self) -> None:
        """Refuse what has no guarantee, before any data is touched."""
        self.mechanism.require_guarantee()

    def fits(self, counts: Counts) -> bool:
        """Whether these can be the counts of the table that was prepared for."""
        return sum(counts) == self.mechanism.space.n

    def release(self, counts: Counts) -> Released:
        """One draw from the law of the counts."""
        return self.mechanism.release(counts)

    def document(self, released: Released | None = None, charge: Charge | None = None) -> dict[str, Any]:
        """The receipt, as far as it is known."""
        declaration = self.declaration
        return receipt_document(
            self.mechanism,
            declaration.answers,
            released,
            certificate=self.certificate,
            accuracy=self.accuracy,
            request=request_of(declaration, charge),
            by=declaration.by,
            groups=declaration.group_labels,
        )


@dataclass(frozen=True, slots=True)
class PreparedGroups:
    """One release for each group, where membership is public: neighbours differ in the answer of one record."""

    declaration: Declaration
    parts: tuple[PublicGroup, ...]
    digest: str

    @property
    def mechanisms(self) -> list[Mechanism]:
        """Those of the groups that have records."""
        return [part.mechanism for part in self.parts if part.mechanism is not None]

    @property
    def price(self) -> Price:
        """What it costs: one answer is one group's, so the dearest group's price is that of all."""
        return Price((tuple(self.mechanisms),))

    @property
    def scope(self) -> Scope:
        """Whom it protects, and which columns; the groups' is public."""
        declaration = self.declaration
        return Scope(declaration.id_column, _columns(declaration.column), _columns(declaration.by))

    @property
    def unit(self) -> str:
        """Whose data one record is."""
        return unit_of(self.declaration)

    def check(self) -> None:
        """Refuse what is not proved, of any group."""
        for part in self.parts:
            if part.mechanism is not None and part.certificate is not None:
                part.certificate.check(part.mechanism)

    def require_guarantee(self) -> None:
        """Refuse what has no guarantee, before any data is touched."""
        for mechanism in self.mechanisms:
            mechanism.require_guarantee()

    def fits(self, counts: Counts) -> bool:
        """Whether these can be the counts of the table that was prepared for."""
        return tuple(sum(own) for own in self._split(counts)) == tuple(part.n for part in self.parts)

    def release(self, counts: Counts) -> list[Released | None]:
        """One draw for each group that has records."""
        pairs = zip(self.parts, self._split(counts), strict=True)
        return [None if part.mechanism is None else part.mechanism.release(own) for part, own in pairs]

    def document(
        self, released: Sequence[Released | None] | None = None, charge: Charge | None = None
    ) -> dict[str, Any]:
        """The receipt, as far as it is known."""
        declaration = self.declaration
        return public_groups_document(
            self.parts,
            declaration.answers,
            released,
            by=str(declaration.by),
            groups=declaration.group_labels,
            request=request_of(declaration, charge),
        )

    def _split(self, counts: Counts) -> list[Counts]:
        k = len(self.declaration.answers)
        return [Counts(counts[first : first + k]) for first in range(0, len(counts), k)]


@dataclass(frozen=True, slots=True)
class PreparedColumns:
    """Several questions in one request: all of them are released, or none."""

    parts: tuple[Prepared | PreparedGroups, ...]

    def __post_init__(self) -> None:
        # Losses add up over the same neighbours: those of one question would move the public sizes of the other.
        if self.scope.public & self.scope.protected:
            raise InvalidInput("a column is public as groups and protected as answers", hint="ask for it one way")

    @property
    def digest(self) -> str:
        """Of all parameters of all questions."""
        return _digest([part.digest for part in self.parts])

    @property
    def price(self) -> Price:
        """What all of it costs: every column is paid for."""
        return Price(tuple(part for one in self.parts for part in one.price.parts))

    @property
    def scope(self) -> Scope:
        """Whom it protects, and which columns of all questions."""
        return reduce(Scope.plus, (part.scope for part in self.parts))

    def check(self) -> None:
        """Refuse what is not proved, of any column."""
        for part in self.parts:
            part.check()

    def require_guarantee(self) -> None:
        """Refuse what has no guarantee, before any data is touched."""
        for part in self.parts:
            part.require_guarantee()

    def document(self, released: Sequence[Any] | None = None, charge: Charge | None = None) -> dict[str, Any]:
        """The bundle of receipts, as far as it is known."""
        drawn = [None] * len(self.parts) if released is None else released
        documents = [part.document(one, charge) for part, one in zip(self.parts, drawn, strict=True)]
        return bundle_document([part.declaration.column for part in self.parts], documents)


def _columns(*names: str | None) -> frozenset[str]:
    return frozenset(name for name in names if name is not None)


Plan = Prepared | PreparedGroups | PreparedColumns
"""What a request may be: one release, one for each public group, or several columns."""


def prepare(
    declaration: Declaration,
    n: int | Sequence[int],
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
    group_public: bool = False,
) -> Prepared | PreparedGroups:
    """Settle mechanism, certificate and accuracy from public facts alone; where groups are public, n is theirs."""
    whole = _prior(declaration, prior)
    request = {
        "column": declaration.column,
        "categories": list(declaration.categories),
        "other": declaration.other,
        "id_column": declaration.id_column,
        "by": declaration.by,
        "groups": list(declaration.groups),
        "other_group": declaration.other_group,
        "source": source,
        "engine": engine,
        "form": asdict(form),
        "dataset": dataset,
    }

    def part(own: Dirichlet, size: int, adjacency: str) -> tuple[Mechanism, Certificate]:
        space = PosteriorSpace(prior=own, n=size, adjacency=adjacency)
        if calibrated:
            found = calibrate(mechanism, space, epsilon=epsilon, **options)  # type: ignore[arg-type]
            return found, audit(found).certificate
        found = named_mechanism(mechanism, space, epsilon=epsilon, **options)
        return found, certificate_by_theorem(found)

    if not group_public:
        if not isinstance(n, int):
            raise InvalidInput("there is one n for all groups together", hint="or declare the groups public")
        made, certificate = part(whole, n, "replace-one")
        digest = _digest({**request, "law": _lasting(certificate)})
        return Prepared(declaration, made, certificate, accuracy_statement(made), digest)
    if declaration.by is None:
        raise InvalidInput("there are no groups to be public", hint="name their column with `by`")
    if isinstance(n, int) or len(n) != len(declaration.group_labels) or sum(n) == 0:
        raise InvalidInput("public groups have one n each, and not all are 0", hint="give them in the groups' order")
    k = len(declaration.answers)
    parts = []
    for g, size in enumerate(n):
        own = Dirichlet(whole.parameters[g * k : (g + 1) * k])
        if size == 0:
            parts.append(PublicGroup(own, None, None, None))
            continue
        made, certificate = part(own, size, "replace-answer")
        parts.append(PublicGroup(own, made, certificate, accuracy_statement(made)))
    laws = [
        list(map(str, one.prior.parameters)) if one.certificate is None else _lasting(one.certificate) for one in parts
    ]
    return PreparedGroups(declaration, tuple(parts), _digest({**request, "law": laws}))


def unit_of(declaration: Declaration) -> str:
    """Whose data one record is."""
    return UNIT_ROW if declaration.id_column is None else UNIT_PERSON


def request_of(declaration: Declaration, charge: Charge | None) -> Request:
    """What a receipt says of the request."""
    if charge is None:
        return Request(unit_of(declaration))
    return Request(unit_of(declaration), charge.request_id, charge.dataset, charge.hash)


def _prior(declaration: Declaration, prior: object) -> Dirichlet:
    """The prior of all cells: ones, one for each answer that all groups share, or one for each cell."""
    answers, cells = len(declaration.answers), len(declaration.labels)
    if prior is None:
        return Dirichlet([1] * cells)
    given = prior if isinstance(prior, Dirichlet) else Dirichlet(prior)
    if given.k == cells:
        return given
    if given.k == answers:
        return Dirichlet(list(given.parameters) * (cells // answers))
    raise InvalidInput(
        f"the prior has {given.k} parameters for {answers} categories", hint="give one for each, other included"
    )


def _lasting(certificate: Certificate) -> dict[str, Any]:
    """The law and its price, whichever version of discreet certifies it: an upgrade does not make another request."""
    return {key: value for key, value in certificate.facts.items() if key != "version"}


def _digest(request: Any) -> str:
    return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
