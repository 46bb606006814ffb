"""The JSON object of a release: of a column, of a cross table whose cells are its categories, or of public groups.

Where membership of the groups is public, each group is released by itself, for one price: neighbours differ in one
answer, which is one group's (parallel composition). A group without records has nothing to protect: its posterior is
its prior, and nothing is drawn for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

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
from discreet.receipts.receipt import LEVEL, SCHEMA, UNIT_ROW, Receipt
from discreet.version import __version__

if TYPE_CHECKING:
    Floats = NDArray[np.float64]


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


@dataclass(frozen=True, slots=True)
class _Rows:
    """The fields that depend on the draw; before it (`--dry-run`) all but the kind of the intervals are null."""

    kind: str
    posterior: dict[str, Any] | None = None
    output: list[int] | dict[str, list[int]] | None = None
    interval: dict[str, Any] | None = None
    group_shares: dict[str, Any] | None = None


def write_receipt(
    parts: Sequence[Part],
    categories: Sequence[str],
    drawn: Sequence[Released | None] | None,
    *,
    by: str | None = None,
    groups: Sequence[str] = (),
    has_public_groups: bool = False,
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
    first, asked, k = mechanisms[0], request or ReceiptRequest(), len(categories)
    prior = [plain(parameter) for part in parts for parameter in part.prior.parameters]
    certificates = [None if part.certificate is None else part.certificate.to_json() for part in parts]
    if has_public_groups:
        rows = _public_rows(parts, categories, groups, mechanisms, drawn)
    elif groups:
        rows = _cross_rows(first, categories, groups, None if drawn is None else drawn[0])
    else:
        rows = _column_rows(first, categories, None if drawn is None else drawn[0])
    document = {
        "schema": SCHEMA,
        "posterior": rows.posterior,
        "output": rows.output,
        "interval": rows.interval,
        "interval_kind": rows.kind,
        "mechanism": {"name": first.name, **_shared([made.parameters() for made in mechanisms])},
        "epsilon": float_upper(first.epsilon),
        "epsilon_exact": str(first.epsilon),
        "delta": float_upper(first.delta),
        "n": sum(part.n for part in parts),
        "prior": by_group(groups, prior, k) if groups else prior,
        "categories": list(categories),
        "by": by,
        "groups": list(groups) or None,
        "group_sizes": _named(groups, [part.n for part in parts]) if has_public_groups else None,
        "group_shares": rows.group_shares,
        "adjacency": first.adjacency,
        "unit": asked.unit,
        "accuracy": _named(groups, [part.accuracy for part in parts]) if has_public_groups else parts[0].accuracy,
        "certificate": _named(groups, certificates) if has_public_groups else certificates[0],
        "request_id": asked.request_id,
        "dataset": asked.dataset,
        "charge": asked.charge,
        "version": __version__,
    }
    return Receipt(document, tuple(drawn or ()))


def by_group(groups: Sequence[str], values: Sequence[Any], k: int) -> dict[str, list[Any]]:
    """Values of all cells, group by group.

    >>> by_group(["women", "men"], [1, 2, 3, 4], 2)
    {'women': [1, 2], 'men': [3, 4]}
    """
    return {group: list(values[g * k : (g + 1) * k]) for g, group in enumerate(groups)}


def plain(number: Fraction) -> int | float | str:
    """A number that JSON readers get back exactly by the library's rule for floats, or its text if there is none.

    >>> plain(Fraction(3)), plain(Fraction(1, 10)), plain(Fraction(1, 3))
    (3, 0.1, '1/3')
    """
    if number.denominator == 1:
        return number.numerator
    shown = float(number)
    return shown if Fraction(repr(shown)) == number else str(number)


def _column_rows(mechanism: Mechanism, categories: Sequence[str], released: Released | None) -> _Rows:
    if released is None:
        return _Rows(interval_kind(mechanism))
    kind, low, high = stated_interval(released, float(LEVEL))
    posterior = _posterior_rows(released.posterior, categories)
    return _Rows(kind, posterior, list(released.output), _interval_rows(categories, low, high))


def _cross_rows(
    mechanism: Mechanism, categories: Sequence[str], groups: Sequence[str], released: Released | None
) -> _Rows:
    """The posterior within each group is that of its cells alone."""
    k = len(categories)
    if released is None:
        return _Rows(interval_kind(mechanism, k))
    cells = by_group(groups, released.posterior.parameters, k)
    shares = Dirichlet([sum(own) for own in cells.values()])
    kind, low, high, least, most = stated_groups(released, float(LEVEL), k)
    around = _interval_rows(groups, least, most)
    return _Rows(
        kind,
        {group: _posterior_rows(Dirichlet(own), categories) for group, own in cells.items()},
        by_group(groups, released.output, k),
        {group: _interval_rows(categories, low[g], high[g]) for g, group in enumerate(groups)},
        {
            group: {"mean": float(parameter / shares.total), "interval": around[group]}
            for group, parameter in zip(groups, shares.parameters, strict=True)
        },
    )


def _public_rows(
    parts: Sequence[Part],
    categories: Sequence[str],
    groups: Sequence[str],
    mechanisms: Sequence[Mechanism],
    drawn: Sequence[Released | None] | None,
) -> _Rows:
    """The intervals of all groups are of one kind: at face value if one of them is not available otherwise."""
    kind = NOISE_AWARE if all(interval_kind(made) == NOISE_AWARE for made in mechanisms) else PLUG_IN
    if drawn is None:
        return _Rows(kind)
    level, pairs = float(LEVEL), list(zip(parts, drawn, strict=True))
    posteriors = [part.prior if released is None else released.posterior for part, released in pairs]
    ends: list[tuple[Floats, Floats]] = []
    if kind == NOISE_AWARE:
        stated = [
            (NOISE_AWARE, *part.prior.interval(level)) if released is None else stated_interval(released, level)
            for part, released in pairs
        ]
        ends = [(low, high) for own, low, high in stated if own == NOISE_AWARE]
    if len(ends) < len(parts):
        kind, ends = PLUG_IN, [posterior.interval(level) for posterior in posteriors]
    return _Rows(
        kind,
        _named(groups, [_posterior_rows(posterior, categories) for posterior in posteriors]),
        _named(groups, [[0] * len(categories) if released is None else list(released.output) for released in drawn]),
        _named(groups, [_interval_rows(categories, *pair) for pair in ends]),
    )


def _named(groups: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(groups, values, strict=True))


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
