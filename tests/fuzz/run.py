"""Fuzz one parser: `python -m tests.fuzz.run PARSER [--seconds 600] [--place DIR] [--keep]`.

Atheris (libFuzzer for Python) looks which lines of the library an input reaches, and goes on from those that reach new
ones. A traceback ends it, and so do an input that takes ten seconds and one that needs a gigabyte; the input is then in
PLACE. What it reached stays in PLACE/reached, from which the next run goes on; `--keep` adds the smallest inputs that
reach as much to the corpus of the repository.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import time
from pathlib import Path

import atheris

from tests.contracts.source import SRC
from tests.fuzz.corpus import first, keep
from tests.fuzz.mutators import SHAPES

ROOMS = {
    "numbers": [
        "arithmetic.numbers",
        "posteriors.dirichlet",
        "posteriors.gamma",
        "inference.noise",
        "ledger.schedules",
    ],
    "options": ["requests.texts", "cli.inputs", "counting.declaration", "counting.sources", "arithmetic.texts"],
    "tables": [
        "counting.csv_records",
        "counting.csv_table",
        "counting.streams",
        "counting.duck",
        "counting.inspection",
    ],
    "addresses": ["counting.sources", "ledger.places", "ledger.postgres_link"],
    "receipts": ["receipts", "arithmetic.numbers", "privacy_loss.certificates"],
    "ledgers": ["ledger", "cli.ledger"],
    "noisy": ["cli.noisy_tables", "inference.noise", "inference.noisy"],
    "page": ["web", "requests.request", "counting.declaration", "ledger.book"],
}
"""Where a parser is: the fuzzer looks which lines of these are reached. To watch every line takes half a minute."""

WATCHED = tuple(f"discreet.{room}" for room in ROOMS.get((*sys.argv, "")[1], []))
MODULES = [
    ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")
    for path in (SRC / "discreet").rglob("*.py")
]

with atheris.instrument_imports(
    include=["discreet" if WATCHED else "tests.fuzz.planted"],
    exclude=["discreet", *(name for name in MODULES if not name.startswith(WATCHED or "all"))],
):
    from tests.fuzz.planted import PLANTED
    from tests.fuzz.replay import HANG_SECONDS, MEMORY_MB, limit_memory
    from tests.fuzz.targets import LONGEST, TARGETS


def main() -> None:
    """Never returns: the fuzzer ends the process, with 0 if it found nothing."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parser", choices=[*TARGETS, *PLANTED])
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--hang", type=int, default=HANG_SECONDS, help="seconds of CPU that an input may take")
    parser.add_argument("--place", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--keep", action="store_true")
    asked = parser.parse_args()
    place = (asked.place / asked.parser).resolve()
    reached = place / "reached"
    reached.mkdir(parents=True, exist_ok=True)
    if asked.keep:
        print(keep(asked.parser, [path.read_bytes() for path in sorted(reached.iterdir())]), "inputs are kept now")
        return
    start = place / "kept"
    start.mkdir(exist_ok=True)
    for data in first(asked.parser):
        (start / hashlib.sha256(data).hexdigest()).write_bytes(data)
    words = [
        sys.argv[0], f"-max_total_time={asked.seconds}", f"-timeout={10 * asked.hang}", f"-rss_limit_mb={MEMORY_MB}",
        f"-artifact_prefix={place}/", f"-max_len={LONGEST}", "-print_final_stats=1", "-verbosity=0",
        str(reached), str(start),
    ]  # fmt: skip
    limit_memory()
    shape = SHAPES.get(asked.parser)

    def mutated(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)  # noqa: S311 - it chooses what to change
        if shape is None or chance.random() < 0.2:
            return bytes(atheris.Mutate(data, most))
        return shape(data, atheris.Mutate, most, chance)

    target = {**TARGETS, **PLANTED}[asked.parser]

    def read(data: bytes) -> None:
        began = time.process_time()
        target(data)
        assert time.process_time() - began < asked.hang, "it takes too long"

    atheris.Setup(words, read, custom_mutator=mutated)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
