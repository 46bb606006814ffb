"""A million outputs for studies."""

from __future__ import annotations

import time

import discreet as dc
from bench.probe import balanced
from bench.rows import Answer, Effort, Row, question

CASES = [
    ("exponential-global", 1000, 2),
    ("exponential-local", 1000, 2),
    ("exponential-smooth", 1000, 2),
    ("exponential-reciprocal", 1000, 2),
    ("exponential-reciprocal", 10**6, 2),
    ("laplace", 1000, 2),
    ("laplace-improved", 1000, 2),
    ("geometric", 1000, 2),
    ("geometric", 1000, 3),
    ("optimal", 30, 2),
]


@question("simulate")
def ask(effort: Effort) -> Answer:
    """Many outputs at once, for studies.

    `simulate` on balanced counts at ε = 1, called once, with all that it prepares; outputs are as exact as a release.
    """
    rows = []
    for name, n, k in CASES:
        mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=[1] * k, n=n), epsilon=1)
        start = time.perf_counter()
        outputs = mechanism.simulate(balanced(n, k), effort.size)
        seconds = time.perf_counter() - start
        assert len(outputs) == effort.size
        each = f"{seconds / effort.size * 1e6:.2g} µs an output"
        rows.append(Row(f"simulate {effort.size:,}, {name}, n = {n:,}, k = {k}", seconds, note=each))
    return Answer(rows)
