"""A release as a JSON document: the keys that programs rely on, from public values and the drawn output only."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from discreet.numbers import float_upper

if TYPE_CHECKING:
    from discreet import Mechanism, Released

LEVEL = "0.95"
INTERVAL_KIND = "plug-in, privacy noise not included"


def release_document(mechanism: Mechanism, categories: list[str], released: Released | None) -> dict[str, Any]:
    """What `discreet release --json` prints; without a draw (`--dry-run`) what is drawn is null.

    >>> import discreet as dc
    >>> space = dc.PosteriorSpace(prior=dc.Dirichlet([1, 1]), n=90)
    >>> document = release_document(dc.Geometric(space, epsilon="1/3"), ["no", "yes"], None)
    >>> document["epsilon_exact"], document["epsilon"] >= 1 / 3, document["posterior"]
    ('1/3', True, None)
    """
    space = mechanism.space
    return {
        "posterior": None if released is None else _posterior(released, categories),
        "output": None if released is None else list(released.output),
        "interval": None if released is None else _interval(released, categories),
        "interval_kind": INTERVAL_KIND,
        "mechanism": {"name": mechanism.name, **mechanism.parameters()},
        "epsilon": float_upper(mechanism.epsilon),
        "epsilon_exact": str(mechanism.epsilon),
        "delta": float_upper(mechanism.delta),
        "n": space.n,
        "prior": [plain(parameter) for parameter in space.prior.parameters],
        "categories": categories,
        "adjacency": mechanism.adjacency,
        "accuracy": None,
        "certificate": {"guarantee": str(mechanism.guarantee), "by": mechanism.guaranteed_by},
        "request_id": None,
    }


def plain(number: Fraction) -> int | float | str:
    """A number that JSON readers get back exactly by the library's rule for floats, or its text if there is none.

    >>> plain(Fraction(3)), plain(Fraction(1, 10)), plain(Fraction(1, 3))
    (3, 0.1, '1/3')
    """
    if number.denominator == 1:
        return number.numerator
    shown = float(number)
    return shown if Fraction(repr(shown)) == number else str(number)


def _posterior(released: Released, categories: list[str]) -> dict[str, dict[str, Any]]:
    posterior = released.posterior
    rows = zip(categories, posterior.parameters, posterior.mean.tolist(), strict=True)
    return {name: {"parameter": float(parameter), "mean": mean} for name, parameter, mean in rows}


def _interval(released: Released, categories: list[str]) -> dict[str, list[float] | None]:
    """The interval of each category; null where floats cannot tell it, for a drawn release must not fail here."""
    low, high = released.posterior.interval(float(LEVEL))
    ends = zip(categories, low.tolist(), high.tolist(), strict=True)
    return {name: [a, b] if math.isfinite(a + b) else None for name, a, b in ends}
