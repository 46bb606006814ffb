"""What the reader of a receipt may believe, with the receipt's own names: by group and category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from discreet.inference import Belief, NoiseAware
from discreet.inference.groups import EmptyGroup
from discreet.posteriors import Dirichlet
from discreet.receipts.beliefs import believed, believed_parts, rates_of
from discreet.receipts.receipt import Receipt, refuse_nonsense
from discreet.receipts.tables import TableReceipt, named_cells


@refuse_nonsense()
def labelled(receipt: Receipt, *, prior: object = None, records: object = None) -> Belief:
    """The noise-aware posterior with names. Public groups have a posterior each, and one without records its prior."""
    if receipt.document.get("rates") is not None:
        return replace(
            _named(receipt, [believed(receipt, records=records)]), event_rates=rates_of(receipt, prior=prior)
        )
    parts = believed_parts(receipt, prior, records)
    return _named(receipt, [_alone(part.prior) if isinstance(part, EmptyGroup) else part for part in parts])


@refuse_nonsense()
def labelled_plug_in(receipt: Receipt) -> Belief:
    """The released posterior at face value with the same names: privacy noise not included."""
    own = receipt.posteriors.values() if receipt.has_public_groups else [receipt.posterior]
    return _named(receipt, list(map(_alone, own)))


def _alone(posterior: Dirichlet) -> NoiseAware:
    return NoiseAware.at_face_value(posterior)


def _named(receipt: Receipt, posteriors: Sequence[NoiseAware]) -> Belief:
    """The cells of all posteriors, one after the other, by their labels."""
    document = receipt.document
    if isinstance(receipt, TableReceipt):
        [posterior] = posteriors
        return named_cells(receipt, posterior)
    axes = {"category": tuple(map(str, document["categories"]))}
    if receipt.groups:
        axes = {str(document["by"]): tuple(map(str, receipt.groups)), **axes}
    cells = [(posterior, (i,)) for posterior in posteriors for i in range(posterior.k)]
    return Belief(axes, dict(zip(product(*axes.values()), cells, strict=True)), document["dataset"])
