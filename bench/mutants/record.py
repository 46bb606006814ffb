"""What is known of each mutant that was tried, and the page that tells it."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from scipy.stats import beta

from bench.mutants.find import Change, Mutant
from bench.mutants.places import PAGE, ROOMS

BEGIN, END = "<!-- written by make mutants: begin -->", "<!-- end -->"


def read_record(path: Path) -> dict[str, Mutant]:
    """What is known of mutants, by their ids."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {row["id"]: Mutant(**row) for row in csv.DictReader(file)}


def write_record(path: Path, mutants: Sequence[Mutant]) -> None:
    """By room and place, so that differences can be read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        names = [one.name for one in fields(Mutant)]
        writer.writerow(names)
        order = {room: i for i, room in enumerate(ROOMS)}
        for one in sorted(mutants, key=lambda one: (order[one.room], one.file, one.function, one.id)):
            writer.writerow([getattr(one, name) for name in names])


def lower_bound(killed: int, tried: int) -> float:
    """At a confidence of 95 %, at least so much of all mutants would be killed (Clopper and Pearson)."""
    return float(beta.ppf(0.05, killed, tried - killed + 1)) if killed else 0.0


def report(every: dict[str, list[Change]], mutants: Sequence[Mutant]) -> str:
    """The tables of the page."""
    columns = "room|mutants|tried|killed|of them holes|equivalent|harmless|killed if not equivalent|of all, at least"
    lines = [f"| {columns.replace('|', ' | ')} |"]
    lines.append("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for room, changes in every.items():
        tried = [one for one in mutants if one.room == room]
        counts = [sum(map(test, tried)) for test in (_is_killed, _is_hole, _is_equivalent, _is_harmless)]
        killed, holes, equivalent, harmless = counts
        share, least = killed / max(len(tried) - equivalent, 1), lower_bound(killed - holes, len(tried))
        raw = f"{killed} ({killed / max(len(tried), 1):.0%})"
        numbers = [len(changes), len(tried), raw, holes, equivalent, harmless, f"{share:.0%}", f"{least:.0%}"]
        lines.append(f"| {room} | " + " | ".join(map(str, numbers)) + " |")
    absent = {change.mutant.id for changes in every.values() for change in changes if change.is_absence}
    without, others = ([one for one in mutants if (one.id in absent) is kind] for kind in (True, False))
    killed_without, killed_others = (sum(map(_is_killed, ones)) for ones in (without, others))
    lines += [
        "",
        f"Of the {len(mutants)} mutants {len(without)} leave out an argument or put `None` for a value, which mostly",
        f"stops with an error: {killed_without} are killed. The other {len(others)} change a number, an operator,",
        f"a condition or a loop: {killed_others} are killed, and {sum(map(_is_equivalent, others))} are equivalent.",
        "",
        "| where | survivor | why it may live |",
        "|---|---|---|",
    ]
    for one in mutants:
        if not one.killed_by:
            change = one.change.replace("|", "\\|").replace("`", "'")
            lines.append(f"| `{one.file}` {one.function} | `{change}` | {one.reason} |")
    return "\n".join(lines)


def _is_killed(one: Mutant) -> bool:
    return bool(one.killed_by)


def _is_hole(one: Mutant) -> bool:
    return bool(one.killed_by and one.is_hole)


def _is_equivalent(one: Mutant) -> bool:
    return one.reason.startswith("Equivalent")


def _is_harmless(one: Mutant) -> bool:
    return one.reason.startswith("Harmless")


def write_page(every: dict[str, list[Change]], mutants: Sequence[Mutant]) -> None:
    """Put the tables between their marks."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{report(every, mutants)}\n{END}{rest.partition(END)[2]}", "utf-8")
