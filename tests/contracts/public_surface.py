"""What users hold on to: names with their members and parameters, commands with their options, keys of documents.

`public_surface.json` lists all that was ever published since the promise of CONTRIBUTING.md began. Whoever publishes
something new adds it there: `python -m tests.contracts.public_surface` does.
"""

import inspect
import io
import json
import pkgutil
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import typer

import discreet
from discreet.cli.app import app, run

STORED = Path(__file__).with_name("public_surface.json")

Part = tuple[str, str]
"""A public name, command or document, and something that belongs to it."""

COMMANDS = [
    "release --counts 7,5 --epsilon 1 --no-ledger --json --out counts.json",
    "release v.csv --column vote --categories a,b --epsilon 1/2 --ledger l.db --dataset d --request-id r --yes --json",
    "release v.csv --column vote --categories a,b --epsilon 1 --no-ledger --n 12 --dry-run --json",
    "release v.csv --column vote --categories a,b --by sex --groups f,m --epsilon 1 --no-ledger --json --out g.json",
    "release v.csv --column vote --categories a,b --column sex --categories f,m --epsilon 1 --no-ledger --json",
    "sensitivity --prior 1,1 --n 9 --counts 4,5 --json",
    "audit laplace --prior 1,1 --n 9 --epsilon 1 --json",
    "plan --prior 1,1 --n 9 --epsilon 1 --compare --json",
    "plan --prior 1,1 --n 9 --target-error 0.5 --confidence 0.9 --json",
    "check v.csv --column vote --categories a,b --json",
    "ledger create l.db --dataset e --epsilon 1 --delta 1e-6 --composition zcdp --json",
    "ledger show l.db --json",
    "ledger history l.db --json",
    "ledger verify l.db --json",
    "infer counts.json --json",
    "infer g.json --json",
    "compare g.json --groups f,m --category a --json",
    "receipt verify counts.json --json",
    "snap release --value 17.3 --epsilon 1 --bound 100 --json",
    "snap verify --epsilon 1 --bound 100 --json",
    "reproduce --list --json",
    "release --counts 7,5 --epsilon nan --no-ledger --json",
]
"""One of each document that programs read; run in this order, in one folder."""


def modules() -> Iterator[ModuleType]:
    """The modules that users import by name."""
    yield discreet
    for package in ("discreet.bridges", "discreet.testing"):
        module = import_module(package)
        yield module
        for inner in pkgutil.iter_modules(getattr(module, "__path__", []), f"{package}."):
            yield import_module(inner.name)


def names() -> Iterator[Part]:
    """Public names, the public members of classes, and the parameters of what can be called."""
    for module in modules():
        own = (name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__)
        for name in getattr(module, "__all__", own):
            if not name.startswith("_"):
                value = getattr(module, name)
                yield f"{module.__name__}.{name}", ""
                yield from ((f"{module.__name__}.{name}", inner) for inner in members(value))


def members(value: Any) -> Iterator[str]:
    if isinstance(value, type):
        for inner in dir(value):
            if not inner.startswith("_") and not hasattr(BaseException, inner):
                yield f".{inner}"
                yield from (f".{inner}{each}" for each in parameters(getattr(value, inner)))
    yield from parameters(value)


def parameters(value: Any) -> Iterator[str]:
    if callable(value):
        try:
            found = inspect.signature(value).parameters
        except (TypeError, ValueError):
            return
        yield from (f"({name})" for name in found if name not in ("self", "cls") and not name.startswith("_"))


def options(command: Any = None, path: str = "discreet") -> Iterator[Part]:
    """Every command by the words that call it, and every way to spell its options."""
    command = typer.main.get_command(app) if command is None else command
    yield path, ""
    for parameter in command.params:
        spelled = [*parameter.opts, *parameter.secondary_opts]
        yield from ((path, word) for word in (spelled if parameter.param_type_name == "option" else ["ARGUMENT"]))
    for name, inner in getattr(command, "commands", {}).items():
        yield from options(inner, f"{path} {name}")


def keys(document: object, path: str = "") -> Iterator[str]:
    """The path of every key; items of a list share theirs."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield f"{path}.{key}"
            yield from keys(value, f"{path}.{key}")
    elif isinstance(document, list):
        for item in document:
            yield from keys(item, f"{path}[]")


def documents() -> Iterator[Part]:
    """The keys that each command prints for programs."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path("v.csv").write_text("vote,sex\n" + "a,f\nb,m\n" * 6, encoding="utf-8")
        printed("ledger create l.db --dataset d --epsilon 1")
        for command in COMMANDS:
            for key in keys(json.loads(printed(command))):
                yield f"{command.partition(' --')[0]}:", key


def printed(command: str) -> str:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        run(command.split())
    return out.getvalue()


def surface() -> dict[str, list[str]]:
    """All of it: under each public name, command and document, what belongs to it."""
    found: dict[str, set[str]] = {}
    for group, part in (*names(), *options(), *documents()):
        found.setdefault(group, set()).add(part)
    return {group: sorted(found[group] - {""}) for group in sorted(found)}


def stored() -> dict[str, list[str]]:
    """What was ever published."""
    found: dict[str, list[str]] = json.loads(STORED.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    before, today = stored(), surface()
    every = {group: sorted({*before.get(group, ()), *today.get(group, ())}) for group in sorted(before | today)}
    rows = ",\n".join(f"{json.dumps(group)}: {json.dumps(parts)}" for group, parts in every.items())
    STORED.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")
