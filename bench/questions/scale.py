"""What nobody enumerates: Dirichlet laws of any size, and losses of very many records."""

from __future__ import annotations

import math
import random
import statistics
import sys

import numpy as np

import discreet as dc
from bench.fresh import in_turns, medians, run_probes
from bench.questions.audit import audit_from_nothing
from bench.rows import Answer, Effort, Row, amount, lines_of_table, question
from bench.spaces import random_case
from bench.timing import race
from discreet.testing import HashedBits

SPACES_DRAWN = ((4, 1000), (4, 10**4), (4, 10**9), (10, 10**6), (100, 10**9), (30, 30))
SPACES, PROPOSALS = 1000, 400
CATEGORIES = (3, 4, 5, 7, 10, 15, 30, 60, 100)
TRIES, LONGER, GROWTH, MEMORY = 4, 100, 2, 200e6
SCANNED = 15_000


def tries_of_random_spaces(number: int) -> list[float]:
    """Expected proposals a draw over the root of k: priors from 0.01 to 100, n to 10⁹, every kind of sensitivity."""
    chance = random.Random(1)  # noqa: S311 - the same spaces on every run
    ratios = []
    for at in range(number):
        case = random_case(chance, categories=CATEGORIES, digits=9)
        batch = case.law.proposals().batch(HashedBits(f"tries {at}"), PROPOSALS)
        accepted = float(np.exp(batch.high).sum()) / batch.tried
        ratios.append(1 / accepted / math.sqrt(case.mechanism.space.k))
    return ratios


def certified_loss(n: int) -> float:
    """The certified loss of the papers' mechanism, without a table of n."""
    return float(dc.audit(dc.ExponentialReciprocal(dc.PosteriorSpace(prior=[1, 1], n=n), scale="1/2")).epsilon)


@question("scale")
def ask(effort: Effort) -> Answer:
    """Dirichlet laws of any size, and losses of very many records.

    Draws: exponential-reciprocal, prior of ones, balanced counts, ε = 1, in fresh processes: the first release after
    the imports, the preparation of the sampler, a draw, its proposals, and the process's memory with all imports.
    Tries: 1000 random spaces, the same on every run, of 3 to 100 categories, n to 10⁹, priors from 0.01 to 100 and all
    four sensitivities. Losses: the audit by bounds beside our own full scan at n = 15,000.
    """
    commands = [[sys.executable, "-m", "bench.dirichlet_probe", str(k), str(n)] for k, n in SPACES_DRAWN]
    by_case = dict(zip(SPACES_DRAWN, map(medians, in_turns(commands, effort)), strict=True))
    line = run_probes([("exponential-reciprocal", 10**6, 2)], effort)[0]
    ratios = tries_of_random_spaces(SPACES if effort.processes > 3 else SPACES // 20)
    losses = race(
        {
            "full": lambda: audit_from_nothing(SCANNED),
            "10⁶": lambda: certified_loss(10**6),
            "10¹²": lambda: certified_loss(10**12),
        },
        effort.at_most(5),
    )
    rows = [
        Row(
            "first release, k = 10, n = 10⁶",
            by_case[10, 10**6]["first"],
            line.first,
            "ours at k = 2, n = 10⁶",
            at_most=LONGER,
        ),
        Row(
            "first release, k = 4, n = 10⁹ against n = 10⁴",
            by_case[4, 10**9]["first"],
            by_case[4, 10**4]["first"],
            "ours at n = 10⁴",
            at_most=GROWTH,
        ),
        Row("memory, k = 100, n = 10⁹", by_case[100, 10**9]["memory"], at_most=MEMORY, unit="B"),
        Row(
            f"tries a draw, mean of {len(ratios)} random spaces",
            statistics.mean(ratios),
            at_most=TRIES,
            unit="√k",
            note=f"at most {max(ratios):.2g} √k",
        ),
        Row("audit by bounds, n = 10⁶", losses["10⁶"], losses["full"], f"our scan at n = {SCANNED:,}", at_most=1),
        Row("audit by bounds, n = 10¹²", losses["10¹²"], losses["full"], f"our scan at n = {SCANNED:,}", at_most=1),
    ]
    head = ["k", "n", "first release", "preparation", "a draw", "tries", "memory"]
    body = [
        [
            str(k),
            f"{n:,}",
            *(amount(one[key], "s") for key in ("first", "preparation", "draw")),
            f"{one['tries']:.2f}",
            amount(one["memory"], "B"),
        ]
        for (k, n), one in by_case.items()
    ]
    return Answer(rows, lines_of_table(head, body))
