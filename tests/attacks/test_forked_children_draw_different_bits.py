"""A forked child never repeats the bits of its parent or of its siblings: nothing is buffered and nothing is seeded."""

import os
import subprocess
import sys

import pytest

from tests.contracts.source import ROOT

CHILDREN = 8

PROGRAM = f"""
import os, sys
from discreet import Geometric, PosteriorSpace
from discreet.mechanisms import law as laws
from discreet.samplers.bits import SYSTEM

if len(sys.argv) > 1:
    from tests.faults import randomness
    SYSTEM = laws.SYSTEM = getattr(randomness, sys.argv[1])()
law = Geometric(PosteriorSpace([1, 1, 1], 10**6), epsilon="1e-6").law([10**6, 0, 0])
law.draw()                                # everything is prepared, and bits were drawn, before the fork
SYSTEM.draw_bits(3)                       # not a whole byte: what is left of it must not be kept
for _ in range({CHILDREN}):
    read, write = os.pipe()
    if os.fork() == 0:
        os.write(write, f"{{SYSTEM.draw_bits(128)}} {{law.draw()}} {{law.draw_many(1).tolist()}}".encode())
        os._exit(0)
    os.wait()
    os.close(write)
    print(os.read(read, 65536).decode())
    os.close(read)
print(f"{{SYSTEM.draw_bits(128)}} {{law.draw()}} {{law.draw_many(1).tolist()}}")
"""


pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


def drawn(*fault: str) -> tuple[set[str], set[str]]:
    """The different bits and outcomes of a parent and its children."""
    ran = subprocess.run([sys.executable, "-c", PROGRAM, *fault], capture_output=True, text=True, check=True, cwd=ROOT)
    lines = ran.stdout.split("\n")[:-1]
    assert len(lines) == CHILDREN + 1
    return {line.split(" ", 1)[0] for line in lines}, {line.split(" ", 1)[1] for line in lines}


def test_eight_forked_children_and_their_parent_draw_different_bits_and_outcomes() -> None:
    bits, outcomes = drawn()
    assert len(bits) == len(outcomes) == CHILDREN + 1


def test_bits_that_are_read_ahead_are_drawn_by_every_child_alike() -> None:
    """The planted fault."""
    bits, _ = drawn("Buffered")
    assert len(bits) == 1
