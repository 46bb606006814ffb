"""The JSON object of a release by one mechanism: of a column, or of a cross table whose cells are its categories."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.arithmetic.numbers import float_upper
from discreet.inference.statement import group_interval_kind, interval_kind, stated_groups, stated_interval
from discreet.mechanisms import Mechanism, Released
from discreet.posteriors import Dirichlet
from discreet.privacy_loss import Certificate
from discreet.receipts.receipt import LEVEL, SCHEMA, UNIT_ROW
from discreet.version import __version__

if TYPE_CHECKING:
    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Request:
    """Whose data one record is, and what was charged."""

    unit: str = UNIT_ROW
    request_id: str | None = None
    dataset: str | None = None
    charge: str | None = None


def receipt_document(
    mechanism: Mechanism,
    categories: Sequence[str],
    released: Released | None,
    *,
    certificate: Certificate,
    accuracy: dict[str, Any] | None = None,
    request: Request | None = None,
    by: str | None = None,
    groups: Sequence[str] = (),
) -> dict[str, Any]:
    """The receipt's JSON object; before a draw (`--dry-run`) what is drawn is null.

    With groups, `categories` are the answers, and what there is of each cell is told group by group.

    >>> from discreet import Geometric, PosteriorSpace
    >>> from discreet.privacy_loss import certificate_by_theorem
    >>> made = Geometric(PosteriorSpace(prior=[1, 1], n=90), epsilon="1/3")
    >>> document = receipt_document(made, ["no", "yes"], None, certificate=certificate_by_theorem(made))
    >>> document["epsilon_exact"], document["epsilon"] >= 1 / 3, document["posterior"]
    ('1/3', True, None)
    """
    space, k = mechanism.space, len(categories)
    prior = [plain(parameter) for parameter in space.prior.parameters]
    drawn: dict[str, Any] = dict.fromkeys(("posterior", "output", "interval", "group_shares"))
    if not groups:
        kind = interval_kind(mechanism)
        if released is not None:
            kind, drawn["interval"] = _interval(released, categories)
            drawn |= {"posterior": posterior_rows(released.posterior, categories), "output": list(released.output)}
    else:
        kind = group_interval_kind(mechanism, k)
        if released is not None:
            kind, drawn = _drawn_groups(released, categories, groups)
    return {
        "schema": SCHEMA,
        **{key: drawn[key] for key in ("posterior", "output", "interval")},
        "interval_kind": kind,
        "mechanism": {"name": mechanism.name, **mechanism.parameters()},
        **price(mechanism),
        "n": space.n,
        "prior": by_group(groups, prior, k) if groups else prior,
        "categories": list(categories),
        "by": by,
        "groups": list(groups) or None,
        "group_sizes": None,
        "group_shares": drawn["group_shares"],
        "adjacency": mechanism.adjacency,
        **ending(request, accuracy, certificate.to_json()),
    }


def price(mechanism: Mechanism) -> dict[str, Any]:
    """What a mechanism spends."""
    return {
        "epsilon": float_upper(mechanism.epsilon),
        "epsilon_exact": str(mechanism.epsilon),
        "delta": float_upper(mechanism.delta),
    }


def ending(request: Request | None, accuracy: Any, certificate: Any) -> dict[str, Any]:
    """The last fields of every receipt."""
    asked = request or Request()
    return {
        "unit": asked.unit,
        "accuracy": accuracy,
        "certificate": certificate,
        "request_id": asked.request_id,
        "dataset": asked.dataset,
        "charge": asked.charge,
        "version": __version__,
    }


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


def posterior_rows(posterior: Dirichlet, categories: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The parameter and the mean of each category: the float next to the exact one, on every machine."""
    rows, total = zip(categories, posterior.parameters, strict=True), posterior.total
    return {name: {"parameter": plain(parameter), "mean": float(parameter / total)} for name, parameter in rows}


def interval_rows(names: Sequence[str], low: Floats, high: Floats) -> dict[str, list[float] | None]:
    """The ends of each interval; null where floats cannot tell it: nothing may fail."""
    ends = zip(names, low.tolist(), high.tolist(), strict=True)
    return {name: [a, b] if math.isfinite(a + b) else None for name, a, b in ends}


def _interval(released: Released, categories: Sequence[str]) -> tuple[str, dict[str, list[float] | None]]:
    kind, low, high = stated_interval(released, float(LEVEL))
    return kind, interval_rows(categories, low, high)


def _drawn_groups(released: Released, categories: Sequence[str], groups: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """What depends on the draw: the posterior within each group is that of its cells alone."""
    k = len(categories)
    cells = by_group(groups, released.posterior.parameters, k)
    shares = Dirichlet([sum(own) for own in cells.values()])
    kind, low, high, least, most = stated_groups(released, float(LEVEL), k)
    around = interval_rows(groups, least, most)
    return kind, {
        "posterior": {group: posterior_rows(Dirichlet(own), categories) for group, own in cells.items()},
        "output": by_group(groups, released.output, k),
        "interval": {group: interval_rows(categories, low[g], high[g]) for g, group in enumerate(groups)},
        "group_shares": {
            group: {"mean": float(parameter / shares.total), "interval": around[group]}
            for group, parameter in zip(groups, shares.parameters, strict=True)
        },
    }
