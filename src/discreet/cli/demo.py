"""`discreet demo`: a private release of real data, from nothing to a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.errors import InvalidInput

EXAMPLE = "Example: discreet demo --out discreet-demo"

COUNTS = {"not cured": 42, "cured": 48}
"""Cryotherapy: 90 patients whose warts were treated with cold, by outcome. A public data set."""

EPSILON = "1"


def demo(
    out: Annotated[Path, typer.Option(help="The directory to write to.")] = Path("discreet-demo"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Release the posterior of a real, public data set, and paint it."""
    import discreet as dc
    from discreet.cli.releasing import draw_and_show
    from discreet.cli.tables import console

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise InvalidInput(f"{out} cannot be made a directory", mend="choose another with --out") from None
    counts = list(COUNTS.values())
    space = dc.PosteriorSpace(prior=dc.Beta(1, 1), n=sum(counts))
    if not as_json:
        console().print(f"Cryotherapy: {space.n} patients, cured or not. The release must not tell on any of them.\n")
    mechanism = dc.Geometric(space, epsilon=EPSILON)
    names = list(COUNTS)
    draw_and_show(mechanism, counts, names, out=out / "release.json", plot=out / "release.png", as_json=as_json)
    if not as_json:
        true = space.posterior(counts).mean
        said = ", ".join(f"{name} {share:.4f}" for name, share in zip(names, true, strict=True))
        console().print(f"\nThese data are public, so we may compare: the true means are {said}.", soft_wrap=True)
