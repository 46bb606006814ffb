"""The JSON object of a release where membership of the groups is public: each group by itself, for one price.

Neighbours differ in one answer, which is one group's, so the price is that of one group (parallel composition). A group
without records has nothing to protect: its posterior is its prior, and nothing is drawn for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.inference.statement import NOISE_AWARE, PLUG_IN, interval_kind, stated_interval
from discreet.mechanisms import Mechanism, Released
from discreet.posteriors import Dirichlet
from discreet.privacy_loss import Certificate
from discreet.receipts.documents import Request, ending, interval_rows, plain, posterior_rows, price
from discreet.receipts.receipt import LEVEL, SCHEMA

if TYPE_CHECKING:
    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PublicGroup:
    """One group: its prior, and if it has records the mechanism, with what is known of it."""

    prior: Dirichlet
    mechanism: Mechanism | None
    certificate: Certificate | None
    accuracy: dict[str, Any] | None

    @property
    def n(self) -> int:
        """The number of records: public."""
        return 0 if self.mechanism is None else self.mechanism.space.n


def public_groups_document(
    parts: Sequence[PublicGroup],
    categories: Sequence[str],
    released: Sequence[Released | None] | None,
    *,
    by: str,
    groups: Sequence[str],
    request: Request | None = None,
) -> dict[str, Any]:
    """The receipt's JSON object; before a draw what is drawn is null."""
    named = dict(zip(groups, parts, strict=True))
    made = [part.mechanism for part in parts if part.mechanism is not None]
    kind = NOISE_AWARE if all(interval_kind(mechanism) == NOISE_AWARE for mechanism in made) else PLUG_IN
    drawn: dict[str, Any] = dict.fromkeys(("posterior", "output", "interval"))
    if released is not None:
        shown = dict(zip(groups, released, strict=True))
        posteriors = {group: _posterior(part, shown[group]) for group, part in named.items()}
        kind, ends = _intervals(posteriors, shown, kind)
        drawn = {
            "posterior": {group: posterior_rows(own, categories) for group, own in posteriors.items()},
            "output": {group: _output(one, len(categories)) for group, one in shown.items()},
            "interval": {group: interval_rows(categories, *ends[group]) for group in groups},
        }
    return {
        "schema": SCHEMA,
        **drawn,
        "interval_kind": kind,
        "mechanism": {"name": made[0].name, **_shared([mechanism.parameters() for mechanism in made])},
        **price(made[0]),
        "n": sum(part.n for part in parts),
        "prior": {group: [plain(parameter) for parameter in part.prior.parameters] for group, part in named.items()},
        "categories": list(categories),
        "by": by,
        "groups": list(groups),
        "group_sizes": {group: part.n for group, part in named.items()},
        "group_shares": None,
        "adjacency": made[0].adjacency,
        **ending(
            request,
            {group: part.accuracy for group, part in named.items()},
            {group: None if part.certificate is None else part.certificate.to_json() for group, part in named.items()},
        ),
    }


def _posterior(part: PublicGroup, released: Released | None) -> Dirichlet:
    return part.prior if released is None else released.posterior


def _output(released: Released | None, k: int) -> list[int]:
    return [0] * k if released is None else list(released.output)


def _intervals(
    posteriors: dict[str, Dirichlet], shown: dict[str, Released | None], kind: str
) -> tuple[str, dict[str, tuple[Floats, Floats]]]:
    """The intervals of all groups, of one kind: at face value if one of them cannot be had otherwise."""
    level = float(LEVEL)
    if kind == NOISE_AWARE:
        found = {group: stated_interval(one, level) for group, one in shown.items() if one is not None}
        if all(own == NOISE_AWARE for own, _, _ in found.values()):
            aware = {group: (low, high) for group, (_, low, high) in found.items()}
            return kind, {group: aware.get(group) or own.interval(level) for group, own in posteriors.items()}
    return PLUG_IN, {group: own.interval(level) for group, own in posteriors.items()}


def _shared(parameters: Sequence[dict[str, str]]) -> dict[str, str]:
    """What is the same for all groups; what is not, the certificates tell."""
    return {key: value for key, value in parameters[0].items() if all(own.get(key) == value for own in parameters)}
