"""The entry point: the list of commands, and the one place where every exception ends."""

from __future__ import annotations

import codecs
import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from discreet import __version__
from discreet.cli import INTERRUPTED, QUIET
from discreet.cli.failures import Charged, report, tell_free_way
from discreet.cli.help import Group, HelpTyper, LazyCommands, options_of

COMMANDS = {
    "release": "Release a posterior by one exact draw. What is printed may be published.",
    "sensitivity": "Say how far, in Hellinger distance, replacing one record moves the posterior.",
    "audit": "Find the greatest privacy loss over all data sets, neighbours and outputs.",
    "plan": "Say what an ε gives, or find the least ε for a wanted error or interval width.",
    "snap": "The snapping mechanism: a number released exactly, and its privacy verified.",
    "check": "See whether the data fits the declaration, before anything is spent. "
    "Not for publication: exit code 2 if not.",
    "ledger": "Budgets of privacy loss: what may be spent, what was, and proof that the book was not changed.",
    "infer": "What a reader may believe: the exact posterior given the release, with the privacy noise in it.",
    "compare": "Compare groups: the difference, ratio or odds ratio of a share, with the privacy noise in it.",
    "synthesize": "Draw synthetic copies of the records from what a reader may believe. "
    "One copy is no data: combine several.",
    "receipt": "Read, check and export receipts.",
    "reproduce": "Make the figures of the papers behind discreet again, with their numbers, "
    "and a report that opens offline.",
    "serve": "Plan, audit, read receipts and, if you allow it, release, in a browser on this machine. Ctrl-C ends it.",
    "demo": "Release votes and party identification of 944 respondents, with a fresh ledger, and plot them.",
}
"""Every command, with the first sentence of its help; its module is imported when it is asked for."""

PAPERS = ("snap", "reproduce")
"""Those that `discreet_papers` has."""

SPELLED = {
    "α": "alpha", "γ": "gamma", "Γ": "Gamma", "δ": "delta", "ε": "eps", "η": "eta", "λ": "lambda", "Λ": "Lambda",
    "ρ": "rho", "χ": "chi", "–": "-", "−": "-", "…": "...", "≤": "<=", "≥": ">=", "±": "+-", "×": "x", "·": "*",
    "‖": "||", "₁": "1", "²": "^2",
}  # fmt: skip
"""Letters and signs for terminals that have only ASCII."""


class Commands(Group):
    """The commands of `discreet`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        modules = {name: f"discreet{'_papers' if name in PAPERS else ''}.cli.{name}" for name in COMMANDS}
        vars(self)["commands"] = LazyCommands(modules, COMMANDS)  # none is ever added


app = HelpTyper(
    cls=Commands,
    epilog="Example: discreet release --counts 70,50,30 --epsilon 0.5 --no-ledger",
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        print(f"discreet {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", envvar=QUIET, help="Say nothing about work in progress; may stand anywhere.")
    ] = False,
) -> None:
    """Publish a Bayesian posterior with differential privacy."""
    if quiet:
        os.environ[QUIET] = "1"


def run(arguments: Sequence[str]) -> int:
    """Run one command line; whatever happens, the answer is an exit code and at most one line on stderr.

    Where a request was charged, two more say how to finish it for free.

    >>> run(["--version"])
    discreet 0.1.0
    0
    """
    _prepare()
    command = typer.main.get_command(app)
    try:
        code: int | None = command(_quiet_first(arguments), prog_name="discreet", standalone_mode=False)
        sys.stdout.flush()
    except BaseException as failure:  # noqa: BLE001 - the last line of defence: nobody is shown a traceback
        code = _end(failure, list(arguments), command)
    _settle()
    return code or 0


def _quiet_first(arguments: Sequence[str]) -> list[str]:
    """`--quiet` belongs to every command: it is an option of the first word, wherever it stands.

    >>> _quiet_first(["plan", "--n", "9", "--quiet"])
    ['--quiet', 'plan', '--n', '9']
    """
    words = [word for word in arguments if word != "--quiet"]
    return words if len(words) == len(arguments) else ["--quiet", *words]


def _end(failure: BaseException, arguments: list[str], command: Any) -> int:
    """Tell of what stopped a command; its exit code."""
    if isinstance(failure, Charged):
        code = _end(failure.__cause__ or failure, arguments, command)
        tell_free_way(failure.request_id, arguments)
        return code
    if isinstance(failure, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(failure, SystemExit) and failure.code == 0:
        return 0  # a shell was told how a word may go on
    if isinstance(failure, BrokenPipeError | SystemExit):  # the second is how Rich says the first
        return 1  # the reader left, and needs no telling
    if isinstance(failure, Exception):
        return report(failure, as_json="--json" in arguments, options=options_of(command, arguments))
    raise failure


def spell(failure: UnicodeError) -> tuple[str, int]:
    r"""What is written in the place of text that the terminal's encoding does not have; escapes for all other.

    >>> "ε ≤ 1, “ü”".encode("ascii", spell.__name__).decode()
    'eps <= 1, \\u201c\\xfc\\u201d'
    """
    if not isinstance(failure, UnicodeEncodeError):
        raise failure
    lacking = failure.object[failure.start : failure.end]
    return "".join(SPELLED.get(sign) or ascii(sign)[1:-1] for sign in lacking), failure.end


codecs.register_error(spell.__name__, spell)


def _prepare() -> None:
    # A warning is a text that data could change, and a second line where one is promised.
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=spell.__name__)  # a terminal without ε still gets its table


def _settle() -> None:
    """Leave nothing in the buffer that Python would fail to write, aloud, after we are done."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
