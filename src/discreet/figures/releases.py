"""The picture of a receipt or of a bundle: what a reader may believe, beside the released posterior at face value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from discreet.figures import event_rates, groups, inference, posterior
from discreet.figures.tables import plot_margins
from discreet.inference import Belief, NoiseAware
from discreet.inference.groups import EmptyGroup, Within
from discreet.inference.statement import NOISE_AWARE
from discreet.receipts import Bundle, ReaderBelief, Receipt, TableReceipt, read_beliefs
from discreet.receipts.words import per_words, size_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def picture(
    receipt: Receipt | Bundle,
    beliefs: Sequence[ReaderBelief] | None = None,
    *,
    truth: Sequence[float] | None = None,
    margins: Sequence[Belief] = (),
) -> Figure:
    """What a reader may believe, where the receipt tells it; a drawn release is painted anyhow.

    Of a cross table these margins are painted, or the whole of two columns, or each column of more.
    """
    document = receipt.document
    price = f"ε = {document['epsilon_exact']}, {size_words(document)}"
    if isinstance(receipt, TableReceipt):
        if not margins:
            whole = receipt.belief
            margins = [whole] if len(whole.axes) == 2 else [whole.margin(name) for name in whole.axes]
        return plot_margins(margins, title=f"{document['title'] or 'Cross table'}, {price}")
    parts = receipt.parts if isinstance(receipt, Bundle) else (receipt,)
    by_part: Sequence[ReaderBelief | None] = beliefs or [None] * len(parts)
    aware = [_aware(part, belief) for part, belief in zip(parts, by_part, strict=True)]
    if isinstance(receipt, Bundle):
        rows = zip(receipt.columns, receipt.parts, aware, strict=True)
        panels = [panel for column, part, by_group in rows for panel in _panels(part, column, by_group)]
        return groups.paint(
            panels, title=f"{document.get('title') or f'{len(receipt.columns)} columns'}, together {price}"
        )
    subject = document.get("title") or document.get("column") or "Category shares"
    title = f"{subject}, released by {document['mechanism']['name']}, {price}"
    if document.get("rates"):
        rates = (beliefs[0].rates if beliefs else None) or receipt.rates
        return event_rates.paint(event_rates.numbers(rates), title=title, unit=per_words(document))
    if receipt.groups:
        return groups.paint(_panels(receipt, "", aware[0]), title=title)
    if isinstance(belief := aware[0].get(""), NoiseAware):
        both = inference.numbers(belief, receipt.posterior, document["categories"])
        return inference.paint(both, title=title, truth=truth)
    return posterior.paint(posterior.numbers(receipt.posterior, document["categories"]), title=title)


def _aware(receipt: Receipt, belief: ReaderBelief | None) -> dict[str, NoiseAware | Within | EmptyGroup]:
    """What may be believed, by group, if the receipt's own intervals tell it."""
    if receipt.document["interval_kind"] != NOISE_AWARE:
        return {}
    return (belief or read_beliefs(receipt, thorough=True)[0]).parts


def _panels(
    receipt: Receipt, column: str, aware: dict[str, NoiseAware | Within | EmptyGroup]
) -> list[groups.PanelNumbers]:
    """One panel for each group, or one for a column without."""
    names, by = receipt.document["categories"], receipt.document["by"]
    if not receipt.groups:
        return [groups.numbers(column, names, receipt.posterior, aware.get(""))]
    label = f"{column}, {by} = " if column else f"{by} = "
    return [
        groups.numbers(f"{label}{group}", names, posterior, aware.get(group))
        for group, posterior in receipt.posteriors.items()
    ]
