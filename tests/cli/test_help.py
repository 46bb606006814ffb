"""Help is whole on a narrow terminal, for every command there is."""

import re
import subprocess
import sys
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from discreet.cli.app import app, options_of
from tests.cli.command import discreet


def commands(command: Any, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    """Every command by the words that call it."""
    found = {path: command}
    if isinstance(command, TyperGroup):
        for name, inner in command.commands.items():
            found |= commands(inner, (*path, name))
    return found


COMMANDS = commands(typer.main.get_command(app))


@pytest.mark.few(8)
@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_no_option_is_cut_and_no_type_of_python_s_is_shown_on_80_columns(
    path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    answer = discreet(*path, "--help")
    assert answer.code == 0
    shown, _, _ = answer.out.partition("\nExample: ")
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert re.search(r"<\w|list\[", shown) is None
    options = [param for param in COMMANDS[path].params if param.param_type_name == "option"]
    words = set(shown.replace(",", " ").split())
    assert {opt for param in options for opt in (*param.opts, *param.secondary_opts)} <= words


@pytest.mark.parametrize(("group", "told"), {"ledger": "verify", "receipt": "Example:", "snap": "attack"}.items())
def test_a_group_of_commands_alone_shows_its_help(group: str, told: str) -> None:
    answer = discreet(group)
    assert (answer.code, answer.err) == (0, "")
    assert told in answer.out


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_says_what_it_does_and_ends_with_an_example(path: tuple[str, ...]) -> None:
    answer = discreet(*path, "--help")
    assert answer.out.startswith(" ".join(("Usage: discreet", *path, "[OPTIONS]")))
    assert "\nExample: discreet " in answer.out


def test_the_examples_of_a_command_are_not_broken_into_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    example = "Example: discreet release votes.csv --column vote --categories Clinton,Dole --epsilon 0.5 --ledger"
    assert example in discreet("release", "--help").out


def test_the_options_are_those_of_the_command_that_is_called() -> None:
    root = typer.main.get_command(app)
    assert options_of(root, ["plan", "--n", "5"])["target_error"] == "--target-error"
    assert "target_error" not in options_of(root, ["ledger", "create", "plan"])
    assert options_of(root, ["ledger", "create", "b.db"])["dataset"] == "--dataset"


@pytest.mark.parametrize(
    ("module", "command", "said"),
    [
        ("discreet.cli.app", "plan", ""),
        ("discreet.cli.app", "release", "interrupted: nothing was charged\n"),
        ("discreet.requests.run", "release", "interrupted: nothing was charged\n"),
    ],
)
def test_ctrl_c_while_it_loads_is_no_traceback_and_of_a_release_says_that_it_cost_nothing(
    module: str, command: str, said: str
) -> None:
    program = (
        "import sys, discreet.cli\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path, target=None):\n"
        f"        if name == {module!r}: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "discreet.cli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program, command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", said)
