"""The face as a whole: help, version, and how it takes leave."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import discreet as dc
from tests.cli.command import SCRIPT, assert_refused, discreet, installed_discreet

FULL = Path("/dev/full")


def test_the_version_is_the_package_s() -> None:
    assert installed_discreet("--version").out == f"discreet {dc.__version__}\n"


def test_without_a_command_the_help_is_shown() -> None:
    assert discreet() == discreet("--help")


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys; from discreet.cli.app import run; run(['--help']); "
        "print([m for m in ('numpy', 'scipy', 'flint', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_reader_that_leaves_early_is_not_told_off() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([str(SCRIPT), "--help"], stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert done.stderr == b""
    assert done.returncode == 1


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
def test_a_full_disk_is_one_line() -> None:
    with FULL.open("w") as full:
        done = subprocess.run([str(SCRIPT), "--version"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


def test_an_interrupted_command_leaves_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("discreet.cli.release.read_counts", interrupt)
    answer = discreet("release", "--counts", "42,48", "--epsilon", "1", "--no-ledger")
    assert (answer.code, answer.out, answer.err) == (130, "", "")


def test_a_terminal_without_greek_still_gets_its_table() -> None:
    asked = ("release", "--counts", "7,5", "--epsilon", "1", "--no-ledger")
    answer = installed_discreet(*asked, PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert answer.code == 0
    assert answer.err == ""
    assert answer.out.isascii()
    assert "eps = 1: replacing one row" in answer.out
    assert "\\u" not in answer.out


def test_a_plan_is_spelled_out_where_there_is_only_ascii() -> None:
    asked = ("plan", "--prior", "1,1", "--n", "20", "--epsilon", "1")
    answer = installed_discreet(*asked, PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert answer.code == 0
    assert "mechanisms at eps = 1" in answer.out
    assert "\\u" not in answer.out


def test_an_unexpected_error_shows_its_type_and_never_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("42 of 90 were not cured")

    monkeypatch.setattr("discreet.cli.release.read_counts", fail)
    monkeypatch.delenv("DISCREET_DEBUG", raising=False)
    answer = discreet("release", "--counts", "42,48", "--epsilon", "1", "--no-ledger")
    assert_refused(answer, code=1)
    assert "RuntimeError" in answer.err
    assert "42" not in answer.err
