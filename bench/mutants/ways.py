"""Two ways to put a mutant in place: in the memory of a process that has read all tests, or in a file read anew."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from bench.mutants.live import Live, NotInMemory
from bench.mutants.places import PACKAGE, ROOT
from bench.mutants.trial import (
    OPTIONS,
    End,
    Outcome,
    Place,
    Trial,
    Watch,
    in_child,
    run_tests,
    select,
    silence,
)

SETTINGS = "tests/conftest.py"
"""Read even where only examples in docstrings are run."""


class InMemory(Watch):
    """A plugin: reads all tests once, then answers trials, each in a fork in which functions have new code."""

    def __init__(self, place: Place, link: Connection) -> None:
        super().__init__(place.note)
        self.place, self.link = place, link

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Instead of running all tests."""
        live = Live()
        live.clear_caches()
        with _postgres(session, self.place), suppress(EOFError):
            self.link.send("ready")
            while trial := self.link.recv():
                self.link.send(self._try(trial, session, live))
        return True

    def _try(self, trial: Trial, session: pytest.Session, live: Live) -> Outcome:
        def act() -> End:
            factory = session.config._tmp_path_factory  # type: ignore[attr-defined]
            factory._basetemp = self.place.temporary
            self.place.temporary.mkdir()
            if trial.path:
                try:
                    live.change(str(self.place.tree / trial.path), trial.text, trial.new_text)
                except NotInMemory:
                    return End.NOT_IN_MEMORY
            return run_tests(select(session.items, trial.tests), trial, self.note)

        return in_child(self.place, act)


@contextmanager
def _postgres(session: pytest.Session, place: Place) -> Iterator[None]:
    """The server that all trials share, if a test asks for one."""
    with ExitStack() as stack:
        if any("postgres" in getattr(item, "fixturenames", ()) for item in session.items):
            from tests.support.postgres import binaries, shared

            if binaries():
                stack.enter_context(shared(place.shared))
        yield


def serve_in_memory(place: Place, files: list[str], link: Connection) -> None:
    """In a process of its own: import the library, read the tests of these files, and answer trials."""
    silence(place.log.with_suffix(".memory.log"))
    _move(place.tree)
    import discreet

    for module in pkgutil.walk_packages(discreet.__path__, "discreet."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    pytest.main([*OPTIONS, f"--basetemp={place.shared}", SETTINGS, *files], plugins=[InMemory(place, link)])


class Anew(Watch):
    """A plugin: runs the tests of a trial, in a process that imported the changed file."""

    def __init__(self, place: Place, trial: Trial) -> None:
        super().__init__(place.note)
        self.trial, self.end = trial, End.NO_TEST

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Instead of running all tests."""
        self.end = run_tests(select(session.items, self.trial.tests), self.trial, self.note)
        return True


def try_in_file(trial: Trial, place: Place) -> Outcome:
    """Import and read the tests anew, in growing batches of their files."""
    files = list(dict.fromkeys(test.partition("::")[0] for test in trial.tests))
    left, size, outcome = iter(files), 1, Outcome(End.NO_TEST)
    while batch := [name for name in islice(left, size) if (place.tree / name).exists()]:
        rest = replace(trial, seconds=trial.seconds - outcome.seconds)
        latest = in_child(place, partial(_run_anew, rest, place, batch))
        if latest.end is End.NO_TEST:
            print(f"  no test was run of {batch}:\n{place.log.read_text()[-800:]}", flush=True)
        outcome = latest.after(outcome)
        if outcome.killer or outcome.seconds > trial.seconds:
            break
        size *= 2
    return outcome


def _run_anew(trial: Trial, place: Place, files: list[str]) -> End:
    _move(place.tree)
    if trial.path:
        _import(trial.path)  # whatever it raises: the mutant is found
    for name in files:
        if Path(name).is_relative_to(PACKAGE):  # else pytest would make a second module of it
            with suppress(Exception):
                _import(name)
    anew = Anew(place, trial)
    pytest.main([*OPTIONS, f"--basetemp={place.temporary}", SETTINGS, *files], plugins=[anew])
    return anew.end


def _import(path: str) -> None:
    parts = Path(path).relative_to("src").with_suffix("").parts
    importlib.import_module(".".join(parts).removesuffix(".__init__"))


def _move(tree: Path) -> None:
    """Into a copy of the repository, for this process and all that it starts."""
    os.chdir(tree)
    ours = (ROOT, ROOT / "src")
    sys.path[:] = [str(tree / "src"), str(tree), *(one for one in sys.path if Path(one).resolve() not in ours)]
    os.environ["PYTHONPATH"] = str(tree / "src")
