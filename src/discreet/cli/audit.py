"""`discreet audit`: the exact privacy loss of a mechanism, before any data is touched."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

import discreet as dc
from discreet import Mechanism, PosteriorSpace
from discreet.arithmetic.words import decimal_upper
from discreet.cli.completion import complete_mechanism
from discreet.cli.outputs import busy, print_answer, print_table, reserve_picture, say
from discreet.errors import InvalidInput
from discreet.figures import losses

EXAMPLE = "Example: discreet audit exponential-reciprocal --prior 1,1 --n 1000 --scale 0.5 --at-epsilon 0.5"


def audit(
    mechanism: Annotated[str, typer.Argument(help="The mechanism, by name.", autocompletion=complete_mechanism)],
    n: Annotated[str | None, typer.Option("--n", help="The number of records; none under add-remove.")] = None,
    prior: Annotated[str, typer.Option(help="Prior parameters, one per category; or jeffreys, or uniform.")] = "1,1",
    epsilon: Annotated[str | None, typer.Option(help="The ε that the mechanism should keep.")] = None,
    delta: Annotated[str | None, typer.Option(help="The δ that gaussian should keep, like 1e-6.")] = None,
    scale: Annotated[str | None, typer.Option(help="The exponential mechanism's scale s, in place of ε.")] = None,
    gamma: Annotated[
        str | None, typer.Option(help="The smoothing rate; published:EPS,DELTA for the papers' own at this ε and δ.")
    ] = None,
    adjacency: Annotated[str, typer.Option(help="replace-one; or add-remove, where n is private.")] = "replace-one",
    calibrated: Annotated[bool, typer.Option("--calibrated", help="Audit the largest scale that keeps ε.")] = False,
    at_epsilon: Annotated[
        list[str] | None, typer.Option("--at-epsilon", help="Also say δ at this ε; may be repeated.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Paint δ against ε (.png, .svg or .pdf).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Find the greatest privacy loss over all data sets, neighbours and outputs."""
    with reserve_picture(plot) as write:
        space = dc.PosteriorSpace(prior=prior, n=n, adjacency=adjacency)
        options = {} if gamma is None else {"gamma": _gamma(gamma, space)}
        options |= {key: value for key, value in (("scale", scale), ("delta", delta)) if value is not None}
        if (epsilon is None) == (scale is None):
            example = "--epsilon 1 says what the mechanism should keep"
            raise InvalidInput("give either --epsilon or --scale", hint=example)
        with busy("preparing") as tell:
            if not calibrated:
                audited: Mechanism = dc.mechanism(mechanism, space, epsilon=epsilon, **options)
            elif epsilon is not None:
                audited = dc.calibrate(mechanism, space, epsilon=epsilon, progress=tell, **options)
            else:
                raise InvalidInput("calibration needs an epsilon to keep", hint="give --epsilon in place of --scale")
        with busy("scanning neighbours and outputs") as tell:
            result = dc.audit(audited, progress=tell)
            document = result.to_json(at_epsilon or [])
        with busy("plotting"):
            write(lambda: losses.paint(losses.numbers(result)))
    print_answer(document, _print_table, as_json=as_json, written=[plot])


def _gamma(text: str, space: PosteriorSpace) -> str:
    """A number, or the papers' own γ for an ε and δ."""
    word, colon, numbers = text.partition(":")
    if not colon or word not in ("published", "seeds"):  # seeds: as it was spelled once
        return text
    parts = numbers.split(",")
    if len(parts) != 2:
        raise InvalidInput("the papers' gamma needs an epsilon and a delta", hint="write it like published:1,1e-8")
    return repr(dc.published_gamma(space, *parts))


def _print_table(document: dict[str, Any]) -> None:
    worst, certificate = document["worst"], document["certificate"]
    bounded = worst is None or certificate["method"] == "bounds"
    rows = [
        ("postprocess" if key == "way" else key, value if len(value) < 24 else f"{float(Fraction(value)):.10g}")
        for key, value in document["parameters"].items()
    ]
    loss = "loss, at most" if bounded else "exact loss"
    for label, key in ((loss, "exact_epsilon"), ("guarantee", "guarantee"), ("asked for", "asked_epsilon")):
        rows.append((label, "infinite" if document[key] is None else _ten_digits(document[key])))
    if bounded and worst is not None:
        rows.append(("loss, at least", _ten_digits(-document["reached_epsilon"]).removeprefix("-")))
    rows += [
        (f"δ at ε = {row['epsilon']:g}", f"{decimal_upper(row['delta'], 6).normalize():g}") for row in document["delta"]
    ]
    rows += [(f"worst {label}", ", ".join(map(str, at))) for label, at in (worst or {}).items()]
    rows += [("certified by", certificate["method"]), ("certificate", f"{certificate['digest'][:16]}…")]
    print_table(f"privacy of {document['mechanism']}", {"what": "left", "value": "right"}, rows)
    say(certificate["statement"], *([] if document["private"] else ["not private at the ε asked for"]))


def _ten_digits(loss: float) -> str:
    return f"{decimal_upper(loss, 10).normalize():f}"
