"""`python -m bench.tables FILE.csv COLUMN COLUMN COLUMN …`: the comparison of docs/tables.md on a table of your own.

The file's shares are the population. Each repetition draws as many records as the file has from it, the same for all,
and everybody publishes them. Hellinger errors are between the shares that are read and those of the records; an
interval covers if it holds the share of the population. Cells that the population does not have are no part of that.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations, repeat
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from bench.rows import lines_of_table
from bench.table_rivals import RIVALS, SLOW, Floats, Margin, Shares, Table, Wholes, draw_delta, synthesiser_sizes

EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0)
REPETITIONS, SLOW_REPETITIONS = 40, 5

Score = tuple[float, float, float]
"""Error, coverage and width."""

Scores = dict[tuple[str, str, int, float], list[Score]]
"""By rival, reader, columns of a margin and ε: those of each repetition."""


def compare(columns: Mapping[str, Sequence[object]], repetitions: int, slow: int) -> list[str]:
    """The tables, as Markdown."""
    table, population = cross_columns(columns)
    crossing = " × ".join(f"{name} ({k})" for name, k in zip(columns, table.sizes, strict=True))
    return [
        f"{table.n:,} records, {crossing}: {table.cells} cells, each with a prior of {table.prior}. "
        f"{repetitions} repetitions, {slow} of mbi. A cell: Hellinger error · coverage of 95 % intervals · their mean "
        "width in percentage points, each with the standard error of its last digits.",
        *score_tables(table, score_releases(table, population, repetitions, slow)),
        "",
        *side_facts(table),
    ]


def cross_columns(columns: Mapping[str, Sequence[object]]) -> tuple[Table, Wholes]:
    """The table of some columns, and its counts."""
    labels = [sorted(set(values), key=str) for values in columns.values()]
    codes = [[names.index(v) for v in values] for names, values in zip(labels, columns.values(), strict=True)]
    table = Table(tuple(map(len, labels)), len(codes[0]))
    return table, np.bincount(np.ravel_multi_index(codes, table.sizes), minlength=table.cells)


def score_releases(table: Table, population: Wholes, repetitions: int, slow: int) -> Scores:
    """Everybody's releases of the same records, read by every reader."""
    tasks = [(name, turn) for name in RIVALS for turn in range(slow if name in SLOW else repetitions)]
    by_kind: Scores = defaultdict(list)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as workers:
        answers = workers.map(_turn, repeat(table), repeat(population), *zip(*tasks, strict=True))
        for (name, turn), scores in zip(tasks, answers, strict=True):
            print(f"{name}: {turn + 1}", file=sys.stderr, flush=True)
            for (reader, size, epsilon), score in scores:
                by_kind[name, reader, size, epsilon].append(score)
    return by_kind


def _turn(table: Table, population: Wholes, name: str, turn: int) -> list[tuple[tuple[str, int, float], Score]]:
    """One repetition of one rival, at every ε."""
    counts = np.random.default_rng([21, turn]).multinomial(table.n, population / table.n)
    means = []
    for epsilon in EPSILONS:
        for reader, read in RIVALS[name](table, counts, epsilon, f"{name} {epsilon} {turn}").items():
            for size in (1, 2, 3):
                scores = [_score(table, population, counts, margin, read(margin)) for margin in _margins(table, size)]
                readable = [score for score in scores if score is not None]
                if readable:
                    error, coverage, width = np.mean(readable, axis=0).tolist()
                    means.append(((reader, size, epsilon), (error, coverage, width)))
    return means


def _margins(table: Table, size: int) -> list[Margin]:
    return list(combinations(table.every, size))


def _score(table: Table, population: Wholes, counts: Wholes, margin: Margin, read: Shares | None) -> Floats | None:
    if read is None:
        return None
    mean, low, high = read
    truth, drawn = (table.margin_sums(each, margin) / table.n for each in (population, counts))
    error = math.sqrt(max(0.0, 1 - float(np.sqrt(mean * drawn).sum())))
    some = truth > 0
    return np.array([error, np.mean((low <= truth)[some] & (truth <= high)[some]), 100 * np.mean((high - low)[some])])


def score_tables(table: Table, scores: Scores) -> list[str]:
    """A table for margins of one, two and three columns."""
    lines = []
    for size in (1, 2, 3):
        kinds = dict.fromkeys((name, reader) for name, reader, of, _ in scores if of == size)
        body = [
            [name, "–" if name == "no privacy" else reader, *(_cell(scores[name, reader, size, e]) for e in EPSILONS)]
            for name, reader in kinds
        ]
        title = f"**{['One', 'Two', 'Three'][size - 1]}-way margins**"
        lines += ["", title, "", *lines_of_table(["release", "read", *(f"ε = {e:g}" for e in EPSILONS)], body)]
    return lines


def _cell(rounds: Sequence[Score]) -> str:
    means, errors = np.mean(rounds, axis=0), np.std(rounds, axis=0, ddof=1) / math.sqrt(len(rounds))
    error, coverage, width = (
        f"{mean:.{digits}f}({round(off * 10**digits)})"
        for mean, off, digits in zip(means * [1, 100, 1], errors * [1, 100, 1], (3, 1, 1), strict=True)
    )
    return f"{error} · {coverage} % · {width}"


def side_facts(table: Table) -> list[str]:
    """What the synthesiser was set to, and how far the posterior draw is from private."""
    sizes = [synthesiser_sizes(table, epsilon) for epsilon in EPSILONS]
    body = [
        ["records that the synthesiser draws", *(str(m) for m, _ in sizes)],
        ["its prior for each cell", *(f"{alpha:.3g}" for _, alpha in sizes)],
        ["δ(ε) of one posterior draw", *(f"{draw_delta(table.n, epsilon):.3g}" for epsilon in EPSILONS)],
    ]
    return lines_of_table(["", *(f"ε = {e:g}" for e in EPSILONS)], body)


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(prog="python -m bench.tables", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("columns", nargs="+", metavar="COLUMN")
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    arguments = parser.parse_args()
    with arguments.file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    if len(arguments.columns) < 3 or not rows or not set(arguments.columns) <= set(rows[0]):
        parser.error("name three columns of the file or more")
    columns = {name: [row[name] for row in rows] for name in arguments.columns}
    print("\n".join(compare(columns, arguments.repetitions, min(arguments.repetitions, SLOW_REPETITIONS))))


if __name__ == "__main__":
    main()
