"""The questions, one a file. Importing this package registers them in the order of the table."""

from bench.questions import (  # noqa: I001  (the order of the table)
    release,
    first,
    geometric,
    growth,
    simulate,
    snapping,
    lifting,
    counting,
    ledger,
    inference,
    startup,
)

__all__ = [
    "counting",
    "first",
    "geometric",
    "growth",
    "inference",
    "ledger",
    "lifting",
    "release",
    "simulate",
    "snapping",
    "startup",
]
