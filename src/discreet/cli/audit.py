"""`discreet audit`: the exact privacy loss of a mechanism, before any data is touched."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

import discreet as dc
from discreet import Mechanism, PosteriorSpace
from discreet.cli.busy import busy
from discreet.cli.files import Reserved
from discreet.cli.inputs import public_space
from discreet.cli.tables import print_json, print_table, print_written, say
from discreet.errors import InvalidInput
from discreet.figures import losses
from discreet.figures.image import picture_format, render

EXAMPLE = "Example: discreet audit exponential-reciprocal --prior 1,1 --n 1000 --scale 0.5 --at-epsilon 0.5"


def audit(
    mechanism: Annotated[str, typer.Argument(help="The mechanism, by name.")],
    n: Annotated[str, typer.Option("--n", help="The number of records.")],
    prior: Annotated[str, typer.Option(help="Prior parameters, one a category.")] = "1,1",
    epsilon: Annotated[str | None, typer.Option(help="The ε that the mechanism should keep.")] = None,
    scale: Annotated[str | None, typer.Option(help="The exponential mechanism's scale s, in place of ε.")] = None,
    gamma: Annotated[
        str | None, typer.Option(help="The smoothing rate; published:EPS,DELTA for the papers' own at this ε and δ.")
    ] = None,
    calibrated: Annotated[bool, typer.Option("--calibrated", help="Audit the largest scale that keeps ε.")] = False,
    at_epsilon: Annotated[
        list[str] | None, typer.Option("--at-epsilon", help="Also say δ at this ε; may be repeated.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Paint δ against ε (.png, .svg or .pdf).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Find the greatest privacy loss over all data sets, neighbours and outputs."""
    kind = "" if plot is None else picture_format(plot)
    space = public_space(prior=prior, n=n, counts=None)
    with busy("preparing") as tell:
        made = _made(mechanism, space, epsilon=epsilon, scale=scale, gamma=gamma, calibrated=calibrated, tell=tell)
    with busy("scanning neighbours and outputs") as tell:
        result = dc.audit(made, progress=tell)
        document = result.to_json(at_epsilon or [])
    if plot is not None:
        with Reserved(plot) as reserved, busy("painting"):
            reserved.write(render(losses.paint(losses.numbers(result)), kind))
    if as_json:
        print_json(document)
    else:
        _print_table(document)
        if plot is not None:
            print_written([plot])


def _made(
    name: str,
    space: PosteriorSpace,
    *,
    epsilon: str | None,
    scale: str | None,
    gamma: str | None,
    calibrated: bool,
    tell: Any,
) -> Mechanism:
    options = {} if gamma is None else {"gamma": _gamma(gamma, space)}
    if (epsilon is None) == (scale is None):
        raise InvalidInput("give either --epsilon or --scale", hint="--epsilon 1 says what the mechanism should keep")
    if calibrated:
        if epsilon is None:
            raise InvalidInput("calibration needs an epsilon to keep", hint="give --epsilon in place of --scale")
        return dc.calibrate(name, space, epsilon=epsilon, progress=tell, **options)
    if scale is not None:
        options["scale"] = scale
    return dc.mechanism(name, space, epsilon=epsilon, **options)


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
    rows = [
        (key, value if len(value) < 24 else f"{_decimal(value):.10g}") for key, value in document["parameters"].items()
    ]
    bounded = document["worst"] is None or document["certificate"]["method"] == "bounds"
    loss = "loss, at most" if bounded else "exact loss"
    for label, key in ((loss, "exact_epsilon"), ("guarantee", "guarantee"), ("asked for", "asked_epsilon")):
        value = document[key]
        rows.append((label, "infinite" if value is None else rounded_up(value)))
    if bounded and document["worst"] is not None:
        rows.append(("loss, at least", rounded_up(-document["reached_epsilon"]).removeprefix("-")))
    rows += [(f"δ at ε = {row['epsilon']:g}", rounded_up(row["delta"], 6, "g")) for row in document["delta"]]
    rows += [(f"worst {label}", ", ".join(map(str, at))) for label, at in (document["worst"] or {}).items()]
    certificate = document["certificate"]
    rows += [("certified by", certificate["method"]), ("certificate", f"{certificate['digest'][:16]}…")]
    print_table(f"privacy of {document['mechanism']}", {"what": "left", "value": "right"}, rows)
    say(certificate["statement"], *([] if document["private"] else ["not private at the ε asked for"]))


def rounded_up(value: float, digits: int = 10, form: str = "f") -> str:
    """So many digits, never below the number.

    >>> rounded_up(1.00000000001), rounded_up(1.2345678e-10, 6, "g")
    ('1.000000001', '1.23457e-10')
    """
    return f"{Context(prec=digits, rounding=ROUND_CEILING).create_decimal_from_float(value).normalize():{form}}"


def _decimal(text: str) -> float:
    return float(Fraction(text))
