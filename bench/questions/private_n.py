"""A private n: a release of very many cells beside OpenDP's, and what a reader may believe of all of them."""

from __future__ import annotations

import time

import numpy as np

import discreet as dc
from bench import peers
from bench.questions.geometric import fastest_exact_peer
from bench.rows import Answer, Effort, Row, question
from bench.timing import race

CELLS, MEAN = 10**5, 30
RELEASE = "discreet, a release"
LONGEST = 30.0


def skewed_counts() -> list[int]:
    """As many counts as there are cells, most of them small and some large: negative binomial of shape ½."""
    counts: list[int] = np.random.default_rng(1).negative_binomial(0.5, 0.5 / (0.5 + MEAN), size=CELLS).tolist()
    return counts


def seconds_to_believe(released: dc.Released) -> tuple[float, dc.NoiseAware]:
    """From an output to the mean and the 95 % interval of every share."""
    start = time.perf_counter()
    belief = released.noise_aware()
    belief.mean, belief.interval(0.95)
    return time.perf_counter() - start, belief


@question("private-n")
def ask(effort: Effort) -> Answer:
    """100,000 cells with a private n.

    ε = 1, prior of ones, counts from a negative binomial of mean 30. Both sides put two-sided geometric noise of scale
    1/ε on the same vector, prepared once; ours also checks the counts and makes the posterior. Then the mean and the
    interval of every cell's share, from the output alone.
    """
    counts = skewed_counts()
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * CELLS, n=None), epsilon=1)
    # The peers' noise on a vector has scale 2/ε: twice the ε is the same noise.
    medians = race({RELEASE: lambda: mechanism.release(counts), **peers.discrete_laplace(counts, 2.0)}, effort)
    peer_name, peer = fastest_exact_peer(medians)
    spent, belief = seconds_to_believe(mechanism.release(counts))
    return Answer(
        [
            Row(f"release of {CELLS:,} cells, n private", medians[RELEASE], peer, peer_name, at_least=1),
            Row(
                f"means and intervals of {CELLS:,} cells, n private",
                spent,
                at_most=LONGEST,
                note=f"exact up to {belief.error:.0e}",
            ),
        ]
    )
