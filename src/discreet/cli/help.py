"""Help that fits a narrow terminal: every option with what it takes, and beside it what it means."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

from discreet.cli.outputs import console

NAMES = 30
"""The most columns for the names of options: the rest is for what they mean."""


def print_help(command: Any, context: Any) -> None:
    """Print the help of a command or of a group of commands."""
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


def _summary(commands: Any, name: str) -> str:
    """The first paragraph of a command's help; of those that are not loaded, what is listed."""
    summaries = getattr(commands, "summaries", {})
    return summaries[name] if name in summaries else _paragraphs(commands[name].help)[0]


def _option(param: Any, context: Any) -> str:
    """Its names, and a word for the value that it takes: the last one of its own name, or PATH."""
    names = ", ".join(sorted(param.opts, key=len))
    if param.is_flag:
        return " / ".join([names, *param.secondary_opts])
    last = "PATH" if "path" in str(param.display_type(context)) else param.opts[0].rpartition("-")[2].upper()
    return f"{names} {param.metavar or last}"


def _paragraphs(text: str | None) -> list[str]:
    return [" ".join(part.split()) for part in (text or "").split("\n\n") if part.strip()]
