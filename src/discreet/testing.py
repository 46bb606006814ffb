"""Bits of your own choosing, for tests of samplers. A release can never be made with them.

>>> from discreet.samplers.bits import draw_below
>>> draw_below(FixedBits("101"), 8)
5
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.law import Law
from discreet.samplers.bits import SYSTEM, Bits


class FixedBits:
    """A string of zeros and ones, read once; asking for more than it holds raises `EOFError`.

    With `then`, another source goes on where the string ends.
    """

    def __init__(self, text: str, *, then: Bits | None = None) -> None:
        self._text = text
        self._at = 0
        self._then = then

    @property
    def used(self) -> int:
        """How many bits were read."""
        return self._at

    def draw_bits(self, count: int) -> int:
        """The next bits of the string."""
        part = self._text[self._at : self._at + count]
        self._at += count
        if len(part) == count:
            return int(part or "0", 2)
        if self._then is None:
            raise EOFError("the fixed bits are used up")
        rest = count - len(part)
        return (int(part or "0", 2) << rest) | self._then.draw_bits(rest)


class CountedBits:
    """Another source, with a count of what was read from it."""

    def __init__(self, source: Bits = SYSTEM) -> None:
        self._source = source
        self.used = 0

    def draw_bits(self, count: int) -> int:
        """The source's next bits."""
        self.used += count
        return self._source.draw_bits(count)


class HashedBits:
    """A reproducible stream that passes for random in a test: SHAKE-256 in counter mode. Never for a release.

    >>> HashedBits("a name").draw_bits(16) == HashedBits("a name").draw_bits(16)
    True
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._block = 0
        self._pool = 0
        self._held = 0

    def draw_bits(self, count: int) -> int:
        """The next bits of the stream."""
        missing = count - self._held
        if missing > 0:
            size = (missing + 7) // 8
            more = hashlib.shake_256(f"{self._name}:{self._block}".encode()).digest(size)
            self._block += 1
            self._pool = (self._pool << (8 * size)) | int.from_bytes(more, "big")
            self._held += 8 * size
        self._held -= count
        drawn = self._pool >> self._held
        self._pool &= (1 << self._held) - 1
        return drawn


def draw_with(law: Law, bits: Bits) -> tuple[int, ...]:
    """One outcome of a law from bits of your own."""
    return law._draw(bits)


def draw_many_with(law: Law, bits: Bits, size: int) -> NDArray[np.int64]:
    """Many outcomes of a law from bits of your own, one per row."""
    return law._draw_many(bits, size)
