"""Parsers that are wrong on purpose: a fuzzer that finds nothing wrong with them finds nothing."""

from __future__ import annotations

from collections.abc import Callable


def raises(data: bytes) -> None:
    """Fails with an exception that is no refusal, for what begins with the right two letters."""
    if data[:1] == b"n" and data[1:2] == b"o":
        raise KeyError("a line of the data")


def hangs(data: bytes) -> None:
    """Never ends, for what begins with the right letter."""
    while data[:1] == b"n":
        pass


def hoards(data: bytes) -> None:
    """Asks for two gigabytes, for what begins with the right letter."""
    if data[:1] == b"n":
        bytearray(2 << 30)


PLANTED: dict[str, Callable[[bytes], None]] = {wrong.__name__: wrong for wrong in (raises, hangs, hoards)}
