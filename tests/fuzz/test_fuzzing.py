"""Whatever bytes a parser is given, it reads them or refuses them in one line: no traceback, no hang, no gigabyte.

`make test` reads what is kept in tests/fuzz/corpus, and `make soak` fuzzes each parser for FUZZ_SECONDS.
"""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.contracts.source import ROOT
from tests.fuzz.corpus import PARSERS, kept
from tests.fuzz.planted import PLANTED
from tests.support.soak import FUZZ_SECONDS

needs_fuzzer = pytest.mark.skipif(find_spec("atheris") is None, reason="the fuzzer has no wheel for this Python")


def run(module: str, *words: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """A process of its own: it has limits, and may die of them."""
    command = [sys.executable, "-m", module, *map(str, words)]
    return subprocess.run(command, cwd=ROOT, input=stdin, capture_output=True, text=True, check=False)


def replay(inputs: dict[str, list[bytes]], *words: object) -> subprocess.CompletedProcess[str]:
    told = {parser: [data.decode("latin-1") for data in each] for parser, each in inputs.items()}
    return run("tests.fuzz.replay", *words, stdin=json.dumps(told))


def test_what_is_kept_is_read_or_refused() -> None:
    inputs = {parser: kept(parser) for parser in PARSERS}
    done = replay(inputs)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {parser: len(each) for parser, each in inputs.items()}
    assert min(map(len, inputs.values())) >= 4


@pytest.mark.few(1)
@pytest.mark.parametrize(("wrong", "said"), [("raises", "KeyError"), ("hangs", "Hang"), ("hoards", "MemoryError")])
def test_a_parser_that_raises_hangs_or_hoards_is_found_out(wrong: str, said: str) -> None:
    done = replay({wrong: [b"yes", b"no"]}, 0.5)
    assert done.returncode != 0
    assert f"{wrong} fails on b'no'" in done.stderr
    assert said in done.stderr


@needs_fuzzer
@pytest.mark.soak
@pytest.mark.long
@pytest.mark.parametrize("parser", PARSERS)
def test_a_parser_reads_or_refuses_whatever_it_is_given(parser: str) -> None:
    done = run("tests.fuzz.run", parser, "--seconds", FUZZ_SECONDS)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "stat::number_of_executed_units" in done.stderr


@needs_fuzzer
@pytest.mark.soak
@pytest.mark.parametrize("wrong", PLANTED)
def test_the_fuzzer_finds_what_is_planted(wrong: str, tmp_path: Path) -> None:
    done = run("tests.fuzz.run", wrong, "--seconds", 300, "--hang", 1, "--place", tmp_path)
    assert done.returncode != 0
    [found] = [path for path in (tmp_path / wrong).iterdir() if path.is_file()]
    assert found.read_bytes().startswith(b"n")
