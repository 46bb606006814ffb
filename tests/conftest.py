"""What all tests share: the same examples on every run, so that a failure can be seen again, and few repetitions."""

import atexit
import gc
import os
import signal
from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadGroupScheduling

from tests.support.browser import browser, driver, firefox, firefox_tab, tab
from tests.support.postgres import database, ledger_place, postgres
from tests.support.soak import EXAMPLES, SHARE
from tests.support.spark import spark
from tests.support.tables import quick

os.environ["DISCREET_QUIET"] = "1"  # on a busy machine anything may take longer than a second
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # idle threads of a pool wait busily
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # so it is in what a shell runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)

__all__ = [
    "browser",
    "database",
    "driver",
    "firefox",
    "firefox_tab",
    "ledger_place",
    "postgres",
    "quick",
    "spark",
    "tab",
]

LONG = ("long ", "spark")
"""How the groups begin that begin first: what is marked so, and Spark, whose tests wait for each other."""

FEW = 3
"""So many instances of a parametrised test run every time."""

CONTRACTS = {
    "arithmetic",
    "attacks",
    "cli",
    "contracts",
    "faults",
    "kernels",
    "ledger",
    "posteriors",
    "receipts",
    "requests",
    "web",
}
"""In these rooms all of them do, unless a mark says otherwise: each is a contract of its own, and cheap."""

for name, examples in (("few", 5), ("soak", EXAMPLES)):
    settings.register_profile(
        name,
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,  # a slow machine is not a bug
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("few")


class Scheduling(LoadGroupScheduling):  # type: ignore[misc]
    """One worker runs all tests of a group, and all of a file: what a module keeps for its tests is made once.

    What is marked `long` begins first, each instance for itself, so that no worker is left alone with it at the end.
    """

    def _split_scope(self, nodeid: str) -> str:
        return str(super()._split_scope(nodeid)).partition("::")[0]

    def _assign_work_unit(self, node: Any) -> None:
        first = next((scope for scope in self.workqueue if scope.startswith(LONG)), next(iter(self.workqueue)))
        self.workqueue.move_to_end(first, last=False)
        super()._assign_work_unit(node)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    """Distribute tests so."""
    return Scheduling(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """No search for garbage among thousands of tests, neither while they are collected nor in every later search."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        atexit.register(gc.unfreeze)  # DuckDB says what outlives the interpreter


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a parametrised test, three instances from its first to its last run every time; the others only in the soak.

    `few(n)` says another number, `every` that all of them run, as in the rooms of contracts. Where a share is asked
    for, the soak has those tests whose names say so.
    """
    instances = defaultdict(list)
    for item in items:
        if not item.get_closest_marker("soak"):
            instances[item.nodeid.partition("[")[0]].append(item)
    for group in instances.values():
        few, every = (group[0].get_closest_marker(mark) for mark in ("few", "every"))
        most = few.args[0] if few else len(group) if every or group[0].path.parts[-2] in CONTRACTS else FEW
        kept = {i * (len(group) - 1) // max(most - 1, 1) for i in range(most)}
        for i, item in enumerate(group):
            if i not in kept:
                item.add_marker(pytest.mark.soak)
    items[:] = [item for item in items if crc32(item.nodeid.encode()) % SHARE == 0]
    for place, item in enumerate(items):
        if item.get_closest_marker("long") and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(f"long {place}"))
        # xdist 3.8 appends the group to an id that pytest 9.2 keeps elsewhere: without this, every worker starts Spark.
        mark, grouped = item.get_closest_marker("xdist_group"), hasattr(item.config, "workerinput")
        if mark and grouped and hasattr(item, "_id"):
            item._id = item._id.parse(f"{item.nodeid}@{mark.args[0]}")
