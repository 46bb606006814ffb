"""Help that fits a narrow terminal: every option with what it takes, and beside it what it means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
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


class PlainValue:
    """An option that is a text, a path or some texts: what was typed. Typer would load Pydantic to find that out."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self._make = make

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """What the command gets."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        return self._make(value)


class _Plain:
    """What commands and groups of commands share: their help is ours, and plain options stay what was typed."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help; the formatter, which is Typer's, stays empty."""
        _print_help(self, ctx)

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, `--help` too."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            make = MAKERS.get(param.type_descriptor.annotation)
            if make is not None:
                param._runtime_param = PlainValue(make)
        return params


class Command(_Plain, TyperCommand):
    """A command whose help is ours."""


class Group(_Plain, TyperGroup):
    """A group of commands whose help is ours."""


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

    def __init__(self, table: Mapping[str, tuple[str, str]]) -> None:
        self._table = table
        self._loaded: dict[str, Any] = {}

    def summary(self, name: str) -> str:
        """What the command does, in a sentence, without importing it."""
        return self._table[name][1]

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            module = import_module(self._table[name][0])
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
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)


def options_of(command: Any, arguments: list[str]) -> dict[str, str]:
    """What the command that these arguments call is asked with: the name of each parameter, and of its option."""
    for argument in arguments:
        if isinstance(command, TyperGroup) and argument in command.commands:
            command = command.commands[argument]
    return {param.name: opt for param in command.params for opt in param.opts if opt.startswith("--")}


def _print_help(command: Any, context: Any) -> None:
    out = console()
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.get_params(context) if param.param_type_name == "option" and not param.hidden]
    words = [_argument(param) for param in arguments]
    if isinstance(command, TyperGroup):
        words.append("COMMAND ...")
    out.print(Text("Usage: ", style="bold") + Text(" ".join([context.command_path, "[OPTIONS]", *words]), style=""))
    for paragraph in _paragraphs(command.help):
        out.print(f"\n{paragraph}")
    _print_rows("Arguments", [(_named(param), _meaning(param, context)) for param in arguments])
    if isinstance(command, TyperGroup):
        _print_rows("Commands", list(_commands(command)))
    titles = dict.fromkeys(_title(param) for param in options)
    for title in titles:
        own = [param for param in options if _title(param) == title]
        _print_rows(title, [(_option(param, context), _meaning(param, context)) for param in own])
    for paragraph in _paragraphs(command.epilog):
        out.print(f"\n{paragraph}", soft_wrap=True)  # an example is there to be copied


def _print_rows(title: str, rows: list[tuple[str, str]]) -> None:
    if not rows:
        return
    out = console()
    out.print(Text(f"\n{title}", style="bold"))
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="cyan", no_wrap=True, min_width=min(NAMES, max(len(name) for name, _ in rows)) + 2)
    table.add_column()
    for name, meaning in rows:
        table.add_row(Text(f"  {name}"), Text(meaning))
    out.print(table)


def _commands(group: TyperGroup) -> Iterator[tuple[str, str]]:
    for name in group.commands:
        if isinstance(group.commands, LazyCommands):
            yield name, group.commands.summary(name)
        else:
            yield name, next(iter(_paragraphs(group.commands[name].help)), "")


def _title(param: Any) -> str:
    """The heading that a command with many options puts this one under."""
    return getattr(param, "rich_help_panel", None) or "Options"


def _named(param: Any) -> str:
    return str(param.metavar or param.name).strip("[].").upper()


def _argument(param: Any) -> str:
    name = _named(param) + (" ..." if param.nargs == -1 else "")
    return name if param.required else f"[{name}]"


def _option(param: Any, context: Any) -> str:
    """Its names, and a word for the value that it takes: the last one of its own name, or PATH.

    >>> from types import SimpleNamespace as Param
    >>> _option(Param(opts=["--id-column"], is_flag=False, metavar=None, display_type=lambda _: "<str>"), None)
    '--id-column COLUMN'
    """
    names = ", ".join(sorted(param.opts, key=len))
    if param.is_flag:
        return " / ".join([names, *param.secondary_opts])
    last = "PATH" if "path" in str(param.display_type(context)) else param.opts[0].rpartition("-")[2].upper()
    return f"{names} {param.metavar or last}"


def _meaning(param: Any, context: Any) -> str:
    record = param.get_help_record(context)
    return "" if record is None else " ".join(record[1].split())


def _paragraphs(text: str | None) -> list[str]:
    return [" ".join(part.split()) for part in (text or "").split("\n\n") if part.strip()]
