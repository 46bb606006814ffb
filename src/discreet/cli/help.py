"""Help that fits a narrow terminal: every option with what it takes, and beside it what it means."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

NAMES = 30
"""The most columns for the names of options: the rest is for what they mean."""


class Command(TyperCommand):
    """A command whose help is ours."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help; the formatter, which is Typer's, stays empty."""
        _print_help(self, ctx)


class Group(TyperGroup):
    """A group of commands whose help is ours."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help; the formatter, which is Typer's, stays empty."""
        _print_help(self, ctx)


class HelpTyper(typer.Typer):
    """A group of commands, each of which writes its help like all the others."""

    def __init__(self, **options: Any) -> None:
        super().__init__(cls=Group, **options)

    def command(self, name: str | None = None, **options: Any) -> Callable[[Any], Any]:
        """A command of this group."""
        return super().command(name, cls=Command, **options)


def options_of(command: Any, arguments: list[str]) -> dict[str, str]:
    """What the command that these arguments call is asked with: the name of each parameter, and of its option."""
    for argument in arguments:
        if isinstance(command, TyperGroup) and argument in command.commands:
            command = command.commands[argument]
    return {param.name: opt for param in command.params for opt in param.opts if opt.startswith("--")}


def _print_help(command: Any, context: Any) -> None:
    from rich.text import Text

    from discreet.cli.tables import console

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
        _print_rows("Commands", list(_commands(command, context)))
    titles = dict.fromkeys(_title(param) for param in options)
    for title in titles:
        own = [param for param in options if _title(param) == title]
        _print_rows(title, [(_option(param, context), _meaning(param, context)) for param in own])
    for paragraph in _paragraphs(command.epilog):
        out.print(f"\n{paragraph}", soft_wrap=True)  # an example is there to be copied


def _print_rows(title: str, rows: list[tuple[str, str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    from discreet.cli.tables import console

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


def _commands(group: TyperGroup, context: Any) -> Iterator[tuple[str, str]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None and not command.hidden:
            yield name, next(iter(_paragraphs(command.help)), "")


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
