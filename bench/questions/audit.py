"""The exact loss of a long Beta space, beside the plain enumeration that anyone would write."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

import discreet as dc
from bench.rows import Answer, Effort, Row, amount, lines_of_table, question
from bench.timing import race
from discreet.posteriors import distances, grid

N, PLAIN_N = 15_000, 3000
SCALE, GAMMA = 0.5, 1.0
TARGET = 20


def audit_from_nothing(n: int) -> float:
    """The exact loss by an audit that starts from nothing: tables, scan, enclosures and certificate."""
    grid.grid.cache_clear()
    distances._half_gammas.cache_clear()
    space = dc.PosteriorSpace(prior=[1, 1], n=n)
    return float(dc.audit(dc.ExponentialReciprocal(space, scale=SCALE, gamma=GAMMA)).epsilon)


def enumerate_loss(n: int, *, tabled: bool) -> float:
    """The same loss from (n+1)² matrices of floats; with `tabled`, lnΓ is taken once for each half-integer."""
    c = np.arange(n + 1)
    if tabled:
        log_gamma = gammaln(1 + np.arange(2 * n + 1) / 2)
        middle = log_gamma[c[:, None] + c] + log_gamma[2 * n - c[:, None] - c]
    else:
        between = (c[:, None] + c) / 2
        middle = gammaln(1 + between) + gammaln(1 + n - between)
    ends = gammaln(1 + c) + gammaln(1 + n - c)
    distance = np.sqrt(np.maximum(-np.expm1(middle - (ends[:, None] + ends) / 2), 0))
    step = distance[c[:-1], c[1:]]
    local = np.maximum(np.append(step, 0), np.append(0, step))
    inverse = (1 / local + GAMMA * np.abs(c[:, None] - c)).min(axis=1)
    log_weight = -SCALE * inverse[:, None] * distance
    log_chance = log_weight - np.log(np.exp(log_weight).sum(axis=1))[:, None]
    return float(np.abs(np.diff(log_chance, axis=0)).max())


@question("auditing")
def ask(effort: Effort) -> Answer:
    """The exact privacy loss of many records, beside a plain enumeration.

    Exponential-reciprocal, prior Beta(1, 1), γ = 1, s = ½. Ours starts from nothing at n = 15,000: it makes its tables,
    scans all neighbours and outputs, and confirms the extreme with enclosures. The plain one fills (n+1)² matrices with
    NumPy and SciPy at n = 3000 and is scaled by n², since at 15,000 each of its matrices would take 1.8 GB. Its floats
    lose about six digits of each distance; ours keep twelve. Nothing is compiled on either side, so no compilation is
    left out. The second row lets the plain one table its lnΓ.
    """
    ours, plain, tabled = f"discreet, n = {N:,}", "NumPy", "NumPy, lnΓ tabled"
    assert abs(audit_from_nothing(PLAIN_N) - enumerate_loss(PLAIN_N, tabled=False)) < 1e-6
    medians = race(
        {
            ours: lambda: audit_from_nothing(N),
            plain: lambda: enumerate_loss(PLAIN_N, tabled=False),
            tabled: lambda: enumerate_loss(PLAIN_N, tabled=True),
        },
        effort.at_most(5),
    )
    factor = (N / PLAIN_N) ** 2
    note = f"measured at n = {PLAIN_N:,}, times {factor:g}; nothing is compiled"
    rows = [
        Row(f"audit, n = {N:,}", medians[ours], factor * medians[plain], plain, at_least=TARGET, note=note),
        Row(f"audit, n = {N:,}", medians[ours], factor * medians[tabled], tabled, note=note),
    ]
    body = [[name, amount(seconds, "s")] for name, seconds in medians.items()]
    return Answer(rows, lines_of_table(["one loss", "median"], body))
