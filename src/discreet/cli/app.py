"""The entry point: the list of commands, and the one place where every exception ends."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated

import typer

from discreet import __version__
from discreet.cli import INTERRUPTED, audit, check, demo, infer, ledger, plan, receipt, release, sensitivity, serve
from discreet.cli.failures import report
from discreet.cli.help import HelpTyper, options_of
from discreet.cli.spelling import HANDLER
from discreet_papers.cli import reproduce, snap

app = HelpTyper(
    epilog="Example: discreet release --counts 70,50,30 --epsilon 0.5 --no-ledger",
    invoke_without_command=True,
    context_settings={"help_option_names": ["--help", "-h"]},
)
app.command("release", epilog=release.EXAMPLE)(release.release)
app.command("sensitivity", epilog=sensitivity.EXAMPLE)(sensitivity.sensitivity)
app.command("audit", epilog=audit.EXAMPLE)(audit.audit)
app.command("plan", epilog=plan.EXAMPLE)(plan.plan)
app.add_typer(snap.snap, name="snap")
app.command("check", epilog=check.EXAMPLE)(check.check)
app.add_typer(ledger.ledger, name="ledger")
app.command("infer", epilog=infer.EXAMPLE)(infer.infer)
app.add_typer(receipt.receipt, name="receipt")
app.command("reproduce", epilog=reproduce.EXAMPLE)(reproduce.reproduce)
app.command("serve", epilog=serve.EXAMPLE)(serve.serve)
app.command("demo", epilog=demo.EXAMPLE)(demo.demo)


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
