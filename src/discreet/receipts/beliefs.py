"""What the reader of a receipt may believe, as a document: beside it the released posterior at face value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from discreet.errors import DiscreetError, InvalidInput
from discreet.inference import NoiseAware
from discreet.inference.groups import EmptyGroup, Within
from discreet.posteriors import Dirichlet
from discreet.receipts.bundles import Bundle
from discreet.receipts.receipt import LEVEL, Receipt, contradiction
from discreet.receipts.verification import believed, believed_groups, whole_prior
from discreet.receipts.work import require_modest


@dataclass(frozen=True, slots=True)
class ReaderBelief:
    """What the reader of one receipt may believe: of its categories, or of the shares within each group."""

    receipt: Receipt
    column: str | None
    """Its name, where there are several."""
    prior: Dirichlet
    """Of all cells, group by group."""
    parts: dict[str, NoiseAware | Within | EmptyGroup]
    """By group; under the empty name without groups."""

    def to_json(self) -> dict[str, Any]:
        """By category, beside the released posterior at face value; with groups, group by group."""
        document, groups = self.receipt.document, self.receipt.groups
        released = self.receipt.posteriors if groups else {"": self.receipt.posterior}
        rows = {group: _rows(part, released[group], document["categories"]) for group, part in self.parts.items()}
        widest = max(self.parts.values(), key=lambda part: part.error)
        return {
            **({} if self.column is None else {"column": self.column}),
            "noise_aware": rows if groups else rows[""],
            "level": float(LEVEL),
            "prior": [float(parameter) for parameter in self.prior.parameters],
            "error": widest.error,
            "method": widest.method,
            "mechanism": document["mechanism"]["name"],
            "epsilon_exact": document["epsilon_exact"],
            "n": document["n"],
            **({"by": document["by"], "groups": list(groups)} if groups else {}),
        }


def read_beliefs(receipt: Receipt | Bundle, prior: object = None, *, thorough: bool = False) -> list[ReaderBelief]:
    """What may be believed of a receipt, or of each column of a bundle; `prior` is then a list of theirs.

    What would take minutes is refused before anything is computed, unless it is to be `thorough`.
    """
    if not thorough:
        require_modest(receipt.document.get("parts", [receipt.document]), reading=True)
    try:
        if not isinstance(receipt, Bundle):
            return [_read(receipt, None, prior)]
        columns = zip(receipt.columns, receipt.parts, column_priors(receipt, prior), strict=True)
        return [_read(part, column, own) for column, part, own in columns]
    except DiscreetError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):  # an output that no noise explains
        raise contradiction() from None


def belief_document(receipt: Receipt | Bundle, prior: object = None, *, thorough: bool = False) -> dict[str, Any]:
    """The same as `discreet infer --json` prints it."""
    beliefs = read_beliefs(receipt, prior, thorough=thorough)
    try:
        found = [belief.to_json() for belief in beliefs]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as failure:
        if isinstance(failure, DiscreetError):
            raise
        raise contradiction() from None
    return {"columns": found} if isinstance(receipt, Bundle) else found[0]


def column_priors(bundle: Bundle, priors: object) -> list[object]:
    """A reader's prior for each column of a bundle; None is the release's own."""
    if priors is None:
        return [None] * len(bundle.columns)
    if not isinstance(priors, list | tuple) or len(priors) != len(bundle.columns):
        raise InvalidInput(
            "several columns have a prior each", hint=f"give {len(bundle.columns)}, in the order of the columns"
        )
    return list(priors)


def _read(receipt: Receipt, column: str | None, prior: object) -> ReaderBelief:
    parts: dict[str, NoiseAware | Within | EmptyGroup] = {}
    if receipt.groups:
        parts |= believed_groups(receipt, prior=prior)
    else:
        parts[""] = believed(receipt, prior=prior)
    return ReaderBelief(receipt, column, whole_prior(receipt, prior), parts)


def _rows(belief: NoiseAware | Within | EmptyGroup, released: Dirichlet, names: list[str]) -> dict[str, Any]:
    low, high = belief.interval(float(LEVEL))
    plug_low, plug_high = released.interval(float(LEVEL))
    rows = zip(
        belief.mean.tolist(), belief.sd.tolist(), low.tolist(), high.tolist(), plug_low.tolist(), plug_high.tolist(),
        strict=True,
    )  # fmt: skip
    return {
        name: {"mean": mean, "sd": sd, "interval": [a, b], "interval_plug_in": [c, d]}
        for name, (mean, sd, a, b, c, d) in zip(names, rows, strict=True)
    }
