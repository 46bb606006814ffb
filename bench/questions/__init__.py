"""The questions, one a file. Importing this package registers them in the order of the table."""

from bench.questions import (  # noqa: I001  (the order of the table)
    release,
    first,
    geometric,
    growth,
    simulate,
    auditing,
    scale,
    snapping,
    lifting,
    counting,
    spark,
    ledger,
    ledger_postgres,
    inference,
    reach,
    startup,
)

__all__ = [
    "auditing",
    "counting",
    "first",
    "geometric",
    "growth",
    "inference",
    "ledger",
    "ledger_postgres",
    "lifting",
    "reach",
    "release",
    "scale",
    "simulate",
    "snapping",
    "spark",
    "startup",
]
