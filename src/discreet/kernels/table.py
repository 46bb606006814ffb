"""The kernel of any law on the candidates of a small space: a table of all its rows, from the laws themselves."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.numbers import precision
from discreet.errors import InvalidInput
from discreet.kernels.base import Kernel, Logs, Rows, closed_form_logs
from discreet.mechanisms.law import CandidateLaw

_BITS = 96


class TableKernel(Kernel):
    """Rows by the law of each data set."""

    def log_normaliser(self, counts: object) -> Logs:
        """What the law's weights sum to."""
        with precision(_BITS):
            return closed_form_logs(np.array(float(self._law(self.space.counts(counts)).log_total())))

    def _logs(self, data: Rows, outputs: Rows) -> Logs:
        at, to = (self.space.candidates().ranks(rows) for rows in (data, outputs))
        if len(data) == 1:
            return closed_form_logs(self._law(tuple(data[0].tolist())).log_pmf()[to])
        return closed_form_logs(self.table[at, to])

    @cached_property
    def table(self) -> Floats:
        """All rows."""
        if not self.listed:
            raise self._too_many()
        return np.stack([self._law(c).log_pmf() for c in self.space.candidates()])

    def _law(self, counts: tuple[int, ...]) -> CandidateLaw:
        law = self.mechanism.law(counts)
        if not isinstance(law, CandidateLaw):
            raise InvalidInput("only laws on candidates have a table", hint="use a mechanism of this package")
        return law
