"""`discreet plan`: which mechanism to use and what it will cost, before any data is touched."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD

import discreet as dc
from discreet import Plan
from discreet.arithmetic.numbers import whole
from discreet.arithmetic.texts import require_name
from discreet.arithmetic.words import exact_text, points
from discreet.cli.outputs import busy, print_answer, print_table, reserve_picture, say
from discreet.errors import InvalidInput
from discreet.figures import plans
from discreet.inference.margin_plans import MarginPlan, plan_margins, recommended
from discreet.requests.texts import read_axes, read_names
from discreet.utility.plan_table import HEADINGS, cell_text, is_bounded, merged_rows
from discreet.utility.plans import PlanRow, above_words
from discreet.utility.targets import LEAST

EXAMPLE = "Example: discreet plan --groups new=200,old=206 --group-public --target-width 0.17 --of difference"


def plan(
    n: Annotated[str | None, typer.Option("--n", help="The number of records; that of all groups if not said.")] = None,
    prior: Annotated[str, typer.Option(help="Prior parameters, one per category; or jeffreys, or uniform.")] = "1,1",
    epsilon: Annotated[str | None, typer.Option(help="Say what this ε gives.")] = None,
    target_error: Annotated[
        str | None, typer.Option(help="Find the least ε that keeps the Hellinger distance within this.")
    ] = None,
    confidence: Annotated[str | None, typer.Option(help="How often it must be kept, such as 0.95.")] = None,
    target_width: Annotated[
        str | None, typer.Option(help="Find the least ε whose interval has this expected width, such as 0.1.")
    ] = None,
    level: Annotated[str, typer.Option(help="The level of the interval.")] = "0.95",
    category: Annotated[str, typer.Option(help="The number of the category whose interval it is.")] = "1",
    groups: Annotated[
        str | None, typer.Option(help="Groups and their sizes, like new=200,old=206: shares are within them.")
    ] = None,
    group_public: Annotated[
        bool, typer.Option("--group-public", help="All may know who is in which group; if not, sizes are guesses.")
    ] = False,
    of: Annotated[str, typer.Option(help="share, or difference between two groups.")] = "share",
    adjacency: Annotated[
        str, typer.Option(help="replace-one; or add-remove, where n is private and --n is a guess of it.")
    ] = "replace-one",
    worst_case: Annotated[
        bool, typer.Option("--worst-case", help="Keep the target error for every data set, not only on average.")
    ] = False,
    releases: Annotated[
        str | None, typer.Option(help="So many releases from the same records share ε; needs --delta.")
    ] = None,
    delta: Annotated[str | None, typer.Option(help="The δ of all releases together, like 1e-6.")] = None,
    cross: Annotated[
        list[str] | None,
        typer.Option(help="A column of a cross table with its categories, like sex=f,m; needs --margins."),
    ] = None,
    margins: Annotated[
        str | None, typer.Option(help='The margins that are wanted of it, like "sex,vote; region,vote".')
    ] = None,
    compare: Annotated[bool, typer.Option("--compare", help="Put all mechanisms side by side.")] = False,
    thorough: Annotated[
        bool, typer.Option("--thorough", help="Compare, and calibrate all even if it takes minutes.")
    ] = False,
    plot: Annotated[Path | None, typer.Option(help="Plot the error against ε, n and H (.png, .svg or .pdf).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Say what an ε gives, or find the least ε for a wanted error or interval width."""
    if cross or margins is not None:
        _plan_margins(cross or [], margins, n, epsilon, prior, as_json=as_json)
        return
    sizes = None if groups is None else _read_sizes(groups)
    if n is None and sizes is None:
        raise InvalidInput("the number of records is not known", hint="give --n, or --groups with their sizes")
    private = adjacency == "add-remove"
    records = n if n is not None else sum((sizes or {}).values())
    space = dc.PosteriorSpace(prior=prior, n=None if private else records, adjacency=adjacency)
    if private and plot is not None:
        raise InvalidInput("there is no picture of a plan with a private n", hint="leave out --plot")
    notes = []
    with reserve_picture(plot) as write:
        with busy("planning") as tell:
            result = dc.plan(
                space,
                epsilon=epsilon,
                target_error=target_error,
                confidence=confidence,
                target_width=target_width,
                level=level,
                category=category,
                groups=sizes,
                group_public=group_public,
                of=of,
                worst_case=worst_case,
                compare=compare or thorough,
                thorough=thorough,
                guess=n if private else None,
                releases=releases,
                delta=delta,
                progress=lambda what, done, total: tell(done, total, what),
            )
        if plot is not None:
            with busy("plotting") as tell:
                mean_errors = {row.name: row.mean_error for row in result.mechanisms if row.setting in _PLOTTED}
                picture = plans.numbers(space, result.epsilon, known=mean_errors, progress=tell)
                write(lambda: plans.paint(picture))
                notes = [f"{note}." for note in [plans.small_print(picture)] if note]
    print_answer(result.to_json(), lambda _: _print_plan(result, notes), as_json=as_json, written=[plot])


def _read_sizes(text: str) -> dict[str, int]:
    """Groups and their sizes.

    >>> _read_sizes("new=200,old=206")
    {'new': 200, 'old': 206}
    """
    pairs = [item.rpartition("=") for item in read_names(text, "groups")]
    if not all(name and size for name, _, size in pairs) or len({name for name, _, _ in pairs}) != len(pairs):
        raise InvalidInput("every group has a name of its own and a size", hint="write them like new=200,old=206")
    return {require_name(name.strip(), "a group"): whole(size, "a group", minimum=1) for name, _, size in pairs}


_PLOTTED = ("theorem", "limit")
"""The settings whose errors the picture shows."""


def _print_plan(result: Plan, notes: list[str]) -> None:
    say(*_target(result), *_releases(result), *result.sentences(), *_groups(result))
    if len(result.mechanisms) == 1:
        row = result.answer
        loss = f"{cell_text('exact_epsilon', row.exact_epsilon)}{' at most' if is_bounded(row) else ''}"
        say(
            f"use {row.name} ({row.setting}), whose exact loss is {loss}.",
            f"On average the released mean moves by {cell_text('shift_points', row.shift_points)} points, and the "
            f"posterior by a Hellinger distance of {cell_text('mean_error', row.mean_error)}; 95 % of releases stay "
            f"within {cell_text('error_95', row.error_95)}.",
            *_estimates(result.mechanisms),
            *(f"the width is not known: {reason}." for key, reason in row.missing.items() if key == "interval_width"),
            *notes,
            "--compare puts all mechanisms side by side.",
        )
        return
    space = result.space
    prior = ", ".join(f"{float(parameter):g}" for parameter in space.prior.parameters[:8])
    more = ", …" if space.k > 8 else ""
    title = f"mechanisms at ε = {float(result.epsilon):.6g}, {space.adjacency.words}, prior {prior}{more}"
    columns = {"mechanism\n  setting": "left", **dict.fromkeys(HEADINGS.values(), "right")}
    rows = []
    for name, lines in merged_rows(result.mechanisms).items():
        rows.append([name])
        for settings, numbers in lines:
            rows.append([f"  {' = '.join(settings) if len(settings) < 3 else 'all settings'}", *numbers])
    look: dict[str, Any] = {"box": SIMPLE_HEAD, "padding": (0, 1, 0, 0), "show_edge": False}
    print_table(title, columns, rows, unbroken=columns, **look)
    say("", *_explanations(result), *_estimates(result.mechanisms), *_left_out(result), *notes)


def _releases(result: Plan) -> list[str]:
    """What each of many releases is given."""
    question = result.question
    if "releases" not in question:
        return []
    each, sizes = question["each"], question["noise_sd"]
    noise = {
        "geometric": f"geometric: ε = {float(Fraction(each['geometric']['epsilon'])):.5g}",
        "gaussian": f"gaussian: σ = {float(Fraction(each['gaussian']['sigma'])):.5g}",
    }
    shares = "; ".join(f"{text} each, noise of a count ± {sizes[name]:.4g} people" for name, text in noise.items())
    return [f"{question['releases']:,} releases from the same records, composed exactly. {shares}."]


def _groups(result: Plan) -> list[str]:
    """What is assumed of the groups."""
    interval = result.question["interval"]
    if "groups" not in interval:
        return []
    sizes = ", ".join(f"{name} {size:,}" for name, size in interval["groups"].items())
    if interval["group_public"]:
        return [f"groups, declared public: {sizes}."]
    return [
        f"groups: {sizes}. Who is in which group stays private, so these sizes are guesses, and the widths are "
        "approximate: the noise of one cell stands for that of its group."
    ]


def _target(result: Plan) -> list[str]:
    """What the least ε was asked to keep, and how surely it does."""
    question = result.question
    if "target_error" in question:
        target, confidence = (float(Fraction(question[key])) for key in ("target_error", "confidence"))
        whom = "for every data set" if question["worst_case"] else "for typical data (drawn from the prior predictive)"
        goal = f"H ≤ {target:g} in {100 * confidence:g} % of releases by geometric, {whom}"
    elif "target_width" in question:
        width, level = Fraction(question["target_width"]), float(result.level)
        goal = f"an expected {100 * level:g} % width of at most {points(float(width))} points by geometric"
    else:
        return []
    least = "the least" if result.epsilon >= 2 * LEAST else "the smallest that is tried,"
    lines = [f"ε = {exact_text(result.epsilon)} is {least} with {goal}."]
    if "draws" in question["by"]:
        if "target_error" in question:
            bound = f"at least {100 * question['at_least']:.4g} % but for 1 chance in 10⁹"
        else:
            bound = f"at most {question['at_most']:.6g} within six standard errors"
        lines.append(f"{question['by']} leave {bound}: ε is on the safe side of them, and a smaller one may do.")
    return lines


def _explanations(result: Plan) -> list[str]:
    lines = [
        f"use {result.recommended} ({result.setting}): {result.reason}.",
        "H is the Hellinger distance between the true and the released posterior; shift is how far the mean moves, "
        "in percentage points; the width is that of the noise-aware interval "
        f"({result.interval_width_without_privacy:.4g} without privacy). "
        "All but the worst are for typical data (drawn from the prior predictive).",
    ]
    above = {row.name: row.above_least for row in reversed(result.mechanisms) if row.above_least is not None}
    if above:
        each = ", ".join(f"{name} {above_words(share)}" for name, share in reversed(above.items()))
        lines.append(f"Mean H against the least that any mechanism could have, at most: {each}.")
    if any(map(is_bounded, result.mechanisms)):
        lines.append("≤: a bound on the loss, which no output is known to reach.")
    return lines


def _estimates(rows: tuple[PlanRow, ...]) -> list[str]:
    """Which numbers are means over some outputs, and how far errors may be off: so that no digit is taken for exact.

    >>> from dataclasses import replace
    >>> method = "50000 exact draws; interval by 512 outputs of 50000 exact draws"
    >>> row = dc.plan(dc.PosteriorSpace(prior=[1, 1], n=3), epsilon=1).row("geometric")
    >>> drawn = replace(row, method=method, mean_error_within=0.006, interval_width_within=0.0004)
    >>> for line in _estimates((drawn, replace(drawn, mean_error_within=0.002))):
    ...     print(line)
    mean H is estimated by exact draws: geometric ± 0.006 (99 %); so are 95 % of H and shift.
    interval width is estimated by exact draws: geometric ± 0.0004 (six standard errors).
    """
    lines = []
    for part, key, what, surely in (
        (0, "mean_error_within", "mean H", "(99 %); so are 95 % of H and shift"),
        (2, "interval_width_within", "interval width", "(six standard errors)"),
    ):
        within: dict[str, float] = {}
        for row in rows:
            if "draws" in row.method.partition("; interval by ")[part] and row[key]:
                within[row.name] = max(row[key], within.get(row.name, 0.0))
        if within:
            each = ", ".join(f"{name} ± {error:.1g}" for name, error in within.items())
            lines.append(f"{what} is estimated by exact draws: {each} {surely}.")
    return lines


def _left_out(result: Plan) -> list[str]:
    """What has no row or no number, by reason; a number that all rows lack is named once."""
    reasons: dict[str, dict[str, list[str]]] = {}
    for row in result.omitted:
        reasons.setdefault(row.reason, {}).setdefault(row.name, []).append(row.setting)
    lines = []
    for reason, settings in reasons.items():
        names = ", ".join(f"{name} {' and '.join(which)}" for name, which in settings.items())
        lines.append(f"left out: {names} ({reason}).")
    lacking: dict[tuple[str, str], list[str]] = {}
    for mechanism in result.mechanisms:
        for key, reason in mechanism["missing"].items():
            lacking.setdefault((key, reason), []).append(mechanism["name"])
    for (key, reason), names_without in lacking.items():
        is_all = len(names_without) == len(result.mechanisms)
        whose = "all" if is_all else ", ".join(dict.fromkeys(names_without))
        what = HEADINGS[key].replace("\n", " ")
        lines.append(f"left out: {what} of {whose} ({reason}).")
    return lines


def _plan_margins(
    cross: list[str], margins: str | None, n: str | None, epsilon: str | None, prior: str, *, as_json: bool
) -> None:
    """One cross table beside each margin by itself."""
    if margins is None or n is None or epsilon is None:
        raise InvalidInput("margins are planned from --cross, --margins, --n and --epsilon", hint="give all of them")
    axes = read_axes(cross)
    names = [read_names(part, "--margins") for part in margins.split(";")]
    with busy("planning"):
        rows = plan_margins(axes, names, n=n, epsilon=epsilon, prior=1 if prior == "1,1" else prior)
    document = {"margins": [row.to_json() for row in rows], "recommended": recommended(rows)}
    print_answer(document, lambda _: _print_margins(rows, document["recommended"]), as_json=as_json)


def _print_margins(rows: list[MarginPlan], best: object) -> None:
    columns = {"margin": "left", "one cross table": "right", "each by itself": "right"}
    lines = [
        [" and ".join(row.margin), *(f"{100 * width:.1f} ± {100 * error:.1g} points" for width, error in
                                     ((row.cross, row.cross_error), (row.alone, row.alone_error)))]
        for row in rows
    ]  # fmt: skip
    print_table("expected width of 95 % intervals, typical data", columns, lines)
    say(f"recommended: {best}", "one cross table also tells every other margin and conditional, at the same price")
