"""How much work a receipt asks of its reader: an estimate from its public sizes, before anything is computed.

Anybody can write a receipt, and what it says has to be derived anew: its error, its intervals, and for a calibrated
mechanism its loss. All of that is bounded for one mechanism, and takes minutes for some; and a receipt may have many
groups, or many columns. A step is about a microsecond of one core. The estimates were measured and rounded up, so that
what is let through takes half a minute at most.
Tested in `tests/attacks/test_a_hostile_receipt_is_refused_before_it_is_computed.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from discreet.errors import TooLarge
from discreet.inference.statement import MAX_PAIRS, pairs
from discreet.kernels import Kernel, family_kernel
from discreet.mechanisms.tight_weights import MOST_PARTITIONS
from discreet.posteriors.partitions import number_of_partitions
from discreet.receipts.claims import claims_of
from discreet.receipts.receipt import Receipt, exact_number, refuse_nonsense
from discreet.receipts.tables import QUICK_CELLS

MAX_STEPS = 30_000_000

ANY_N = 0
"""Stands for an n that is private. Then nothing that is derived depends on it."""

_MANY = 1 << 16
"""Candidates beyond which no family lists them."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a receipt says of one mechanism, as far as the work depends on it."""

    name: str
    n: int
    k: int
    epsilon: float
    postprocess: str
    method: str
    digits: int
    """Of all different parameters of the prior."""
    rates: int = 0
    """How many rates are read off it."""
    sigma: float = 0.0
    """Of Gaussian noise, if it is that."""

    @property
    def has_private_n(self) -> bool:
        """Whether no error is stated, and every share needs a table."""
        return self.n == ANY_N

    @property
    def pairs(self) -> float:
        """How many numbers these tables hold."""
        return pairs(self.k, self.k, 45 / self.epsilon)

    @property
    def kernel(self) -> type[Kernel]:
        """What the laws of the mechanism are like."""
        return family_kernel(self.name)

    @property
    def candidates(self) -> int:
        """How many there are, or more than are ever listed."""
        number = 1
        for i in range(1, min(self.k, _MANY)):
            number = number * (self.n + i) // i
            if number > _MANY:
                return _MANY
        return number

    @property
    def width(self) -> float:
        """How many counts noise spreads over."""
        return min(self.n, 24 * self.sigma if self.sigma else 160 / self.epsilon)

    @property
    def finer(self) -> float:
        """How many decimal places ε has: small ones take longer to draw for."""
        return max(0.0, -math.log10(self.epsilon))


def require_modest(receipts: Sequence[Receipt], *, reading: bool) -> None:
    """Refuse receipts that would take too many steps to verify, or with `reading` to believe."""
    with refuse_nonsense():
        steps = sum(_steps(receipt, reading=reading) for receipt in receipts)
    if steps > MAX_STEPS:
        raise TooLarge(
            f"this receipt would take {steps / 1e6:,.0f} million steps to check, and a stranger's may take "
            f"{MAX_STEPS // 10**6}",
            hint="if you know who wrote it, use discreet receipt verify or discreet infer with --thorough",
        )


def _steps(receipt: Receipt, *, reading: bool) -> float:
    if "axes" in receipt.document:
        return table_steps(len(receipt.document["output"]), reading=reading)
    return sum(reading_steps(each) if reading else verifying_steps(each) for each in sizes_of(receipt))


def table_steps(cells: int, *, reading: bool) -> float:
    """What a cross table takes: no error is stated of it, and margins with the noise in them of few cells only.

    >>> table_steps(10**6, reading=False) < MAX_STEPS < table_steps(10**6, reading=True)
    True
    """
    weighing = 2e6 + 100 * cells if reading or cells <= QUICK_CELLS else 0.0
    return weighing + 10 * cells


def verifying_steps(of: Sizes) -> float:
    """What it takes to derive a receipt's error, intervals and, where it is no theorem's, loss.

    >>> geometric = Sizes("geometric", 10**6, 3, 1.0, "nearest", "theorem", 3)
    >>> verifying_steps(geometric) < MAX_STEPS
    True
    """
    if of.has_private_n:
        return 1e5 + min(of.pairs, MAX_PAIRS) + 20 * of.k + _rate_steps(of) + of.digits**2 / 400
    return _error_steps(of) + _interval_steps(of) + _loss_steps(of) + of.digits**2 / 400


def reading_steps(of: Sizes) -> float:
    """What it takes to weigh the data sets that could have led to an output."""
    if of.has_private_n:
        weighing = 1e5 + of.pairs + _rate_steps(of)
    elif of.k == 2:
        weighing = _line_steps(of)
    elif of.kernel.weighted:
        weighing = 6e6 + 25e4 * of.k
    else:
        weighing = 1e5 + 1500 * of.k * math.sqrt(of.width)
    return weighing + of.digits**2 / 400


def _rate_steps(of: Sizes) -> float:
    """The ends of the interval of each rate: a hundred sums over the counts that noise leaves open."""
    return 3000 * of.rates / of.epsilon


def _line_steps(of: Sizes) -> float:
    """All counts of two categories that noise leaves open: one by one while they are few, and then in blocks."""
    few = of.width <= 1 << 13 and not of.kernel.weighted
    return 1e5 + (20 * of.width if few else 200 * of.n ** (1 / 3))


def _error_steps(of: Sizes) -> float:
    """The expected error: `discreet.utility.measure`."""
    listed, many = of.candidates**2, of.candidates == _MANY
    if of.kernel.closed:
        partitions = min(number_of_partitions(of.n, of.k, MOST_PARTITIONS), MOST_PARTITIONS)
        return 6e6 + 25 * partitions**2 + (8 * listed if of.postprocess in ("bayes", "noisy") else 0)
    if of.postprocess == "free":
        return 1e6 + listed / 2  # no error is stated, and the posterior is searched for
    if of.postprocess == "bayes":
        return 2e6 + 8 * listed
    if not (of.kernel.noisy or of.kernel.weighted):
        return 1e6 if many or (of.k > 2 and of.candidates > 2048) else 100 * listed
    if of.k == 2:
        long = max(1.5e6, 1e6 * (math.log10(of.n) - 4)) if of.kernel.weighted else 1e6
        return long if many else 45 * of.n
    if of.kernel.weighted:
        return 3e6 + 12e4 * of.k if many else min(7e6, listed / 4)
    if of.kernel.signed:
        return 5e5 * (1 + min(of.k, 10)) + 1e4 * of.k * (1 + of.finer)
    return 5e5 + of.k * (25e4 + 1e5 * of.finer)


def _interval_steps(of: Sizes) -> float:
    """The intervals that a receipt prints: `discreet.inference.statement`, which leaves out what would take longer."""
    if of.k > 2:
        return 1e5 + 200 * min(of.k * of.width, 1 << 14)
    noisy = of.kernel.noisy
    return _line_steps(of) if noisy and of.width <= math.sqrt(of.n) * (1 << 14) else 1e5


def _loss_steps(of: Sizes) -> float:
    """An audit: `discreet.privacy_loss.audits`."""
    if of.method == "theorem":
        return 0.0
    if not (of.kernel.noisy or of.kernel.weighted):
        return 100.0 * of.candidates**2
    if of.k == 2:
        return of.n**2 / 120 if of.n < _MANY else 5e6
    return of.candidates**2 / 50


def sizes_of(receipt: Receipt) -> Iterator[Sizes]:
    """Those of each mechanism of a receipt: one, or one for each public group that has records."""
    for claim in claims_of(receipt):
        if claim.group and claim.certificate is None:
            continue
        yield Sizes(
            name=str(claim.parameters["name"]),
            n=ANY_N if claim.n is None else max(1, min(claim.n, 10**15)),
            k=len(claim.cells),
            epsilon=max(float(exact_number(receipt.document["epsilon_exact"])), 1e-300),
            postprocess=str(claim.parameters.get("way", "")),
            method=str(claim.certificate["method"]),
            digits=sum(len(str(parameter)) for parameter in set(claim.cells)),
            rates=0 if receipt.document.get("rates") is None else len(claim.cells),
            sigma=float(exact_number(claim.parameters.get("sigma", 0))),
        )
