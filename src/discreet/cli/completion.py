"""What a shell may propose while a command is typed: public names, never a value of the data."""

from __future__ import annotations

import os
import re

import typer

from discreet.errors import DiscreetError
from discreet.ledger import Ledger
from discreet.mechanisms import BY_NAME


def complete_mechanism(incomplete: str) -> list[str]:
    """The mechanisms whose names begin like this.

    >>> complete_mechanism("lap")
    ['laplace', 'laplace-improved']
    """
    return [name for name in BY_NAME if name.startswith(incomplete)]


def complete_dataset(context: typer.Context, incomplete: str) -> list[str]:
    """The datasets of the ledger that was named before, if it is a file: a server could keep the shell waiting."""
    words, options = iter(context.args), context.params
    # An argument of `discreet ledger` is still among the words while an option waits for its value.
    place = next(words, None) if "place" in options else options.get("ledger")
    if not place or "://" in place:
        return []
    try:
        names = [account.dataset for account in Ledger(place).accounts()]
    except DiscreetError:
        return []
    if os.environ.get("_DISCREET_COMPLETE") == "complete_bash":  # the other shells quote by themselves
        names = [re.sub(r"([^\w.,:/@+-])", r"\\\1", name) for name in names]
    return [name for name in names if name.startswith(incomplete)]
