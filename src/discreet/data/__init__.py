"""Example data that comes with the package: see README.md beside it."""

from __future__ import annotations

from pathlib import Path

ANES96 = Path(__file__).parent / "anes96.csv"
"""Votes and party identification of 944 respondents of the 1996 American National Election Study; public domain."""

PARTIES = (
    "strong Democrat",
    "weak Democrat",
    "leaning Democrat",
    "independent",
    "leaning Republican",
    "weak Republican",
    "strong Republican",
)

VOTES = ("Clinton", "Dole")

DEATHS = Path(__file__).parent / "deaths_generated.csv"
"""Deaths by region, age and cause. Generated: it describes nobody."""

POPULATION = {"north": 412_000, "south": 268_000, "east": 351_000, "west": 190_000}
"""The inhabitants of its regions, which are made up, too."""
