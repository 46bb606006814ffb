"""`discreet sensitivity`: how far one record moves the posterior."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import discreet as dc
from discreet import PosteriorSpace
from discreet.arithmetic.numbers import exact
from discreet.cli.inputs import read_counts
from discreet.cli.outputs import busy, print_answer, print_table, say
from discreet.errors import InvalidInput
from discreet.posteriors import as_prior

EXAMPLE = "Example: discreet sensitivity --prior 1,1 --n 100 --counts 50,50"


def sensitivity(
    prior: Annotated[
        str | None, typer.Option(help="Prior parameters, one per category; or jeffreys, or uniform (if not said).")
    ] = None,
    n: Annotated[str | None, typer.Option("--n", help="The number of records; the counts' sum if not said.")] = None,
    counts: Annotated[str | None, typer.Option(help="The true counts, like 50,50; - reads standard input.")] = None,
    gamma: Annotated[
        str | None,
        typer.Option(help="For smooth and reciprocal; the papers' γ at ε = 1, δ = 1e-8, and 1, if not said."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Say how far, in Hellinger distance, replacing one record moves the posterior."""
    in_hand = None if counts is None else read_counts(counts)
    space = _space(prior, n, in_hand)
    with busy("computing"):
        document = sensitivity_document(space, in_hand, gamma)
    print_answer(document, _print_table, as_json=as_json)


def _space(prior: str | None, n: str | None, counts: list[int] | None) -> PosteriorSpace:
    """The space that the options declare; what they leave open follows from the counts in hand."""
    if prior is None and counts is None:
        raise InvalidInput("the number of categories is not known", hint="give --prior, like 1,1,1")
    if n is None and counts is None:
        raise InvalidInput("the number of records is not known", hint="give --n")
    parameters = as_prior(prior or "uniform", len(counts or (1, 1)))
    return dc.PosteriorSpace(prior=parameters, n=str(sum(counts or ())) if n is None else n)


def sensitivity_document(space: PosteriorSpace, counts: list[int] | None, gamma: str | None) -> dict[str, Any]:
    """The four sensitivities; without counts only the global one, which is public, and null for the others."""
    document: dict[str, Any] = dict.fromkeys(("local", "global", "smooth", "reciprocal", "gamma"))
    document |= {"global": dc.global_sensitivity(space), "publishable": counts is None}
    if counts is not None:
        rate = None if gamma is None else exact(gamma, "gamma", minimum=0)
        smooth = dc.published_gamma(space, "1", "1e-8") if rate is None else rate
        reciprocal = 1 if rate is None else rate
        document |= {
            "local": dc.local_sensitivity(space, counts),
            "smooth": dc.smooth_sensitivity(space, counts, smooth),
            "reciprocal": dc.reciprocal_sensitivity(space, counts, reciprocal),
            "gamma": {"smooth": float(smooth), "reciprocal": float(reciprocal)},
        }
    return document


def _print_table(document: dict[str, Any]) -> None:
    meanings = {
        "local": "the farthest that one record moves this posterior",
        "global": "the farthest that one record moves any posterior of this space",
        "smooth": "local, smoothed: falls by at most e^γ from neighbour to neighbour",
        "reciprocal": "local, smoothed: its reciprocal moves by at most γ",
    }
    gammas = document["gamma"] or {}
    rows = [
        (kind, f"{document[kind]:.10g}", f"{gammas[kind]:.6g}" if kind in gammas else "", meaning)
        for kind, meaning in meanings.items()
        if document[kind] is not None
    ]
    columns = {"kind": "left", "value": "right", "γ": "right", "meaning": "left"}
    print_table("sensitivity in Hellinger distance", columns, rows)
    if not document["publishable"]:
        say("not publishable: speaks of the true data")
