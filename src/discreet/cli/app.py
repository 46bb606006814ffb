"""The entry point: the list of commands, and the one place where every exception ends."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from discreet import __version__
from discreet.cli import INTERRUPTED
from discreet.cli.failures import report
from discreet.cli.help import Group, HelpTyper, LazyCommands, options_of
from discreet.cli.spelling import HANDLER

COMMANDS = {
    "release": ("discreet.cli.release", "Release a posterior by one exact draw. What is printed may be published."),
    "sensitivity": (
        "discreet.cli.sensitivity",
        "Say how far, in Hellinger distance, replacing one record moves the posterior.",
    ),
    "audit": ("discreet.cli.audit", "Find the greatest privacy loss over all data sets, neighbours and outputs."),
    "plan": (
        "discreet.cli.plan",
        "Compare all mechanisms for an ε, or find the least ε for a wanted error or interval width.",
    ),
    "snap": (
        "discreet_papers.cli.snap",
        "The snapping mechanism: a number released exactly, and its privacy verified.",
    ),
    "check": (
        "discreet.cli.check",
        "See whether the data fits the declaration, before anything is spent. Not for publication: exit code 2 if not.",
    ),
    "ledger": (
        "discreet.cli.ledger",
        "Budgets of privacy loss: what may be spent, what was, and proof that the book was not changed.",
    ),
    "infer": (
        "discreet.cli.infer",
        "What a reader may believe: the exact posterior given the release, with the privacy noise in it.",
    ),
    "receipt": ("discreet.cli.receipt", "Check receipts."),
    "reproduce": (
        "discreet_papers.cli.reproduce",
        "Make the figures of the papers behind discreet again, with their numbers, and a report that opens offline.",
    ),
    "serve": (
        "discreet.cli.serve",
        "Plan, audit, read receipts and, if you allow it, release, in a browser on this machine. Ctrl-C ends it.",
    ),
    "demo": (
        "discreet.cli.demo",
        "Release votes and party identification of 944 respondents, with a fresh ledger, and paint them.",
    ),
}
"""Every command: the module that is imported when it is asked for, and the first sentence of its help."""


class Commands(Group):
    """The commands of `discreet`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        vars(self)["commands"] = LazyCommands(COMMANDS)  # none is ever added


app = HelpTyper(
    cls=Commands,
    epilog="Example: discreet release --counts 70,50,30 --epsilon 0.5 --no-ledger",
    invoke_without_command=True,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        print(f"discreet {__version__}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Publish a Bayesian posterior with differential privacy."""
    if context.invoked_subcommand is None:
        print(context.get_help())


def run(arguments: Sequence[str]) -> int:
    """Run one command line; whatever happens, the answer is an exit code and at most one line on stderr.

    >>> run(["--version"])
    discreet 0.1.0
    0
    """
    _prepare()
    command = typer.main.get_command(app)
    try:
        code: int | None = command(list(arguments), prog_name="discreet", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        code = 1  # the reader left, and needs no telling
    except KeyboardInterrupt:
        code = INTERRUPTED
    except Exception as failure:  # noqa: BLE001 - the last line of defence: nobody is shown a traceback
        code = report(failure, as_json="--json" in arguments, options=options_of(command, list(arguments)))
    _settle()
    return code or 0


def _prepare() -> None:
    # A warning is a text that data could change, and a second line where one is promised.
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=HANDLER)  # a terminal without ε still gets its table


def _settle() -> None:
    """Leave nothing in the buffer that Python would fail to write, aloud, after we are done."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
