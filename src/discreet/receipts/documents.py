"""The JSON object of a release: of a column, of a cross table whose cells are its categories, or of public groups.

Where membership of the groups is public, each group is released by itself, for one price: neighbours differ in one
answer, which is one group's (parallel composition). A group without records has nothing to protect: its posterior is
its prior, and nothing is drawn for it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from math import isfinite
from typing import Any, TypeVar

from discreet.arithmetic.numbers import float_upper
from discreet.arithmetic.texts import require_name
from discreet.arithmetic.words import utc_now
from discreet.errors import InvalidInput
from discreet.inference.statement import (
    NOISE_AWARE,
    PLUG_IN,
    Intervals,
    interval_kind,
    stated_by,
    stated_groups,
    stated_shares,
    stated_total,
)
from discreet.mechanisms import Mechanism, Released
from discreet.posteriors import Dirichlet
from discreet.privacy_loss import Certificate, audit, certificate_by_theorem
from discreet.receipts.bundle import Bundle
from discreet.receipts.rate_terms import RateTerms
from discreet.receipts.receipt import Receipt, canonical
from discreet.receipts.schemas import (
    BUNDLE_KEYS,
    BUNDLE_OF,
    FIRST_SCHEMA,
    KEYS,
    LEVEL,
    PRIVATE_N_SCHEMA,
    SCHEMA,
    SHARED,
)
from discreet.receipts.words import UNIT_ROW, citation, plain, question
from discreet.utility.measure import accuracy_statement
from discreet.version import __version__

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ReceiptRequest:
    """What a receipt says of its request: whose data one record is, what was charged and when, what it is about."""

    unit: str = UNIT_ROW
    request_id: str | None = None
    dataset: str | None = None
    charge: str | None = None
    version: str = field(default_factory=lambda: __version__)
    released_at: str | None = None
    title: str | None = None
    source_name: str | None = None
    column: str | None = None
    other: str | None = None
    missing: str | None = None
    filters: dict[str, list[str]] = field(default_factory=dict)
    """The values that were selected, by column."""
    rates: RateTerms | None = None
    """How the counts are read as rates of events, if they are."""

    def __post_init__(self) -> None:
        for what in ("title", "source_name", "column"):
            if getattr(self, what) is not None:
                require_name(getattr(self, what), f"the {what.replace('_', ' ')}")


@dataclass(frozen=True, slots=True)
class Part:
    """What one mechanism releases: all of a receipt, or one public group. A group without records has none."""

    prior: Dirichlet
    mechanism: Mechanism | None
    certificate: Certificate | None
    accuracy: dict[str, Any] | None = None

    @property
    def sizes(self) -> dict[str, int]:
        """What is public of the number of records: n, or nothing."""
        return {"n": 0} if self.mechanism is None else self.mechanism.space.adjacency.sizes


def write_receipt(
    parts: Sequence[Part],
    categories: Sequence[str],
    drawn: Sequence[Released | None] | None,
    *,
    by: str | None = None,
    groups: Sequence[str] = (),
    request: ReceiptRequest | None = None,
    schema: str | None = None,
) -> Receipt:
    """The receipt of one part, or where groups are public of one for each; before a draw what is drawn is null.

    With groups, `categories` are the answers, and what there is of each cell is told group by group. The schema
    follows from the adjacency; an earlier `schema` is for those who verify.

    >>> from discreet import Geometric, PosteriorSpace
    >>> from discreet.privacy_loss import certificate_by_theorem
    >>> mechanism = Geometric(PosteriorSpace(prior=[1, 1], n=90), epsilon="1/3")
    >>> part = Part(mechanism.space.prior, mechanism, certificate_by_theorem(mechanism))
    >>> document = write_receipt([part], ["no", "yes"], None).document
    >>> document["epsilon_exact"], document["epsilon"] >= 1 / 3, document["posterior"]
    ('1/3', True, None)
    """
    mechanisms = [part.mechanism for part in parts if part.mechanism is not None]
    first, public = mechanisms[0], groups if len(parts) > 1 else ()
    schema = schema or (SCHEMA if first.space.adjacency.keeps_total else PRIVATE_N_SCHEMA)
    prior = [plain(parameter) for part in parts for parameter in part.prior.parameters]
    certificates = [None if part.certificate is None else part.certificate.to_json() for part in parts]
    is_cross = bool(groups) and not public
    document = {
        "schema": schema,
        "mechanism": {"name": first.name, **_shared_parameters([each.parameters() for each in mechanisms])},
        "epsilon": float_upper(first.epsilon),
        "epsilon_exact": str(first.epsilon),
        "delta": float_upper(first.delta),
        **({} if schema == PRIVATE_N_SCHEMA else {"n": sum(part.sizes["n"] for part in parts)}),
        "prior": _by_group(groups, _blocks(prior, len(categories))),
        "categories": list(categories),
        "by": by,
        "groups": list(groups) or None,
        "group_sizes": _by_group(public, [part.sizes["n"] for part in parts]) if public else None,
        "adjacency": first.adjacency,
        "accuracy": _by_group(public, [part.accuracy for part in parts]),
        "certificate": _by_group(public, certificates),
        **asdict(request or ReceiptRequest()),
    }
    if is_cross:
        document |= _cross_rows(first, categories, groups, drawn, schema)
    else:
        document |= _rows(parts, categories, groups, drawn)
    if document["rates"] is not None and request is not None and request.rates is not None:
        events = None if not drawn or drawn[0] is None else (first, drawn[0].output)
        document["rates"] = request.rates.document(events, LEVEL)
    if schema == PRIVATE_N_SCHEMA and document["interval_kind"] == NOISE_AWARE and drawn and drawn[0] is not None:
        with suppress(Exception):  # what was drawn is drawn: it must be shown
            document["total"] = stated_total(drawn[0].noise_aware(), LEVEL)
    document |= {"question": question(document), "citation": citation(document)}
    return Receipt({key: document.get(key) for key in KEYS[schema]}, tuple(drawn or ()))


def receipt_of(
    released: Released, categories: Sequence[str] | None = None, *, title: str | None, source_name: str | None
) -> Receipt:
    """The receipt of a release that nobody charged."""
    mechanism = released.mechanism
    names = [str(i) for i in range(1, mechanism.space.k + 1)] if categories is None else list(categories)
    if len(names) != mechanism.space.k or len(set(names)) != len(names):
        raise InvalidInput(
            f"categories must be {mechanism.space.k} different names", hint="give one for each", parameter="categories"
        )
    for name in names:
        require_name(name, "a category")
    has_theorem = mechanism.proved_by == "theorem"
    certificate = certificate_by_theorem(mechanism) if has_theorem else audit(mechanism).certificate
    part = Part(mechanism.space.prior, mechanism, certificate, accuracy_statement(mechanism))
    about = ReceiptRequest(title=title, source_name=source_name, released_at=utc_now())
    return write_receipt([part], names, [released], request=about)


def write_bundle(
    columns: Sequence[str], receipts: Sequence[Receipt], together: tuple[Fraction, Fraction] | None = None
) -> Bundle:
    """The bundle of these receipts: losses add up, or are an ε and a δ `together`; the rest they share."""
    parts = [receipt.document for receipt in receipts]
    schema = BUNDLE_OF[parts[0]["schema"]]
    total = sum((Fraction(part["epsilon_exact"]) for part in parts), Fraction(0))
    delta = float_upper(sum((Fraction(part["delta"]) for part in parts), Fraction(0)))
    if together is not None:
        total, delta = together[0], float(together[1])  # what is proved is proved for this float
    document = {
        "schema": schema,
        "columns": list(columns),
        "parts": parts,
        "epsilon": float_upper(total),
        "epsilon_exact": str(total),
        "delta": delta,
        **{key: parts[0][key] for key in SHARED[schema]},
    }
    if "citation" in BUNDLE_KEYS[schema]:
        document["citation"] = citation(document)
    return Bundle({key: document[key] for key in BUNDLE_KEYS[schema]}, receipts)


DRAWN = ("belief", "posterior", "output", "interval", "interval_kind", "group_shares", "total", "rates")
"""The fields that depend on what was drawn."""

_WIDE = {int: 20, float: 24, str: 50}
"""How long the text of a value may be; a fraction's has its denominator twice more. Longer ones have no chance."""

EXACT = ("parameter", "shape", "rate")
"""A parameter of the prior and a count: whether its text is a float or a fraction depends on the count."""


def sealed_text(receipt: Receipt | Bundle) -> str:
    """What is sealed: the receipt, and blanks that make it equally long whatever was drawn.

    A disk that is nearly full may refuse a seal, and then the request is drawn again. That must not depend on the draw:
    whoever sees that it was refused would learn of it, and the short ones of all draws would be shown.
    `tests/attacks/test_every_seal_has_the_same_length.py` holds it to that.
    """
    parts = receipt.document.get("parts", [receipt.document])
    return receipt.to_json() + " " * sum(
        _missing(part.get(key)) + _absent(part, key) for part in parts for key in DRAWN
    )


_KNOWN = {"mean": 0.0, "interval": [0.0, 0.0]}


def _absent(part: dict[str, Any], key: str) -> int:
    """How much shorter a receipt is without what could not be computed, which may depend on the draw too."""
    rates = part.get("rates") or {}
    absent: Any = {}
    if key == "total" and key in part and part["total"] is None:
        absent = _KNOWN
    elif key == "rates" and rates.get("posterior") and rates["belief"] is None:
        absent = dict.fromkeys(rates["posterior"], _KNOWN)
    return _length(absent) - _length(None) + _missing(absent) if absent else 0


def _length(value: Any) -> int:
    """Of a value of a receipt, in the row of a ledger: a text within a text."""
    return len(json.dumps(canonical(value)))


def _missing(value: Any, name: str = "") -> int:
    """How much shorter the values are than they may be."""
    if isinstance(value, dict):
        return sum(_missing(inner, key) for key, inner in value.items())
    if isinstance(value, list):
        return sum(map(_missing, value))
    stated = str(Fraction(str(value))) if name in EXACT and value is not None else value
    denominator = stated.partition("/")[2] if isinstance(stated, str) else ""
    length = len(json.dumps(value)) + 2 * isinstance(value, str)  # whose quotes are escaped in the row of a ledger
    return max(0, _WIDE.get(type(stated), 0) + 2 * len(denominator) - length)


def _rows(
    parts: Sequence[Part], categories: Sequence[str], groups: Sequence[str], drawn: Sequence[Released | None] | None
) -> dict[str, Any]:
    """What was drawn for a column, or for each public group, and what may be believed.

    The beliefs of all groups are of one kind: at face value if one of them is not available otherwise.
    """
    mechanisms = [part.mechanism for part in parts if part.mechanism is not None]
    kind = NOISE_AWARE if all(interval_kind(each) == NOISE_AWARE for each in mechanisms) else PLUG_IN
    if drawn is None:
        return {"interval_kind": kind}
    pairs = list(zip(parts, drawn, strict=True))
    posteriors = [part.prior if released is None else released.posterior for part, released in pairs]
    shares: list[Intervals] = []
    if kind == NOISE_AWARE:
        stated = [
            (NOISE_AWARE, stated_by(part.prior, LEVEL)) if released is None else stated_shares(released, LEVEL)
            for part, released in pairs
        ]
        shares = [share for share_kind, share in stated if share_kind == NOISE_AWARE]
    if len(shares) < len(parts):
        kind, shares = PLUG_IN, [stated_by(posterior, LEVEL) for posterior in posteriors]
    outputs = [[0] * len(categories) if released is None else list(released.output) for released in drawn]
    return {
        "interval_kind": kind,
        "posterior": _by_group(groups, [_posterior_rows(posterior, categories) for posterior in posteriors]),
        "output": _by_group(groups, outputs),
        **_belief_fields(groups, [_belief_rows(categories, share) for share in shares]),
    }


def _cross_rows(
    mechanism: Mechanism,
    categories: Sequence[str],
    groups: Sequence[str],
    drawn: Sequence[Released | None] | None,
    schema: str,
) -> dict[str, Any]:
    """What was drawn for a cross table. The posterior within each group is that of its cells alone."""
    k, released = len(categories), None if drawn is None else drawn[0]
    if released is None:
        return {"interval_kind": interval_kind(mechanism, k)}
    cells = _blocks(released.posterior.parameters, k)
    kind, within, shares = stated_groups(released, LEVEL, k)
    if schema == FIRST_SCHEMA:  # where these means are at face value
        shares = shares._replace(mean=Dirichlet([sum(group) for group in cells]).mean)
    return {
        "interval_kind": kind,
        "posterior": _by_group(groups, [_posterior_rows(Dirichlet(group), categories) for group in cells]),
        "output": _by_group(groups, _blocks(released.output, k)),
        **_belief_fields(groups, [_belief_rows(categories, share) for share in within]),
        "group_shares": _belief_rows(groups, shares),
    }


def _blocks(values: Sequence[T], k: int) -> list[list[T]]:
    """Values of all cells, group by group."""
    return [list(values[first : first + k]) for first in range(0, len(values), k)]


def _by_group(groups: Sequence[str], values: Sequence[T]) -> dict[str, T] | T:
    """The values by the names of their groups; without groups, the only one."""
    return dict(zip(groups, values, strict=True)) if groups else values[0]


def _posterior_rows(posterior: Dirichlet, categories: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The parameter and the mean of each category: the float next to the exact one, on every machine."""
    rows, total = zip(categories, posterior.parameters, strict=True), posterior.total
    return {name: {"parameter": plain(parameter), "mean": float(parameter / total)} for name, parameter in rows}


def _belief_rows(names: Sequence[str], shares: Intervals) -> dict[str, dict[str, Any]]:
    """The mean and the interval of each share; null where floats cannot tell its ends: nothing may fail."""
    rows = zip(names, *(part.tolist() for part in shares), strict=True)
    return {name: {"mean": mean, "interval": [a, b] if isfinite(a + b) else None} for name, mean, a, b in rows}


def _belief_fields(groups: Sequence[str], rows: Sequence[dict[str, dict[str, Any]]]) -> dict[str, Any]:
    """The belief, and its intervals once more by themselves, where programs have always found them."""
    ends = [{name: row["interval"] for name, row in part.items()} for part in rows]
    return {"belief": _by_group(groups, rows), "interval": _by_group(groups, ends)}


def _shared_parameters(parameters: Sequence[dict[str, str]]) -> dict[str, str]:
    """What is the same for all groups; what is not, the certificates tell."""
    return {key: value for key, value in parameters[0].items() if all(part.get(key) == value for part in parameters)}
