"""docs/attack-model.md: every threat has tests that are there, and planted faults that a test rejects by name."""

import pytest

from tests.faults.registry import FAULTS, MODULES, faults_in
from tests.faults.test_registry import CALLED, named_in
from tests.faults.threats import PAGE, TESTS, THREATS, Threat, written

PLANTED = {
    CALLED.get(f"{room}.{name}", name): (name, room)
    for room, module in ((module.__name__.rpartition(".")[2], module) for module in MODULES)
    for name in faults_in(module)
}
"""What a fault that stands in a module is called there, and the module."""


def test_the_page_shows_these_threats() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == written(page), "write it: python -m tests.faults.threats"


@pytest.mark.parametrize("threat", THREATS, ids=lambda threat: threat.attempt[:40])
def test_a_threat_has_a_test_that_is_there_and_a_fault_that_a_test_rejects(threat: Threat) -> None:
    assert threat.kind in {"A", "C"}
    assert threat.tests
    assert threat.faults
    for test in (*threat.tests, *(FAULTS[fault][1] for fault in threat.faults)):
        file, _, function = test.partition("::")
        assert function in named_in(file), test
        assert function.startswith("test_"), "pytest collects it"
    for fault in set(threat.faults) & set(PLANTED):
        file = FAULTS[fault][1].partition("::")[0]
        said = "".join(path.read_text(encoding="utf-8") for path in TESTS.rglob(file))
        assert any(name in said for name in PLANTED[fault]), f"{file} does not name {fault}"


def test_no_threat_is_there_twice_and_none_of_the_kinds_is_missing() -> None:
    assert len({threat.attempt for threat in THREATS}) == len(THREATS) >= 35
