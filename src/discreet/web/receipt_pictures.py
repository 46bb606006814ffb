"""The pictures of a receipt: shares with the privacy noise in them, rates, totals, groups compared, waves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice

from discreet.inference import Belief
from discreet.inference.quantities import Quantity
from discreet.inference.series import Waves
from discreet.receipts import Analysis, Receipt, TableReceipt, labelled, labelled_plug_in
from discreet.receipts.beliefs import rates_of
from discreet.receipts.rate_terms import at_face_value
from discreet.receipts.words import per_words
from discreet.web.pictures import HeatMap, Line, Picture, Table, percent, percent_range

MAX_MAPS = 6
"""Pairs of columns of a cross table that are shown unasked."""


@dataclass(frozen=True, slots=True)
class ReaderOptions:
    """How the reader wants it: at which level, with which prior, and whether the categories have an order."""

    level: float
    prior: str | None
    ordinal: bool


def pictures_of(receipt: Receipt, options: ReaderOptions) -> Iterator[Picture | HeatMap]:
    """One picture for a column, or for each of its groups; rates, and a total where n is private."""
    if receipt.document.get("rates") is not None:
        yield _rates(receipt, options)
        return
    if isinstance(receipt, TableReceipt):
        yield from _margins(receipt, options)
        return
    aware, plug_in = (read(receipt, prior=options.prior) for read in (labelled, labelled_plug_in))
    top = min(
        1.0, 1.04 * max(float(each.interval(options.level)[1].max()) for each in _within(receipt, aware, plug_in))
    )
    for group in receipt.groups or (None,):
        title = receipt.column or "Category shares"
        belief, face_value = aware, plug_in
        if group is not None:
            title += f" where {receipt.document['by']} is {group}"
            belief, face_value = aware.group(group), plug_in.group(group)
        yield replace(_shares(title, belief, face_value, options.level), ends=(0.0, top))
        if options.ordinal:
            yield _ordinal(title, belief, options.level)
    if "n" not in receipt.document:
        yield _amounts(
            "Number of records", "records in the categories", {"records": (aware.total, None)}, options.level
        )


def _margins(receipt: TableReceipt, options: ReaderOptions) -> Iterator[Picture | HeatMap]:
    """The shares of every column of a cross table, and of every pair of columns as a heat map, where these are few."""
    aware, plug_in = (read(receipt, prior=options.prior) for read in (labelled, labelled_plug_in))
    for axis in receipt.axes:
        yield _shares(axis, aware.margin(axis), plug_in.margin(axis), options.level)
    for row, column in islice(combinations(receipt.axes, 2), MAX_MAPS):
        shares = aware.margin(row, column).shares()
        cells = {(key[0], key[1]): _ends(share, options.level) for key, share in shares.items()}
        yield HeatMap(f"{row} by {column}", receipt.axes[row], receipt.axes[column], cells, options.level)
    if "n" not in receipt.document:
        yield _amounts("Number of records", "records in the table", {"records": (aware.total, None)}, options.level)


def _rates(receipt: Receipt, options: ReaderOptions) -> Picture:
    """The rate of each group, beside the released parameters at face value."""
    rates = rates_of(receipt, prior=options.prior)
    rows: dict[str, tuple[Quantity, Quantity | None]] = {
        group: (rate, at_face_value(rate, rates.posteriors[group])) for group, rate in rates.by_group.items()
    }
    per = per_words(receipt.document)
    return _amounts(f"Rates {per}, by {receipt.column or 'group'}", f"events {per}", rows, options.level)


def _amounts(title: str, axis: str, rows: Mapping[str, tuple[Quantity, Quantity | None]], level: float) -> Picture:
    """Numbers that are no shares: rates, and how many records there are."""
    heading = _interval_heading(level)
    cells = [
        [name, f"{amount.mean:,.4g}", f"{amount.sd:,.3g}", " to ".join(f"{end:,.4g}" for end in amount.interval(level))]
        for name, (amount, _) in rows.items()
    ]
    return Picture(
        title,
        axis,
        "amount",
        [
            Line(name, _ends(amount, level), None if plain is None else _ends(plain, level))
            for name, (amount, plain) in rows.items()
        ],
        Table(title, ["", "Mean", "Standard deviation", f"{heading}, noise included"], cells),
        [
            f"{title}: "
            + "; ".join(f"{name} {mean} ({heading} {ends})" for name, mean, _, ends in cells)
            + ", privacy noise included."
        ],
        level=level,
        notes=[f"Exact up to {max(amount.error for amount, _ in rows.values()):.1g} in any probability."],
    )


def _within(receipt: Receipt, *beliefs: Belief) -> Iterator[Belief]:
    """The beliefs that are drawn: of a table of groups, those of each."""
    for belief in beliefs:
        yield from [belief.group(group) for group in receipt.groups] or [belief]


def _shares(title: str, belief: Belief, plug_in: Belief, level: float) -> Picture:
    rows = {label: (belief[label], plug_in[label]) for label in belief.labels}
    heading = _interval_heading(level)
    sentences = [
        f"{label}: {percent(share.mean)} ({heading} {percent_range(share.interval(level))}, privacy noise included)"
        for label, (share, _) in rows.items()
    ]
    return Picture(
        title,
        "share of the category",
        "share",
        [Line(label, _ends(share, level), _ends(plain, level)) for label, (share, plain) in rows.items()],
        Table(
            title,
            ["Category", "Mean", "Standard deviation", f"{heading}, noise included", f"{heading}, at face value"],
            [
                [
                    label,
                    percent(share.mean),
                    percent(share.sd),
                    percent_range(share.interval(level)),
                    percent_range(plain.interval(level)),
                ]
                for label, (share, plain) in rows.items()
            ],
        ),
        [f"{'; '.join(sentences)}."],
        level=level,
        notes=[f"Exact up to {belief.error:.1g} in any probability."],
    )


def _ordinal(title: str, belief: Belief, level: float) -> Picture:
    """Cumulative shares, with the mean score and the median in words."""
    score, median = belief.score(), belief.median_category()
    low, high = score.interval(level)
    likely = max(median, key=median.__getitem__)
    cumulative = {f"up to {label}": share for label, share in belief.cumulative().items()}
    sentence = (
        f"The mean score (1 for the first category) is {score.mean:.2f} "
        f"({_interval_heading(level)} {low:.2f} to {high:.2f}, privacy noise included). "
        f"The median category is {likely} with probability {median[likely]:.3f}."
    )
    axis, caption = "share of all categories up to this one", f"{title}, cumulative"
    return _share_picture(f"{title}, in order", axis, caption, "Categories", cumulative, None, [sentence], level=level)


def _ends(quantity: Quantity, level: float) -> tuple[float, float, float]:
    low, high = quantity.interval(level)
    return low, quantity.ends[1], high


def comparison_pictures(analysis: Analysis) -> list[Picture]:
    """The share in each group, and how much they differ."""
    rows, level, of, measure = analysis.rows(), analysis.level, analysis.of, analysis.measure
    title, caption = f"Share of {of}", f"Share of {of} in each group"
    shares = _share_picture(title, f"share of {of}", caption, "Group", analysis.shares, analysis.plug_in, level=level)
    words = measure.replace("-", " ")
    title = f"{words.capitalize()} of {of}"
    differences = Picture(
        title,
        f"{words} (percentage points)" if measure == "difference" else f"{words} (logarithmic)",
        "points" if measure == "difference" else "ratio",
        [
            Line(" against ".join(row["groups"]), _ends(comparison.measure(measure), level))
            for row, comparison in zip(rows, analysis.pairs.values(), strict=True)
        ],
        Table(
            title,
            [
                "First",
                "Second",
                f"{analysis.centre.capitalize()}{analysis.unit}",
                _interval_heading(level),
                "Probability that the first is greater",
            ],
            [analysis.cells(row) for row in rows],
        ),
        [row["sentence"] for row in rows],
        level=level,
        notes=[f"{note[0].upper()}{note[1:]}." for note in analysis.notes],
    )
    return [shares, differences]


def wave_pictures(waves: Waves, category: str, level: float) -> list[Picture]:
    """The share of a category in each wave, and how it changed from wave to wave."""
    title = f"{category}, wave by wave"
    shares = _share_picture(title, f"share of {category}", title, "Wave", waves.shares, waves.plug_in, level=level)
    rows = {f"{first} to {second}": change for (first, second), change in waves.changes.items()}
    changes = Picture(
        f"Change of {category}",
        "change (percentage points)",
        "points",
        [Line(name, _ends(change, level)) for name, change in rows.items()],
        Table(
            f"Change of {category}",
            ["From wave to wave", "Mean (points)", _interval_heading(level), "Probability of a rise"],
            [
                [name, f"{100 * change.mean:+z.1f}", _point_range(change.interval(level)), f"{change.probability:.4f}"]
                for name, change in rows.items()
            ],
        ),
        level=level,
        notes=[f"Every probability is exact up to {max(change.error for change in rows.values()):.0e}."],
    )
    return [shares, changes]


def _share_picture(
    title: str,
    axis: str,
    caption: str,
    heading: str,
    shares: Mapping[str, Quantity],
    plug_in: Mapping[str, Quantity] | None = None,
    sentences: Sequence[str] = (),
    *,
    level: float,
) -> Picture:
    """Shares by name, beside those at face value where they are given."""
    return Picture(
        title,
        axis,
        "share",
        [
            Line(name, _ends(share, level), None if plug_in is None else _ends(plug_in[name], level))
            for name, share in shares.items()
        ],
        Table(
            caption,
            [heading, "Mean", _interval_heading(level)],
            [[name, percent(share.mean), percent_range(share.interval(level))] for name, share in shares.items()],
        ),
        sentences,
        level=level,
    )


def _interval_heading(level: float) -> str:
    return f"{100 * level:g} % interval"


def _point_range(ends: Sequence[float]) -> str:
    return " to ".join(f"{100 * end:+z.1f}" for end in ends)
