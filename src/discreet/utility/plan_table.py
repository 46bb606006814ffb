"""The rows of a plan as people read them: rounded, a loss always up, and settings with the same numbers on one line."""

from __future__ import annotations

from discreet.arithmetic.words import decimal_upper
from discreet.utility.plans import PlanRow

HEADINGS = {
    "exact_epsilon": "exact\nε",
    "mean_error": "mean\nH",
    "worst_mean_error": "worst\nmean H",
    "error_95": "95 %\nof H",
    "shift_points": "shift,\npoints",
    "interval_width": "interval\nwidth",
}


def merged_rows(rows: tuple[PlanRow, ...]) -> dict[str, list[tuple[list[str], list[str]]]]:
    """For each mechanism its settings and their numbers; settings with the same numbers share a line.

    A loss that is only bounded is marked: it is not the exact one.

    >>> from dataclasses import replace
    >>> from discreet.posteriors.space import PosteriorSpace
    >>> from discreet.utility.plans import plan_at
    >>> row = plan_at(PosteriorSpace(prior=[1, 1], n=3), 1, compare=True).row("laplace")
    >>> merged_rows((replace(row, exact_epsilon=1.0, exact_epsilon_reached=False),))["laplace"][0][1][0]
    '≤ 1'
    """
    merged: dict[str, list[tuple[list[str], list[str]]]] = {}
    for row in rows:
        numbers = [cell_text(key, row[key]) for key in HEADINGS]
        if is_bounded(row):
            numbers[0] = f"≤ {numbers[0]}"
        lines = merged.setdefault(row.name, [])
        if lines and lines[-1][1] == numbers:
            lines[-1][0].append(row.setting)
        else:
            lines.append(([row.setting], numbers))
    return merged


def is_bounded(row: PlanRow) -> bool:
    """Whether the loss is a bound that no output is known to reach."""
    return row.exact_epsilon is not None and not row.exact_epsilon_reached


def cell_text(key: str, value: float | None) -> str:
    """Four digits, and three where zeros would push the table off a narrow terminal; a loss is rounded up.

    >>> cell_text("exact_epsilon", 0.37421), cell_text("mean_error", 0.37421), cell_text("interval_width", None)
    ('0.3743', '0.3742', '–')
    >>> cell_text("shift_points", 0.00018379)
    '0.000184'
    """
    if value is None:
        return "–"
    if key == "exact_epsilon":  # but for the last digits of a float, which 3/10 does not have
        return f"{decimal_upper(value * (1 - 1e-12), 4).normalize():f}"
    return f"{value:.4g}" if value >= 0.01 else f"{value:.3g}"
