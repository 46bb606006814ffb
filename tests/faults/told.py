"""Wrong steps of a release: each lets something beside the outcome depend on the data, or shows it unpaid."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from discreet.counting import Tally
from discreet.errors import InvalidInput
from discreet.receipts import Receipt
from discreet.requests import run
from discreet.requests.prepare import PreparedRequest
from discreet.utility.measure import accuracy
from tests.faults.planting import plant


@plant("_draw_and_seal", run)
def error_of_this_data_set(
    right: Callable[..., Any], prepared: PreparedRequest, tallies: Sequence[Tally], *rest: Any
) -> Any:
    """The expected error that a receipt tells is that of its own counts."""
    receipt: Receipt = right(prepared, tallies, *rest)
    own = accuracy(prepared.columns[0].mechanisms[0], list(tallies[0].counts))
    return replace(receipt, document={**receipt.document, "accuracy": {"mean": own.mean}})


@plant("_prepare", run)
def empty_category_warned_of(right: Callable[..., Any], asked: Any, tallies: Sequence[Tally]) -> Any:
    """An empty category gets a warning on standard error."""
    if not all(all(tally.counts) for tally in tallies):
        print("warning: a category is empty", file=sys.stderr)
    return right(asked, tallies)


@plant("_require_no_strays", run)
def strays_told_apart(right: Callable[..., Any], tallies: Sequence[Tally]) -> None:
    """The refusal of values outside the categories says how many are inside."""
    if any(tally.has_strays for tally in tallies):
        raise InvalidInput(f"only {sum(tallies[0].inside)} values are declared", hint="declare all of them")


def charged_after_the_draw(patch: pytest.MonkeyPatch) -> None:
    """The budget is charged when the outcome is there, and not before."""
    charge, draw, asked = run._charge, run._draw_and_seal, []

    def remember(*request: Any) -> None:
        asked.append(request)

    def draw_first(prepared: PreparedRequest, tallies: Sequence[Tally], *_: Any) -> Any:
        receipt = draw(prepared, tallies, None, None)
        charge(*asked.pop())
        return receipt

    patch.setattr(run, "_charge", remember)
    patch.setattr(run, "_draw_and_seal", draw_first)
