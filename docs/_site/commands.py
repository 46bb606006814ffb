"""The reference of the command, from the command itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from discreet.cli.app import app


def reference() -> str:
    """Every command with its arguments, options and example, as Markdown."""
    return "\n".join(_described(typer.main.get_command(app), ["discreet"]))


def _described(command: Any, words: list[str]) -> Iterator[str]:
    children = getattr(command, "commands", {})
    if len(words) > 1:
        yield f"\n## {' '.join(words)}\n" if len(words) == 2 else f"\n### {' '.join(words)}\n"
        yield f"{_text(command.help)}\n"
        if not children:
            yield from _options(command)
        yield from (f"{_example(line)}\n" for line in (command.epilog or "").split("\n\n") if line.strip())
    for name, child in children.items():
        if not child.hidden:
            yield from _described(child, [*words, name])


def _options(command: Any) -> Iterator[str]:
    rows = [one for one in command.params if not getattr(one, "hidden", False) and one.name != "help"]
    if rows:
        yield "| | |\n|---|---|"
    for one in rows:
        argument = str(one.metavar or one.name).strip("[].").upper()
        names = [argument] if one.param_type_name == "argument" else [*one.opts, *one.secondary_opts]
        label = ", ".join(f"`{name}`" for name in names)
        needed = " Required." if one.required else ""
        yield f"| {label} | {_cell(getattr(one, 'help', None))}{needed} |"
    if rows:
        yield ""


def _text(text: str | None) -> str:
    return " ".join((text or "").split())


def _cell(text: str | None) -> str:
    return _text(text).replace("|", "\\|").replace("<", "&lt;")


def _example(text: str) -> str:
    head, _, line = _text(text).partition(": ")
    return f"{head}: `{line}`" if line else head
