"""The face as a whole: help, version, and how it takes leave."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import discreet as dc
from tests.cli.command import SCRIPT, Answer, assert_refused, discreet, installed_discreet, typed
from tests.support.tables import write_votes

FULL = Path("/dev/full")


@pytest.mark.parametrize("command", [(str(SCRIPT),), (sys.executable, "-m", "discreet")])
def test_the_version_is_the_package_s_and_the_package_is_the_command(command: tuple[str, ...]) -> None:
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"discreet {dc.__version__}\n"


def test_without_a_command_the_help_is_shown() -> None:
    assert discreet() == discreet("--help")


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys; from discreet.cli.app import run; run(['--help']); "
        "print([m for m in ('numpy', 'scipy', 'flint', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(("theirs", "kept"), [({}, "4"), ({"OPENBLAS_THREAD_TIMEOUT": "20"}, "20")])
def test_idle_threads_of_linear_algebra_sleep_unless_the_user_says_otherwise(theirs: dict[str, str], kept: str) -> None:
    program = "import os, atexit; atexit.register(lambda: print(os.environ['OPENBLAS_THREAD_TIMEOUT'])); main()"
    environment = {name: text for name, text in os.environ.items() if name != "OPENBLAS_THREAD_TIMEOUT"} | theirs
    command = [sys.executable, "-c", f"from discreet.cli import main; {program}", "--version"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == kept


def test_a_reader_that_leaves_early_is_not_told_off() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([str(SCRIPT), "--help"], stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
def test_a_full_disk_is_one_line() -> None:
    with FULL.open("w") as full:
        done = subprocess.run([str(SCRIPT), "--version"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert_refused(Answer(done.returncode, "", done.stderr), code=1)


@pytest.mark.parametrize(
    ("failure", "code", "said"),
    [
        (KeyboardInterrupt(), 130, ""),
        (
            RuntimeError("42 of 90 were not cured"),
            1,
            "error: an unexpected RuntimeError stopped the command; "
            "set DISCREET_DEBUG=1 to see where, and please report it\n",
        ),
    ],
)
def test_an_interrupt_leaves_without_a_word_and_an_unexpected_error_with_its_type_alone(
    failure: BaseException, code: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr("discreet.cli.release.read_counts", fail)
    monkeypatch.delenv("DISCREET_DEBUG", raising=False)
    assert typed("release --counts 42,48 --epsilon 1 --no-ledger") == Answer(code, "", said)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("line", "spelled"),
    [
        ("release --counts 7,5 --epsilon 1 --no-ledger", "eps = 1: replacing one row"),
        ("plan --prior 1,1 --n 20 --epsilon 1", "eps = 1: replacing"),
    ],
)
def test_a_terminal_without_greek_still_gets_its_table(line: str, spelled: str) -> None:
    answer = installed_discreet(*line.split(), PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.isascii()
    assert spelled in answer.out
    assert "\\u" not in answer.out


@pytest.mark.few(1)
@pytest.mark.parametrize("people", [(), ("--id-column", "person")], ids=["without an engine", "with DuckDB"])
def test_a_process_that_ends_says_nothing_more(people: tuple[str, ...], tmp_path: Path) -> None:
    """Whatever is done to end sooner, no library complains of it."""
    source = write_votes(tmp_path / "v.csv", ["a", "b", "b"], people=[1, 2, 3])
    asked = ("release", str(source), "--column", "vote", "--categories", "a,b", "--epsilon", "1", "--no-ledger")
    answer = installed_discreet(*asked, *people)
    assert (answer.code, answer.err) == (0, "")
