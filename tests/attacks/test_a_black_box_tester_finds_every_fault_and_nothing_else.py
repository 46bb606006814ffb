"""Whoever sees only what the command prints for two neighbouring files cannot refute what it promises.

The tester of `bench.black_box` runs the command on files and looks at everything that comes out: exit code, standard
error, and each number and text of the document. It finds planted faults anywhere on the way from the file to the print,
and nothing where there is none. The command's `run` is called in this process, with fixed bits below `os.urandom`, as
one process a draw would take minutes; draws of true processes must look the same.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.black_box import Draws
from tests.cli.command import discreet as discreet_here
from tests.cli.command import installed_discreet
from tests.contracts.source import ROOT
from tests.faults import command, sizes, told
from tests.faults.planting import Fault
from tests.faults.registry import faults_in
from tests.support.black_box import Request, fix_bits, run_command, search

GROSS, FINE = Draws(learn=12, choose=12, test=80), Draws(learn=40, choose=40, test=400)
"""A fault that prints the data is seen at once; one of scale takes some hundred draws for each file."""

PRIVATE = "--adjacency add-remove"

FAULTS: dict[str, tuple[Fault, Request]] = {
    "error_on_the_empty_table": (sizes.error_on_the_empty_table, Request(PRIVATE, draws=GROSS)),
    "n_published": (sizes.n_published, Request(PRIVATE, draws=GROSS)),
    "noise_of_twice_epsilon": (command.noise_of_twice_epsilon, Request(epsilon="2")),
    "noise_that_keeps_a_private_total": (command.noise_that_keeps_a_private_total, Request(PRIVATE)),
    "noise_forgotten_in_a_cell": (command.noise_forgotten_in_a_cell, Request(categories="a,b,c", draws=GROSS)),
    "cut_at_the_true_total": (command.cut_at_the_true_total, Request(PRIVATE)),
    "drawn_until_the_order_is_right": (command.drawn_until_the_order_is_right, Request(draws=GROSS)),
    "sensitivity_of_a_quarter": (
        command.sensitivity_of_a_quarter, Request("--mechanism exponential-global", epsilon="2", draws=FINE),
    ),
    "deviation_without_delta": (
        command.deviation_without_delta, Request("--mechanism gaussian", epsilon="2", delta="1e-6"),
    ),
    "distance_of_both_counts": (
        command.distance_of_both_counts, Request("--mechanism tight", epsilon="2", categories="a,b,c", draws=FINE),
    ),
    "two_bits_of_each_word": (command.two_bits_of_each_word, Request(epsilon="0.5")),
    "counted_by_a_join": (command.counted_by_a_join, Request(PRIVATE, draws=GROSS)),
    "error_of_this_data_set": (told.error_of_this_data_set, Request(draws=GROSS)),
    "empty_category_warned_of": (told.empty_category_warned_of, Request(draws=GROSS)),
    "seeded_anew": (command.seeded_anew, Request(paid=True, draws=GROSS)),
}  # fmt: skip

REAL: dict[str, Request] = {
    "geometric": Request(draws=GROSS),
    "geometric at 2": Request(epsilon="2"),
    "geometric at 0.5": Request(epsilon="0.5"),
    "paid from a ledger": Request(paid=True),
    "three categories": Request(categories="a,b,c"),
    "tight": Request("--mechanism tight", epsilon="2", categories="a,b,c"),
    "laplace-improved": Request("--mechanism laplace-improved"),
    "exponential-global": Request("--mechanism exponential-global", epsilon="2", draws=FINE),
    "exponential-reciprocal": Request("--mechanism exponential-reciprocal"),
    "snapping": Request("--mechanism snapping"),
    "gaussian": Request("--mechanism gaussian", epsilon="2", delta="1e-6"),
    "private n": Request(PRIVATE),
    "private n, paid": Request(PRIVATE, paid=True),
    "private n, gaussian": Request(f"{PRIVATE} --mechanism gaussian", delta="1e-6"),
}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick: None) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.few(1)
@pytest.mark.parametrize("name", REAL)
def test_nothing_is_found_on_the_command(name: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fix_bits(monkeypatch, name)
    finding = search(REAL[name], place)
    assert not finding.exceeds, finding


@pytest.mark.few(1)
@pytest.mark.parametrize("name", FAULTS)
def test_every_planted_fault_is_found(name: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fault, request = FAULTS[name]
    fix_bits(monkeypatch, name)
    fault(monkeypatch)
    finding = search(request, place)
    assert finding.exceeds, finding


@pytest.mark.soak
def test_nothing_is_found_with_the_systems_own_bits(place: Path) -> None:
    """Its answer changes from run to run; it is a false alarm once in 10⁶ runs."""
    finding = search(replace(REAL["geometric"], draws=FINE), place)
    assert not finding.exceeds, finding


@pytest.mark.parametrize("times", [1, pytest.param(10, marks=pytest.mark.soak)])
def test_true_processes_print_what_is_printed_in_this_one(
    times: int, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = Request(paid=True)
    here, there = (run_command(request, place, how) for how in (discreet_here, installed_discreet))
    for rows in request.pairs()[0]:
        with monkeypatch.context() as patch:
            fix_bits(patch, "here")
            ours = here(rows, 12)
        held = {name: value for name, value in ours[0].items() if all(each.get(name) == value for each in ours)}
        for outcome in there(rows, times):
            assert set(outcome) == set(ours[0])
            assert held.items() <= outcome.items()


def test_the_page_about_the_tester_names_every_fault_of_the_list() -> None:
    page = " ".join((ROOT / "docs" / "black-box.md").read_text(encoding="utf-8").split())
    sentences = faults_in(command) | faults_in(sizes) | faults_in(told)
    assert [name for name in FAULTS if sentences[name] not in page] == []
