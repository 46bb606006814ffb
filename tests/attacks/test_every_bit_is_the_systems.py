"""The bits of a release are the operating system's bytes, in their order, no more and no fewer, and nothing else."""

import hashlib
import os
from collections.abc import Callable
from fractions import Fraction

import pytest

from discreet import PosteriorSpace, Snapping, mechanism
from discreet.mechanisms import law
from discreet.samplers import bits
from discreet.samplers.bits import Bits, SystemBits
from discreet.testing import CountedBits, draw_with
from tests.faults import randomness as faults

COUNTS = [0, 1, 7, 8, 9, 1, 64, 71, 3, 128, 1000]


class Door:
    """Stands in for `os.urandom`: bytes that can be had again, and a record of how many were asked for each time."""

    def __init__(self, name: str) -> None:
        self.name, self.at = name, 0
        self.asked: list[int] = []

    def __call__(self, size: int) -> bytes:
        self.asked.append(size)
        found = self.read(self.at, size)
        self.at += size
        return found

    def read(self, start: int, size: int) -> bytes:
        """The bytes from one place on, as they are or will be handed out."""
        return hashlib.shake_256(self.name.encode()).digest(start + size)[start:]


class Replayed:
    """What a source should make of the door's bytes: just enough of them for each draw, surplus bits dropped."""

    def __init__(self, door: Door) -> None:
        self._door, self._at = door, 0
        self.asked: list[int] = []

    def draw_bits(self, count: int) -> int:
        size = (count + 7) // 8
        found = int.from_bytes(self._door.read(self._at, size), "big") >> (8 * size - count)
        self._at += size
        self.asked.append(size)
        return found


def is_the_doors(make: Callable[[], Bits], monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether a source hands out the door's bytes as they come, one question for each draw."""
    door = Door("bytes")
    with monkeypatch.context() as patch:
        patch.setattr(os, "urandom", door)
        source, expected = make(), Replayed(door)
        shown = [source.draw_bits(count) for count in COUNTS]
    return shown == [expected.draw_bits(count) for count in COUNTS] and door.asked == expected.asked


def test_the_systems_bits_are_its_bytes_in_order_no_more_and_no_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_the_doors(SystemBits, monkeypatch)
    assert is_the_doors(lambda: bits.SYSTEM, monkeypatch)


@pytest.mark.parametrize("fault", [one for one in vars(faults).values() if isinstance(one, type)])
def test_bits_from_anywhere_else_are_rejected(fault: Callable[[], Bits], monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_the_doors(fault, monkeypatch)


PATHS = {
    "inversion": ("exponential-reciprocal", [1, 1], [13, 27]),
    "blocks": ("exponential-local", [1, 1], [1000, 4000]),
    "terms": ("exponential-smooth", [1, 1, 2], [100, 200, 300]),
    "geometric": ("geometric", [1, 1], [13, 27]),
    "zero-sum": ("geometric", [1, 1, 1], [5, 9, 6]),
    "laplace": ("laplace-improved", [1, 1, 1], [5, 9, 6]),
    "laplace as published": ("laplace", [1, 1], [5, 9]),
}


def is_replayed(
    name: str, release: Callable[[], object], draw: Callable[[Bits], object], patch: pytest.MonkeyPatch
) -> bool:
    """Whether a release can be made again from the bytes that it was handed, and needed them all and no others."""
    door = Door(name)
    with patch.context() as patched:
        patched.setattr(os, "urandom", door)
        released = release()
    expected = Replayed(door)
    return released == draw(expected) and door.asked == expected.asked


def is_path_replayed(path: str, name: object, patch: pytest.MonkeyPatch) -> bool:
    family, prior, counts = PATHS[path]
    made = mechanism(family, PosteriorSpace(prior, sum(counts)), epsilon=1)
    law = made.law(counts)
    return is_replayed(f"{path} {name}", lambda: made.release(counts).output, lambda bits: draw_with(law, bits), patch)


@pytest.mark.parametrize("path", PATHS)
def test_a_release_is_what_its_bytes_make_of_it_whichever_way_it_is_drawn(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert all(is_path_replayed(path, i, monkeypatch) for i in range(8))


@pytest.mark.parametrize("fault", [faults.TwoBytesHashed, faults.SeededOnce, faults.Buffered])
def test_a_release_from_other_bits_is_rejected(fault: Callable[[], Bits], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(law, "SYSTEM", fault())
    assert not any(is_path_replayed(path, "fault", monkeypatch) for path in PATHS)


def test_a_snapped_release_is_what_its_bytes_make_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made, x = Snapping(epsilon=1, bound=100), Fraction("12.5")
    for i in range(8):
        name = f"snapping {i}"
        assert is_replayed(name, lambda: made.release(x), lambda bits: made.output(made._draw(x, bits)), monkeypatch)


def test_what_a_release_reads_is_what_its_law_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A 4-byte seed would do for thousands of releases; here each draw takes bits of its own."""
    counted = CountedBits()
    monkeypatch.setattr(law, "SYSTEM", counted)
    made = mechanism("exponential-reciprocal", PosteriorSpace([1, 1], 40), epsilon=1)
    made.release([13, 27])
    first = counted.used
    made.release([13, 27])
    assert counted.used == 2 * first >= 128
