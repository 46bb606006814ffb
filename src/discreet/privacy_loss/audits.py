"""The exact privacy loss of a mechanism: the worst over all adjacent data sets and all outputs.

A wide scan in floats finds the extreme; the laws that would be drawn from are evaluated there with enclosures, and the
result is rounded up by the scan's stated error. The families of this package are scanned by their formula; anything
else, a subclass with a law of its own included, is scanned by the laws that it returns. Beyond what can be scanned the
mechanism's own theorem stands, and the certificate says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.cards import Bar, card, promise
from discreet.arithmetic.numbers import exact, float_upper, fraction_lower, fraction_upper, precision
from discreet.errors import DiscreetError, InvalidInput, NotPrivate, TooLarge
from discreet.mechanisms import FAMILIES, Mechanism
from discreet.mechanisms.base import require_mechanism
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.gaussian_loss import GaussianLoss
from discreet.mechanisms.law import CandidateLaw
from discreet.posteriors.space import exceeds
from discreet.privacy_loss.certificates import (
    Certificate,
    WorstCase,
    certificate_by_theorem,
    certify,
    theorem_worst_case,
)
from discreet.privacy_loss.deltas import Pair, delta_upper, excess, geometric_delta
from discreet.privacy_loss.edge_rows import enclose_ends, scan_ends
from discreet.privacy_loss.scan import margin, scannable, scanner, sweepable
from discreet.typing import Epsilon, Outcome, Progress

MAX_LAWS = 3000
"""A family of this package that is scanned by its laws may have at most this many data sets."""

MAX_FOREIGN_LAWS = 512
"""Any other: its floats are not trusted, and every weight is enclosed."""

_BITS = 96


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of an audit.

    `epsilon` is the exact loss, rounded up, or a bound on it; `lower` is what is certainly reached: the truth lies
    between the two. `holds` says whether the mechanism keeps the guarantee that it claims, `private` whether it keeps
    the ε that was asked of it.
    """

    mechanism: Mechanism
    epsilon: Fraction | float
    lower: Fraction | float
    worst: WorstCase | None
    certificate: Certificate
    _delta: Callable[[Fraction], float]

    @property
    def holds(self) -> bool:
        """Nothing was found that contradicts the mechanism's claim."""
        return self.lower <= self.mechanism.guarantee

    @property
    def private(self) -> bool:
        """The loss is certainly at most the ε that was asked for."""
        return self.epsilon <= self.mechanism.epsilon

    def __repr__(self) -> str:
        """The loss, rounded up as everywhere.

        >>> from discreet import Geometric, PosteriorSpace
        >>> audit(Geometric(PosteriorSpace(prior=[1, 1], n=50), epsilon="1/3"))
        <Audit of geometric: exact loss 0.33333333333333337, asked for 0.33333333333333337, by theorem>
        """
        kind = "loss at most" if self.worst is None or self.certificate.method == "bounds" else "exact loss"
        loss, epsilon = float_upper(self.epsilon), float_upper(self.mechanism.epsilon)
        at_delta = f" at δ = {float_upper(self.mechanism.delta):g}" if self.mechanism.delta else ""
        method = self.certificate.method
        return f"<Audit of {self.mechanism.name}: {kind} {loss}{at_delta}, asked for {epsilon}, by {method}>"

    def _repr_html_(self) -> str:
        loss, epsilon = float_upper(self.epsilon), float_upper(self.mechanism.epsilon)
        certificate = self.certificate
        return card(
            f"Audit of {self.mechanism.name}, {self.mechanism.space.adjacency.words}",
            promise(loss, self.mechanism.adjacency, float_upper(self.mechanism.delta)),
            badge="" if self.private else "not private at the ε asked for",
            bars=[Bar("loss", f"{loss:.6g}, asked for {epsilon:.6g}", (0, loss, loss), (0, epsilon, epsilon))],
            key="Blue: the greatest loss over all data sets, neighbours and outputs. Dashed: the ε asked for.",
            facts={"by": f"{certificate.method}: {certificate.statement}", "certificate": certificate.digest[:16]},
        )

    def delta(self, epsilon: Epsilon) -> float:
        """δ*(ε), rounded up: the least δ for which the mechanism is (ε, δ)-DP; 0 from the exact loss on, if it is pure.

        It is never below the truth, and above it by less than a share of 1e-12; or by the scan's error, where more
        pairs of neighbours come equally close than can be enclosed (`discreet.privacy_loss.deltas`).

        >>> from discreet import Geometric, PosteriorSpace
        >>> result = audit(Geometric(PosteriorSpace(prior=[1, 1], n=50), epsilon=1))
        >>> round(result.delta(0.5), 6), result.delta(1)
        (0.287649, 0.0)
        """
        at = exact(epsilon, "epsilon", minimum=0)
        return 0.0 if at >= self.epsilon and self.mechanism.loss is None else self._delta(at)

    def to_json(self, at_epsilon: Sequence[Epsilon] = ()) -> dict[str, Any]:
        """The audit for programs, with δ at each ε that is asked for. Losses are floats, rounded up; the one that is
        certainly reached is rounded down.

        >>> from discreet import Geometric, PosteriorSpace
        >>> audit(Geometric(PosteriorSpace(prior=[1, 1], n=50), epsilon=1)).to_json(["1"])["delta"]
        [{'epsilon': 1.0, 'delta': 0.0}]
        """
        return {
            "mechanism": self.mechanism.name,
            "parameters": self.mechanism.parameters(),
            "exact_epsilon": _finite_upper(self.epsilon),
            "reached_epsilon": -float_upper(-self.lower) if self.lower < math.inf else None,
            "guarantee": _finite_upper(self.mechanism.guarantee),
            "asked_epsilon": _finite_upper(self.mechanism.epsilon),
            "holds": self.holds,
            "private": self.private,
            "worst": None if self.worst is None else self.worst.to_json(),
            "delta": [{"epsilon": float(exact(at, "at_epsilon")), "delta": self.delta(at)} for at in at_epsilon],
            "certificate": self.certificate.to_json(),
        }


def _finite_upper(loss: Fraction | float) -> float | None:
    rounded = float_upper(loss)
    return rounded if rounded < math.inf else None


def audit(mechanism: Mechanism, *, progress: Progress | None = None) -> Audit:
    """The exact loss of a mechanism, over all data sets, neighbours and outputs.

    >>> from discreet import ExponentialReciprocal, PosteriorSpace
    >>> result = audit(ExponentialReciprocal(PosteriorSpace(prior=[1, 1], n=50), scale="1/2"))
    >>> round(float(result.epsilon), 6), result.worst.counts
    (0.699223, (2, 48))
    """
    require_mechanism(mechanism)
    space = mechanism.space
    if mechanism.adjacency != space.adjacency.name:
        raise NotPrivate(
            f"the mechanism claims {mechanism.adjacency} where its space has {space.adjacency.name}",
            hint="claim what is proved",
        )
    worst = theorem_worst_case(mechanism)
    if worst is not None:
        proof, loss = certificate_by_theorem(mechanism), mechanism.epsilon
        return Audit(mechanism, loss, loss, worst, proof, lambda at: geometric_delta(mechanism, at))
    if isinstance(mechanism, Exponential) and mechanism.kernel.weighted:
        if scannable(space) or sweepable(space):
            return _by_scan(mechanism, progress)
        if space.k == 2:
            return _by_ends(mechanism)
    is_family = type(mechanism) in FAMILIES
    if is_family and mechanism.loss is not None:
        return _by_loss(mechanism, mechanism.loss)
    if not exceeds(space, MAX_LAWS if is_family else MAX_FOREIGN_LAWS):
        return _by_laws(mechanism, is_family)
    if not is_family:
        limit = f"a law of its own is audited on at most {MAX_FOREIGN_LAWS:,} data sets"
        raise TooLarge(limit, hint="audit a smaller space")
    proof = certificate_by_theorem(mechanism)
    return Audit(mechanism, mechanism.guarantee, Fraction(0), None, proof, _no_delta)


def _by_loss(mechanism: Mechanism, loss: GaussianLoss) -> Audit:
    """Losses without a largest one: the least ε for the mechanism's δ, which is the same for all data."""
    lower, upper = loss.epsilon_bounds(mechanism.delta) if mechanism.delta else (math.inf, math.inf)
    proof = certificate_by_theorem(mechanism)
    return Audit(mechanism, upper, lower, None, proof, lambda at: float_upper(loss.delta_bounds(at)[1]))


def _by_scan(mechanism: Mechanism, progress: Progress | None) -> Audit:
    """All pairs; or with three categories or more the pairs that matter, and a bound on the others."""
    scan = scanner(mechanism.space, progress)
    rates = mechanism.kernel.rates(scan.rows)
    worst = scan.worst(rates)
    delta: Callable[[Fraction], float] = _no_delta
    if scannable(mechanism.space):
        delta = _delta(mechanism, lambda at, off: scan.deltas(rates, at, off), worst.error)
    plus = f"plus {worst.error:.2g}"
    bounded = f"pairs scanned in the order of a bound, the extreme enclosed, {plus}; the others below that bound"
    return _confirm(mechanism, worst, _log_ratio(mechanism, worst), delta, bounded)


def _by_ends(mechanism: Exponential) -> Audit:
    """Two categories beyond enumeration: the rows near the ends, and bounds on all between them."""
    worst = scan_ends(mechanism)
    with precision(_BITS):
        loss = enclose_ends(mechanism, worst)
    plus = f"plus {worst.error:.2g}"
    bounded = f"rows near the ends scanned and the extreme enclosed, {plus}; all others bounded in blocks"
    return _confirm(mechanism, worst, loss, _no_delta, bounded)


def _by_laws(mechanism: Mechanism, is_family: bool) -> Audit:
    space = mechanism.space
    candidates = [tuple(row) for row in space.candidates().array().tolist()]
    log_pmf = mechanism.kernel.all_rows() if is_family else np.stack([_enclose_row(mechanism, c) for c in candidates])
    rank = {c: i for i, c in enumerate(candidates)}
    pairs = [(i, rank[tuple(d)]) for i, c in enumerate(candidates) for d in space.adjacency.neighbours(c)]
    worst = WorstCase(error=margin(float(-log_pmf[np.isfinite(log_pmf)].min())))
    for i, j in pairs:
        with np.errstate(invalid="ignore"):
            gap = log_pmf[i] - log_pmf[j]
        gap[np.isneginf(log_pmf[i])] = -np.inf  # no event: it cannot tell the two apart
        output = int(np.argmax(gap))
        if gap[output] > worst.loss:
            at = tuple(mechanism.kernel.outputs[output].tolist())
            worst = WorstCase(float(gap[output]), candidates[i], candidates[j], at, error=worst.error)

    def deltas(at: float, off: float) -> Iterator[Pair]:
        for i, j in pairs:
            value, error = excess(log_pmf[i], log_pmf[j], at, off)
            yield Pair(float(value), float(error), i, j)

    delta = _delta(mechanism, deltas, worst.error)
    return _confirm(mechanism, worst, _log_ratio(mechanism, worst), delta, is_family=is_family)


def _delta(
    mechanism: Mechanism, deltas: Callable[[float, float], Iterator[Pair]], error: float
) -> Callable[[Fraction], float]:
    """δ at any ε, from the δ of all pairs in floats that are off by at most `error`."""
    unrank = mechanism.space.candidates().unrank

    def delta(at: Fraction) -> float:
        nearest = float(at)
        pairs = deltas(nearest, error + abs(float(at - Fraction(nearest))))
        return delta_upper(pairs, lambda rank: _law(mechanism, unrank(rank)), at)

    return delta


def _no_delta(epsilon: Fraction) -> float:
    raise TooLarge("this space is too large for an exact δ", hint="audit a smaller space")


def _enclose_row(mechanism: Mechanism, counts: Outcome) -> Floats:
    """Log-probabilities from the enclosures that a draw would use, every one of them."""
    law = _law(mechanism, counts)
    with precision(_BITS):
        total = law.log_total()
        enclosed = np.array([float(weight - total) for weight in law.enclosures()])
    log_pmf = law.log_pmf()
    with np.errstate(invalid="ignore"):
        apart = np.abs(enclosed - log_pmf) > margin(float(np.nanmax(np.abs(enclosed[np.isfinite(enclosed)]))))
    if np.isnan(enclosed).any() or np.isnan(log_pmf).any() or (apart & np.isfinite(enclosed)).any():
        raise _disagreement()
    return enclosed


def _log_ratio(mechanism: Mechanism, worst: WorstCase) -> arb:
    with precision(_BITS):
        log_probability = mechanism.law(worst.counts).log_probability(worst.output)
        return log_probability - mechanism.law(worst.neighbour).log_probability(worst.output)


def _confirm(
    mechanism: Mechanism,
    worst: WorstCase,
    loss: arb,
    delta: Callable[[Fraction], float],
    bounded: str = "",
    *,
    is_family: bool = True,
) -> Audit:
    """The audit of a scan whose extreme the laws themselves enclose as `loss`: rounded up by the scan's error.

    Where the scan left something to a bound, that is the loss if it is greater, and `bounded` says so.
    """
    lower: Fraction | float = math.inf
    bound: Fraction | float = math.inf
    if loss.is_finite():
        lower, upper = fraction_lower(loss), fraction_upper(loss)
        if not abs(float(upper) - worst.loss) <= worst.error:
            raise _disagreement()
        bound = upper + Fraction(worst.error)
        if worst.bound > -math.inf:
            bound = max(bound, Fraction(worst.bound))
        # A theorem that the scan does not contradict may be sharper than the scan; a claim without one may not.
        if is_family and mechanism.proved_by == "theorem" and lower <= mechanism.guarantee < math.inf:
            bound = min(bound, Fraction(mechanism.guarantee))
    method, statement = "bounds", bounded
    if worst.bound == -math.inf:
        method = "enumeration"
        statement = f"all neighbours and outputs scanned; the extreme enclosed, plus {worst.error:.2g} for the scan"
    return Audit(mechanism, bound, lower, worst, certify(mechanism, bound, method, statement, worst), delta)


def _disagreement() -> DiscreetError:
    return DiscreetError("the scan and the law disagree on a weight", hint="trust neither, and please report it")


def _law(mechanism: Mechanism, counts: Outcome) -> CandidateLaw:
    law = mechanism.law(counts)
    if not isinstance(law, CandidateLaw):
        raise InvalidInput("only laws on candidates can be scanned", hint="audit a mechanism of this package")
    return law
