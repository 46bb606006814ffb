"""`discreet snap`: release one number through floats that leak nothing, verify it, and see what it defends against."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

import discreet as dc
from discreet.cli.app import HelpTyper
from discreet.cli.outputs import busy, reserve_picture
from discreet.errors import InvalidInput
from discreet_papers.cli import snap_documents as documents
from discreet_papers.figures import snapping as figures
from discreet_papers.verification.attack import FloatLaplace

RELEASE_EXAMPLE = "Example: discreet snap release --epsilon 1 --bound 100 --value 17.3"
VERIFY_EXAMPLE = "Example: discreet snap verify --epsilon 1 --bound 100 --value 0 --neighbour 1"
ATTACK_EXAMPLE = "Example: discreet snap attack --epsilon 1 --plot pores.png"

snap = HelpTyper(
    help="The snapping mechanism: a number released exactly, and its privacy verified.", epilog=VERIFY_EXAMPLE
)

Epsilon = Annotated[str, typer.Option(help="The privacy loss to allow, exact: 0.5, 1e-3 or 1/3.")]
Bound = Annotated[str, typer.Option(help="Values and outputs are clamped to ±bound.")]
Sensitivity = Annotated[str, typer.Option(help="The farthest that one record moves the value.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


@snap.command("release", epilog=RELEASE_EXAMPLE)
def release(
    epsilon: Epsilon,
    bound: Bound,
    value: Annotated[str, typer.Option(help="The true number; - reads standard input.")],
    sensitivity: Sensitivity = "1",
    plot: Annotated[Path | None, typer.Option(help="Paint what the output says (.png, .svg or .pdf).")] = None,
    as_json: AsJson = False,
) -> None:
    """Release a number by one exact draw. What is printed may be published."""
    snapping, secret = dc.Snapping(epsilon=epsilon, bound=bound, sensitivity=sensitivity), _read(value)
    with reserve_picture(plot) as write:
        output = snapping.release(secret)
        write(lambda: figures.paint_likelihood(figures.likelihood(snapping, output)))
    documents.show(documents.release_document(snapping, output), "released by snapping", plot, as_json=as_json)


@snap.command("verify", epilog=VERIFY_EXAMPLE)
def verify(
    epsilon: Epsilon,
    bound: Bound,
    value: Annotated[
        str | None, typer.Option(help="A value to compare; without it all adjacent ones are certified.")
    ] = None,
    neighbour: Annotated[str | None, typer.Option(help="An adjacent value.")] = None,
    sensitivity: Sensitivity = "1",
    at_epsilon: Annotated[
        list[str] | None, typer.Option("--at-epsilon", help="Also say δ at this ε; may be repeated.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Paint the loss of every output (.png, .svg or .pdf).")] = None,
    as_json: AsJson = False,
) -> None:
    """Compute the exact privacy loss of the float program between two values, or certify it for all of them."""
    if (value is None) != (neighbour is None):
        raise InvalidInput("a pair needs both --value and --neighbour", hint="give both, or neither to certify all")
    snapping = dc.Snapping(epsilon=epsilon, bound=bound, sensitivity=sensitivity)
    with reserve_picture(plot) as write:
        with busy("verifying"):
            everywhere = snapping.verify_all() if value is None else None
            verdict = snapping.verify(value, neighbour) if everywhere is None else everywhere.attained
            document = documents.verify_document(snapping, verdict, everywhere, at_epsilon or [])
        write(lambda: figures.paint(figures.numbers(verdict)))
    documents.show(document, "verified exactly", plot, as_json=as_json)


@snap.command("attack", epilog=ATTACK_EXAMPLE)
def attack(
    epsilon: Epsilon = "1",
    value: Annotated[str, typer.Option(help="A value.")] = "0",
    neighbour: Annotated[str, typer.Option(help="An adjacent value.")] = "1",
    bound: Annotated[str | None, typer.Option(help="Snapping's bound; 100 scales if not said.")] = None,
    exact_uniforms: Annotated[
        bool, typer.Option("--exact-uniforms", help="Attack a float Laplace with better uniforms than usual.")
    ] = False,
    plot: Annotated[Path | None, typer.Option(help="Paint the pores and the grid (.png, .svg or .pdf).")] = None,
    as_json: AsJson = False,
) -> None:
    """Find outputs of a float Laplace that only one of two neighbours can give, and none for snapping."""
    laplace = FloatLaplace(epsilon=epsilon, exact_uniforms=exact_uniforms)
    snapping = dc.Snapping(epsilon=epsilon, bound=100 / laplace.epsilon if bound is None else bound)
    with reserve_picture(plot) as write:
        with busy("attacking"):
            document = documents.attack_document(laplace, snapping, value, neighbour)
        write(lambda: figures.paint_pores(figures.pore_numbers(laplace, snapping, value, neighbour)))
    documents.show(document, "a float Laplace, attacked", plot, as_json=as_json)


def _read(value: str) -> str:
    """The text of a value, `-` for standard input; refused later in words that no value can change."""
    if value != "-":
        return value
    try:
        return sys.stdin.read().strip()
    except ValueError:  # bytes that are no text
        return ""
