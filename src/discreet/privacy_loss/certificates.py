"""A certificate: what was proved of a mechanism, by which argument, bound to its public facts by a digest."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.numbers import float_upper
from discreet.errors import InvalidInput, NotPrivate
from discreet.mechanisms import Mechanism
from discreet.typing import Outcome
from discreet.version import __version__

SCHEME = 1
"""Raised whenever the meaning of a field changes."""

_MOVED = ("snapping.counts", "snapped_counts")
"""A law keeps the name that certificates have for it, wherever its module has moved."""


def facts(mechanism: Mechanism) -> dict[str, Any]:
    """All that is public about a mechanism and that its law depends on, as exact texts."""
    law = type(mechanism)
    return {
        "scheme": SCHEME,
        "version": __version__,
        "mechanism": mechanism.name,
        "law": f"{law.__module__.replace(*_MOVED)}.{law.__qualname__}",
        "parameters": mechanism.parameters(),
        "prior": [str(parameter) for parameter in mechanism.space.prior.parameters],
        **mechanism.space.adjacency.sizes,
        "adjacency": mechanism.adjacency,
        "epsilon": str(mechanism.epsilon),
        "delta": str(mechanism.delta),
    }


@dataclass(frozen=True, slots=True)
class WorstCase:
    """The greatest loss that was found, and where. These are no one's data: all data sets are looked at alike."""

    loss: float = -math.inf
    counts: Outcome = ()
    neighbour: Outcome = ()
    output: Outcome = ()
    bound: float = -math.inf
    """On what was not looked at."""
    error: float = 0.0
    """By how much the loss and the bound may be off."""

    def to_json(self) -> dict[str, list[int]]:
        """Where it is."""
        return {key: list(getattr(self, key)) for key in ("counts", "neighbour", "output")}

    def or_greater(self, gap: Floats, one: Wholes, other: Wholes, counts: Callable[[int], Iterable[int]]) -> WorstCase:
        """The greatest of this and of the losses ±gap: a row for each pair of ranks, a column for each output."""
        worst = self
        for sign, place in ((1, int(gap.argmax())), (-1, int(gap.argmin()))):
            row, output = divmod(place, gap.shape[1])
            loss = sign * float(gap[row, output])
            if loss > worst.loss:
                places = (*(one[row], other[row])[::sign], output)
                data, neighbour, released = (tuple(counts(int(rank))) for rank in places)
                worst = replace(worst, loss=loss, counts=data, neighbour=neighbour, output=released)
        return worst


@dataclass(frozen=True, slots=True)
class Certificate:
    """What was proved: the loss is at most `loss`, by `method`, for the mechanism whose facts are these.

    >>> from discreet import Geometric, PosteriorSpace
    >>> mechanism = Geometric(PosteriorSpace(prior=[1, 1], n=50), epsilon="1/3")
    >>> certificate = certificate_by_theorem(mechanism)
    >>> certificate.loss, certificate.method
    ('1/3', 'theorem')
    >>> certificate.check(mechanism)
    """

    facts: dict[str, Any]
    loss: str
    method: str
    statement: str
    worst: dict[str, list[int]] | None = None
    digest: str = ""

    def __post_init__(self) -> None:
        expected = self._digest()
        if not self.digest:
            object.__setattr__(self, "digest", expected)
        elif self.digest != expected:
            raise InvalidInput("the certificate was changed: its digest does not fit", hint="make it anew")

    def _digest(self) -> str:
        body = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "digest"}
        return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    def __repr__(self) -> str:
        return f"<Certificate {self.digest[:16]!r}: a loss of at most {self.loss!r}, by {self.method!r}>"

    @property
    def bound(self) -> Fraction | float:
        """The certified loss."""
        return float("inf") if self.loss == "inf" else Fraction(self.loss)

    def check(self, mechanism: Mechanism) -> None:
        """Refuse a mechanism that this certificate does not speak of, or that it does not show to be ε-DP."""
        if self.facts != facts(mechanism):
            raise NotPrivate("the certificate is of another mechanism", hint="audit this one")
        if not self.bound <= mechanism.epsilon:
            raise NotPrivate("the certified loss exceeds epsilon", hint="use a larger epsilon or a smaller scale")

    def to_json(self) -> dict[str, Any]:
        """For receipts and programs. `epsilon` is the certified loss as a float, rounded up."""
        bound = self.bound
        document = {each.name: getattr(self, each.name) for each in fields(self)}
        for name in ("facts", "worst"):  # whoever changes a document changes no certificate
            document[name] = (
                None if document[name] is None else {key: copy(value) for key, value in document[name].items()}
            )
        return {**document, "epsilon": float_upper(bound) if isinstance(bound, Fraction) else None}

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Certificate:
        """Read it back; a changed one is refused."""
        try:
            values = {name: document[name] for name in ("facts", "loss", "method", "statement", "worst", "digest")}
        except (KeyError, TypeError):
            raise InvalidInput("this is no certificate", hint="give one that discreet wrote") from None
        if not values["digest"]:
            raise InvalidInput("the certificate has no digest", hint="give one that discreet wrote")
        certificate = cls(**values)
        if "epsilon" in document and document["epsilon"] != certificate.to_json()["epsilon"]:
            raise InvalidInput("the certificate's epsilon is not its loss", hint="give one that discreet wrote")
        return certificate


def certify(
    mechanism: Mechanism, bound: Fraction | float, method: str, statement: str, worst: WorstCase | None
) -> Certificate:
    """The certificate that the mechanism's loss is at most this."""
    loss = str(bound) if isinstance(bound, Fraction) else "inf"
    return Certificate(facts(mechanism), loss, method, statement, None if worst is None else worst.to_json())


def certificate_by_theorem(mechanism: Mechanism) -> Certificate:
    """The certificate of the mechanism's own proof: no enumeration, for any n and k.

    A calibrated mechanism has none: its certificate says that it was enumerated. Where the bound is known to be
    reached, the certificate names the place, as an audit does.
    """
    method, statement = mechanism.proved_by, mechanism.guaranteed_by
    return certify(mechanism, mechanism.guarantee, method, statement, theorem_worst_case(mechanism))


def theorem_worst_case(mechanism: Mechanism) -> WorstCase | None:
    """Where the bound of a mechanism's own proof is its exact loss: known of geometric alone, and no one's data.

    Its weights are exp(-ε‖z-c‖₁/m) with the same total for all c, and neighbours are m apart: 2 if a record is
    replaced, 1 if it is added or removed. So the output c itself is e^ε times as likely from c as from a neighbour. A
    subclass may have another law, and is not believed.

    >>> from discreet import Geometric, PosteriorSpace
    >>> theorem_worst_case(Geometric(PosteriorSpace(prior=[1, 1, 1], n=50), epsilon=1)).to_json()
    {'counts': [50, 0, 0], 'neighbour': [49, 1, 0], 'output': [50, 0, 0]}
    """
    if not mechanism.kernel.reached:
        return None
    space = mechanism.space
    counts = space.adjacency.example(space.k)
    return WorstCase(float(mechanism.epsilon), counts, next(iter(space.adjacency.neighbours(counts))), counts)
