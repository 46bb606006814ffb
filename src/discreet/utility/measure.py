"""The exact error of a mechanism: mean, quantiles and tail of the distance from the truth to what is released."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from discreet.arithmetic.cards import card
from discreet.arithmetic.numbers import exact, exact_share
from discreet.errors import DiscreetError, InvalidInput, TooLarge
from discreet.mechanisms import Mechanism
from discreet.mechanisms.base import require_mechanism
from discreet.posteriors.space import Counts
from discreet.utility.bounds import hellinger_bounds, l1_tail
from discreet.utility.count_blocks import CountBlocks
from discreet.utility.error_rows import ErrorLaw
from discreet.utility.error_tables import MAX_CELLS, ErrorTable, error_table
from discreet.utility.metrics import Metric, as_metric
from discreet.utility.studies import draw_study, row_study
from discreet.utility.widths import quick_width, width_without_privacy

TV_COST = 1 << 14
"""How many cells of another metric one total variation of three categories or more takes the time of."""

MAX_STUDY_ROW = 1 << 16
"""Beyond this many candidates, drawn outputs of more data sets tell more in less time than whole rows of few."""

QUICK_SHARE = 1 / 8
"""The share of the cells and the draws that a quick answer takes."""

LAW_COST = 8
"""The same for a probability that comes from the law itself and not from a table."""

NOT_PUBLISHABLE = "not publishable: speaks of the true data"


@dataclass(frozen=True, eq=False, repr=False)
class Accuracy:
    """How far a release will be from the truth.

    Without counts, under the prior predictive: how far a curator should expect it to be before seeing data. With
    counts it speaks of the true data: `publishable` is False. `mean` is right within `error` (0: up to floats).
    `quantile` and `tail` are never below the truth, except by draws; `tail_upper` hardly ever is even then.
    """

    mechanism: Mechanism
    metric: str
    publishable: bool
    mean: float
    error: float
    worst_mean: float | None
    method: str
    _law: ErrorLaw
    _counts: Counts | None

    @property
    def median(self) -> float:
        """The distance that is as often exceeded as not."""
        return self.quantile(0.5)

    def quantile(self, p: object) -> float:
        """The least t with Pr[distance ≤ t] ≥ p."""
        return self._law.quantile(float(exact_share(p, "p")))

    def tail(self, t: object) -> float:
        """Pr[distance ≥ t]."""
        return self._law.tail(float(exact(t, "t", minimum=0)))

    def tail_upper(self, t: object) -> float:
        """Pr[distance ≥ t] from above: where data sets were drawn, by the most that they leave but for 1 in 10⁹.

        >>> from discreet import Geometric, PosteriorSpace
        >>> drawn = accuracy(Geometric(PosteriorSpace(prior=[2, 2, 2], n=700), epsilon=1))
        >>> round(drawn.tail("0.2"), 3), round(drawn.tail_upper("0.2"), 3)
        (0.032, 0.037)
        """
        return self._law.tail_upper(float(exact(t, "t", minimum=0)))

    def worst_quantile(self, p: object) -> float:
        """The largest quantile of any data set."""
        self._require_all()
        return self._law.worst_quantile(float(exact_share(p, "p")))

    def worst_tail(self, t: object) -> float:
        """The largest Pr[distance ≥ t] of any data set."""
        self._require_all()
        return self._law.worst_tail(float(exact(t, "t", minimum=0)))

    def bounds(self, t: object) -> dict[str, float]:
        """Upper bounds on Pr[distance ≥ t] by name, the exact one first; without counts each holds for every data set.

        In Hellinger distance the exponential family has the five of `discreet.utility.bounds`; in L1 the Laplace
        mechanisms have the papers' tail. The others have only the exact one.
        """
        at = float(exact(t, "t", minimum=0))
        tail = self.tail(t) if self._counts is not None else self.worst_tail(t)
        kernel = self.mechanism.kernel
        if kernel.weighted and self.metric == "hellinger":
            return hellinger_bounds(self.mechanism, self._counts, at, tail)
        if kernel.laplace is not None and self.metric == "l1":
            return {"exact": tail, "noise": l1_tail(kernel.laplace, self.mechanism.space.k, at)}
        return {"exact": tail}

    def _require_all(self) -> None:
        if not self._law.complete:
            raise TooLarge("the worst case over data sets needs all of them", hint="take fewer records or categories")

    def __repr__(self) -> str:
        mean = f"{self.metric} mean {self.mean:.6g}" + (f" ± {self.error:.1g}" if self.error else "")
        return f"<Accuracy of {self.mechanism.name}: {mean}{'' if self.publishable else f'; {NOT_PUBLISHABLE}'}>"

    def _repr_html_(self) -> str:
        worst = {} if self.worst_mean is None else {"worst mean": f"{self.worst_mean:.4g}"}
        return card(
            f"Accuracy of {self.mechanism.name}, n = {self.mechanism.space.n:,}",
            "For these counts." if self._counts is not None else "For typical data, drawn from the prior predictive.",
            badge="" if self.publishable else NOT_PUBLISHABLE,
            facts={
                f"mean, {self.metric}": f"{self.mean:.4g}",
                "95 % are within": f"{self.quantile(0.95):.4g}",
                **worst,
            },
        )


def accuracy(mechanism: Mechanism, counts: object = None, *, metric: str = "hellinger") -> Accuracy:
    """The exact error of a mechanism: under the prior predictive, or of given counts (then not publishable).

    >>> from discreet import Geometric, PosteriorSpace
    >>> expected = accuracy(Geometric(PosteriorSpace(prior=[1, 1], n=50), epsilon=1))
    >>> round(expected.mean, 5), round(expected.worst_mean, 4), round(expected.quantile(0.95), 4)
    (0.108, 0.1846, 0.3782)
    """
    require_mechanism(mechanism)
    return _accuracy(mechanism, None if counts is None else mechanism.space.counts(counts), metric, 1.0)


def quick_accuracy(mechanism: Mechanism, metric: str = "hellinger") -> Accuracy:
    """The same under the prior predictive in a fraction of a second: three categories or more are enumerated only where
    that is quick, and otherwise fewer are drawn.
    """
    return _accuracy(mechanism, None, metric, 1.0 if mechanism.space.k == 2 else QUICK_SHARE)


def _accuracy(mechanism: Mechanism, counts: Counts | None, metric: str, effort: float) -> Accuracy:
    distance = as_metric(metric)
    if mechanism.kernel.postprocess == "free" and metric != "hellinger":
        raise InvalidInput("the free post-processing leaves the candidates", hint="measure it by hellinger")
    law = error_law(mechanism, distance, counts, effort)
    weight, low, high = law.survey.weight, law.survey.low, law.survey.high
    mean_low, mean_high = float(weight @ low), float(weight @ high)
    spread = (mean_high - mean_low) / 2
    if law.sampled:
        middle = (low + high) / 2
        spread += 2.576 * float(middle.std(ddof=1)) / math.sqrt(law.sampled)
    return Accuracy(
        mechanism=mechanism,
        metric=metric,
        publishable=counts is None,
        mean=(mean_low + mean_high) / 2,
        error=spread,
        worst_mean=(float(low.max()) + float(high.max())) / 2 if law.complete and counts is None else None,
        method=law.method,
        _law=law,
        _counts=counts,
    )


def error_law(mechanism: Mechanism, metric: Metric, counts: Counts | None, effort: float = 1.0) -> ErrorLaw:
    """The error laws of all data sets, or of one, by the first way that fits: enumeration, enclosure, or draws."""
    space = mechanism.space
    try:
        table = error_table(mechanism)
    except TooLarge:
        table = None
    if table is not None and (counts is not None or table.cells * _cost(table, metric) <= effort * MAX_CELLS):
        ranks, weight = table.data if counts is None else (np.array([space.candidates().index(counts)]), np.ones(1))
        return ErrorLaw(lambda: table.slices(metric, ranks, weight), metric.diameter(space), "enumeration")
    if space.k == 2:
        strata = CountBlocks(mechanism, metric, counts)
        return ErrorLaw(strata.slices, metric.diameter(space), f"enclosure of {len(strata.first)} strata")
    if table is None or not table.symmetric or metric.name == "total-variation" or table.widths[0] > MAX_STUDY_ROW:
        return draw_study(mechanism, metric, counts, effort)
    return row_study(table, metric, max(64, int(effort * MAX_CELLS) // (2 * int(table.widths[0]))))


def _cost(table: ErrorTable, metric: Metric) -> int:
    """How many cells' time a cell takes; on a line, a law without a closed form is known by its table alone."""
    if table.space.k == 2:
        return int(table.quick)
    return TV_COST if metric.name == "total-variation" else 1 if table.quick else LAW_COST


WHAT = "Hellinger distance between the true and the released posterior, for data that the prior expects"


def accuracy_statement(mechanism: Mechanism, *, former: bool = False) -> dict[str, Any]:
    """What a receipt says: how wide intervals will be, with and without privacy, the expected error, its 95 % quantile,
    and the worst expectation of any data set.

    It is public and the same for all data. The `former` one, of receipts that were written before, had no widths, and
    took seconds for three categories.

    >>> from discreet import Geometric, PosteriorSpace
    >>> statement = accuracy_statement(Geometric(PosteriorSpace(prior=[1, 1], n=50), epsilon=1))
    >>> round(statement["interval_width"], 3), round(statement["mean"], 3), round(statement["quantile_95"], 3)
    (0.236, 0.108, 0.378)
    """
    return {"what": WHAT, **_statement(mechanism, former)}


@lru_cache(maxsize=64)
def _statement(mechanism: Mechanism, former: bool) -> dict[str, Any]:
    """Kept, because a table of groups, or a receipt that is written and verified, asks again."""
    widths: dict[str, Any] = {} if former else _width_statement(mechanism)
    if not mechanism.space.adjacency.keeps_total:
        return {**widths, "mean": None, "method": "not stated: it depends on the number of records, which is private"}
    if mechanism.kernel.postprocess == "free":
        return {**widths, "mean": None, "method": "not stated for the free way back: it would take minutes"}
    try:
        error = accuracy(mechanism) if former else quick_accuracy(mechanism)
        return {
            **widths,
            "mean": error.mean,
            "error": error.error,
            "quantile_95": error.quantile(0.95),
            "worst_mean": error.worst_mean,
            "method": error.method,
        }
    except DiscreetError as refusal:  # too large to say exactly: the release does not depend on it
        return {**widths, "mean": None, "method": refusal.message}


def _width_statement(mechanism: Mechanism) -> dict[str, Any]:
    """The widths, where they are quickly known."""
    width, without = None, None
    with suppress(DiscreetError):
        if mechanism.kernel.zero_sum is not None or mechanism.kernel.cell_noise is not None:
            width, without = quick_width(mechanism).value, width_without_privacy(mechanism.space).value
    return {"interval_width": width, "interval_width_without_privacy": without}
