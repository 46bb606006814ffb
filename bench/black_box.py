"""A tester of privacy that sees what a program prints for two data sets, and nothing else of it.

Written from the published descriptions of two such testers, whose steps it takes in turn:

- events are looked for among the values and the half-lines of everything that is printed (StatDP: Ding, Wang, Wang,
  Zhang and Kifer, *Detecting Violations of Differential Privacy*, 2018), and
- among the outcomes that a classifier finds most telling: it is trained to tell the data sets apart, and the set of
  the highest scores is filled up to a probability, with a coin for ties (DP-Sniper: Bichsel, Steffen, Bogunovic and
  Vechev, *DP-Sniper: Black-Box Discovery of Differential Privacy Violations using Classifiers*, 2021);
- the best event, of all pairs of data sets and both directions, is chosen on further draws;
- on fresh draws it is tested once: by bounds of Clopper and Pearson on both probabilities, and by a test of
  P(E) ≤ e^ε·P'(E) that keeps each hit with probability e^-ε and compares the two counts (Fisher's exact test).

The last step alone decides, and holds whatever was chosen before: a program that is (ε, δ)-DP for these pairs is
accused with at most the probability `FALSE_ALARM`. Tests: `tests/attacks/test_a_black_box_tester_finds_nothing.py`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import stats

FALSE_ALARM = 1e-6

ABSENT = "(absent)"
"""The value of what this outcome does not have, and others do."""

SHARES = (0.02, 0.05, 0.1, 0.2, 0.4)
"""How likely the classifier's sets are made under the neighbour."""

MAX_LIMITS = 40
"""Half-lines of a number begin at so many of its values."""

RIDGE = 1.0

Floats: TypeAlias = NDArray[np.float64]
Outcome: TypeAlias = Mapping[str, str | float]
"""All that one run prints, by name."""
Program: TypeAlias = Callable[[Any, int], Sequence[Outcome]]
"""From a data set, and how often to run, to the outcomes."""
Table: TypeAlias = dict[str, list[str | float]]


@dataclass(frozen=True)
class Draws:
    """How often the program is run on each data set: to make events, to choose one, and to test it."""

    learn: int = 40
    choose: int = 40
    test: int = 250


@dataclass(frozen=True)
class Event:
    """A set of outcomes. Of those that tie with its limit, a share is taken by a coin."""

    name: str
    membership: Callable[[Table], Floats]

    def hits(self, table: Table, coins: np.random.Generator) -> int:
        """How many outcomes are in it."""
        share = self.membership(table)
        return int((coins.random(len(share)) < share).sum())


@dataclass(frozen=True)
class Candidate:
    """An event for a pair of data sets, with what was promised."""

    event: Event
    data: Any
    neighbour: Any
    score: float


@dataclass(frozen=True)
class Finding:
    """What the test of the chosen event says."""

    event: str
    data: Any = field(repr=False)
    neighbour: Any = field(repr=False)
    hits: int
    """Of so many draws, this many were in the event for the data set,"""
    neighbour_hits: int
    """and this many for its neighbour."""
    draws: int
    epsilon: float
    """The loss that is shown, but for half the rate of false alarms; -inf if none is."""
    p_value: float
    """That of the comparison of the two counts: how likely they are at most under what is promised."""
    exceeds: bool
    """Whether the promise is refuted."""


def attack(
    program: Program,
    pairs: Iterable[tuple[Any, Any]],
    *,
    epsilon: float,
    delta: float = 0.0,
    draws: Draws | None = None,
    false_alarm: float = FALSE_ALARM,
) -> Finding:
    """Look for an event that refutes (ε, δ)-DP on one of the pairs, and test it on fresh draws.

    >>> coins = np.random.default_rng(1)
    >>> def answer(truth: int, times: int) -> list[Outcome]:  # right in three of four cases: its loss is ln 3
    ...     return [{"told": truth if u < 0.75 else 1 - truth} for u in coins.random(times)]
    >>> [attack(answer, [(0, 1)], epsilon=stated, draws=Draws(test=1000)).exceeds for stated in (math.log(3), 0.5)]
    [False, True]
    """
    draws, coins = draws or Draws(), np.random.default_rng(0)
    candidates = [each for pair in pairs for each in _candidates(program, pair, epsilon, delta, draws)]
    best = max(candidates, key=lambda each: each.score)
    hits, others = (best.event.hits(_table(program(data, draws.test)), coins) for data in (best.data, best.neighbour))
    low, high = bounds(hits, draws.test, false_alarm / 4)[0], bounds(others, draws.test, false_alarm / 4)[1]
    loss = math.log((low - delta) / high) if low > delta else -math.inf
    p = comparison(hits, others, draws.test, epsilon) if not delta else 1.0
    return Finding(
        best.event.name, best.data, best.neighbour, hits, others, draws.test,
        epsilon=loss, p_value=p, exceeds=loss > epsilon or p < false_alarm / 2,
    )  # fmt: skip


def bounds(hits: int, draws: int, each: float) -> tuple[float, float]:
    """Clopper and Pearson's bounds on a probability: either is wrong with at most the probability `each`.

    >>> [round(bound, 4) for bound in bounds(0, 100, 0.025)]
    [0.0, 0.0362]
    """
    low = stats.beta.ppf(each, hits, draws - hits + 1) if hits else 0.0
    high = stats.beta.ppf(1 - each, hits + 1, draws - hits) if hits < draws else 1.0
    return float(low), float(high)


def comparison(hits: int, others: int, draws: int, epsilon: float) -> float:
    """A p-value of P(E) ≤ e^ε·P'(E): each hit is kept with probability e^-ε, and the counts are compared.

    The tails of Fisher's test are averaged over which hits are kept. Twice an average of p-values is one.

    >>> comparison(30, 10, 100, 1.0) > 0.1, comparison(90, 1, 100, 1.0) < 1e-6
    (True, True)
    """
    chance = math.exp(-epsilon)
    reach = 10 * math.sqrt(hits * chance * (1 - chance)) + 10
    thinned = np.arange(max(0, math.floor(hits * chance - reach)), min(hits, math.ceil(hits * chance + reach)) + 1)
    masses = stats.binom.pmf(thinned, hits, chance)
    tails = stats.hypergeom.sf(thinned - 1, 2 * draws, thinned + others, draws)
    return min(1.0, 2 * float(masses @ tails + max(0.0, 1 - masses.sum())))  # what is left out counts in full


def _candidates(
    program: Program, pair: tuple[Any, Any], epsilon: float, delta: float, draws: Draws
) -> Iterator[Candidate]:
    """Every event that was made of the first draws for a pair, both ways round, scored on the next."""
    learned, chosen = ([_table(program(data, times)) for data in pair] for times in (draws.learn, draws.choose))
    for one, other in ((0, 1), (1, 0)):
        for event in [*single_events(learned[0], learned[1]), *classified_events(learned[one], learned[other])]:
            p, q = ((event.membership(chosen[i]).sum() + 0.5) / (draws.choose + 1) for i in (one, other))
            # How many standard deviations of the test lie between what is seen and what is promised.
            spread = math.sqrt(p * (1 - p) + math.exp(2 * epsilon) * q * (1 - q))
            score = (p - math.exp(epsilon) * q - delta) / spread
            yield Candidate(event, pair[one], pair[other], score)


def single_events(one: Table, other: Table) -> Iterator[Event]:
    """What one name says: each value that is not rare, and the half-lines of numbers."""
    for name in _varying_names(one, other):
        values = [*_column(one, name), *_column(other, name)]
        often = [value for value, times in Counter(values).items() if times * 20 > len(values)]
        for value in sorted(often, key=str):
            yield Event(f"{name} = {value}", partial(_equal, name=name, value=value))
        numbers = np.unique([value for value in _numbers(values) if math.isfinite(value)])
        for limit in numbers[:: max(1, len(numbers) // MAX_LIMITS)]:
            yield Event(f"{name} ≥ {limit:g}", partial(_at_least, name=name, limit=limit, sign=1))
            yield Event(f"{name} ≤ {limit:g}", partial(_at_least, name=name, limit=limit, sign=-1))


def classified_events(one: Table, other: Table) -> Iterator[Event]:
    """The outcomes that a classifier finds most like the first data set's, filled up to a share of the other's."""
    score = classifier(one, other)
    scores = np.sort(score(other))[::-1]
    for share in SHARES:
        rank = share * len(scores)
        limit = scores[min(int(rank), len(scores) - 1)]
        above, ties = (scores > limit).sum(), (scores == limit).sum()
        part = min(1.0, max(0.0, (rank - above) / ties))

        def membership(table: Table, t: float = limit, q: float = part) -> Floats:
            values = score(table)
            return np.where(values > t, 1.0, np.where(values == t, q, 0.0))

        yield Event(f"the classifier's {share:.0%} of the neighbour", membership)


def classifier(one: Table, other: Table) -> Callable[[Table], Floats]:
    """Logistic regression on numbers and values, with a ridge, by Newton's method: the score of each outcome."""
    columns: list[tuple[str, str | float | None, float, float]] = []
    for name in _varying_names(one, other):
        values = [*_column(one, name), *_column(other, name)]
        numbers = _numbers(values)
        if np.isfinite(numbers).all():
            columns.append((name, None, float(numbers.mean()), float(numbers.std())))
        else:
            columns += [(name, v, 0.0, 1.0) for v, times in sorted(Counter(values).items(), key=str) if times > 2]

    def features(table: Table) -> Floats:
        parts = [np.ones(_size(table))]
        for name, value, mean, spread in columns:
            raw = _numbers(_column(table, name)) if value is None else _equal(table, name, value)
            parts.append(np.nan_to_num((raw - mean) / spread))
        return np.column_stack(parts)

    x = np.vstack([features(one), features(other)])
    y = np.repeat([1.0, 0.0], [_size(one), _size(other)])
    weights = np.zeros(x.shape[1])
    for _ in range(20):
        chance = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        curvature = (x * (chance * (1 - chance))[:, None]).T @ x + RIDGE * np.eye(x.shape[1])
        weights += np.linalg.solve(curvature, x.T @ (y - chance) - RIDGE * weights)
    return lambda table: np.round(features(table) @ weights, 9)  # equal outcomes tie, whatever stands beside them


def _varying_names(one: Table, other: Table) -> list[str]:
    """The names whose values vary; of those that order all outcomes alike, one."""
    by_order: dict[tuple[int, ...], str] = {}
    for name in sorted({*one, *other}):
        values = [*_column(one, name), *_column(other, name)]
        numbers = _numbers(values)
        keys = numbers if np.isfinite(numbers).all() else np.array([str(value) for value in values])
        ranks = np.unique(keys, return_inverse=True)[1]
        if ranks.max() > 0:
            by_order.setdefault(min(tuple(ranks.tolist()), tuple((ranks.max() - ranks).tolist())), name)
    return list(by_order.values())


def _table(outcomes: Sequence[Outcome]) -> Table:
    names = sorted({name for outcome in outcomes for name in outcome})
    return {name: [outcome.get(name, ABSENT) for outcome in outcomes] for name in names}


def _column(table: Table, name: str) -> list[str | float]:
    return table.get(name, [ABSENT] * _size(table))


def _size(table: Table) -> int:
    return len(next(iter(table.values())))


def _numbers(values: Sequence[str | float]) -> Floats:
    return np.array([math.nan if isinstance(value, str) else float(value) for value in values])


def _equal(table: Table, name: str, value: str | float) -> Floats:
    return np.array([float(each == value) for each in _column(table, name)])


def _at_least(table: Table, name: str, limit: float, sign: int) -> Floats:
    numbers = _numbers(_column(table, name))
    return (sign * numbers >= sign * limit).astype(np.float64)
