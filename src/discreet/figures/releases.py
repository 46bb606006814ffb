"""The picture of a receipt or of a bundle: what a reader may believe, beside the released posterior at face value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from discreet.figures import event_rates, groups, inference, posterior
from discreet.figures.tables import plot_margins
from discreet.inference import Belief, NoiseAware
from discreet.inference.groups import EmptyGroup, Within
from discreet.inference.statement import NOISE_AWARE
from discreet.posteriors import Dirichlet
from discreet.receipts import Bundle, ReaderBelief, Receipt, TableReceipt, read_beliefs
from discreet.receipts.beliefs import face_values
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
    if isinstance(receipt, Bundle):
        rows = zip(receipt.columns, parts, by_part, strict=True)
        panels = [panel for column, part, belief in rows for panel in _panels(part, column, belief)]
        return groups.paint(
            panels, title=f"{document.get('title') or f'{len(receipt.columns)} columns'}, together {price}"
        )
    subject = document.get("title") or document.get("column") or "Category shares"
    title = f"{subject}, released by {document['mechanism']['name']}, {price}"
    if document.get("rates"):
        rates = (beliefs[0].rates if beliefs else None) or receipt.rates
        return event_rates.paint(event_rates.numbers(rates), title=title, unit=per_words(document))
    if receipt.groups:
        return groups.paint(_panels(receipt, "", by_part[0]), title=title)
    plain = _face_values(receipt, by_part[0])[""]
    if isinstance(belief := _aware(receipt, by_part[0]).get(""), NoiseAware):
        return inference.paint(inference.numbers(belief, plain, document["categories"]), title=title, truth=truth)
    return posterior.paint(posterior.numbers(plain, document["categories"]), title=title)


def _aware(receipt: Receipt, belief: ReaderBelief | None) -> dict[str, NoiseAware | Within | EmptyGroup]:
    """What may be believed, by group, if the receipt's own intervals tell it."""
    if receipt.document["interval_kind"] != NOISE_AWARE:
        return {}
    return (belief or read_beliefs(receipt, thorough=True)[0]).parts


def _face_values(receipt: Receipt, belief: ReaderBelief | None) -> dict[str, Dirichlet]:
    """The released posterior by group, under the prior of what is beside it."""
    return face_values(receipt, None if belief is None else belief.prior)


def _panels(receipt: Receipt, column: str, belief: ReaderBelief | None) -> list[groups.PanelNumbers]:
    """One panel for each group, or one for a column without."""
    names, by, aware = receipt.document["categories"], receipt.document["by"], _aware(receipt, belief)
    label = "" if not receipt.groups else f"{column}, {by} = " if column else f"{by} = "
    return [
        groups.numbers(f"{label}{group}" or column, names, plain, aware.get(group))
        for group, plain in _face_values(receipt, belief).items()
    ]
