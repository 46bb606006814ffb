"""How a notebook shows a receipt: its own numbers, whoever wrote it; `verify_receipt` tells if they hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from discreet.arithmetic.cards import NOISE_KEY, Bar, card, promise, share_bar
from discreet.receipts.words import is_private, size_words

if TYPE_CHECKING:
    from discreet.receipts.receipt import Receipt

PLAIN_KEY = "Means and 95 % intervals of the released parameters, privacy noise not included."
FACTS = ("question", "source_name", "released_at", "dataset", "request_id", "citation")


def receipt_card(receipt: Receipt) -> str:
    """The promise, the shares with and without the noise, and what the receipt says of itself."""
    document = receipt.document
    name, price = document["mechanism"]["name"], document["epsilon_exact"]
    return card(
        document.get("title") or f"Receipt of {document.get('column') or 'a release'}",
        f"Released by {name}, {size_words(document)}, ε = {price}.",
        promise(document["epsilon"], document["adjacency"], document["delta"]),
        badge="" if is_private(document) else "not publishable",
        bars=_rate_bars(document["rates"]) if document.get("rates") else _bars(receipt),
        key=NOISE_KEY if document.get("belief") else PLAIN_KEY,
        facts={key.replace("_", " "): document[key] for key in FACTS if document.get(key) is not None},
    )


def _rate_bars(rates: dict[str, Any]) -> Iterator[Bar]:
    """A bar for each rate, where one is known."""
    for group, row in (rates["belief"] or {}).items():
        (low, high), mean = row["interval"], row["mean"]
        yield Bar(group, f"{mean:.4g} ({low:.4g} to {high:.4g})", (low, mean, high))


def _bars(receipt: Receipt) -> Iterator[Bar]:
    """A bar for each category, of each group; receipts of before have no mean with the noise in it."""
    document = receipt.document
    if document["posterior"] is None:  # nothing was drawn yet
        return
    for group, posterior in (receipt.posteriors if receipt.groups else {"": receipt.posterior}).items():
        belief = document.get("belief") or {}
        rows, mean, (low, high) = belief.get(group, {}) if group else belief, posterior.mean, posterior.interval(0.95)
        for i, name in enumerate(document["categories"]):
            ends = (rows.get(name) or {}).get("interval")
            aware = None if ends is None else (ends[0], rows[name]["mean"], ends[1])
            label = f"{group}: {name}" if group else name
            yield share_bar(label, aware, (float(low[i]), float(mean[i]), float(high[i])))
