"""Whether a seal fits on the disk does not depend on what was drawn: else a draw that does not fit is drawn again."""

import json
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import discreet as dc
from discreet.ledger import Ledger
from discreet.receipts import documents

TABLE = pd.DataFrame({"vote": ["yes"] * 4 + ["no"] * 3, "sex": ["f", "m"] * 3 + ["f"]})
SHARES: dict[str, Any] = {"column": "vote", "categories": ["yes", "no"]}
PRIVATE: dict[str, Any] = {"adjacency": "add-remove"}
KINDS: dict[str, dict[str, Any]] = {
    "shares": {**SHARES, "prior": ["1/3", "2/7"]},
    "groups": {**SHARES, "by": "sex", "groups": ["f", "m"]},
    "private n": {**SHARES, **PRIVATE},
    "a cross table": {"cross": {"sex": ["f", "m"], "vote": ["yes", "no"]}},
    "rates": {**SHARES, **PRIVATE, "exposure": {"yes": 10, "no": 20}},
}


def lengths(place: Path, asked: dict[str, Any]) -> Iterator[int]:
    """Of the same ledger after the same request, whose draws differ."""
    Ledger.create(place / "l.db", dataset="d", epsilon=1)
    empty = (place / "l.db").read_bytes()
    for _ in range(4):
        (place / "l.db").write_bytes(empty)
        receipt = dc.release(TABLE, **asked, epsilon="1/2", ledger=place / "l.db", dataset="d", request_id="r")
        outcome = Ledger(place / "l.db").charges("d")[0].outcome
        assert outcome == receipt.to_json()
        yield (place / "l.db").stat().st_size


@pytest.mark.parametrize("kind", KINDS)
def test_every_draw_takes_the_same_room(kind: str, tmp_path: Path) -> None:
    assert len(set(lengths(tmp_path, KINDS[kind]))) == 1


@pytest.mark.every
@pytest.mark.parametrize(
    ("kind", "fails"),
    [
        ("rates", "discreet.receipts.rate_terms.RateTerms.belief"),
        ("private n", "discreet.receipts.documents.stated_total"),
        ("rates", "discreet.receipts.documents.stated_total"),
    ],
)
def test_what_cannot_be_computed_for_a_draw_makes_its_seal_no_shorter(
    kind: str, fails: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    usual = next(lengths(tmp_path, KINDS[kind]))
    (tmp_path / "l.db").unlink()
    monkeypatch.setattr(fails, fail)
    assert next(lengths(tmp_path, KINDS[kind])) == usual


def texts(prior: Sequence[object] = ("1/3", "2/7")) -> list[str]:
    """Of receipts with every kind of output, up to sixteen digits."""
    mechanism = dc.Geometric(dc.PosteriorSpace(list(prior), n=None), epsilon=1)
    outputs = product((-(10**15), -3, 0, 7, 10**15), (0, 10))
    draws = [dc.Released(mechanism.posterior(output), output, mechanism) for output in outputs]
    receipts = [documents.receipt_of(draw, ["yes", "no"], title="t", source_name=None) for draw in draws]
    return [json.dumps(documents.sealed_text(receipt)) for receipt in receipts]


@pytest.mark.parametrize("prior", [("1/3", "2/7"), (1, "0.1"), ("1e-9", "1.25")], ids=str)
def test_the_longest_outputs_have_room(prior: Sequence[object]) -> None:
    """Of a small prior and a large count the parameter is a fraction, and of a small count a float."""
    assert len({len(text) for text in texts(prior)}) == 1


TINY = pd.DataFrame({"vote": ["yes"], "sex": ["f"]})


@pytest.mark.parametrize(
    "asked",
    [
        {"cross": {"sex": ["f", "m"], "vote": ["yes", "no"]}, "prior": "1e-9", "epsilon": "1e-9"},
        {**SHARES, "exposure": {"yes": "5e-8", "no": 1}, "per": "1e300", "epsilon": 1},
    ],
    ids=["a cross table", "rates"],
)
def test_no_draw_is_lost_because_floats_cannot_tell_what_may_be_believed(asked: dict[str, Any]) -> None:
    """JSON says neither NaN nor infinity: such a draw was not sealed, and drawn again."""
    receipts = [dc.release(TINY, **asked, **PRIVATE, ledger=None) for _ in range(8)]
    assert len({len(json.dumps(documents.sealed_text(receipt))) for receipt in receipts}) == 1
    assert all(dc.Receipt.from_json(receipt.to_json()).verify() for receipt in receipts[:2])


def test_seals_that_are_only_as_long_as_what_was_drawn_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "DRAWN", ())
    assert len({len(text) for text in texts()}) > 5
