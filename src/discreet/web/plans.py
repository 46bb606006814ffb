"""Which mechanism to use and why, and the least ε for a wanted width: `discreet plan`, as the command prints it."""

from __future__ import annotations

from typing import Any

import discreet as dc
from discreet.arithmetic.numbers import exact
from discreet.arithmetic.words import exact_text
from discreet.errors import InvalidInput
from discreet.inference.margin_plans import plan_margins, recommended
from discreet.ledger.budgets import ADD_REMOVE
from discreet.posteriors.space import PosteriorSpace
from discreet.utility.plan_table import HEADINGS, merged_rows
from discreet.utility.plans import Plan
from discreet.web.fields import Fields
from discreet.web.forecasts import Outlook
from discreet.web.pictures import Table
from discreet.web.questions import CROSS, RATES

EXPLANATION = (
    "H is the Hellinger distance between the true and the released posterior. Shift is how far the mean moves, in "
    "percentage points. The width is that of the first category's noise-aware interval, as a share."
)


def plan(fields: Fields) -> dict[str, Any]:
    """The mechanisms side by side, or the least ε; of a cross table, its margins beside each column by itself.

    Several columns share the price: the plan is that of the first, at its share.
    """
    price, points = fields.maybe("epsilon"), fields.maybe("target_points")
    outlook, names = Outlook.read(fields, price or "1"), fields.names("names")
    options: dict[str, Any] = {name: fields.maybe(name) for name in ("target_error", "confidence", "target_width")}
    options |= {"epsilon": None if price is None else outlook.share, **outlook.groups}
    options |= {"worst_case": fields.flag("worst_case"), "compare": fields.flag("compare") and not outlook.is_private}
    fields.all_read()
    if points is not None:
        options["target_width"] = exact(points, "target_points", above=0) / 100
    if price is None and outlook.kind in (CROSS, RATES):
        raise InvalidInput("no least ε is sought for this", hint="move ε instead", parameter="target_points")
    if outlook.kind == CROSS:
        return _margin_document(outlook, names)
    if outlook.is_private:
        return _plan_document(
            dc.plan(PosteriorSpace(prior=outlook.prior, adjacency=ADD_REMOVE), guess=outlook.n, **options), 1
        )
    return _plan_document(dc.plan(outlook.space, **options), outlook.number)


def _plan_document(result: Plan, columns: int) -> dict[str, Any]:
    """The document of a plan, with its rows rounded, and the same numbers on one line."""
    merged = [
        (name, settings, cells) for name, lines in merged_rows(result.mechanisms).items() for settings, cells in lines
    ]
    rows = {(row.name, row.setting): row for row in result.mechanisms}
    headings = ["Mechanism", "Setting", *(text.replace("\n", " ") for text in HEADINGS.values())]
    table = Table(
        f"Mechanisms at ε = {exact_text(result.epsilon)}, {result.space.adjacency.words}",
        headings,
        [[name, " = ".join(settings), *cells] for name, settings, cells in merged],
    )
    errors = [
        {
            "name": name,
            "setting": " = ".join(settings),
            "mean": rows[name, settings[0]].mean_error,
            "high": rows[name, settings[0]].error_95,
            "worst": rows[name, settings[0]].worst_mean_error,
            "best": name == result.recommended and result.setting in settings,
        }
        for name, settings, _ in merged
    ]
    together = exact_text(result.epsilon * columns)
    least = f"ε = {together} is the least for this width"
    texts = {
        "title": "Which mechanism, and why",
        "lead": f"Use {result.recommended} ({result.setting}).",
        "sentences": [f"Why: {result.reason}.", *(result.sentences()[:2] if len(merged) == 1 else ())],
        "table": table.to_json(),
        "errors": errors,
        "note": EXPLANATION,
        "epsilon_text": together,
        "least": f"{least}, shared equally by {columns} columns." if columns > 1 else f"{least}.",
    }
    return result.to_json() | {"shown": texts}


def _margin_document(outlook: Outlook, names: list[str]) -> dict[str, Any]:
    """Every column of the table beside the same column by itself."""
    if len(names) != len(outlook.sizes) or len(set(names)) < len(names) or len(names) < 2:
        raise InvalidInput("a cross table has at least two columns", hint="declare them first", parameter="kind")
    axes = {name: [str(i) for i in range(size)] for name, size in zip(names, outlook.sizes, strict=True)}
    plans = plan_margins(axes, [[name] for name in names], n=outlook.n, epsilon=outlook.epsilon, prior=outlook.prior)
    best = recommended(plans)
    table = Table(
        f"Expected width of 95 % intervals at ε = {exact_text(outlook.epsilon)}, percentage points",
        ["Column", "One cross table", "Each by itself"],
        [[*row.margin, _width(row.cross, row.cross_error), _width(row.alone, row.alone_error)] for row in plans],
    )
    why = "their intervals are narrower" if best != "one cross table" else "its intervals are no wider"
    texts = {
        "title": "One table, or each column by itself",
        "lead": f"Recommended: {best}.",
        "sentences": [f"Why: {why} on average. A cross table also tells how its columns go together."],
        "table": table.to_json(),
        "errors": [],
        "note": "For typical data (drawn from the prior predictive), with the standard error of the mean width.",
    }
    return {"margins": [row.to_json() for row in plans], "recommended": best, "omitted": [], "shown": texts}


def _width(width: float, error: float) -> str:
    return f"{100 * width:.1f} ± {100 * error:.1g}"
