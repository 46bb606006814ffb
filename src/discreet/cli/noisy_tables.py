"""Tables that somebody else published with noise: a CSV file with a row for each cell."""

from __future__ import annotations

import csv
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.arithmetic.texts import join_names, require_name
from discreet.cli.margins import LEVEL, margin_document, print_margins
from discreet.cli.outputs import print_beliefs, say
from discreet.errors import InvalidInput, TooLarge
from discreet.figures import inference
from discreet.figures.tables import plot_margins
from discreet.inference import Belief, NoiseAware
from discreet.inference.factor_posteriors import Contradiction
from discreet.inference.noise import parse_noise
from discreet.inference.noisy import STATED, face_value, read_noisy
from discreet.posteriors import Dirichlet

if TYPE_CHECKING:
    from matplotlib.figure import Figure


MAX_COUNTS = 40_000
"""Beyond so many likely counts of all cells together, a table without a total takes more than some seconds."""


@dataclass(frozen=True, kw_only=True)
class NoisyOptions:
    """Options

    What a command is told of a published table, beside its own options.
    """

    noisy: Annotated[
        Path | None, typer.Option(help="A CSV file of noisy counts that somebody else published, a row for each cell.")
    ] = None
    count_column: Annotated[str, typer.Option(help="Its column of noisy counts; all others are labels.")] = "count"
    noise: Annotated[
        str | None,
        typer.Option(
            help="The noise, as stated by the publisher: discrete-laplace or laplace with scale=, discrete-gaussian "
            "or gaussian with sigma=; laplace and gaussian may be rounded."
        ),
    ] = None
    scale_column: Annotated[str | None, typer.Option(help="Its column of scales, where each cell has its own.")] = None
    total: Annotated[str | None, typer.Option(help="The number of records, if it was published.")] = None
    clamped: Annotated[bool, typer.Option("--clamped", help="Negative counts were published as 0.")] = False

    def require_consistent(self) -> None:
        """Refuse what is said of a table where none is named, and a table without its noise."""
        if self.noisy is None and self != NoisyOptions(count_column=self.count_column):
            raise InvalidInput(
                "a receipt says its own noise", hint="--noise, --scale-column, --total, --clamped: --noisy"
            )
        if self.noisy is not None and self.noise is None:
            raise InvalidInput("--noisy needs --noise", hint='state it like --noise "discrete-laplace scale=2"')


@dataclass(frozen=True, slots=True)
class NoisyTable:
    """A published table, read: what may be believed of it, and the counts at face value."""

    belief: Belief
    plug_in: Dirichlet
    noise: str
    total: int | None

    def to_json(self, margins: list[Belief]) -> dict[str, Any]:
        """By category; of several columns by margins."""
        posterior = self.belief.posterior
        return {
            **self._shares(margins),
            "level": LEVEL,
            "prior": [float(parameter) for parameter in posterior.prior.parameters],
            "error": max(margin.error for margin in margins),
            "method": posterior.method,
            "noise": f"{STATED}: {self.noise}",
            "total": self.total if self.total is not None else self._total_document(),
        }

    @property
    def at_face_value(self) -> Belief:
        """The same cells without the noise."""
        return Belief.of(NoiseAware.at_face_value(self.plug_in), self.belief.axes)

    def _total_document(self) -> dict[str, Any]:
        total = self.belief.total
        return {"mean": total.mean, "interval": list(total.interval(LEVEL))}

    def picture(self, margins: list[Belief]) -> Figure:
        """One column beside its counts at face value; of several, the margins."""
        if len(self.belief.axes) > 1:
            return plot_margins(margins)
        numbers = inference.numbers(self.belief.posterior, self.plug_in, self.belief.labels)
        return inference.paint(numbers, title=f"{next(iter(self.belief.axes))}, {STATED}: {self.noise}")

    def _shares(self, margins: list[Belief]) -> dict[str, Any]:
        documents = [margin_document(margin) for margin in margins]
        if len(self.belief.axes) > 1:
            return {"margins": documents}
        low, high = self.plug_in.interval(LEVEL)
        return {
            "noise_aware": {
                label: {key: row[key] for key in ("mean", "sd", "interval")} | {"interval_plug_in": ends}
                for label, row, ends in zip(
                    self.belief.labels,
                    documents[0]["cells"],
                    zip(low.tolist(), high.tolist(), strict=True),
                    strict=True,
                )
            }
        }


def print_noisy(document: dict[str, Any]) -> None:
    """The shares, and what the noise is said to be."""
    if "margins" in document:
        print_margins(document["margins"], STATED)
    else:
        print_beliefs("what a reader may believe", document["noise_aware"], grouped=False)
    say(document["noise"])
    if isinstance(document["total"], dict):
        low, high = document["total"]["interval"]
        say(f"number of records: {document['total']['mean']:,.1f}, 95 % interval {low:,.0f} to {high:,.0f}")
    say(f"exact up to {document['error']:.1g} in any probability, by {document['method']}")


def read_noisy_table(options: NoisyOptions, prior: str | None, *, thorough: bool) -> NoisyTable:
    """What may be believed of the cells of a CSV file; its other columns are their labels."""
    assert options.noisy is not None, "there is a table"
    assert options.noise is not None, "its noise is stated"
    noise, count_column, scale_column = options.noise, options.count_column, options.scale_column
    header, rows = _read_csv(options.noisy)
    columns = [name for name in header if name not in (count_column, scale_column)]
    for name in (count_column, *([scale_column] if scale_column else [])):
        if name not in header:
            raise InvalidInput(f"the table has no column {name!r}", hint=f"it has {join_names(header)}")
    if not columns:
        raise InvalidInput("the table has no column of labels", hint="name each cell in a column of its own")
    axes = {name: tuple(dict.fromkeys(row[name] for row in rows)) for name in columns}
    cells = {tuple(row[name] for name in columns): row for row in rows}
    keys = list(product(*axes.values()))
    if len(cells) < len(rows) or len(keys) != len(rows):
        raise InvalidInput(
            "the table must have one row for each combination of labels", hint="give the rows that are missing"
        )
    counts = [cells[key][count_column].strip() for key in keys]
    noises = [parse_noise(noise, cells[key][scale_column].strip() if scale_column else None) for key in keys]
    if options.total is None and not thorough and sum(2 * each.spread for each in noises) > MAX_COUNTS:
        raise TooLarge(
            "this noise leaves very many counts open, which takes long where the total is not known",
            hint="state the --total if it was published, or let it take minutes with --thorough",
        )
    stated = noise if scale_column is None else f"{noise}, of column {scale_column!r}"
    with tell_contradictions("--total"):
        belief = read_noisy(
            counts,
            noise=noises,
            prior="uniform" if prior is None else prior,
            total=options.total,
            categories=axes,
            clamped=options.clamped,
        )
    return NoisyTable(belief, face_value(counts, belief.posterior.prior), stated, belief.posterior.n)


@contextmanager
def tell_contradictions(option: str) -> Iterator[None]:
    """One line on stderr, for programs and people alike, where noisy counts speak against what an option gave of n."""
    with warnings.catch_warnings(record=True, action="always", category=Contradiction) as warned:
        yield
    if any(isinstance(each.message, Contradiction) for each in warned):  # and none of NumPy's
        print(f"warning: {Contradiction(option)}", file=sys.stderr)


def _read_csv(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = list(csv.reader(file, strict=True))
    except (OSError, UnicodeError, csv.Error):
        raise InvalidInput(f"{path} cannot be read as CSV", hint="give a file in UTF-8, with commas") from None
    header, rows = (lines[0], lines[1:]) if lines else ([], [])
    if len(set(header)) != len(header) or len(rows) < 2 or any(len(row) != len(header) for row in rows):
        raise InvalidInput(
            f"{path} must have a header and a row for each cell", hint="every row has as many fields as the header"
        )
    for row in (header, *rows):
        for cell in row:
            require_name(cell, "a label")
    return header, [dict(zip(header, row, strict=True)) for row in rows]
