"""`python -m bench.mutants`: make mutants and see which of them the tests find."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.mutants.find import Change, Mutant, changes_of, choice
from bench.mutants.places import BUILD, RECORD, ROOMS
from bench.mutants.reach import record_reach
from bench.mutants.record import read_record, write_page, write_record
from bench.mutants.run import run, warm

PER_ROOM = 40
SECONDS, QUICK_SECONDS = 120, 30
"""CPU that the tests of a mutant may take, where results are kept and where they are not."""


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(prog="python -m bench.mutants", description=__doc__)
    parser.add_argument("number", nargs="?", help="how many over all rooms, or all")
    parser.add_argument("--open", action="store_true", help="only those that were neither killed nor given a reason")
    parser.add_argument("--report", action="store_true", help="run nothing, write the page")
    parser.add_argument("--reach", action="store_true", help="only record which test reaches which line")
    parser.add_argument("--rooms", nargs="*", default=list(ROOMS), choices=list(ROOMS))
    parser.add_argument("--seconds", type=float, help="CPU of the tests of one mutant; then it survived")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    if asked.reach:
        record_reach()
        return
    number = asked.number or str(PER_ROOM * len(ROOMS))
    keep = RECORD if asked.number is None else BUILD / "all.csv" if number == "all" else None
    every = {room: changes_of(room) for room in asked.rooms}
    record = read_record(RECORD) | (read_record(keep) if keep else {})
    chosen = choice(every, number)
    if asked.open:
        chosen = [change for change in chosen if not getattr(record.get(change.mutant.id), "killed_by", "")]
    if asked.open or keep is None:  # who has a reason to live is not tried again
        chosen = [change for change in chosen if not getattr(record.get(change.mutant.id), "reason", "")]
    unexplained = _try(chosen, record, keep, asked) if not asked.report else []
    if asked.number is None and len(every) == len(ROOMS):
        write_record(RECORD, [record[one.mutant.id] for one in choice(every, number) if one.mutant.id in record])
        write_page(every, list(read_record(RECORD).values()))
    if unexplained:
        sys.exit(f"{len(unexplained)} survived without a reason: write a test, or say in {RECORD.name} why it may live")


def _try(
    chosen: Sequence[Change], record: dict[str, Mutant], keep: Path | None, asked: argparse.Namespace
) -> list[Mutant]:
    """Run the mutants, say how each ends, keep it, and return survivors that nobody explained."""
    warm()
    unexplained, start = [], time.monotonic()
    for i, mutant in enumerate(
        run(chosen, record, asked.jobs, asked.seconds or (SECONDS if keep else QUICK_SECONDS)), 1
    ):
        before = record.get(mutant.id, mutant)
        one = replace(mutant, reason="" if mutant.killed_by else before.reason, is_hole=before.is_hole)
        record[one.id] = one
        end = f"killed by {one.killed_by}" if one.killed_by else f"SURVIVED {one.reason}"
        print(f"{i}/{len(chosen)} {time.monotonic() - start:.0f} s {one.id} {one.file} {one.function}: {one.change}")
        print(f"    {end}", flush=True)
        if not one.killed_by and not one.reason:
            unexplained.append(one)
        if keep:
            write_record(keep, list((read_record(keep) | {one.id: one}).values()))  # others may run other rooms
    killed = sum(bool(record[change.mutant.id].killed_by) for change in chosen)
    print(f"{killed} of {len(chosen)} killed in {time.monotonic() - start:.0f} s")
    return unexplained


if __name__ == "__main__":
    main()
