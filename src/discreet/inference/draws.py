"""Draws for a reader: from fair bits through inverse distribution functions."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaincinv

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.samplers.bits import SYSTEM, Bits, draw_words
from discreet.testing import HashedBits


def sample_bits(seed: object) -> Bits:
    """The bits of a sample: the same for the same seed, and from the operating system without one."""
    return SYSTEM if seed is None else HashedBits(f"sample {seed}")


def part_seed(seed: object, part: int) -> object:
    """The seed of one of several independent samples."""
    return None if seed is None else (seed, part)


def draw_uniforms(bits: Bits, count: int) -> Floats:
    """Independent uniform floats strictly between 0 and 1."""
    return ((draw_words(bits, count) >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


def draw_places(bits: Bits, weights: Floats, size: int) -> Wholes:
    """Which of the weighed places independent draws fall on."""
    sums = np.cumsum(weights)
    at: Wholes = np.searchsorted(sums, draw_uniforms(bits, size) * sums[-1], side="right")
    return np.minimum(at, len(sums) - 1)


def draw_dirichlet(bits: Bits, parameters: Floats) -> Floats:
    """One vector of shares for each row of parameters.

    Gamma(a) is Gamma(a+1)·U^(1/a), kept as a logarithm: no parameter is so small that all shares vanish.

    >>> import numpy as np
    >>> from discreet.testing import HashedBits
    >>> shares = draw_dirichlet(HashedBits("shares"), np.array([[1e-9, 1e-9], [2.0, 5.0]]))
    >>> bool(np.allclose(shares.sum(axis=1), 1))
    True
    """
    one, other = (draw_uniforms(bits, parameters.size).reshape(parameters.shape) for _ in range(2))
    logs = np.log(gammaincinv(parameters + 1, one)) + np.log(other) / parameters
    sizes = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares: Floats = sizes / sizes.sum(axis=1, keepdims=True)
    return shares
