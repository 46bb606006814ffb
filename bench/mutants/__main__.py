"""`python -m bench.mutants`: make mutants and see which of them the tests find."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

from bench.mutants.find import Change, Mutant, changes_of, choose
from bench.mutants.places import REASONS, RECORD, ROOMS
from bench.mutants.reach import Reach, record_reach
from bench.mutants.record import Reasons, append_record, read_record, write_page, write_record
from bench.mutants.run import UnreliableTests, killing_test, run, warm

SECONDS = 20
"""CPU that the tests of a mutant may take."""


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.mutants", description=__doc__)
    parser.add_argument("number", nargs="?", type=int, help="try so many over all rooms, and write nothing")
    parser.add_argument("--again", action="store_true", help="also those that the record holds for the code as it is")
    parser.add_argument("--open", action="store_true", help="only those that were neither killed nor given a reason")
    parser.add_argument("--report", action="store_true", help="run nothing, write the page")
    parser.add_argument("--reach", action="store_true", help="only record which test reaches which line")
    parser.add_argument("--rooms", nargs="*", default=list(ROOMS), choices=list(ROOMS))
    parser.add_argument("--of", nargs="*", metavar="FILE", help="only those of these files, as kernels/base.py")
    parser.add_argument("--tests", nargs="*", metavar="TEST", help="run these tests, or files of tests, and no others")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="CPU of the tests of a mutant; then it survived")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--files", action="store_true", help="import every mutant from a file, none in memory: slow")
    return parser.parse_args()


def main() -> None:
    """Read the arguments and run."""
    options = _options()
    if options.reach:
        record_reach()
        return
    warm()
    every = {room: changes_of(room) for room in options.rooms}
    record, reasons = read_record(RECORD), Reasons()
    chosen = choose(every, options.number)
    survivors: list[Mutant] = []
    if not options.report:
        named = [change for change in chosen if not options.of or change.mutant.file in options.of]
        waiting = [change for change in named if _is_open(change, record, reasons, options)]
        survivors = _try(waiting, record, reasons, options)
    if options.number is None:
        write_record(RECORD, _current(every, record))
    if options.number is None and len(every) == len(ROOMS):
        mutants = list(read_record(RECORD).values())
        write_page(every, mutants)
        for key in reasons.unused(mutants):
            print(f"a reason in {REASONS.name} is that of no survivor: {' | '.join(key)}")
    if survivors:
        sys.exit(f"{len(survivors)} survived without a reason: write a test, or say why in {REASONS.name}")


def _current(every: dict[str, list[Change]], record: dict[str, Mutant]) -> list[Mutant]:
    """What is known of the code as it is, and of rooms that were not looked at."""
    now = {change.mutant.id: change.mutant.code for changes in every.values() for change in changes}
    return [one for name, one in record.items() if one.room not in every or now.get(name) == one.code]


def _is_open(change: Change, record: dict[str, Mutant], reasons: Reasons, options: argparse.Namespace) -> bool:
    """Whether it is to be tried. A survivor with a reason is not tried again where nothing is kept."""
    known = record.get(change.mutant.id)
    if options.number is not None:
        return not (known and reasons.of(known))
    if options.open:
        return not (known and (known.killed_by or reasons.of(known)))
    return options.again or known is None or known.code != change.mutant.code


def _try(
    chosen: Sequence[Change],
    record: dict[str, Mutant],
    reasons: Reasons,
    options: argparse.Namespace,
) -> list[Mutant]:
    """Run the mutants, say how each ends, keep it, and return survivors that nobody explained."""
    survivors, killed, start, spent, in_files = [], 0, time.monotonic(), 0.0, 0
    reach = Reach(options.tests or ())
    results = run(chosen, record, reach, options.jobs, options.seconds, in_memory=not options.files)
    try:
        for i, (result, outcome) in enumerate(results, 1):
            mutant = record[result.id] = _remember(result, record.get(result.id), reasons)
            spent, in_files, killed = spent + outcome.seconds, in_files + outcome.in_file, killed + bool(outcome.killer)
            where = f"{mutant.id} {mutant.file} {mutant.function}: {mutant.before} → {mutant.after}"
            end = f"killed by {mutant.killed_by}" if mutant.killed_by else f"SURVIVED {reasons.of(mutant)}"
            print(f"{i}/{len(chosen)} {time.monotonic() - start:.0f} s {where}")
            print(f"    {outcome.seconds:.1f} s{' in a file' * outcome.in_file} {end}", flush=True)
            if not mutant.killed_by and not reasons.of(mutant):
                survivors.append(mutant)
            if options.number is None:
                append_record(RECORD, mutant)
    except UnreliableTests as error:
        print(f"without any mutant these fail, so what they killed counts as not tried: {error.tests}")
        for name in [name for name, mutant in record.items() if killing_test(mutant.killed_by) in error.tests]:
            del record[name]
    print(f"{killed} of {len(chosen)} killed, {in_files} tried in files, {spent:.0f} s of CPU in tests,", end=" ")
    print(f"{time.monotonic() - start:.0f} s in all")
    return survivors


def _remember(mutant: Mutant, before: Mutant | None, reasons: Reasons) -> Mutant:
    """It is a hole if it lived before, and nobody said why."""
    lived = before and not before.killed_by and not reasons.of(before)
    return replace(mutant, is_hole="yes" if lived or (before and before.is_hole) else "")


if __name__ == "__main__":
    main()
