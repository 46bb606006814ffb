"""What all tests share: the same examples on every run, so that a failure can be seen again."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from tests.support.browser import browser, tab
from tests.support.postgres import database, postgres
from tests.support.spark import spark

__all__ = ["browser", "database", "postgres", "spark", "tab"]

SOAK = 100
"""Examples of a property in `make soak`; a quarter of them are drawn in every run."""

for name, examples in (("few", SOAK // 4), ("soak", SOAK)):
    settings.register_profile(
        name,
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,  # a slow machine is not a bug
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("few")
