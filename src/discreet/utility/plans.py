"""What to use for a space and an ε, and what it will give: before any data is touched.

The answer is the row of the recommended mechanism; who compares gets all of them side by side. A row is a mechanism
at one setting: `theorem`, where its theorem spends all of ε; `calibrated`, where its certified loss does; `bayes` for
geometric and tight with their other post-processing; `noisy` for tight on noisy counts; `limit` for the linear
programme, which is a yardstick and never a release. What is too costly for the space is left out, and the plan says
what and why.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

from discreet.arithmetic.cards import Bar, card, promise
from discreet.arithmetic.numbers import float_upper
from discreet.arithmetic.words import epsilon_meaning, epsilon_warning, exact_text, points, width_words
from discreet.errors import DiscreetError, TooLarge
from discreet.kernels import family_kernel
from discreet.mechanisms import Mechanism
from discreet.mechanisms import mechanism as build_mechanism
from discreet.mechanisms.base import read_epsilon
from discreet.posteriors.space import PosteriorSpace, exceeds
from discreet.privacy_loss import audit, calibrate
from discreet.typing import Epsilon, Steps
from discreet.utility.least_error import LeastError, least_error
from discreet.utility.measure import accuracy, quick_accuracy
from discreet.utility.widths import expected_width, quick_width, width_without_privacy

FAMILIES = (
    "geometric",
    "laplace-improved",
    "laplace",
    "exponential-reciprocal",
    "exponential-smooth",
    "exponential-local",
    "exponential-global",
)
SETTINGS = (
    *((FAMILIES[0], setting) for setting in ("theorem", "calibrated", "bayes")),
    *(("tight", setting) for setting in ("theorem", "bayes", "noisy")),
    *((name, setting) for name in FAMILIES[1:] for setting in ("theorem", "calibrated")),
    ("snapping", "theorem"),
    ("optimal", "limit"),
)
"""The rows of a comparison; the first is the default."""

DEFAULT = tuple(row for row in SETTINGS if row[0] in (FAMILIES[0], "tight") and row[1] != "calibrated")
"""Among these one is recommended, if nobody compares: others are hardly ever better."""

MAX_CALIBRATED, MAX_CALIBRATED_MORE = 1001, 300
"""The most candidates (two categories, and more) for which the exponential mechanisms are calibrated unasked."""

CATEGORIES = 30
"""The most categories for which the error of the exponential mechanisms is drawn unasked."""

MAX_WEIGHED = 400
MAX_CLOSED, MAX_CLOSED_QUICK = 3000, 500
"""The most candidates for which tight is solved: in a comparison, and unasked."""

MAX_SNAPPED = 101
MAX_LIMIT = 160

CLEARLY = 0.01
"""Another mechanism than geometric is recommended only if its expected error is smaller by more than this share."""


class _Row(Mapping[str, Any]):
    """A row whose fields can also be read by their JSON keys."""

    def __getitem__(self, key: str) -> Any:
        return vars(self)[key]

    def __iter__(self) -> Iterator[str]:
        return iter(vars(self))

    def __len__(self) -> int:
        return len(vars(self))

    def to_json(self) -> dict[str, Any]:
        """A row of the command's JSON."""
        return dict(self)


@dataclass(frozen=True, kw_only=True)
class PlanRow(_Row):
    """The numbers of a mechanism at a setting; what is not available is None, with a reason under `missing`."""

    name: str
    setting: str
    epsilon: float
    exact_epsilon: float | None
    exact_epsilon_by: str | None
    exact_epsilon_reached: bool
    mean_error: float
    mean_error_within: float
    worst_mean_error: float | None
    error_95: float
    shift_points: float
    interval_width: float | None
    interval_width_within: float | None
    above_least: float | None = None
    """By which share the mean error is at most above the least that any ε-DP mechanism could have, as far as proved."""
    parameters: dict[str, Any]
    method: str
    missing: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Omission(_Row):
    """A row that a plan does not have, and why."""

    name: str
    setting: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What each mechanism would cost and give, and which one to use.

    `epsilon` is the ε that the rows were made for: the one that was asked, or the one that was found for a wanted error
    or width.
    """

    space: PosteriorSpace
    epsilon: Fraction
    mechanisms: tuple[PlanRow, ...]
    omitted: tuple[Omission, ...]
    recommended: str
    setting: str
    reason: str
    interval_width_without_privacy: float
    question: dict[str, Any]
    level: Fraction = Fraction(19, 20)
    least_error: LeastError | None = None
    """The least that the mean error of any ε-DP mechanism could be, as far as proved."""

    @property
    def answer(self) -> PlanRow:
        """The row of the recommended mechanism."""
        return self.row(self.recommended, self.setting)

    def sentences(self) -> list[str]:
        """The answer in the reader's units: how wide intervals will be, what ε means, and a warning where it is large.

        >>> print(plan_at(PosteriorSpace(prior=[1, 1], n=1000), 1).sentences()[0])
        95 % intervals will be about 4.9 points wide, 4.9 without privacy.
        """
        width, lines = self.answer.interval_width, []
        if width is not None:
            whose = _whose(self.space, self.question.get("interval", {}))
            without = self.interval_width_without_privacy
            lines = [f"{width_words(width, without, level=float(self.level), whose=whose)}."]
        above = self.answer.above_least
        if above is not None:
            loose = self.least_error is not None and self.least_error.loose
            lines.append(
                f"Its expected error is at most {above_words(above)} the least that any mechanism could have"
                f"{', by a bound that is loose here' if loose else ''}."
            )
        if "guess" not in self.question:
            return [*lines, epsilon_meaning(self.epsilon, delta=self._delta), *epsilon_warning(self.epsilon)]
        public = self.question["width_at_equal_protection"]
        return [
            *lines,
            f"n is private: {self.question['guess']:,} records is a guess, and nothing of the release depends on it.",
            f"With a public n and equal protection of a replaced record (replace-one at ε = "
            f"{exact_text(2 * self.epsilon)}) they would be {points(public)} points wide.",
            epsilon_meaning(self.epsilon, "adding or removing one record", self._delta),
            *epsilon_warning(self.epsilon),
        ]

    @property
    def _delta(self) -> float:
        return float_upper(Fraction(self.question.get("delta", 0)))

    def __repr__(self) -> str:
        """What to use, and how much there is to read.

        >>> plan_at(PosteriorSpace(prior=[1, 1], n=5), 1)
        <Plan at ε = 1, n = 5: use geometric (theorem); 1 row in mechanisms>
        """
        rows = f"{len(self.mechanisms)} row{'s' * (len(self.mechanisms) > 1)}"
        use = f"use {self.recommended} ({self.setting}); {rows} in mechanisms"
        return f"<Plan at ε = {self.epsilon}, {self.space.adjacency.words}: {use}>"

    def _repr_html_(self) -> str:
        without = 100 * self.interval_width_without_privacy
        rows = ((row, 100 * (row.interval_width or math.nan)) for row in self.mechanisms)
        return card(
            f"Plan for {self.space.adjacency.words}, ε = {self.epsilon}",
            promise(float_upper(self.epsilon), self.space.adjacency.name, self._delta),
            f"Use {self.recommended} ({self.setting}): {self.reason}.",
            bars=(
                Bar(f"{row.name}, {row.setting}", f"{width:.3g} points", (0, width, width), (0, without, without))
                for row, width in rows
            ),
            key=f"Expected width of a 95 % interval. Blue: with privacy. Dashed: without, {without:.3g} points.",
        )

    def row(self, name: str, setting: str = "theorem") -> PlanRow:
        """The row of a mechanism at a setting."""
        key = (name, "theorem" if setting == "nominal" else setting)
        return next(row for row in self.mechanisms if (row.name, row.setting) == key)

    def to_json(self) -> dict[str, Any]:
        """What `discreet plan --json` prints."""
        return {
            "prior": self.space.prior.alpha.tolist(),
            **self.space.adjacency.sizes,
            "adjacency": self.space.adjacency.name,
            "question": self.question,
            "epsilon": float_upper(self.epsilon),
            "epsilon_exact": str(self.epsilon),
            "mechanisms": [row.to_json() for row in self.mechanisms],
            "omitted": [row.to_json() for row in self.omitted],
            "recommended": self.recommended,
            "setting": self.setting,
            "reason": self.reason,
            "interval_width_without_privacy": self.interval_width_without_privacy,
            "least_error": None if self.least_error is None else asdict(self.least_error),
            "level": float(self.level),
            "sentences": self.sentences(),
        }


def _whose(space: PosteriorSpace, interval: Mapping[str, Any]) -> str:
    """Which shares' intervals are meant, where that has to be said."""
    number = interval.get("category", 1)
    category = "" if len(set(space.prior.parameters)) == 1 else f" of category {number}"
    if "groups" not in interval:
        return category
    which = " of the difference" if interval["of"] == "difference" else " within the widest group"
    return category + which


def plan_at(
    space: PosteriorSpace,
    epsilon: Epsilon,
    *,
    compare: bool = False,
    thorough: bool = False,
    level: Fraction = Fraction(19, 20),
    question: dict[str, Any] | None = None,
    progress: Steps | None = None,
) -> Plan:
    """The row of the mechanism to use at one ε, or all rows."""
    price = read_epsilon(epsilon)
    rows: list[PlanRow] = []
    omitted: list[Omission] = []
    settings = [row for row in (SETTINGS if compare else DEFAULT) if space.k > 2 or not family_kernel(row[0]).closed]
    for number, (name, setting) in enumerate(settings):
        if progress is not None:
            progress(f"{name} ({setting})", number, len(settings))
        try:
            mechanism = _mechanism(name, setting, space, price, thorough, compare)
            rows.append(
                _calibrated_row(mechanism, setting, rows) or measured_row(mechanism, setting, level, compare=compare)
            )
        except DiscreetError as refusal:
            if not compare and not rows:
                raise
            omitted.append(Omission(name=name, setting=setting, reason=refusal.message))
    least = _least_error(space, price, compare)
    rows = [replace(row, above_least=_share_above(row, least)) for row in rows]
    chosen, reason = _recommend(rows)
    if not compare:
        rows, omitted = [chosen], []
    return Plan(
        space=space,
        epsilon=price,
        mechanisms=tuple(rows),
        omitted=tuple(omitted),
        recommended=chosen.name,
        setting=chosen.setting,
        reason=reason,
        interval_width_without_privacy=width_without_privacy(space, level).value,
        least_error=least,
        level=level,
        question=question or {"epsilon": str(price)},
    )


def _mechanism(
    name: str, setting: str, space: PosteriorSpace, epsilon: Fraction, thorough: bool, compare: bool
) -> Mechanism:
    """The mechanism of a row, or a refusal that says why there is none."""
    kernel = family_kernel(name)
    if kernel.closed:
        _require(
            space, MAX_CLOSED if compare else MAX_CLOSED_QUICK, "tight is solved unasked for at most {} candidates"
        )
    if setting == "limit":
        _require(space, MAX_LIMIT, "the linear programme is solved for at most {} candidates")
    elif not (kernel.noisy or kernel.weighted or kernel.closed):
        _require(space, MAX_SNAPPED, "the exact law of floats is compared for at most {} candidates")
    elif setting in ("bayes", "noisy"):
        _require(
            space, MAX_WEIGHED if compare else MAX_SNAPPED, "this post-processing is compared for at most {} candidates"
        )
        return build_mechanism(name, space, epsilon=epsilon, postprocess=setting)
    elif kernel.weighted and not thorough:
        if space.k > CATEGORIES:
            text = f"drawing its error for more than {CATEGORIES} categories takes minutes: ask for a thorough plan"
            raise TooLarge(text, hint="take fewer categories")
        if setting == "calibrated":
            most = MAX_CALIBRATED if space.k == 2 else MAX_CALIBRATED_MORE
            _require(space, most, "calibrating more than {} candidates takes minutes: ask for a thorough plan")
    return (calibrate if setting == "calibrated" else build_mechanism)(name, space, epsilon=epsilon)


def _require(space: PosteriorSpace, most: int, text: str) -> None:
    if exceeds(space, most):
        raise TooLarge(text.format(f"{most:,}"), hint="take fewer records")


def _calibrated_row(mechanism: Mechanism, setting: str, rows: list[PlanRow]) -> PlanRow | None:
    """The row of the same mechanism under another setting: some have no slack to calibrate away."""
    for row in rows:
        if (row.name, row.parameters) == (mechanism.name, mechanism.parameters()) and setting == "calibrated":
            return replace(row, setting=setting)
    return None


def measured_row(mechanism: Mechanism, setting: str, level: Fraction, *, compare: bool) -> PlanRow:
    """All numbers of a row; those that are compared are as exact as can be, and otherwise the quick ones."""
    accuracy_of, width_of = (accuracy, expected_width) if compare else (quick_accuracy, quick_width)
    error, shift = accuracy_of(mechanism), accuracy_of(mechanism, metric="l1")
    width, method, missing = None, error.method, {}
    try:
        width = width_of(mechanism, level)
        method += f"; interval by {width.method}"
    except TooLarge as refusal:
        missing["interval_width"] = refusal.message
    if error.worst_mean is None:
        missing["worst_mean_error"] = "the worst case needs every data set"
    result = None if setting == "limit" else audit(mechanism)
    loss = math.inf if result is None else result.epsilon
    return PlanRow(
        name=mechanism.name,
        setting=setting,
        epsilon=float_upper(mechanism.epsilon),
        exact_epsilon=None if loss == math.inf else float_upper(loss),
        exact_epsilon_by=None if result is None else result.certificate.method,
        exact_epsilon_reached=result is not None and result.worst is not None,
        mean_error=error.mean,
        mean_error_within=error.error,
        worst_mean_error=error.worst_mean,
        error_95=error.quantile("0.95"),
        shift_points=50 * shift.mean / (mechanism.space.n + float(mechanism.space.prior.total)),
        interval_width=None if width is None else width.value,
        interval_width_within=None if width is None else width.error,
        parameters=mechanism.parameters(),
        method=method,
        missing=missing,
    )


def _least_error(space: PosteriorSpace, epsilon: Fraction, compare: bool) -> LeastError | None:
    try:
        return least_error(space, epsilon, quick=not compare)
    except TooLarge:
        return None


def _share_above(row: PlanRow, least: LeastError | None) -> float | None:
    """What is known of the error from above, over the proved least."""
    if least is None or least.value <= 0 or row.setting == "limit":
        return None
    return max(0.0, (row.mean_error + row.mean_error_within) / least.value - 1)


def above_words(above: float) -> str:
    """How far above the least possible, rounded up.

    >>> above_words(0.0129), above_words(2e-9), above_words(1.7)
    ('1.3 % above', '0.1 % above', '2.7 times')
    """
    if above >= 1:
        return f"{math.ceil(10 * (1 + above)) / 10:g} times"
    return f"{max(0.1, math.ceil(1000 * above) / 10):g} % above"


def _recommend(rows: list[PlanRow]) -> tuple[PlanRow, str]:
    """Geometric, unless another mechanism that may be released is clearly better on average."""
    private = [row for row in rows if row.setting != "limit"]
    geometric, best = private[0], min(private, key=lambda row: round(row.mean_error, 9))  # of equals the first
    limits = [row.mean_error for row in rows if row.setting == "limit"]
    beyond = f"; the least that any mechanism could reach is {limits[0]:.4g}" if limits else ""
    if best.mean_error < (1 - CLEARLY) * geometric.mean_error - geometric.mean_error_within:
        worst, default = best.worst_mean_error or 0.0, geometric.worst_mean_error or 0.0
        price = (
            f"; for the worst data set it has {worst:.4g}, where the default post-processing has at most {default:.4g}"
        )
        return best, (
            f"its expected error {best.mean_error:.4g} is the least; geometric with its default post-processing has "
            f"{geometric.mean_error:.4g}{price if worst > default else ''}{beyond}"
        )
    others = [row.mean_error for row in private if row.name != geometric.name]
    runner = f"; the best of the others has {min(others):.4g}" if others else ""
    return geometric, f"its expected error {geometric.mean_error:.4g} is not clearly beaten{runner}{beyond}"
