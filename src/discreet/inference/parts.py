"""Which likelihoods lie on a line of two categories, as functions of any real count between 0 and n."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from discreet.inference.factors import factors
from discreet.inference.line import Line
from discreet.inference.line_totals import line_totals
from discreet.mechanisms import Mechanism
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.snapping.counts import SnappedCounts
from discreet.posteriors.space import PosteriorSpace
from discreet.typing import Outcome

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def on_a_line(about: Sequence[tuple[Mechanism, Outcome]], own: PosteriorSpace) -> Line | None:
    """The posterior of two categories given outputs about the same records; None if a law is known only at counts."""
    import numpy as np

    pieces = [_piece(mechanism, output) for mechanism, output in about]
    known = [piece for piece in pieces if piece is not None]
    if len(known) < len(pieces):
        return None

    def log(c: Floats) -> Floats:
        shown: Floats = np.sum([piece.log(c) for piece in known], axis=0)
        return shown

    def errors(c: Floats) -> Floats:
        shown: Floats = np.sum([piece.errors(c) for piece in known], axis=0)
        return shown

    return Line(log, sorted({kink for piece in known for kink in piece.kinks}), own.prior, own.n, errors)


class _Noise:
    """Added noise: closed forms, with kinks where the output points and one count to either side."""

    def __init__(self, mechanism: Mechanism, output: Outcome) -> None:
        found = factors(mechanism, output)
        assert found is not None
        self._first, self._second = found
        self._n = mechanism.space.n
        places = [self._first.first, self._first.last, self._n - self._second.first, self._n - self._second.last]
        self.kinks = sorted({min(max(place + side, 0), self._n) for place in places for side in (-1, 0, 1)})

    def log(self, c: Floats) -> Floats:
        """ln P(o | c)."""
        return self._first.log(c) + self._second.log(self._n - c)

    def errors(self, c: Floats) -> Floats:
        """Closed forms have none to speak of."""
        import numpy as np

        return np.full(len(c), 1e-12)


class _Hellinger:
    """The exponential family: a kink at the output, and where 1/S bends."""

    def __init__(self, mechanism: Exponential, output: Outcome) -> None:
        self._totals, self._at = line_totals(mechanism), output[0]
        self.kinks = [output[0], *self._totals.bends]
        self.errors = self._totals.errors

    def log(self, c: Floats) -> Floats:
        """ln P(o | c)."""
        return -self._totals.rates(c) * self._totals.distances(c, self._at - c) - self._totals(c)


def _piece(mechanism: Mechanism, output: Outcome) -> _Noise | _Hellinger | None:
    if isinstance(mechanism, Exponential):
        return _Hellinger(mechanism, output)
    if isinstance(mechanism, SnappedCounts) or factors(mechanism, output) is None:
        return None
    return _Noise(mechanism, output)
