"""`python -m bench.mutants`: make mutants and see which of them the tests find."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.mutants.find import Change, Mutant, changes_of, choose
from bench.mutants.places import BUILD, REASONS, RECORD, ROOMS
from bench.mutants.reach import record_reach
from bench.mutants.record import Reasons, append_record, read_record, write_page, write_record
from bench.mutants.run import run, warm

PER_ROOM = 300
SECONDS = 20
"""CPU that the tests of a mutant may take."""


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(prog="python -m bench.mutants", description=__doc__)
    parser.add_argument("number", nargs="?", default="", help="how many over all rooms, or all")
    parser.add_argument("--per-room", type=int, default=PER_ROOM, help="how many of each room")
    parser.add_argument("--again", action="store_true", help="also those that the record holds for the code as it is")
    parser.add_argument("--open", action="store_true", help="only those that were neither killed nor given a reason")
    parser.add_argument("--report", action="store_true", help="run nothing, write the page")
    parser.add_argument("--reach", action="store_true", help="only record which test reaches which line")
    parser.add_argument("--rooms", nargs="*", default=list(ROOMS), choices=list(ROOMS))
    parser.add_argument("--seconds", type=float, default=SECONDS, help="CPU of the tests of a mutant; then it survived")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--files", action="store_true", help="import every mutant from a file, none in memory: slow")
    options = parser.parse_args()
    if options.reach:
        record_reach()
        return
    warm()
    every = {room: changes_of(room) for room in options.rooms}
    path = BUILD / "all.csv" if options.number == "all" else RECORD
    record, reasons = read_record(RECORD) | read_record(path), Reasons()
    chosen = choose(every, options.number, options.per_room)
    keep = path if options.number in ("", "all") else None
    waiting = [] if options.report else [change for change in chosen if _is_open(change, record, reasons, options)]
    survivors = _try(waiting, record, reasons, keep, options)
    if keep:
        others = [mutant for mutant in record.values() if mutant.room not in every]
        tried = [record[change.mutant.id] for change in chosen if change.mutant.id in record]
        write_record(keep, [*others, *tried])
    if keep == RECORD and len(every) == len(ROOMS):
        write_page(every, list(read_record(RECORD).values()))
        for key in reasons.unused(record[change.mutant.id] for change in chosen if change.mutant.id in record):
            print(f"a reason in {REASONS.name} is that of no survivor: {' | '.join(key)}")
    if survivors:
        sys.exit(
            f"{len(survivors)} survived without a reason: write a test, or say in {REASONS.name} why they may live"
        )


def _is_open(change: Change, record: dict[str, Mutant], reasons: Reasons, options: argparse.Namespace) -> bool:
    """Whether it is to be tried. A survivor with a reason is not tried again where nothing is kept."""
    known = record.get(change.mutant.id)
    if options.number not in ("", "all"):
        return not (known and reasons.of(known))
    if options.open:
        return not (known and (known.killed_by or reasons.of(known)))
    return options.again or known is None or known.code != change.mutant.code


def _try(
    chosen: Sequence[Change],
    record: dict[str, Mutant],
    reasons: Reasons,
    keep: Path | None,
    options: argparse.Namespace,
) -> list[Mutant]:
    """Run the mutants, say how each ends, keep it, and return survivors that nobody explained."""
    survivors, start, spent, in_files = [], time.monotonic(), 0.0, 0
    results = run(chosen, record, options.jobs, options.seconds, in_memory=not options.files)
    for i, (mutant, outcome) in enumerate(results, 1):
        before = record.get(mutant.id, mutant)
        lived = before is not mutant and not before.killed_by and not reasons.of(before)
        record[mutant.id] = mutant = replace(mutant, is_hole=before.is_hole or ("yes" if lived else ""))
        spent, in_files = spent + outcome.seconds, in_files + outcome.in_file
        where = f"{mutant.id} {mutant.file} {mutant.function}: {mutant.before} → {mutant.after}"
        end = f"killed by {mutant.killed_by}" if mutant.killed_by else f"SURVIVED {reasons.of(mutant)}"
        print(f"{i}/{len(chosen)} {time.monotonic() - start:.0f} s {where}")
        print(f"    {outcome.seconds:.1f} s{' in a file' * outcome.in_file} {end}", flush=True)
        if not mutant.killed_by and not reasons.of(mutant):
            survivors.append(mutant)
        if keep:
            append_record(keep, mutant)
    killed = sum(bool(record[change.mutant.id].killed_by) for change in chosen)
    print(f"{killed} of {len(chosen)} killed, {in_files} tried in files, {spent:.0f} s of CPU in tests,", end=" ")
    print(f"{time.monotonic() - start:.0f} s in all")
    return survivors


if __name__ == "__main__":
    main()
