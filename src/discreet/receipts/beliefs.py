"""What the reader of a receipt may believe, as a document: beside it the released posterior at face value."""

from __future__ import annotations

from typing import Any

from discreet.errors import DiscreetError, InvalidInput
from discreet.inference import NoiseAware
from discreet.inference.groups import EmptyGroup, Within
from discreet.posteriors import Dirichlet
from discreet.receipts.bundles import Bundle
from discreet.receipts.receipt import LEVEL, Receipt, contradiction
from discreet.receipts.verification import believed, believed_groups, whole_prior
from discreet.receipts.work import require_modest


def belief_document(receipt: Receipt | Bundle, prior: object = None, *, thorough: bool = False) -> dict[str, Any]:
    """What is believed, by category, beside the released posterior at face value; with groups, group by group.

    Of several columns it is what is believed of each, by column; `prior` is then a list of theirs. What would take
    minutes is refused before anything is computed, unless it is to be `thorough`.
    """
    if not thorough:
        require_modest(receipt.document.get("parts", [receipt.document]), reading=True)
    try:
        if not isinstance(receipt, Bundle):
            return _described(receipt, prior)
        parts = zip(receipt.columns, receipt.parts, column_priors(receipt, prior), strict=True)
        return {"columns": [{"column": column, **_described(part, own)} for column, part, own in parts]}
    except DiscreetError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):  # an output that no noise explains
        raise contradiction() from None


def column_priors(bundle: Bundle, priors: object) -> list[object]:
    """A reader's prior for each column of a bundle; None is the release's own."""
    if priors is None:
        return [None] * len(bundle.columns)
    if not isinstance(priors, list | tuple) or len(priors) != len(bundle.columns):
        raise InvalidInput(
            "several columns have a prior each", hint=f"give {len(bundle.columns)}, in the order of the columns"
        )
    return list(priors)


def _described(receipt: Receipt, prior: object) -> dict[str, Any]:
    document, names = receipt.document, receipt.document["categories"]
    facts = {
        "mechanism": document["mechanism"]["name"],
        "epsilon_exact": document["epsilon_exact"],
        "n": document["n"],
    }
    if not receipt.groups:
        belief = believed(receipt, prior=prior)
        shown = [float(parameter) for parameter in belief.prior.parameters]
        return {
            "noise_aware": _rows(belief, receipt.posterior, names),
            "level": float(LEVEL),
            "prior": shown,
            "error": belief.error,
            "method": belief.method,
            **facts,
        }
    beliefs = believed_groups(receipt, prior=prior)
    return {
        "noise_aware": {g: _rows(belief, receipt.posteriors[g], names) for g, belief in beliefs.items()},
        "level": float(LEVEL),
        "prior": _shown_prior(receipt, prior),
        "error": max(belief.error for belief in beliefs.values()),
        "method": max(beliefs.values(), key=lambda belief: belief.error).method,
        **facts,
        "by": document["by"],
        "groups": list(receipt.groups),
    }


def _shown_prior(receipt: Receipt, prior: object) -> list[float]:
    """The prior of all cells, group by group."""
    given = whole_prior(receipt, prior)
    return [float(parameter) for parameter in given.parameters]


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
