"""What is known of each mutant that was tried, why survivors may live, and the page that tells it."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields
from pathlib import Path

from bench.mutants.find import Change, Mutant
from bench.mutants.places import PAGE, REASONS, ROOMS

BEGIN, END = "<!-- written by make mutants: begin -->", "<!-- end -->"


def read_record(path: Path) -> dict[str, Mutant]:
    """What is known of mutants, by their ids."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {row["id"]: Mutant(**row) for row in csv.DictReader(file)}


class Reasons:
    """Why mutants may live: by their file and function, the text of the line, and what it becomes.

    Without the last it is a reason for every change of the line; without the line, for all of the function.
    """

    def __init__(self, path: Path = REASONS) -> None:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.reasons = {(row["file"], row["function"], row["before"], row["after"]): row["reason"] for row in rows}

    def of(self, mutant: Mutant) -> str:
        """Its reason; empty if it was killed, or if nobody gave one."""
        key = self._key(mutant)
        return self.reasons[key] if key and not mutant.killed_by else ""

    def unused(self, mutants: Iterable[Mutant]) -> list[tuple[str, ...]]:
        """Reasons of no survivor."""
        used = {self._key(mutant) for mutant in mutants if not mutant.killed_by}
        return [key for key in self.reasons if key not in used]

    def _key(self, mutant: Mutant) -> tuple[str, str, str, str] | None:
        lines = ((mutant.before, mutant.after), (mutant.before, ""), ("", ""))
        keys = ((mutant.file, mutant.function, *texts) for texts in lines)
        return next((key for key in keys if key in self.reasons), None)


def write_record(path: Path, mutants: Sequence[Mutant]) -> None:
    """By room and place, so that differences can be read."""
    order = {room: i for i, room in enumerate(ROOMS)}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    for mutant in sorted(mutants, key=lambda mutant: (order[mutant.room], mutant.file, mutant.function, mutant.id)):
        append_record(path, mutant)


def append_record(path: Path, mutant: Mutant) -> None:
    """At the end, where it replaces what was known before: a run that is stopped has kept its results."""
    is_new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow([field.name for field in fields(Mutant)])
        writer.writerow(astuple(mutant))


def report(every: dict[str, list[Change]], mutants: Sequence[Mutant]) -> str:
    """The tables of the page."""
    reasons = Reasons()
    kinds = {mutant.id: reasons.of(mutant).partition(":")[0] for mutant in mutants}
    columns = "room|mutants|tried|killed|of them holes|equivalent|harmless|killed if not equivalent"
    lines = [f"| {columns.replace('|', ' | ')} |"]
    lines.append("|---|---:|---:|---:|---:|---:|---:|---:|")
    for room, changes in every.items():
        tried = [mutant for mutant in mutants if mutant.room == room]
        killed, holes = _count_killed(tried), _count_killed(mutant for mutant in tried if mutant.is_hole)
        of_kind = Counter(kinds[mutant.id] for mutant in tried)
        equivalent, harmless = of_kind["Equivalent"], of_kind["Harmless"]
        share = killed / max(len(tried) - equivalent, 1)
        raw = f"{killed} ({killed / max(len(tried), 1):.1%})"
        numbers = [len(changes), len(tried), raw, holes, equivalent, harmless, f"{share:.1%}"]
        lines.append(f"| {room} | " + " | ".join(map(str, numbers)) + " |")
    absent = {change.mutant.id for changes in every.values() for change in changes if change.is_absence}
    without, others = ([mutant for mutant in mutants if (mutant.id in absent) is kind] for kind in (True, False))
    equivalent = sum(kinds[mutant.id] == "Equivalent" for mutant in others)
    lines += [
        "",
        f"Of the {len(mutants)} mutants {len(without)} leave out an argument or put `None` for a value, which mostly",
        f"stops with an error: {_count_killed(without)} are killed. The other {len(others)} change a number,",
        f"an operator, a condition or a loop: {_count_killed(others)} are killed, and {equivalent} are equivalent.",
        "",
        "| where | survivors | why they may live |",
        "|---|---|---|",
        *_survivors(reasons, mutants),
    ]
    return "\n".join(lines)


def _survivors(reasons: Reasons, mutants: Sequence[Mutant]) -> list[str]:
    """Those of one line with one reason together."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for mutant in mutants:
        if not mutant.killed_by:
            key = (mutant.file, mutant.function, mutant.before, reasons.of(mutant))
            rows.setdefault(key, []).append(mutant.after)
    return [
        f"| `{file}` {function} | {_code(before)} → {'<br>→ '.join(map(_code, after))} | {reason} |"
        for (file, function, before, reason), after in rows.items()
    ]


def _code(text: str) -> str:
    text = text.replace("|", "\\|").replace("`", "'")
    return f"`{text}`" if text else "nothing"


def _count_killed(mutants: Iterable[Mutant]) -> int:
    return sum(bool(mutant.killed_by) for mutant in mutants)


def write_page(every: dict[str, list[Change]], mutants: Sequence[Mutant]) -> None:
    """Put the tables between their marks."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{report(every, mutants)}\n{END}{rest.partition(END)[2]}", "utf-8")
