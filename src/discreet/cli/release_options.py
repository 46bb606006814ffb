"""The options of `discreet release`, one class for each heading of its help."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.completion import complete_dataset, complete_mechanism
from discreet.cli.inputs import Delimiter, Encoding, FilterOption, Header


@dataclass(frozen=True, kw_only=True)
class QuestionOptions:
    """Options"""

    epsilon: Annotated[
        list[str],
        typer.Option(help="The privacy loss to allow, exact: 0.5, 1e-3 or 1/3; for all columns, or for each."),
    ]
    source: Annotated[
        str | None,
        typer.Argument(help="A file or glob, duckdb://file.db/table, postgres://…/table or spark://…/table."),
    ] = None
    column: Annotated[
        list[str] | None, typer.Option(help="The column to count; with its --categories as often as you like.")
    ] = None
    categories: Annotated[
        list[str] | None,
        typer.Option(
            help="The categories, like a,b,c; blanks at the commas do not count. One in double quotes is meant as it "
            "is typed. Others that differ only in case or blanks are asked about; --yes is no answer to that."
        ),
    ] = None
    category: Annotated[
        list[str] | None, typer.Option(help="One more category, as it is typed, as often as you like.")
    ] = None
    cross: Annotated[
        list[str] | None,
        typer.Option(help="A column of a cross table with its categories, like sex=f,m; two or more of them."),
    ] = None
    impossible: Annotated[
        list[str] | None,
        typer.Option(help="Cells of the cross table that cannot occur by definition, like sex=m,pregnant=yes."),
    ] = None
    counts: Annotated[str | None, typer.Option(help="Counts in hand, like 70,50,30; - reads standard input.")] = None
    prior: Annotated[
        list[str] | None,
        typer.Option(help="Prior parameters, one per category or cell; or jeffreys, or uniform (if not said)."),
    ] = None
    other: Annotated[list[str] | None, typer.Option(help="A category for whatever is outside the others.")] = None
    missing: Annotated[list[str] | None, typer.Option(help="A category for NULL, NaN and empty texts.")] = None


@dataclass(frozen=True, kw_only=True)
class BudgetOptions:
    """What pays"""

    ledger: Annotated[str | None, typer.Option(help="The ledger whose budget is charged.")] = None
    dataset: Annotated[str | None, typer.Option(help="The dataset in the ledger.", autocompletion=complete_dataset)] = (
        None
    )
    no_ledger: Annotated[bool, typer.Option("--no-ledger", help="Release without a budget to charge.")] = False
    request_id: Annotated[str | None, typer.Option(help="A name for the request: repeating it costs nothing.")] = None
    again: Annotated[
        bool,
        typer.Option("--again", help="Pay for a new draw of what was charged before; refused if not said."),
    ] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Touch no data, charge nothing, draw nothing.")] = False
    yes: Annotated[bool, typer.Option("--yes", help="Charge without asking.")] = False


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """How the table is read"""

    n: Annotated[
        str | None, typer.Option("--n", help="The number of records, or of each public group; counted if not said.")
    ] = None
    filters: FilterOption = None
    engine: Annotated[str | None, typer.Option(help="duckdb, ibis or spark; it follows from the source.")] = None
    delimiter: Delimiter = None
    encoding: Encoding = "utf-8"
    header: Header = True


@dataclass(frozen=True, kw_only=True)
class GroupOptions:
    """Groups and people"""

    by: Annotated[str | None, typer.Option(help="The column of groups: one cross table, at the price of one.")] = None
    groups: Annotated[str | None, typer.Option(help="The groups, like a,b,c.")] = None
    other_group: Annotated[str | None, typer.Option(help="A group for whatever is outside these.")] = None
    group_public: Annotated[
        bool, typer.Option("--group-public", help="Declare that all may know who is in which group.")
    ] = False
    id_column: Annotated[str | None, typer.Option(help="The column that tells people apart: one record each.")] = None


@dataclass(frozen=True, kw_only=True)
class MechanismOptions:
    """How it is drawn"""

    adjacency: Annotated[
        str,
        typer.Option(
            help="What one person may change: replace-one, where the number of records is published, or add-remove, "
            "where it is protected too."
        ),
    ] = "replace-one"

    mechanism: Annotated[str, typer.Option(help="The mechanism, by name.", autocompletion=complete_mechanism)] = (
        "geometric"
    )
    calibrated: Annotated[bool, typer.Option("--calibrated", help="Use the largest scale that keeps ε.")] = False
    gamma: Annotated[str | None, typer.Option(help="How smooth a smooth or reciprocal sensitivity is.")] = None
    postprocess: Annotated[
        str | None, typer.Option(help="Post-processing: nearest or bayes; geometric has free, tight has noisy.")
    ] = None
    way: Annotated[str | None, typer.Option(hidden=True, help="The former name of --postprocess.")] = None
    delta: Annotated[
        str | None,
        typer.Option(
            help="A δ, like 1e-6, for all columns together: several then cost their exact composition, and each gets "
            "more ε. gaussian needs one."
        ),
    ] = None
    accept_no_guarantee: Annotated[
        bool, typer.Option("--accept-no-guarantee", help="Draw counts in hand even without a guarantee.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """What becomes of it"""

    out: Annotated[
        Path | None, typer.Option(help="Write the receipt to this JSON file; no other receipt is replaced.")
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Let --out replace a file that is there.")] = False
    plot: Annotated[
        Path | None, typer.Option(help="Plot the released posterior (.png, .svg or .pdf); a picture is replaced.")
    ] = None
    title: Annotated[str | None, typer.Option(help="What the receipt is called.")] = None
    source_name: Annotated[
        str | None, typer.Option(help="Where the receipt says that its records are from; never a path.")
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False


@dataclass(frozen=True, kw_only=True)
class RateOptions:
    """Rates of events"""

    rates: Annotated[
        bool,
        typer.Option(
            "--rates", help="Every row is an event: release rates --by group; --prior is then a shape and a rate."
        ),
    ] = False
    exposure: Annotated[
        str | None, typer.Option(help='The public exposure of each group, like north=120000,"east, coast"=88000.')
    ] = None
    per: Annotated[str, typer.Option(help="How many units of exposure a rate is told for.")] = "1"


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions(
    QuestionOptions, BudgetOptions, TableOptions, GroupOptions, RateOptions, MechanismOptions, OutputOptions
):
    """All options of a release; the help has its headings in this order."""
