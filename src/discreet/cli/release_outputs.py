"""What a release will cost, what it says, and what becomes of it: tables and sentences, its files, its picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from fractions import Fraction
from itertools import chain
from math import prod
from pathlib import Path
from typing import Any, TypeVar

from discreet.arithmetic.texts import join_names
from discreet.arithmetic.words import epsilon_meaning, epsilon_text, epsilon_warning, exact_text, width_words
from discreet.cli.outputs import (
    ReservedFile,
    percent_range,
    print_answer,
    print_shares,
    print_table,
    rate_range,
    say,
)
from discreet.errors import InvalidInput
from discreet.figures import releases
from discreet.figures.image import picture_format, render
from discreet.ledger.budgets import TWICE
from discreet.receipts import Bundle, Receipt, readable
from discreet.receipts.words import (
    NOISE_INCLUDED,
    changing,
    counted,
    is_drawn,
    is_private,
    methods,
    per_words,
    records_words,
    size_words,
    total_words,
)

R = TypeVar("R", Receipt, Bundle, Receipt | Bundle)

INTERVAL = "95 % interval"


def print_plan(document: dict[str, Any], cost: Fraction | None = None) -> None:
    """What a release will cost and how accurate it will be, before it is charged: public facts only.

    `cost` is what the budget pays, which may be more than the loss of the release.
    """
    is_table, epsilon = "axes" in document, Fraction(document["epsilon_exact"])
    more = [] if cost in (None, epsilon) else [f"The budget pays ε = {epsilon_text(cost)}: {TWICE.format('it')}."]
    if "parts" in document:
        _print_bundle_plan(document)
        say(*more)
        return
    rows = _axis_rows(document) if is_table else _category_rows(document)
    rows += [(f"only where {column} is", join_names(values)) for column, values in document.get("filters", {}).items()]
    for group, exposure in (document.get("rates") or {"exposure": {}})["exposure"].items():
        rows.append((f"exposure of {group}, declared public", str(exposure)))
    rows.append((counted(document), f"{document['n']:,}" if "n" in document else "private: not counted"))
    if document.get("group_sizes"):
        sizes = ", ".join(f"{size:,}" for size in document["group_sizes"].values())
        rows.append(("in each group, declared public", sizes))
    if not is_table:
        rows.append(("mechanism", document["mechanism"]["name"]))
    rows += [("privacy loss of the release", f"ε = {epsilon_text(epsilon)}")] if more else []
    rows.append(("to be spent", f"ε = {epsilon_text(cost or epsilon)}, δ = {document['delta']:g}"))
    rows += [] if is_table else _accuracy_rows(document)
    print_table("about to release", {"what": "left", "value": "right"}, rows)
    say(*more, *([] if is_table else _width_lines(document)), *epsilon_warning(epsilon))


def _axis_rows(document: dict[str, Any]) -> list[tuple[str, str]]:
    """The columns of a cross table, and how many cells it has."""
    cells = prod(len(axis["labels"]) for axis in document["axes"])
    return [
        *((axis["column"], join_names(axis["labels"][:12])) for axis in document["axes"]),
        *(
            ("impossible", ", ".join(f"{column}={label}" for column, label in cell.items()))
            for cell in document["impossible"]
        ),
        ("cells", f"{cells:,}" + (", less the impossible" if document["impossible"] else "")),
    ]


def _category_rows(document: dict[str, Any]) -> list[tuple[str, str]]:
    rows = [("categories", join_names(document["categories"]))]
    if document["groups"]:
        rows.append((f"groups, by {document['by']}", join_names(document["groups"])))
    return rows


def _print_bundle_plan(document: dict[str, Any]) -> None:
    """The price of each column and of all."""
    rows: list[list[str] | None] = []
    for column, part in zip(document["columns"], document["parts"], strict=True):
        names = join_names(part["categories"]) + (f" by {part['by']}" if part["groups"] else "")
        error = (part["accuracy"] or {}).get("mean")
        rows.append([column, names, f"{error:.4f}" if isinstance(error, float) else "–", part["epsilon_exact"]])
    also = f", δ = {document['delta']:g}" if document["delta"] else ""
    rows += [None, ["all together", size_words(document), "", document["epsilon_exact"] + also]]
    columns = {"column": "left", "categories": "left", "expected error": "right", "ε": "right"}
    print_table("about to release", columns, rows)


def _width_lines(document: dict[str, Any]) -> list[str]:
    """How wide intervals will be, in points: of the first category where the prior tells them apart."""
    accuracy, groups = document["accuracy"] or {}, document["groups"]
    if document["group_sizes"]:  # public: the widest is that of the smallest
        stated = [part for part in accuracy.values() if part and part.get("interval_width")]
        accuracy = max(stated, key=lambda part: float(part["interval_width"]), default={})
    if not accuracy.get("interval_width"):
        return []
    priors = chain.from_iterable(document["prior"].values()) if groups else document["prior"]
    whose = "" if len(set(priors)) == 1 else f" of {document['categories'][0]}"
    if groups:
        whose += " within the smallest group" if document["group_sizes"] else ", of a cell's share of all records,"
    return [f"{width_words(accuracy['interval_width'], accuracy['interval_width_without_privacy'], whose=whose)}."]


def _accuracy_rows(document: dict[str, Any]) -> list[tuple[str, str]]:
    accuracy = document["accuracy"] or {}
    if document["group_sizes"]:
        means = [f"{part['mean']:.4f}" if part and part["mean"] is not None else "–" for part in accuracy.values()]
        return [("expected error (Hellinger), by group", ", ".join(means))]
    if accuracy.get("mean") is None:
        return [("expected error", str(accuracy.get("method", "not known")))]
    labels = {
        "mean": "expected error (Hellinger)",
        "quantile_95": "95 % of errors below",
        "worst_mean": "expected error, worst data",
    }
    return [(label, f"{accuracy[key]:.4f}") for key, label in labels.items() if accuracy.get(key) is not None]


def print_release(document: dict[str, Any]) -> None:
    """A receipt or a bundle, drawn or not, for people: its tables, what its ε means, and a paragraph for a report."""
    drawn = is_drawn(document)
    if drawn:
        for column, part in zip(document.get("columns", [None]), document.get("parts", [document]), strict=True):
            if column is not None:
                say(f"column {column!r}, ε = {exact_text(Fraction(part['epsilon_exact']))}")
            print_belief(part)
    else:
        print_plan(document)
        say("dry run: nothing was drawn")
    if "parts" in document:
        say(f"all columns together, {records_words(document)}")
    else:
        say(f"mechanism: {document['mechanism']['name']}, {records_words(document)}")
    say(meaning(document))
    if drawn and is_private(document):
        say("", "For the methods section:", methods(document))


def print_belief(document: dict[str, Any]) -> None:
    """What may be believed beside what was released; with groups, of the shares within each."""
    if "axes" in document:
        _print_margins(document)
        return
    if document.get("rates"):
        _print_rates(document)
        return
    grouped, released = bool(document["groups"]), document["posterior"]
    outside = False

    def cells(group: str, name: str, row: dict[str, Any]) -> list[str]:
        nonlocal outside
        ends = row["interval"]
        outside |= ends is not None and not ends[0] <= row["mean"] <= ends[1]
        parameter = (released[group] if grouped else released)[name]["parameter"]
        return [f"{100 * row['mean']:.2f} %", percent_range(ends), f"{float(Fraction(parameter)):.10g}"]

    column = document["column"]
    title = ("shares" if column is None else f"shares of {column}") + (" within each group" if grouped else "")
    print_shares(title, document["belief"], grouped, ("mean", INTERVAL, "released\nparameter"), cells)
    if document["group_shares"]:
        _print_margin(f"share of each group, by {document['by']}", "group", document["group_shares"])
    say(*total_words(document))
    say(f"mean and interval: {document['interval_kind']}", "released parameter: of the Dirichlet that was drawn")
    if outside:
        say("a mean outside its interval: that share is almost surely tiny, and hardly ever large")


def _print_margins(document: dict[str, Any]) -> None:
    """What may be believed of each column of a cross table."""
    for column, rows in (document["belief"] or {}).items():
        _print_margin(f"shares of {column}", column, rows)
    say(f"mean and interval: {document['interval_kind']}", "other margins: discreet infer --margin and --given")


def _print_margin(title: str, column: str, rows: dict[str, Any]) -> None:
    lines = [[label, f"{100 * row['mean']:.2f} %", percent_range(row["interval"])] for label, row in rows.items()]
    print_table(title, {column: "left", "mean": "right", INTERVAL: "right"}, lines, unbroken=[INTERVAL])


def _print_rates(document: dict[str, Any]) -> None:
    """The rates of a release that is read so, and what was released."""
    rates, noisy = document["rates"], dict(zip(document["categories"], document["output"], strict=True))
    belief = rates["belief"] or dict.fromkeys(rates["exposure"])
    rows = [
        [group, *(("–", "–") if row is None else (f"{row['mean']:.4g}", rate_range(row["interval"]))),
         str(rates["exposure"][group]), str(noisy[group])]
        for group, row in belief.items()
    ]  # fmt: skip
    columns = {"group": "left", **dict.fromkeys(("rate", INTERVAL, "exposure", "noisy count"), "right")}
    print_table(f"records {per_words(document)}, by {document['column']}", columns, rows, unbroken=[INTERVAL])
    kind = NOISE_INCLUDED if rates["belief"] else "not known: the prior contradicts what was released"
    say(f"rate and interval: {kind}", "noisy count: what was released; it may be below zero")


def meaning(document: dict[str, Any]) -> str:
    """What the guarantee of a release says, in a sentence over public values.

    >>> document = {"epsilon": 0.5, "epsilon_exact": "1/2", "unit": "one row", "certificate": {"loss": "1/2"}}
    >>> document |= {"adjacency": "replace-one", "delta": 0.0}
    >>> print(meaning(document))
    ε = 0.5: replacing one row changes the probability of any output by a factor of at most 1.65. Whoever has to tell \
which of two such data sets it was, and knows all else, is right with a chance of at most 62.3 %.
    >>> print(meaning({**document, "certificate": {"loss": "inf"}}))
    no guarantee: this is not private, and not for publication.
    """
    if not is_private(document):
        return "no guarantee: this is not private, and not for publication."
    epsilon = Fraction(document["epsilon_exact"])
    return " ".join([epsilon_meaning(epsilon, changing(document), document["delta"]), *epsilon_warning(epsilon)])


@contextmanager
def reserve(out: Path | None, plot: Path | None) -> Iterator[dict[Path, ReservedFile]]:
    """Make sure that both files can be written, before anything is drawn."""
    if plot is not None:
        picture_format(plot)
    if out is not None and plot is not None and out.resolve() == plot.resolve():
        raise InvalidInput("--out and --plot name the same file", hint="give each its own")
    with ExitStack() as stack:
        yield {path: stack.enter_context(ReservedFile(path)) for path in (out, plot) if path is not None}


def publish(
    draw: Callable[[], R],
    out: Path | None,
    plot: Path | None,
    *,
    as_json: bool,
    quiet: bool = False,
    truth: Sequence[float] | None = None,
) -> R:
    """Draw a release, write its receipt and its picture, and print it. `truth` is only for data that is public.

    What was drawn is shown whatever becomes of the files, and is not lost; one that a full disk did not let through is
    told of at the end.
    """
    written = []
    with reserve(out, plot) as files:
        receipt = draw()
        with suppress(OSError):
            for path, file in files.items():
                if path == out:
                    file.write(f"{receipt.to_json()}\n".encode())
                else:
                    file.write(render(releases.picture(receipt, truth=truth), picture_format(path)))
                written.append(path)
    if not quiet:
        print_answer(
            receipt.document, lambda _: print_release(readable(receipt).document), as_json=as_json, written=written
        )
    for path in files:
        if path not in written:
            raise InvalidInput(f"{path} could not be written", hint="keep what was printed")
    return receipt
