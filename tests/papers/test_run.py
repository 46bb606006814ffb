"""Figures on disk: whole or absent, trusted only if nothing changed, and kept when a run is killed."""

import csv
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from discreet.errors import InvalidInput
from discreet_papers.records import FORMATS, check_claim, make_figure, put, recall_claim, recall_figure
from discreet_papers.registry import ENTRIES, Entry, entries_named
from discreet_papers.run import STALE, prepare, reproduce
from tests.cli.command import SCRIPT, installed_discreet
from tests.contracts.source import PACKAGE, PAPERS

FIG2 = entries_named(["fig2"])[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with one figure; tests copy what they change."""
    out = tmp_path_factory.mktemp("figures")
    make_figure(FIG2, out, quick=True)
    return out


def copy_to(folder: Path, to: Path) -> Path:
    return Path(shutil.copytree(folder, to, dirs_exist_ok=True))


def test_a_figure_has_two_pictures_and_its_numbers_under_its_settings(folder: Path) -> None:
    assert (folder / "fig2.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (folder / "fig2.svg").read_bytes()
    lines = (folder / "fig2.csv").read_text(encoding="utf-8").splitlines()
    head = [line for line in lines if line.startswith("# ")]
    assert head[0] == "# figure: fig2: Where the score changes most (001 Figure 2, 003 Figure 1)"
    assert "# n: 100" in head
    rows = list(csv.reader(lines[len(head) :]))
    assert len(rows) == 1 + 101
    assert all(len(row) == len(rows[0]) for row in rows)
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize("kind", [*FORMATS, "json"])
def test_a_figure_with_a_damaged_or_missing_file_is_not(folder: Path, tmp_path: Path, kind: str) -> None:
    out = copy_to(folder, tmp_path)
    place = out / f"fig2.{kind}"
    place.write_bytes(place.read_bytes()[:-20])
    assert recall_figure(FIG2, out, quick=True) is None
    place.unlink()
    assert recall_figure(FIG2, out, quick=True) is None


def test_a_figure_of_other_settings_or_other_code_is_not(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = copy_to(folder, tmp_path)
    assert recall_figure(FIG2, out, quick=False) is None
    monkeypatch.setattr("discreet_papers.records.code_digest", lambda: "other code")
    assert recall_figure(FIG2, out, quick=True) is None


def test_a_rerun_makes_only_what_is_missing(folder: Path, tmp_path: Path) -> None:
    out = copy_to(folder, tmp_path)
    calls: list[tuple[str, bool]] = []
    note = lambda name, took, *_: calls.append((name, took is None))  # noqa: E731 - it only writes down
    figures, _ = reproduce(entries_named(["fig1", "fig2"]), [], out, quick=True, jobs=1, progress=note)
    assert calls == [("fig2", True), ("fig1", False)]
    assert [figure.id for figure in figures if figure.sentences and figure.seconds > 0] == ["fig1", "fig2"]


def test_a_verdict_is_kept_and_trusted_while_the_code_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = check_claim("001-size", tmp_path)
    assert recall_claim("001-size", tmp_path) == checked
    assert checked.verdict == "holds with a correction"
    monkeypatch.setattr("discreet_papers.records.code_digest", lambda: "other code")
    assert recall_claim("001-size", tmp_path) is None


def test_leftovers_of_a_killed_run_are_cleared_but_not_the_files_of_one_under_way(tmp_path: Path) -> None:
    old, new = tmp_path / ".fig1.png.1.part", tmp_path / ".fig1.png.2.part"
    for path in (old, new):
        path.touch()
    os.utime(old, (time.time() - 2 * STALE,) * 2)
    prepare(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [new.name]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="cannot be made a directory"):
        prepare(tmp_path / "file" / "below")
    with pytest.raises(InvalidInput, match="cannot be written"):
        put(tmp_path / "missing" / "a.csv", b"")


def stop_run(out: Path, by: signal.Signals, **environment: str) -> tuple[list[Path], int, bytes]:
    """Make all figures until the first is finished, then stop: the records, the exit code and what was on stderr.

    All of them, so that it is still at work however late this process gets its turn.
    """
    command = [str(SCRIPT), "reproduce", *(entry.id for entry in ENTRIES), "--quick", "--out", str(out)]
    env = {**os.environ, **environment}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as running:
        deadline = time.monotonic() + 300
        while not (records := list(out.glob("*.json"))):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        running.send_signal(by)
        _, stderr = running.communicate(timeout=120)  # the workers hold the pipes: their end is theirs
        return records, running.returncode, stderr


@pytest.mark.soak
def test_an_interrupted_run_leaves_without_a_word(tmp_path: Path) -> None:
    _, code, stderr = stop_run(tmp_path, signal.SIGINT)
    assert (code, stderr) == (130, b"")
    assert not (tmp_path / "report.html").exists()


def test_a_killed_run_leaves_no_process_behind_and_is_taken_up_where_it_stopped(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    frozen = tmp_path_factory.mktemp("frozen")  # whoever edits the package while it is tested would undo the figures
    for package in (PACKAGE, PAPERS):
        shutil.copytree(package, frozen / package.name)
    records, _, _ = stop_run(tmp_path, signal.SIGKILL, PYTHONPATH=str(frozen))
    finished = {path.stem: path.stat().st_mtime_ns for path in records}
    names = [*finished, next(entry.id for entry in ENTRIES if entry.id not in finished)]
    answer = installed_discreet("reproduce", *names, "--quick", "--out", str(tmp_path), PYTHONPATH=str(frozen))
    assert answer.code == 0, answer
    for name in names:
        assert all((tmp_path / f"{name}.{kind}").stat().st_size > 0 for kind in (*FORMATS, "json"))
    for name, before in finished.items():
        assert f"{name}: already there" in answer.out
        assert (tmp_path / f"{name}.json").stat().st_mtime_ns == before


@pytest.mark.every
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_every_entry_has_a_module_with_all_parts_and_settings_as_text(entry: Entry) -> None:
    study = entry.study()
    for part in ("settings", "numbers", "table", "sentences", "paint"):
        assert callable(getattr(study, part))
    for quick in (True, False):
        settings = study.settings(quick)
        assert settings
        assert {type(text) for pair in settings.items() for text in pair} == {str}


def test_no_name_is_given_twice() -> None:
    names = [name for entry in ENTRIES for name in (entry.id, *entry.also)]
    assert len(names) == len(set(names))
