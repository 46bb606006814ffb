"""`discreet release`: one private draw of a posterior."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.errors import InvalidInput, NotPrivate

if TYPE_CHECKING:
    from discreet import Mechanism

EXAMPLE = "Example: discreet release --counts 70,50,30 --epsilon 0.5 --no-ledger --out release.json"


def release(
    epsilon: Annotated[str, typer.Option(help="The privacy loss to allow, exact: 0.5, 1e-3 or 1/3.")],
    source: Annotated[str | None, typer.Argument(hidden=True)] = None,
    counts: Annotated[str | None, typer.Option(help="Counts in hand, like 70,50,30; - reads standard input.")] = None,
    no_ledger: Annotated[bool, typer.Option("--no-ledger", help="Release without a budget to charge.")] = False,
    ledger: Annotated[str | None, typer.Option(hidden=True)] = None,
    prior: Annotated[str | None, typer.Option(help="Prior parameters, one a category; ones if not said.")] = None,
    n: Annotated[str | None, typer.Option("--n", help="The number of records; the counts' sum if not said.")] = None,
    mechanism: Annotated[str, typer.Option(help="The mechanism, by name.")] = "geometric",
    gamma: Annotated[str | None, typer.Option(help="How smooth a smooth or reciprocal sensitivity is.")] = None,
    way: Annotated[str | None, typer.Option(help="geometric's way back: nearest, bayes or free.")] = None,
    categories: Annotated[str | None, typer.Option(help="The categories' names; 1,2,… if not said.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the release to this JSON file.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Paint the released posterior (.png, .svg or .pdf).")] = None,
    accept_no_guarantee: Annotated[
        bool, typer.Option("--accept-no-guarantee", help="Draw even from a mechanism that is not private.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything, draw nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing; without a ledger nothing is asked.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Release a posterior by one exact draw. What is printed may be published."""
    from discreet.cli.busy import busy
    from discreet.cli.inputs import public_space, read_categories, read_counts

    in_hand = read_counts(_counts_in_hand(source, counts, ledger=ledger, no_ledger=no_ledger))
    space = public_space(prior=prior, n=n, counts=in_hand)
    names = read_categories(categories, space.k)
    checked = space.counts(in_hand)
    chosen = {key: value for key, value in (("gamma", gamma), ("way", way)) if value is not None}
    with busy("preparing"):
        import discreet as dc

        made = dc.mechanism(mechanism, space, epsilon=epsilon, **chosen)
    draw_and_show(
        made,
        None if dry_run else checked,
        names,
        out=out,
        plot=plot,
        accept_no_guarantee=accept_no_guarantee,
        as_json=as_json,
    )


def draw_and_show(
    mechanism: Mechanism,
    counts: object | None,
    categories: list[str],
    *,
    out: Path | None,
    plot: Path | None,
    accept_no_guarantee: bool = False,
    as_json: bool = False,
) -> None:
    """Reserve the files, draw once (not at all without counts), fill the files, and print."""
    from discreet.cli.busy import busy
    from discreet.cli.documents import release_document
    from discreet.cli.files import Reserved
    from discreet.cli.tables import print_json, print_release, print_written
    from discreet.figures import posterior
    from discreet.figures.rendering import picture_format, render

    if out is not None and plot is not None and out.resolve() == plot.resolve():
        raise InvalidInput("--out and --plot name the same file", mend="give each its own")
    with ExitStack() as stack:
        kind = "" if plot is None else picture_format(plot)
        places = {path: stack.enter_context(Reserved(path)) for path in (out, plot) if path is not None}
        if counts is None:
            if not accept_no_guarantee and not mechanism.guarantee <= mechanism.epsilon:
                raise NotPrivate(f"{mechanism.name} has no guarantee at this epsilon", mend="use another mechanism")
            document = release_document(mechanism, categories, None)
        else:
            with busy("drawing"):
                released = mechanism.release(counts, accept_no_guarantee=accept_no_guarantee)
            document = release_document(mechanism, categories, released)
            if out is not None:
                places[out].write((json.dumps(document, indent=2, allow_nan=False) + "\n").encode())
            if plot is not None:
                shown = posterior.numbers(released.posterior, categories)
                title = f"Posterior released by {mechanism.name}, ε = {mechanism.epsilon}, n = {mechanism.space.n}"
                places[plot].write(render(posterior.paint(shown, title=title), kind))
    if as_json:
        print_json(document)
    else:
        print_release(document)
        if counts is not None:
            print_written(list(places))


def _counts_in_hand(source: str | None, counts: str | None, *, ledger: str | None, no_ledger: bool) -> str:
    """The text of `--counts`, once it is clear that nothing else was asked for."""
    here = "this version releases only counts in hand: --counts 70,50,30 --no-ledger"
    if source is not None:
        raise InvalidInput("a table cannot be released yet", mend=here)
    if ledger is not None:
        raise InvalidInput("a ledger cannot be charged yet", mend=here)
    if not no_ledger:
        raise InvalidInput("neither --ledger nor --no-ledger was said", mend=here)
    if counts is None:
        raise InvalidInput("there are no counts to release", mend=here)
    return counts
