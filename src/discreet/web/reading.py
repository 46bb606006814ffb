"""Receipts, checked and read: shares with the privacy noise in them, groups compared, sentences to paste."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from discreet.arithmetic.numbers import exact_share
from discreet.arithmetic.words import exact_text
from discreet.errors import InvalidInput
from discreet.inference import Belief
from discreet.inference.comparisons import MEASURES
from discreet.inference.quantities import Quantity
from discreet.receipts import (
    Analysis,
    Bundle,
    Receipt,
    belief_document,
    compare_receipts,
    labelled,
    labelled_plug_in,
    read_sealed,
    readable,
    receipt_of_column,
    require_modest,
    verify_any,
)
from discreet.receipts.words import replaced, treatment
from discreet.web.fields import Fields
from discreet.web.pictures import Line, Picture, Table, percent, percent_range


@dataclass(frozen=True, slots=True)
class Reading:
    """How the reader wants it: at which level, with which prior, and whether the categories have an order."""

    level: float
    prior: str | None
    ordinal: bool


def infer(fields: Fields) -> dict[str, Any]:
    """`discreet receipt verify`, and then `discreet infer`; several columns share the reader's prior."""
    receipt, prior = read_sealed(fields.text("receipt")), fields.maybe("prior")
    fields.all_read()
    verify_any(receipt)
    priors = [prior] * len(receipt.columns) if prior is not None and isinstance(receipt, Bundle) else prior
    return {"receipt": receipt.document, "belief": belief_document(receipt, priors)}


def read(fields: Fields) -> dict[str, Any]:
    """One receipt or several: each is checked, and each of its columns and groups is a picture."""
    receipts = [read_sealed(text) for text in fields.names("receipts")]
    level = float(exact_share(fields.maybe("level") or "0.95", "level"))
    how = Reading(level, fields.maybe("prior"), fields.flag("ordinal"))
    fields.all_read()
    if not receipts:
        raise InvalidInput("there is no receipt", hint="choose a JSON file that discreet wrote", parameter="receipts")
    parts = [part for receipt in receipts for part in _parts(receipt)]
    require_modest(parts, reading=True)
    for receipt in receipts:
        verify_any(receipt)
    return {"receipts": [_document(receipt, how) for receipt in receipts]}


def compare(fields: Fields) -> dict[str, Any]:
    """`discreet compare`, with its picture: of one receipt with groups, or of two."""
    texts, titles, column = fields.names("receipts"), fields.names("titles"), fields.maybe("column")
    receipts = [receipt_of_column(read_sealed(text), column) for text in texts]
    measure = fields.maybe("measure") or "difference"
    if measure not in MEASURES:
        raise InvalidInput("there is no such measure", hint=f"use {', '.join(MEASURES)}", parameter="measure")
    asked: dict[str, Any] = {
        "category": fields.text("category"),
        "groups": fields.names("groups") or None,
        "among": fields.names("among") or None,
        "measure": measure,
        "level": fields.maybe("level") or "0.95",
        "prior": fields.maybe("prior"),
        "different_people": fields.flag("different_people"),
    }
    fields.all_read()
    found = compare_receipts(receipts, titles, **asked)
    pictures = [picture.to_json() for picture in comparison_pictures(found)]
    return {"pictures": pictures, "document": found.to_json()}


def comparison_pictures(found: Analysis) -> list[Picture]:
    """The share in each group, and how much they differ."""
    rows, level = found.rows(), f"{100 * found.level:g} % interval"
    shares = Picture(
        f"Share of {found.of}",
        f"share of {found.of}",
        "share",
        [
            Line(name, _ends(share, found.level), _ends(found.plug_in[name], found.level))
            for name, share in found.shares.items()
        ],
        Table(
            f"Share of {found.of} in each group",
            ["Group", "Mean", level],
            [
                [name, percent(share.mean), percent_range(share.interval(found.level))]
                for name, share in found.shares.items()
            ],
        ),
        level=found.level,
    )
    measure = found.measure
    words = measure.replace("-", " ")
    differences = Picture(
        f"{words.capitalize()} of {found.of}",
        f"{words} (percentage points)" if measure == "difference" else f"{words} (logarithmic)",
        "points" if measure == "difference" else "ratio",
        [
            Line(" against ".join(row["groups"]), _ends(comparison.measure(found.measure), found.level))
            for row, comparison in zip(rows, found.pairs.values(), strict=True)
        ],
        Table(
            f"{words.capitalize()} of {found.of}",
            [
                "First",
                "Second",
                f"{found.centre.capitalize()}{found.unit}",
                level,
                "Probability that the first is greater",
            ],
            [found.cells(row) for row in rows],
        ),
        [row["sentence"] for row in rows],
        level=found.level,
        notes=[f"Every probability is exact up to {max(row['error'] for row in rows):.0e}."],
    )
    return [shares, differences]


def _parts(receipt: Receipt | Bundle) -> tuple[Receipt, ...]:
    return receipt.parts if isinstance(receipt, Bundle) else (receipt,)


def _document(receipt: Receipt | Bundle, how: Reading) -> dict[str, Any]:
    parts = _parts(receipt)
    return {
        "title": receipt.title or ", ".join(part.column or "category shares" for part in parts),
        "facts": receipt_facts(receipt),
        "columns": [
            {"column": part.column, "categories": list(part.categories), "groups": list(part.groups)} for part in parts
        ],
        "is_bundle": isinstance(receipt, Bundle),
        "pictures": [picture.to_json() for part in parts for picture in pictures_of(part, how)],
        "methods": receipt.to_methods(),
        "document": readable(receipt).document,
        "text": receipt.to_json(),
    }


def receipt_facts(receipt: Receipt | Bundle) -> list[tuple[str, str]]:
    """What a receipt says of itself, in the words of a label."""
    document = readable(receipt).document
    parts = document.get("parts", [document])
    charged = f"budget of {document['dataset']}, request {document['request_id']}"
    rows = {
        "Question": " ".join(part["question"] for part in parts),
        "Source": document["source_name"],
        "Released": document["released_at"],
        "Privacy loss ε": exact_text(receipt.epsilon),
        "Protects": replaced(document),
        "Records n": f"{document['n']:,}" if "n" in document else "private",
        "Mechanism": ", ".join(dict.fromkeys(part["mechanism"]["name"] for part in parts)),
        "Values outside": " ".join(dict.fromkeys(map(treatment, parts))),
        "Charged": "nothing" if document["dataset"] is None else charged,
        "Certificate": ", ".join(
            str(part["certificate"]["digest"]) for part in parts if "digest" in part["certificate"]
        ),
        "Cite as": document["citation"],
    }
    return [(name, text) for name, text in rows.items() if text]


def pictures_of(receipt: Receipt, how: Reading) -> Iterator[Picture]:
    """One picture for a column, or for each of its groups; and what an order of the categories lets be asked."""
    aware, alone = labelled(receipt, prior=how.prior), labelled_plug_in(receipt)
    top = min(1.0, 1.04 * max(float(each.interval(how.level)[1].max()) for each in _within(receipt, aware, alone)))
    for group in receipt.groups or (None,):
        own, plain = (aware, alone) if group is None else (aware.group(group), alone.group(group))
        title = " ".join(
            [
                receipt.column or "Category shares",
                *([] if group is None else [f"where {receipt.document['by']} is {group}"]),
            ]
        )
        yield replace(_shares(title, own, plain, how.level), ends=(0.0, top))
        if how.ordinal:
            yield _ordinal(title, own, how.level)


def _within(receipt: Receipt, *beliefs: Belief) -> Iterator[Belief]:
    """The beliefs that are drawn: of a table of groups, those of each."""
    for belief in beliefs:
        yield from [belief.group(group) for group in receipt.groups] or [belief]


def _shares(title: str, own: Belief, plain: Belief, level: float) -> Picture:
    rows = {label: (own[label], plain[label]) for label in own.labels}
    heading = f"{100 * level:g} % interval"
    sentences = [
        f"{label}: {percent(share.mean)} ({heading} {percent_range(share.interval(level))}, privacy noise included)"
        for label, (share, _) in rows.items()
    ]
    return Picture(
        title,
        "share of the category",
        "share",
        [Line(label, _ends(share, level), _ends(alone, level)) for label, (share, alone) in rows.items()],
        Table(
            title,
            ["Category", "Mean", "Standard deviation", f"{heading}, noise included", f"{heading}, at face value"],
            [
                [
                    label,
                    percent(share.mean),
                    percent(share.sd),
                    percent_range(share.interval(level)),
                    percent_range(alone.interval(level)),
                ]
                for label, (share, alone) in rows.items()
            ],
        ),
        [f"{'; '.join(sentences)}."],
        level=level,
        notes=[f"Exact up to {own.error:.1g} in any probability."],
    )


def _ordinal(title: str, own: Belief, level: float) -> Picture:
    """Cumulative shares, with the mean score and the median in words."""
    score, median = own.score(), own.median_category()
    low, high = score.interval(level)
    likely = max(median, key=median.__getitem__)
    cumulative = {f"up to {label}": share for label, share in own.cumulative().items()}
    heading = f"{100 * level:g} % interval"
    return Picture(
        f"{title}, in order",
        "share of all categories up to this one",
        "share",
        [Line(name, _ends(share, level)) for name, share in cumulative.items()],
        Table(
            f"{title}, cumulative",
            ["Categories", "Mean", heading],
            [[name, percent(share.mean), percent_range(share.interval(level))] for name, share in cumulative.items()],
        ),
        [
            f"The mean score (1 for the first category) is {score.mean:.2f} ({heading} {low:.2f} to {high:.2f}, "
            f"privacy noise included). The median category is {likely} with probability {median[likely]:.3f}."
        ],
        level=level,
    )


def _ends(quantity: Quantity, level: float) -> tuple[float, float, float]:
    low, high = quantity.interval(level)
    return low, quantity.ends[1], high
