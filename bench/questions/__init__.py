"""The questions, one a file. Importing this package registers them in the order of the table."""

from bench.questions import (  # noqa: I001  (the order of the table)
    release,
    first,
    geometric,
    growth,
    simulate,
    snapping,
    lifting,
    startup,
)

__all__ = ["first", "geometric", "growth", "lifting", "release", "simulate", "snapping", "startup"]
