"""Wrong ways to protect the number of records: each tells it, or something that follows from it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from discreet.counting import Tally
from discreet.errors import InvalidInput
from discreet.receipts import Receipt
from discreet.requests import request, run
from discreet.requests.prepare import PreparedRequest
from tests.faults.planting import plant

Prepare = Callable[[Any, Sequence[Tally]], PreparedRequest]


@plant("_draw_and_seal", run)
def n_published(right: Callable[..., Receipt], prepared: PreparedRequest, tallies: Sequence[Tally], *rest: Any) -> Any:
    """The receipt says how many records there are."""
    receipt = right(prepared, tallies, *rest)
    return replace(receipt, document={**receipt.document, "source_name": f"{tallies[0].n} records"})


@plant("_require_adjacency", request)
def filter_after_n_is_public(right: Callable[..., str], question: Any, adjacency: str) -> str:
    """A filter is applied where n is published, and so the number of the selected records is."""
    return right(question, "add-remove") and adjacency


@plant("_prepare", run)
def digest_with_the_size(right: Prepare, asked: Any, tallies: Sequence[Tally]) -> PreparedRequest:
    """The digest of a request, which its charge keeps, has the number of records in it."""
    prepared = right(asked, tallies)
    [column] = prepared.columns
    told = hashlib.sha256(f"{column.digest} {tallies[0].n}".encode()).hexdigest()
    return replace(prepared, columns=(replace(column, digest=told),))


@plant("_prepare", run)
def error_on_the_empty_table(right: Prepare, asked: Any, tallies: Sequence[Tally]) -> PreparedRequest:
    """A table without records is refused."""
    if not any(tally.n for tally in tallies):
        raise InvalidInput("the table has no records", hint="give one with at least one")
    return right(asked, tallies)


@plant("_prepare", run)
def strays_looked_at(right: Prepare, asked: Any, tallies: Sequence[Tally]) -> PreparedRequest:
    """A value outside the categories stops the release, though nothing is said of them."""
    run._require_no_strays(tallies)
    return right(asked, tallies)
