"""Help that fits a narrow terminal: every option with what it takes, and beside it what it means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import partial, wraps
from importlib import import_module
from inspect import Parameter, Signature, signature
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import typer
from rich.table import Table
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

from discreet.cli.tables import console

NAMES = 30
"""The most columns for the names of options: the rest is for what they mean."""

MAKERS: dict[object, Callable[[Any], Any]] = {str: str, bool: bool, Path: Path, list[str]: list}
"""How options become what a command takes, by their types."""


def _plain(make: Callable[[Any], Any], value: Any, param: Any, ctx: Any) -> Any:
    """A text, a path or some texts as they were typed. Typer would load Pydantic to find that out."""
    if value is None:
        return () if param.multiple or param.nargs == -1 else None
    return make(value)


class _Plain:
    """What commands and groups of commands share: their help is ours, and plain options stay what was typed."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help; the formatter, which is Typer's, stays empty."""
        _print_help(self, ctx)

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, `--help` too."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if make := MAKERS.get(param.type_descriptor.annotation):
                param._runtime_param = SimpleNamespace(coerce=partial(_plain, make))
        return params


class Command(_Plain, TyperCommand):
    """A command whose help is ours."""


class Group(_Plain, TyperGroup):
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

    def __init__(self, modules: Mapping[str, str], summaries: Mapping[str, str]) -> None:
        self._modules = modules
        self._loaded: dict[str, Any] = {}
        self.summaries = summaries

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
    """A command whose parameters are dataclasses, as Typer wants it: with an option for each of their fields.

    The help puts the options of a dataclass under its docstring. Their module must not postpone its annotations.
    """
    groups: dict[str, Any] = {name: kind for name, kind in command.__annotations__.items() if name != "return"}
    parameters = []
    for group in groups.values():
        for parameter in signature(group).parameters.values():
            parameter.annotation.__metadata__[0].rich_help_panel = group.__doc__
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))

    @wraps(command)
    def run(**options: Any) -> None:
        values = {name: [options[field.name] for field in fields(group)] for name, group in groups.items()}
        command(**{name: group(*values[name]) for name, group in groups.items()})

    vars(run)["__signature__"] = Signature(parameters)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def options_of(command: Any, arguments: list[str]) -> dict[str, str]:
    """What the command that these arguments call is asked with: the name of each parameter, and of its option."""
    for argument in arguments:
        if isinstance(command, TyperGroup) and argument in command.commands:
            command = command.commands[argument]
    return {param.name: opt for param in command.params for opt in param.opts if opt.startswith("--")}


def _print_help(command: Any, context: Any) -> None:
    usage = [context.command_path, "[OPTIONS]"]
    panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Commands": []}
    for param in command.get_params(context):
        meaning = " ".join((param.get_help_record(context) or ("", ""))[1].split())
        if param.param_type_name == "argument":
            name = str(param.metavar or param.name).strip("[].").upper()
            word = name + (" ..." if param.nargs == -1 else "")
            usage.append(word if param.required else f"[{word}]")
            panels["Arguments"].append((name, meaning))
        elif not param.hidden:
            title = getattr(param, "rich_help_panel", None) or "Options"
            panels.setdefault(title, []).append((_option(param, context), meaning))
    if isinstance(command, TyperGroup):
        usage.append("COMMAND ...")
        panels["Commands"] = [(name, _summary(command.commands, name)) for name in command.commands]
    out = console()
    out.print(Text("Usage: ", style="bold") + Text(" ".join(usage), style=""))
    for paragraph in _paragraphs(command.help):
        out.print(f"\n{paragraph}")
    for title, rows in panels.items():
        if rows:
            out.print(Text(f"\n{title}", style="bold"), _grid(rows), sep="\n")
    for paragraph in _paragraphs(command.epilog):
        out.print(f"\n{paragraph}", soft_wrap=True)  # an example is there to be copied


def _grid(rows: list[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="cyan", no_wrap=True, min_width=min(NAMES, max(len(name) for name, _ in rows)) + 2)
    table.add_column()
    for name, meaning in rows:
        table.add_row(Text(f"  {name}"), Text(meaning))
    return table


def _summary(commands: Mapping[str, Any], name: str) -> str:
    if isinstance(commands, LazyCommands):
        return commands.summaries[name]
    return _paragraphs(commands[name].help)[0]


def _option(param: Any, context: Any) -> str:
    """Its names, and a word for the value that it takes: the last one of its own name, or PATH."""
    names = ", ".join(sorted(param.opts, key=len))
    if param.is_flag:
        return " / ".join([names, *param.secondary_opts])
    last = "PATH" if "path" in str(param.display_type(context)) else param.opts[0].rpartition("-")[2].upper()
    return f"{names} {param.metavar or last}"


def _paragraphs(text: str | None) -> list[str]:
    return [" ".join(part.split()) for part in (text or "").split("\n\n") if part.strip()]
