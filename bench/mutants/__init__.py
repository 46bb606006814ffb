"""Mutants: small faults in the code that privacy rests on, made one at a time; some test has to reject each.

    python -m bench.mutants            40 mutants of each room; writes bench/mutants/record.csv and docs/mutants.md
    python -m bench.mutants --open     of these, only those that were neither killed nor given a reason to live
    python -m bench.mutants 50         50 over all rooms, as continuous integration asks: nothing is written
    python -m bench.mutants all        all of them: days; the record goes to build/mutants/all.csv
    python -m bench.mutants --report   run nothing, write docs/mutants.md again

The operators are mutmut's. The choice is fixed: mutants are sorted by a digest of their file, their function and what
they change, and the first ones are taken, so that a new function moves few. Each worker has a copy of the repository;
the working tree is never changed. NumPy, FLINT and their like are loaded once; a mutant is a child that is forked from
there, and ends at the first test that fails, or that takes too long. Tests that reached the line run first, fastest
first, as a run under coverage saw them (`--reach`, into build/mutants); without it, those that mirror the file.
"""
