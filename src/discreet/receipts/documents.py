"""The JSON object of a release: of a column, of a cross table whose cells are its categories, or of public groups.

Where membership of the groups is public, each group is released by itself, for one price: neighbours differ in one
answer, which is one group's (parallel composition). A group without records has nothing to protect: its posterior is
its prior, and nothing is drawn for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, TypeVar

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.numbers import float_upper
from discreet.inference.statement import (
    NOISE_AWARE,
    PLUG_IN,
    interval_kind,
    stated_groups,
    stated_interval,
)
from discreet.mechanisms import Mechanism, Released
from discreet.posteriors import Dirichlet
from discreet.privacy_loss import Certificate
from discreet.receipts.receipt import BUNDLE_SCHEMA, KEYS, LEVEL, SCHEMA, SHARED, UNIT_ROW, Bundle, Receipt
from discreet.version import __version__

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ReceiptRequest:
    """Whose data one record is, and what was charged."""

    unit: str = UNIT_ROW
    request_id: str | None = None
    dataset: str | None = None
    charge: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """What one mechanism releases: all of a receipt, or one public group. A group without records has none."""

    prior: Dirichlet
    mechanism: Mechanism | None
    certificate: Certificate | None
    accuracy: dict[str, Any] | None = None

    @property
    def n(self) -> int:
        """The number of records: public."""
        return 0 if self.mechanism is None else self.mechanism.space.n


def write_receipt(
    parts: Sequence[Part],
    categories: Sequence[str],
    drawn: Sequence[Released | None] | None,
    *,
    by: str | None = None,
    groups: Sequence[str] = (),
    request: ReceiptRequest | None = None,
) -> Receipt:
    """The receipt of one part, or where groups are public of one for each; before a draw what is drawn is null.

    With groups, `categories` are the answers, and what there is of each cell is told group by group.

    >>> from discreet import Geometric, PosteriorSpace
    >>> from discreet.privacy_loss import certificate_by_theorem
    >>> made = Geometric(PosteriorSpace(prior=[1, 1], n=90), epsilon="1/3")
    >>> part = Part(made.space.prior, made, certificate_by_theorem(made))
    >>> document = write_receipt([part], ["no", "yes"], None).document
    >>> document["epsilon_exact"], document["epsilon"] >= 1 / 3, document["posterior"]
    ('1/3', True, None)
    """
    mechanisms = [part.mechanism for part in parts if part.mechanism is not None]
    first, public = mechanisms[0], groups if len(parts) > 1 else ()
    prior = [plain(parameter) for part in parts for parameter in part.prior.parameters]
    certificates = [None if part.certificate is None else part.certificate.to_json() for part in parts]
    is_cross = bool(groups) and not public
    document = {
        "schema": SCHEMA,
        "mechanism": {"name": first.name, **_shared([made.parameters() for made in mechanisms])},
        "epsilon": float_upper(first.epsilon),
        "epsilon_exact": str(first.epsilon),
        "delta": float_upper(first.delta),
        "n": sum(part.n for part in parts),
        "prior": _by_group(groups, _blocks(prior, len(categories))),
        "categories": list(categories),
        "by": by,
        "groups": list(groups) or None,
        "group_sizes": _by_group(public, [part.n for part in parts]) if public else None,
        "adjacency": first.adjacency,
        "accuracy": _by_group(public, [part.accuracy for part in parts]),
        "certificate": _by_group(public, certificates),
        "version": __version__,
        **asdict(request or ReceiptRequest()),
        **(_cross_rows(first, categories, groups, drawn) if is_cross else _rows(parts, categories, groups, drawn)),
    }
    return Receipt({key: document.get(key) for key in KEYS}, tuple(drawn or ()))


def write_bundle(columns: Sequence[str], receipts: Sequence[Receipt]) -> Bundle:
    """The bundle of these receipts: losses add up, the rest they share."""
    parts = [receipt.document for receipt in receipts]
    total = sum((Fraction(part["epsilon_exact"]) for part in parts), Fraction(0))
    document = {
        "schema": BUNDLE_SCHEMA,
        "columns": list(columns),
        "parts": parts,
        "epsilon": float_upper(total),
        "epsilon_exact": str(total),
        "delta": float_upper(sum((Fraction(part["delta"]) for part in parts), Fraction(0))),
        **{key: parts[0][key] for key in SHARED},
    }
    return Bundle(document, receipts)


def plain(number: Fraction) -> int | float | str:
    """A number that JSON readers get back exactly by the library's rule for floats, or its text if there is none.

    >>> plain(Fraction(3)), plain(Fraction(1, 10)), plain(Fraction(1, 3))
    (3, 0.1, '1/3')
    """
    if number.denominator == 1:
        return number.numerator
    shown = float(number)
    return shown if Fraction(repr(shown)) == number else str(number)


def _rows(
    parts: Sequence[Part], categories: Sequence[str], groups: Sequence[str], drawn: Sequence[Released | None] | None
) -> dict[str, Any]:
    """What was drawn for a column, or for each public group, and its intervals.

    Those of all groups are of one kind: at face value if one of them is not available otherwise.
    """
    mechanisms = [part.mechanism for part in parts if part.mechanism is not None]
    kind = NOISE_AWARE if all(interval_kind(made) == NOISE_AWARE for made in mechanisms) else PLUG_IN
    if drawn is None:
        return {"interval_kind": kind}
    pairs = list(zip(parts, drawn, strict=True))
    posteriors = [part.prior if released is None else released.posterior for part, released in pairs]
    ends: list[tuple[Floats, Floats]] = []
    if kind == NOISE_AWARE:
        stated = [
            (NOISE_AWARE, *part.prior.interval(LEVEL)) if released is None else stated_interval(released, LEVEL)
            for part, released in pairs
        ]
        ends = [(low, high) for own, low, high in stated if own == NOISE_AWARE]
    if len(ends) < len(parts):
        kind, ends = PLUG_IN, [posterior.interval(LEVEL) for posterior in posteriors]
    outputs = [[0] * len(categories) if released is None else list(released.output) for released in drawn]
    return {
        "interval_kind": kind,
        "posterior": _by_group(groups, [_posterior_rows(posterior, categories) for posterior in posteriors]),
        "output": _by_group(groups, outputs),
        "interval": _by_group(groups, [_interval_rows(categories, *pair) for pair in ends]),
    }


def _cross_rows(
    mechanism: Mechanism, categories: Sequence[str], groups: Sequence[str], drawn: Sequence[Released | None] | None
) -> dict[str, Any]:
    """What was drawn for a cross table. The posterior within each group is that of its cells alone."""
    k, released = len(categories), None if drawn is None else drawn[0]
    if released is None:
        return {"interval_kind": interval_kind(mechanism, k)}
    cells = _blocks(released.posterior.parameters, k)
    shares = Dirichlet([sum(own) for own in cells])
    kind, low, high, least, most = stated_groups(released, LEVEL, k)
    around = _interval_rows(groups, least, most)
    means = [float(parameter / shares.total) for parameter in shares.parameters]
    pairs = zip(groups, means, strict=True)
    return {
        "interval_kind": kind,
        "posterior": _by_group(groups, [_posterior_rows(Dirichlet(own), categories) for own in cells]),
        "output": _by_group(groups, _blocks(released.output, k)),
        "interval": _by_group(groups, [_interval_rows(categories, *ends) for ends in zip(low, high, strict=True)]),
        "group_shares": {group: {"mean": mean, "interval": around[group]} for group, mean in pairs},
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


def _interval_rows(names: Sequence[str], low: Floats, high: Floats) -> dict[str, list[float] | None]:
    """The ends of each interval; null where floats cannot tell it: nothing may fail."""
    ends = zip(names, low.tolist(), high.tolist(), strict=True)
    return {name: [a, b] if math.isfinite(a + b) else None for name, a, b in ends}


def _shared(parameters: Sequence[dict[str, str]]) -> dict[str, str]:
    """What is the same for all groups; what is not, the certificates tell."""
    return {key: value for key, value in parameters[0].items() if all(own.get(key) == value for own in parameters)}
