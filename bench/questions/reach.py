"""For which releases a reader's posterior is known, how, how well and how quickly: every mechanism and many sizes."""

from __future__ import annotations

import time

import discreet as dc
from bench.rows import QUICK, Answer, Effort, Row, lines_of_table, question
from discreet.testing import HashedBits, draw_with

NAMES = (
    "geometric",
    "laplace",
    "laplace-improved",
    "exponential-global",
    "exponential-local",
    "exponential-smooth",
    "exponential-reciprocal",
    "snapping",
)
CATEGORIES = (2, 3, 7, 20)
RECORDS = (10, 10**3, 10**5, 10**9)
EPSILONS = ("0.01", "1")
SLOW = 5.0
SIGNS = {"convolution": "w", "enumeration": "e", "blocks": "b"}


def halves(k: int, n: int) -> list[int]:
    """A data set whose categories halve from one to the next, down to a 128th."""
    rest = [n >> min(i + 1, 7) for i in range(1, k)]
    return [n - sum(rest), *rest] if sum(rest) <= n else [n, *[0] * (k - 1)]


def cell(name: str, k: int, n: int, epsilon: str) -> tuple[str, float]:
    """How the counts were weighed, the stated error of a mean in standard deviations, and the seconds it took."""
    try:
        mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=[1] * k, n=n), epsilon=epsilon)
        output = draw_with(mechanism.law(halves(k, n)), HashedBits(f"reach {name} {k} {n} {epsilon}"))
        start = time.process_time()
        belief = dc.noise_aware(mechanism, output)
        belief.interval(0.95)
        seconds = time.process_time() - start
        sign = next((sign for word, sign in SIGNS.items() if belief.method.startswith(word)), "d")
        off = float((belief.mean_errors / belief.sd).max())
        return (
            f"{sign} {'< 1e-3' if off < 1e-3 else f'{off:.0e}'}{f', {seconds:.0f} s' if seconds > SLOW else ''}",
            seconds,
        )
    except dc.DiscreetError:
        return "–", 0.0


@question("reach", alone=True)
def ask(effort: Effort) -> Answer:
    """What a reader may believe, for every mechanism and many sizes.

    Prior of ones, one output each, drawn with fixed bits from counts that halve from one category to the next. Each
    cell says how the counts were weighed (w: windows joined by convolution, e: enumeration, b: blocks, d: drawn data
    sets), how far a mean may be off in its standard deviations (a bound, or six standard errors), and the seconds of
    processor time for the posterior and all 95 % intervals where they are more than five; – is refused.
    """
    sizes = [(n, epsilon) for n in RECORDS for epsilon in EPSILONS if effort is not QUICK or n <= 10**3]
    body, slowest, refused = [], 0.0, 0
    for name in NAMES:
        for k in CATEGORIES[: 2 if effort is QUICK else None]:
            texts, seconds = zip(*(cell(name, k, n, epsilon) for n, epsilon in sizes), strict=True)
            body.append([name, str(k), *texts])
            slowest = max(slowest, *seconds)
            refused += texts.count("–")
    head = ["mechanism", "k", *[f"n = {n:,}, ε = {epsilon}" for n, epsilon in sizes]]
    rows = [
        Row("the slowest of all posteriors with their intervals", slowest),
        Row(f"posteriors refused, of {len(body) * len(sizes)}", float(refused), unit="posteriors"),
    ]
    return Answer(rows, lines_of_table(head, body))
