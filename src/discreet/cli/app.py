"""The command line: the list of commands, how they are declared and loaded, and where every exception ends."""

from __future__ import annotations

import codecs
import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import partial, wraps
from importlib import import_module
from inspect import Signature, signature
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from discreet import __version__
from discreet.cli import INTERRUPTED, QUIET
from discreet.cli.failures import ChargedRequest, report, tell_free_way
from discreet.cli.help import print_help

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


CONVERTERS: dict[object, Callable[[Any], Any]] = {str: str, bool: bool, Path: Path, list[str]: list}
"""How options become what a command takes, by their types."""


def _convert(convert: Callable[[Any], Any], value: Any, param: Any, ctx: Any) -> Any:
    """A text, a path or some texts as they were typed. Typer would load Pydantic to find that out."""
    if value is None:
        return () if param.multiple or param.nargs == -1 else None
    return convert(value)


class _PlainOptions:
    """What commands and groups of commands share: their help is ours, and plain options stay what was typed."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help; the formatter, which is Typer's, stays empty."""
        print_help(self, ctx)

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, `--help` too."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if convert := CONVERTERS.get(param.type_descriptor.annotation):
                param._runtime_param = SimpleNamespace(coerce=partial(_convert, convert))
        return params


class Command(_PlainOptions, TyperCommand):
    """A command whose help is ours."""


class Group(_PlainOptions, TyperGroup):
    """A group of commands whose help is ours, and shown too when no command is named."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that is named."""
        return super().invoke(ctx) if ctx._protected_args else print(ctx.get_help())


class HelpTyper(typer.Typer):
    """A group of commands, each of which writes its help like all the others."""

    def __init__(self, cls: type[Group] = Group, **options: Any) -> None:
        super().__init__(cls=cls, **options)

    def command(self, name: str | None = None, **options: Any) -> Callable[[Any], Any]:
        """A command of this group."""
        return super().command(name, cls=Command, **options)


class LazyCommands(Mapping[str, Any]):
    """Commands by their names, each in a module that is imported when the command is asked for.

    A module has a group or a function that is called like the command, and with a function its `EXAMPLE`.
    """

    def __init__(self) -> None:
        self._modules = {name: f"discreet{'_papers' if name in PAPERS else ''}.cli.{name}" for name in COMMANDS}
        self._loaded: dict[str, Any] = {}
        self.summaries = COMMANDS

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            module = import_module(self._modules[name])
            command = getattr(module, name)
            if isinstance(command, typer.Typer):
                self._loaded[name] = typer.main.get_group(command)
                self._loaded[name].name = name
            else:
                alone = HelpTyper(add_completion=False)
                alone.command(name, epilog=module.EXAMPLE)(command)
                self._loaded[name] = typer.main.get_command(alone)
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


def in_groups(command: Callable[..., None]) -> Callable[..., None]:
    """A command with dataclasses among its parameters, as Typer wants it: with an option for each of their fields.

    The help puts the options of a dataclass, and of each of the dataclasses that it is put together from, under the
    first line of its docstring. The parameters of the command are keyword-only.
    """
    groups: dict[str, Any] = {}
    parameters = []
    for name, parameter in signature(command, eval_str=True).parameters.items():
        if not is_dataclass(parameter.annotation):
            parameters.append(parameter)
            continue
        group: Any = parameter.annotation
        groups[name] = group
        parts: list[Any] = [base for base in group.__bases__ if is_dataclass(base)]
        for part in parts or [group]:
            for option in signature(part, eval_str=True).parameters.values():
                option.annotation.__metadata__[0].rich_help_panel = str(part.__doc__).partition("\n")[0]
                parameters.append(option)

    @wraps(command)
    def run(**options: Any) -> None:
        for name, group in groups.items():
            options[name] = group(**{field.name: options.pop(field.name) for field in fields(group)})
        command(**options)

    vars(run)["__signature__"] = Signature(parameters)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def options_of(command: Any, arguments: list[str]) -> dict[str, str]:
    """What the command that these arguments call is asked with: the name of each parameter, and of its option."""
    for argument in arguments:
        if isinstance(command, TyperGroup) and argument in command.commands:
            command = command.commands[argument]
    return {param.name: opt for param in command.params for opt in param.opts if opt.startswith("--")}


class Commands(Group):
    """The commands of `discreet`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        vars(self)["commands"] = LazyCommands()  # none is ever added


app = HelpTyper(
    cls=Commands,
    epilog="Example: discreet release --counts 70,50,30 --epsilon 0.5 --no-ledger",
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
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
    if isinstance(failure, ChargedRequest):
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
