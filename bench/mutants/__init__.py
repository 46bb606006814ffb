"""Mutants: small faults in the code that privacy rests on, made one at a time; some test has to reject each.

    python -m bench.mutants            those of code that changed since; writes record.csv and docs/mutants.md
    python -m bench.mutants --again    also those that the record holds for the code as it is: hours
    python -m bench.mutants --open     only those that were neither killed nor given a reason to live
    python -m bench.mutants --open --of kernels/base.py --tests tests/kernels/test_base.py
                                       of one file, on these tests alone: for those who write a test
    python -m bench.mutants 50         50 over all rooms, as continuous integration asks: nothing is written
    python -m bench.mutants --report   run nothing, write docs/mutants.md again

The operators are mutmut's. The choice of 50 is fixed: mutants are sorted by a digest of their file, their function and
what they change, and the first ones of each room are taken, so that a new function moves few. Each worker has a copy of
the repository; the working tree is never changed.

A worker has a process that imported the library and read all tests, and has run none. A mutant is a child that is
forked from there, in which the changed functions have new code (`live.py`). It ends at the first test that fails, or
that takes too long. A change of what runs at import, as of a constant, is read from a file by a child without the
library (`ways.py`); so is a survivor whose line ran while the tests were read. Tests that reached the line run, about
the fastest first, as a run under coverage saw them (`--reach`, into build/mutants); without it, those that mirror the
file. A run that was stopped goes on where it stopped.
"""
