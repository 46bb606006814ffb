"""What the reader of a release may believe: the exact posterior given what was released, noise and all.

p(c | o) ∝ P(o | c)·DirMult(c | n, α) and p(θ | o) = Σ_c p(c | o)·Dir(θ | α + c) (mathematics: section 7). The law that
was drawn from is known exactly, so this is too: no chain is run, and what is left out is bounded.
"""

from __future__ import annotations

from discreet.inference import noise
from discreet.inference.beliefs import Belief
from discreet.inference.comparisons import Comparison, compare, compare_all
from discreet.inference.dispatch import combine, noise_aware
from discreet.inference.event_rates import Rate, Rates, rates
from discreet.inference.noisy import read_noisy
from discreet.inference.posterior import NoiseAware
from discreet.inference.records import NegativeBinomial
from discreet.inference.series import Waves, waves
from discreet.inference.share import Share
from discreet.inference.synthetic import combine_synthetic
from discreet.inference.totals import Total

__all__ = [
    "Belief",
    "Comparison",
    "NegativeBinomial",
    "NoiseAware",
    "Rate",
    "Rates",
    "Share",
    "Total",
    "Waves",
    "combine",
    "combine_synthetic",
    "compare",
    "compare_all",
    "noise",
    "noise_aware",
    "rates",
    "read_noisy",
    "waves",
]
