"""Three categories or more and too many data sets to list: p(c | o) from drawn data sets, each weighed exactly.

Data sets come from several laws at once, half of them from the prior predictive and half from about the outputs
(`discreet.inference.proposal_laws`), by bits that are the same for every reader: two readers of a release agree. A data
set weighs P(o | c)·DirMult(c) over its chance of being drawn. P(o | c) is a product, or it is the exponential family's,
whose normaliser is worked out for each data set (`discreet.inference.simplex_totals`). As on a line, the least P(o | c)
that was met is taken out first: it leaves the prior as it is, which needs no draws.

With w the weights, a probability has a standard error of at most (1 - silence)·sqrt(Σ w²), whatever is asked. `error`
is six of these, and on top the normaliser's own error, measured against a finer one. `mean_errors` are six standard
errors of each mean. Few large weights make a large error and are refused: no chain is run, and nothing is stated that
was not weighed. Because the prior is among the laws, no draw weighs more than 2P(o | c): no corner is out of reach.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from discreet.errors import InvalidInput, TooLarge
from discreet.inference.factors import factors
from discreet.inference.lists import KEPT, Listed
from discreet.inference.proposal_laws import NearOutput, NoiseProposal, PriorPredictive, Proposal
from discreet.inference.simplex_totals import SimplexTotals
from discreet.mechanisms import Mechanism
from discreet.mechanisms.exponential import Exponential
from discreet.posteriors.distances import log_affinity_floats
from discreet.posteriors.predictive import log_predictive
from discreet.posteriors.space import PosteriorSpace
from discreet.samplers.bits import Bits
from discreet.testing import HashedBits
from discreet.typing import Outcome

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Wholes = NDArray[np.int64]

ALLOWED = 0.25
"""What has a larger error is refused."""

SURE = 6.0
_DRAWS, _PILOT, _CHECKED = 1 << 16, 1 << 11, 12
_CELLS = 3 << 26
_LEAST_SILENCE = 1e-3


class Sampled(Listed):
    """The posterior of the counts from drawn data sets and their weights, given that something was said."""

    def __init__(
        self, rows: Wholes, log_weights: Floats, times: Wholes, *, silence: float, error: float, method: str
    ) -> None:
        import numpy as np

        super().__init__(rows, log_weights, error=error, method=method)
        self.silence = silence
        # A data set that was drawn t times is t draws of a t-th of its weight.
        self._squares = self.weights**2 / times[np.exp(log_weights - log_weights.max()) > KEPT]
        self.error += SURE * float(np.sqrt(self._squares.sum())) * (1 - silence)
        if not self.error < ALLOWED:
            raise TooLarge("too few of the drawn data sets could have led to this output", hint="use geometric")

    def mean_errors(self, prior_mean: Floats, alpha: Floats, n: int) -> Floats:
        """Six standard errors of each category's mean."""
        import numpy as np

        shares = (alpha + self.rows) / (alpha.sum() + n)
        mean = self.silence * prior_mean + (1 - self.silence) * (self.weights @ shares)
        spread = np.sqrt(self._squares @ (shares - mean) ** 2)
        found: Floats = SURE * (1 - self.silence) * spread
        return found

    def total(self, members: Sequence[int]) -> tuple[Wholes, Floats]:
        """Groups are asked of lists and windows only."""
        raise TooLarge("the counts of groups are too many to list", hint="use geometric")

    def split(self, i: int, others: Sequence[int]) -> tuple[int, int, Floats]:
        """The same."""
        raise TooLarge("the counts of groups are too many to list", hint="use geometric")


def sampled(about: Sequence[tuple[Mechanism, Outcome]], own: PosteriorSpace) -> Sampled | None:
    """The posterior given outputs about the same records; None if a law is known only by enumeration."""
    import numpy as np

    if any(
        not isinstance(mechanism, Exponential) and factors(mechanism, output) is None for mechanism, output in about
    ):
        return None
    bits = HashedBits(f"noise-aware {own.k} {own.n}")
    laws: list[Proposal] = [PriorPredictive(own.prior, own.n), *[_law(*each) for each in about]]
    pilot, _, _ = _drawn(laws, _PILOT, bits)
    likelihoods = [_likelihood(mechanism, output, pilot) for mechanism, output in about]
    draws = min(_DRAWS, max(_PILOT, _CELLS // sum(likelihood.cost for likelihood in likelihoods)))
    rows, log_chance, size = _drawn(laws, draws, bits)
    rows, back = np.unique(rows, axis=0, return_inverse=True)  # a data set may be drawn many times
    times, log_chance = np.bincount(back.reshape(-1)), log_chance[_first(back.reshape(-1))]
    logs = np.sum([likelihood(rows) for likelihood in likelihoods], axis=0)
    ratio = np.log(times) + log_predictive(own.prior, rows) - log_chance
    top = float((logs + ratio).max())
    if not math.isfinite(top):
        raise InvalidInput("no data leads to this output", hint="give the output as it was released")
    least = float(logs.min())
    excess = ratio + logs + np.log(-np.expm1(np.minimum(least - logs, -1e-300)))
    silence = math.exp(min(least - top, 700.0))  # far above all that was drawn, it is certain
    silence /= silence + float(np.exp(excess - top).sum()) / size
    if silence < _LEAST_SILENCE:
        silence, excess = 0.0, logs + ratio
    error = sum(likelihood.error() for likelihood in likelihoods)
    return Sampled(
        rows, excess, times, silence=silence, error=error, method=f"{size:,} drawn data sets, each weighed exactly"
    )


def _first(back: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each number from 0 on is first met."""
    import numpy as np

    found: NDArray[np.int64] = np.unique(back, return_index=True)[1]
    return found


def _drawn(laws: Sequence[Proposal], size: int, bits: Bits) -> tuple[Wholes, Floats, int]:
    """Data sets from all laws, how likely each was to be drawn, and how many were: half come from the first law."""
    import numpy as np

    sizes = [size // 2, *[size // (2 * (len(laws) - 1))] * (len(laws) - 1)]
    drawn = np.concatenate([law.draw(bits, each) for law, each in zip(laws, sizes, strict=True)])
    rows = drawn[drawn.min(axis=1) >= 0]
    logs = [math.log(each / sum(sizes)) + law.log_chance(rows) for law, each in zip(laws, sizes, strict=True)]
    return rows, np.logaddexp.reduce(np.stack(logs), axis=0), sum(sizes)


def _law(mechanism: Mechanism, output: Outcome) -> Proposal:
    """A law of data sets that could have led to an output."""
    if isinstance(mechanism, Exponential):
        return NearOutput(mechanism, output)
    found = factors(mechanism, output)
    assert found is not None
    return NoiseProposal(found, mechanism.space.n)


def _likelihood(mechanism: Mechanism, output: Outcome, pilot: Wholes) -> _Noise | _Hellinger:
    return _Hellinger(mechanism, output, pilot) if isinstance(mechanism, Exponential) else _Noise(mechanism, output)


class _Noise:
    """ln P(o | c) as a product of factors."""

    cost = 1

    def __init__(self, mechanism: Mechanism, output: Outcome) -> None:
        found = factors(mechanism, output)
        assert found is not None
        self._factors = found

    def __call__(self, rows: Wholes) -> Floats:
        import numpy as np

        shown: Floats = np.sum([factor.log(rows[:, i]) for i, factor in enumerate(self._factors)], axis=0)
        return shown

    def error(self) -> float:
        """Closed forms have none to speak of."""
        return 0.0


class _Hellinger:
    """ln P(o | c) = -rate·H - ln NL of the exponential family."""

    def __init__(self, mechanism: Exponential, output: Outcome, pilot: Wholes) -> None:
        self._mechanism, self._output, self._pilot = mechanism, output, pilot
        self._totals = SimplexTotals(mechanism, pilot)
        self.cost = self._totals.cost

    def __call__(self, rows: Wholes) -> Floats:
        import numpy as np

        affinity = np.minimum(log_affinity_floats(self._mechanism.space.prior, self._output, rows), 0.0)
        shown: Floats = -self._totals.rates(rows) * np.sqrt(-np.expm1(affinity)) - self._totals(rows)
        return shown

    def error(self) -> float:
        """How far the NL of some rows are from finer ones, doubled; and what rounding may have done to any row."""
        import numpy as np

        some = self._pilot[np.linspace(0, len(self._pilot) - 1, _CHECKED).astype(np.int64)]
        finer = SimplexTotals(self._mechanism, some, finer=True)
        return 2 * float(np.abs(finer(some) - self._totals(some)).max()) + self._totals.rounding
