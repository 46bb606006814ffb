"""`discreet compare`: how much the share of a category differs between groups, from receipts alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.arithmetic.numbers import exact_share
from discreet.cli.busy import busy
from discreet.cli.files import reserved_picture
from discreet.cli.inputs import read_names
from discreet.cli.tables import print_answer, print_table, say
from discreet.errors import InvalidInput
from discreet.figures.comparisons import plot_comparisons
from discreet.inference import Belief, Comparison, Share, compare_all
from discreet.inference.comparisons import Measure
from discreet.inference.quantities import Quantity
from discreet.receipts import Bundle, Receipt, labelled, labelled_plug_in, read_receipt, require_modest, verify_any

EXAMPLE = "Example: discreet compare trial.json --groups new,old --category responder --measure odds-ratio"


def compare(
    files: Annotated[list[Path], typer.Argument(help="One receipt with groups, or two of different people.")],
    category: Annotated[str, typer.Option(help="The category whose share is compared.")],
    groups: Annotated[
        str | None,
        typer.Option(help="The groups, like new,old; of more than two, all pairs. Two receipts: one name for each."),
    ] = None,
    among: Annotated[
        str | None, typer.Option(help="The categories that make the whole, like yes,no; without it, all.")
    ] = None,
    measure: Annotated[Measure, typer.Option(help="What is compared.")] = "difference",
    column: Annotated[str | None, typer.Option(help="The column, of a receipt of several.")] = None,
    level: Annotated[str, typer.Option(help="The probability of the interval.")] = "0.95",
    plot: Annotated[Path | None, typer.Option(help="Paint the comparison: .png, .svg or .pdf.")] = None,
    different_people: Annotated[
        bool, typer.Option("--different-people", help="Two receipts of one dataset are of different people.")
    ] = False,
    thorough: Annotated[bool, typer.Option("--thorough", help="Weigh all even if it takes minutes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Compare the share of a category between groups. The interval has the privacy noise in it."""
    share = exact_share(level, "level")
    if plot is not None and plot.resolve() in {file.resolve() for file in files}:
        raise InvalidInput("--plot names a receipt", hint="give the picture its own file")
    receipts = [_part(read_receipt(file), column) for file in files]
    names = None if groups is None else read_names(groups, "--groups")
    whole = None if among is None else read_names(among, "--among")
    with reserved_picture(plot) as write, busy("comparing"):
        _require(receipts, thorough=thorough)
        shares, plug_in = (
            _shares([read(receipt) for receipt in receipts], files, names, category, whole)
            for read in (labelled, labelled_plug_in)
        )
        of = f"{category} among {' or '.join(whole)}" if whole else category
        analysis = Analysis(of, measure, float(share), compare_all(shares, different_people=different_people))
        document = analysis.to_json()
        write(lambda: plot_comparisons(shares, plug_in, measure, of=of, level=float(share), pairs=analysis.pairs))
    print_answer(document, analysis.print, as_json=as_json, written=[plot])


@dataclass(frozen=True, slots=True)
class Analysis:
    """All pairs of groups, compared by one measure."""

    of: str
    """The share that is compared, in words."""
    measure: Measure
    level: float
    pairs: Mapping[tuple[str, str], Comparison]

    def to_json(self) -> dict[str, Any]:
        """What programs read: of one pair its numbers, of several a list of them."""
        rows = [self._row(pair, comparison) for pair, comparison in self.pairs.items()]
        return rows[0] if len(rows) == 1 else {"measure": self.measure, "level": self.level, "pairs": rows}

    def _row(self, pair: tuple[str, str], comparison: Comparison) -> dict[str, Any]:
        quantity = comparison.measure(self.measure)
        return {
            "measure": self.measure,
            "groups": list(pair),
            "mean": quantity.mean if math.isfinite(quantity.mean) else None,
            "median": quantity.median,
            "interval": list(quantity.interval(self.level)),
            "level": self.level,
            "probability_greater": float(comparison.probability_greater),
            "error": quantity.error,
            "sentence": self._sentence(pair, quantity, comparison.probability_greater),
        }

    def _sentence(self, pair: tuple[str, str], quantity: Quantity, greater: float) -> str:
        """For the section on results."""
        low, high = quantity.interval(self.level)
        first, second = pair
        within = f"({100 * self.level:g} % interval {self._ends(low, high)}, privacy noise included)"
        if self.measure == "difference":
            size, way = _points(abs(quantity.mean), high - low), "higher" if quantity.mean >= 0 else "lower"
            said = f"The share of {self.of} was {size} points {way} in {first} than in {second} {within}."
        elif self.measure == "ratio":
            said = f"The share of {self.of} in {first} was {quantity.median:.3g} times that in {second} {within}."
        else:
            said = f"The odds of {self.of} in {first} were {quantity.median:.3g} times those in {second} {within}."
        return f"{said} The probability that the share is greater in {first} is {_chance(greater)}."

    def _ends(self, low: float, high: float) -> str:
        if self.measure == "difference":
            return f"{_points(low, high - low)} to {_points(high, high - low)}"
        return f"{low:.3g} to {high:.3g}"

    def print(self, document: dict[str, Any]) -> None:
        """The table of all pairs, and a sentence for each of a few."""
        rows = document.get("pairs", [document])
        unit, centre = (" (points)", "mean") if self.measure == "difference" else ("", "median")
        names = ["first", "second"], [f"{centre}{unit}", f"{100 * self.level:g} % interval", "P(first greater)"]
        columns = {**dict.fromkeys(names[0], "left"), **dict.fromkeys(names[1], "right")}
        lines = []
        for row in rows:
            low, high = row["interval"]
            size = _points(row["mean"], high - low) if self.measure == "difference" else f"{row['median']:.4g}"
            lines.append([*row["groups"], size, self._ends(low, high), _chance(row["probability_greater"])])
        print_table(f"{self.measure.replace('-', ' ')} of {self.of}, privacy noise included", columns, lines)
        say(f"every probability is exact up to {max(row['error'] for row in rows):.0e}")
        if len(rows) == 1:
            say("", "For the results section:", rows[0]["sentence"])


def _points(share: float, width: float) -> str:
    """In percentage points, with as many digits as the width of the interval is worth."""
    digits = min(max(1, 1 - math.floor(math.log10(max(100 * width, 1e-9)))), 9)
    return f"{100 * share:.{digits}f}"


def _chance(probability: float) -> str:
    return "< 0.0001" if probability < 1e-4 else "> 0.9999" if probability > 1 - 1e-4 else f"{probability:.4f}"


def _part(receipt: Receipt | Bundle, column: str | None) -> Receipt:
    """The receipt of one column."""
    if not isinstance(receipt, Bundle):
        if column is not None:
            raise InvalidInput("the receipt is of one column", hint="leave --column out")
        return receipt
    if column not in receipt.columns:
        raise InvalidInput(
            "the receipt is of several columns", hint=f"name one of {', '.join(receipt.columns)} by --column"
        )
    return receipt.parts[receipt.columns.index(column)]


def _require(receipts: list[Receipt], *, thorough: bool) -> None:
    """One receipt or two different ones, each of which holds."""
    if len(receipts) > 2 or (len(receipts) == 2 and receipts[0] == receipts[1]):
        raise InvalidInput("compare one receipt with groups, or two receipts", hint="give each file once")
    for receipt in receipts:
        if not thorough:
            require_modest([receipt], reading=True)
        verify_any(receipt, thorough=thorough)


def _shares(
    beliefs: list[Belief], files: list[Path], names: list[str] | None, category: str, among: list[str] | None
) -> dict[str, Share]:
    """The shares that are compared, by the names of their groups."""
    if len(beliefs) == 1:
        if len(beliefs[0].axes) < 2:
            raise InvalidInput("the receipt has no groups", hint="give a second receipt, of other people")
        chosen = [(name, beliefs[0].group(name)) for name in names or next(iter(beliefs[0].axes.values()))]
    else:
        given = names or [file.stem for file in files]
        labels = given * 2 if len(given) == 1 else given
        if len(labels) != 2:
            raise InvalidInput("two receipts are compared by one group of each", hint="name one for each in --groups")
        own = [
            belief.group(name) if len(belief.axes) > 1 else belief for belief, name in zip(beliefs, labels, strict=True)
        ]
        called = (
            labels
            if len(set(labels)) == 2
            else [f"{name} ({file.stem})" for name, file in zip(labels, files, strict=True)]
        )
        chosen = list(zip(called, own, strict=True))
    if len(dict(chosen)) < max(2, len(chosen)):
        raise InvalidInput("name two groups or more, each once", hint="like --groups new,old")
    return {name: (belief if among is None else belief.among(among))[category] for name, belief in chosen}
