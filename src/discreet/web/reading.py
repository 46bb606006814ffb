"""Receipts, checked and read: shares with the privacy noise in them, groups compared, sentences to paste."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import Any

from discreet.arithmetic.numbers import exact_share
from discreet.arithmetic.words import exact_text
from discreet.errors import InvalidInput
from discreet.inference import Belief
from discreet.inference.comparisons import MEASURES
from discreet.inference.quantities import Quantity
from discreet.inference.series import waves
from discreet.receipts import (
    Analysis,
    Bundle,
    Receipt,
    TableReceipt,
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
from discreet.receipts.beliefs import rates_of
from discreet.receipts.rate_terms import at_face_value
from discreet.receipts.words import per_words, replaced, treatment
from discreet.web.fields import Fields
from discreet.web.pictures import HeatMap, Line, Picture, Table, percent, percent_range

MAX_MAPS = 6
"""Pairs of columns of a cross table that are shown unasked."""


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
        "column": column,
    }
    fields.all_read()
    found = compare_receipts(receipts, titles, **asked)
    pictures = [picture.to_json() for picture in comparison_pictures(found)]
    return {"pictures": pictures, "document": found.to_json()}


def series(fields: Fields) -> dict[str, Any]:
    """Receipts of different people in their order: the share of a category in each wave, and how it changed."""
    receipts, titles = [read_sealed(text) for text in fields.names("receipts")], fields.names("titles")
    category, level = fields.text("category"), float(exact_share(fields.maybe("level") or "0.95", "level"))
    different_people = fields.flag("different_people")
    fields.all_read()
    singles = [receipt for receipt in receipts if isinstance(receipt, Receipt) and not receipt.groups]
    if len(singles) < len(receipts) or len(set(titles)) != len(receipts):
        raise InvalidInput("waves are receipts of one column, each with its name", hint="give each file once")
    require_modest(singles, reading=True)
    for receipt in singles:
        verify_any(receipt)
    found = waves(dict(zip(titles, singles, strict=True)), category, different_people=different_people)
    heading = f"{100 * level:g} % interval"
    shares = Picture(
        f"{category}, wave by wave",
        f"share of {category}",
        "share",
        [Line(name, _ends(own, level), _ends(found.plug_in[name], level)) for name, own in found.shares.items()],
        Table(
            f"{category}, wave by wave",
            ["Wave", "Mean", heading],
            [[name, percent(own.mean), percent_range(own.interval(level))] for name, own in found.shares.items()],
        ),
        level=level,
    )
    rows = {f"{one} to {other}": change for (one, other), change in found.changes.items()}
    changes = Picture(
        f"Change of {category}",
        "change (percentage points)",
        "points",
        [Line(name, _ends(change, level)) for name, change in rows.items()],
        Table(
            f"Change of {category}",
            ["From wave to wave", "Mean (points)", heading, "Probability of a rise"],
            [
                [name, f"{100 * own.mean:+z.1f}", _point_range(own.interval(level)), f"{own.probability:.4f}"]
                for name, own in rows.items()
            ],
        ),
        level=level,
        notes=[f"Every probability is exact up to {max(change.error for change in rows.values()):.0e}."],
    )
    means = {name: {"mean": own.mean, "interval": list(own.interval(level))} for name, own in found.shares.items()}
    return {"pictures": [shares.to_json(), changes.to_json()], "document": {"category": category, "waves": means}}


def _point_range(ends: Sequence[float]) -> str:
    return " to ".join(f"{100 * end:+z.1f}" for end in ends)


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
        "title": receipt.title or title_of(parts),
        "facts": receipt_facts(receipt),
        "columns": [
            {"column": part.column, "categories": list(part.categories), "groups": list(part.groups)}
            for part in parts
            if not isinstance(part, TableReceipt)
        ],
        "is_bundle": isinstance(receipt, Bundle),
        "pictures": [picture.to_json() for part in parts for picture in pictures_of(part, how)],
        "methods": receipt.to_methods(),
        "document": readable(receipt).document,
        "text": receipt.to_json(),
    }


def title_of(parts: Sequence[Receipt]) -> str:
    """What a receipt without a title is called."""
    names = (" × ".join(part.axes) if isinstance(part, TableReceipt) else part.column for part in parts)
    return ", ".join(name or "category shares" for name in names)


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
        "Values outside": " ".join(dict.fromkeys(treatment(part) for part in parts if "axes" not in part)),
        "Charged": "nothing" if document["dataset"] is None else charged,
        "Certificate": ", ".join(
            str(part["certificate"]["digest"]) for part in parts if "digest" in part["certificate"]
        ),
        "Cite as": document["citation"],
    }
    return [(name, text) for name, text in rows.items() if text]


def pictures_of(receipt: Receipt, how: Reading) -> Iterator[Picture | HeatMap]:
    """One picture for a column, or for each of its groups; rates, and a total where n is private."""
    if receipt.document.get("rates") is not None:
        yield _rates(receipt, how)
        return
    if isinstance(receipt, TableReceipt):
        yield from _margins(receipt, how)
        return
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
    if "n" not in receipt.document:
        yield _amounts("Number of records", "records in the categories", {"records": (aware.total, None)}, how.level)


def _margins(receipt: TableReceipt, how: Reading) -> Iterator[Picture | HeatMap]:
    """The shares of every column of a cross table, and of every pair of columns as a heat map, where these are few."""
    aware, alone = labelled(receipt, prior=how.prior), labelled_plug_in(receipt)
    for axis in receipt.axes:
        yield _shares(axis, aware.margin(axis), alone.margin(axis), how.level)
    for one, other in islice(combinations(receipt.axes, 2), MAX_MAPS):
        both = aware.margin(one, other)
        ends = {key: _ends(share, how.level) for key, share in both.shares().items()}
        cells = {(key[0], key[1]): own for key, own in ends.items()}
        yield HeatMap(f"{one} by {other}", receipt.axes[one], receipt.axes[other], cells, how.level)
    if "n" not in receipt.document:
        yield _amounts("Number of records", "records in the table", {"records": (aware.total, None)}, how.level)


def _rates(receipt: Receipt, how: Reading) -> Picture:
    """The rate of each group, beside the released parameters at face value."""
    found = rates_of(receipt, prior=how.prior)
    rows: dict[str, tuple[Quantity, Quantity | None]] = {
        group: (rate, at_face_value(rate, found.posteriors[group])) for group, rate in found.by_group.items()
    }
    per = per_words(receipt.document)
    return _amounts(f"Rates {per}, by {receipt.column or 'group'}", f"events {per}", rows, how.level)


def _amounts(title: str, axis: str, rows: Mapping[str, tuple[Quantity, Quantity | None]], level: float) -> Picture:
    """Numbers that are no shares: rates, and how many records there are."""
    heading = f"{100 * level:g} % interval"
    cells = [
        [name, f"{own.mean:,.4g}", f"{own.sd:,.3g}", " to ".join(f"{end:,.4g}" for end in own.interval(level))]
        for name, (own, _) in rows.items()
    ]
    return Picture(
        title,
        axis,
        "amount",
        [
            Line(name, _ends(own, level), None if plain is None else _ends(plain, level))
            for name, (own, plain) in rows.items()
        ],
        Table(title, ["", "Mean", "Standard deviation", f"{heading}, noise included"], cells),
        [
            f"{title}: "
            + "; ".join(f"{name} {mean} ({heading} {ends})" for name, mean, _, ends in cells)
            + ", privacy noise included."
        ],
        level=level,
        notes=[f"Exact up to {max(own.error for own, _ in rows.values()):.1g} in any probability."],
    )


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
