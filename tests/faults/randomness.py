"""Planted faults: sources of bits that pass for random and are not what the operating system handed out."""

from __future__ import annotations

import hashlib
import os


class TwoBytesHashed:
    """Every draw from a hash of two of the system's bytes: 65,536 different draws, and no more."""

    def draw_bits(self, count: int) -> int:
        return _stretched(os.urandom(2), count)


class SeededOnce:
    """Four of the system's bytes once, and from then on a hash of them, the process's number and a counter."""

    def __init__(self) -> None:
        self._seed, self._counter = os.urandom(4), 0

    def draw_bits(self, count: int) -> int:
        self._counter += 1
        return _stretched(self._seed + f"{os.getpid()} {self._counter}".encode(), count)


class Buffered:
    """The system's own bytes, but read ahead: a forked child hands out the same ones as its parent."""

    def __init__(self) -> None:
        self._held = b""

    def draw_bits(self, count: int) -> int:
        size = (count + 7) // 8
        if len(self._held) < size:
            self._held += os.urandom(4096 + size)
        taken, self._held = self._held[:size], self._held[size:]
        return _leading(taken, count)


class SurplusKept:
    """What is left of a byte is kept for the next draw, and a forked child has it too."""

    def __init__(self) -> None:
        self._pool, self._held = 0, 0

    def draw_bits(self, count: int) -> int:
        while self._held < count:
            self._pool, self._held = self._pool << 8 | os.urandom(1)[0], self._held + 8
        self._held -= count
        found, self._pool = self._pool >> self._held, self._pool & ((1 << self._held) - 1)
        return found


class Mixed:
    """The system's bytes, as many as are needed, and then something of one's own mixed in."""

    def draw_bits(self, count: int) -> int:
        return _leading(os.urandom((count + 7) // 8), count) ^ _stretched(b"salt", count)


class Reversed:
    """The system's bytes in the other order: no less random, and not what a recorded draw can be replayed with."""

    def draw_bits(self, count: int) -> int:
        return _leading(os.urandom((count + 7) // 8)[::-1], count)


def _leading(data: bytes, count: int) -> int:
    return int.from_bytes(data, "big") >> (8 * len(data) - count)


def _stretched(seed: bytes, count: int) -> int:
    return _leading(hashlib.shake_256(seed).digest((count + 7) // 8), count)
