"""A cross table is one draw and one charge; its receipt says every margin, and holds."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import discreet as dc
from discreet.counting import Declaration
from discreet.errors import DiscreetError, InvalidInput
from discreet.receipts import TableReceipt
from discreet.receipts.tables import write_table
from discreet.requests.request import ReleaseRequest
from discreet.requests.run import price_request

COLUMNS = {"sex": ["f", "m"], "region": ["north", "south"], "vote": ["yes", "no"]}
ASKED: dict[str, Any] = {"cross": COLUMNS, "epsilon": 1, "ledger": None}


def survey(size: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame({name: rng.choice(labels, size, p=[0.7, 0.3]) for name, labels in COLUMNS.items()})


def test_a_table_is_one_draw_and_one_charge_and_its_margins_are_those_of_its_belief(tmp_path: Path) -> None:
    ledger = dc.Ledger.create(tmp_path / "l.db", dataset="d", epsilon=2)
    receipt = dc.release(survey(), **ASKED | {"ledger": ledger}, dataset="d")
    assert isinstance(receipt, TableReceipt)
    assert len(receipt.output) == 8
    assert sum(receipt.output) == receipt.n == 400
    assert ledger.spent("d").epsilon == 1
    assert [charge.outcome for charge in ledger.charges("d")] == [receipt.to_json()]
    for column, rows in receipt.document["belief"].items():
        margin = receipt.belief.margin(column)
        for label, row in rows.items():
            assert row["mean"] == pytest.approx(margin[label].mean, abs=1e-10)
            assert row["interval"] == pytest.approx(margin[label].interval(), abs=1e-9)
    again = dc.Receipt.from_json(receipt.to_json())
    assert again == receipt
    assert again.belief.given(region="north")["yes"].mean == pytest.approx(
        receipt.belief.given(region="north")["yes"].mean
    )
    assert again.verify().bound == 1
    assert "8 cells of “sex” × “region” × “vote”" in again.to_methods()


def test_the_methods_of_a_table_say_what_those_of_one_column_say() -> None:
    receipt = dc.release(survey(), **ASKED)
    text = receipt.to_methods()
    assert f"equal-tailed 95 % intervals ({receipt.document['interval_kind']})." in text
    assert "Every value was declared to be one of the categories, and none to be missing." in text
    assert f"Certificate {receipt.document['certificate']['digest'][:16]}." in text


def test_noisy_cells_are_the_counts_and_noise_of_the_stated_law(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = {}

    def release(self: dc.Geometric, counts: Any, **_: Any) -> Any:
        drawn["counts"] = list(counts)
        return dc.Released(self.posterior(tuple(counts)), tuple(counts), self)

    monkeypatch.setattr(dc.Geometric, "release", release)
    table = survey()
    dc.release(table, **ASKED)
    cells = table.groupby(list(COLUMNS)).size()
    assert drawn["counts"] == [
        int(cells.get((s, r, v), 0)) for s in "fm" for r in ("north", "south") for v in ("yes", "no")
    ]


def test_what_is_outside_or_impossible_stops_before_the_charge_and_says_neither_what_nor_how_often(
    tmp_path: Path,
) -> None:
    ledger = dc.Ledger.create(tmp_path / "l.db", dataset="d", epsilon=2)
    odd = survey()
    odd.loc[7, "vote"] = "maybe"
    impossible = [{"sex": "f", "region": "north"}]
    texts = set()
    for table, more in (
        (odd, {}),
        (survey(), {"impossible": impossible}),
        (survey(), {"impossible": impossible, "other": "z"}),
    ):
        with pytest.raises(InvalidInput) as refusal:
            dc.release(table, **ASKED | {"ledger": ledger} | more, dataset="d")
        texts.add(str(refusal.value))
    assert len(texts) == 1
    assert not {"maybe", "north"} & set(texts.pop().split())
    assert ledger.spent("d").epsilon == 0
    private = dc.release(odd, **ASKED, adjacency="add-remove", impossible=impossible)
    assert "n" not in private.document, "under add-remove such records are not counted, and nothing tells"
    assert private.verify().bound == 1
    assert private.document["total"]["mean"] < 300


def test_the_digest_tells_tables_apart_and_names_in_another_order_do_not() -> None:
    table = survey()

    def digest(**more: Any) -> str:
        return price_request(ReleaseRequest(table, [dc.Question(cross=COLUMNS, epsilon=1, **more)]), None).digest

    cells = [{"sex": "f", "region": "north"}, {"vote": "no", "sex": "m"}]
    assert digest(impossible=cells) == digest(impossible=[{"sex": "m", "vote": "no"}, {"region": "north", "sex": "f"}])
    assert len({digest(), digest(impossible=cells), digest(impossible=cells[:1]), digest(other="z")}) == 4


CHANGES: list[Callable[[dict[str, Any]], object]] = [
    lambda d: d["output"].__setitem__(0, d["output"][0] + 1),
    lambda d: d.update(n=401),
    lambda d: d["axes"][0].update(column="gender"),
    lambda d: d["axes"][0]["labels"].reverse(),
    lambda d: d["axes"].reverse(),
    lambda d: d.update(impossible=[{"sex": "f", "vote": "no"}]),
    lambda d: d["belief"]["sex"]["f"].update(mean=d["belief"]["sex"]["f"]["mean"] + 1e-6),
    lambda d: d["belief"]["vote"]["no"]["interval"].__setitem__(0, 0.0),
    lambda d: d.update(epsilon_exact="1/2"),
    lambda d: d.update(prior=2),
    lambda d: d.update(adjacency="add-remove"),
    lambda d: d.update(other="z"),
    lambda d: d.update(question="?"),
    lambda d: d.update(citation="?"),
    lambda d: d.update(interval_kind="plug-in, privacy noise not included"),
    lambda d: d.update(filters={"sex": ["f"]}),
    lambda d: d.update(request_id="x"),
    lambda d: d.update(more=1),
    lambda d: d.pop("unit"),
    lambda d: d.update(axes=3),
    lambda d: d.update(belief=[]),
    lambda d: d.update(output=None),
]


def test_a_changed_field_is_noticed() -> None:
    text = dc.release(survey(), **ASKED).to_json()
    for change in CHANGES:
        document = json.loads(text)
        change(document)
        with pytest.raises(DiscreetError):
            dc.Receipt.from_json(json.dumps(document)).verify()


def test_a_table_that_is_not_drawn_yet_has_no_output_and_keeps_all_that_is_declared() -> None:
    question = dc.Question(cross=COLUMNS, impossible=[{"sex": "f", "vote": "no"}], other="z", missing="?", epsilon=1)
    assert question.declaration(None) == Declaration.cross(
        COLUMNS, impossible=[{"sex": "f", "vote": "no"}], other="z", missing="?"
    )
    draft = price_request(ReleaseRequest(survey(), [question]), None).receipt().document
    assert draft["output"] is draft["released_at"] is None
    assert draft["axes"][0] == {"column": "sex", "labels": ["f", "m", "?", "z"]}


def test_one_number_is_a_prior_for_every_cell_and_other_mechanisms_are_refused() -> None:
    receipt = dc.release(survey(), **ASKED, prior="1/8")
    assert receipt.document["prior"] == 0.125
    assert receipt.verify().bound == 1
    wrong: list[dict[str, Any]] = [
        {"column": "sex"},
        {"by": "sex"},
        {"by": "age", "groups": ["young", "old"]},
        {"exposure": {"f × north × yes": 1}, "adjacency": "add-remove"},
        {"mechanism": "laplace"},
        {"prior": "1,1"},
        {"cross": None},
        {"cross": None, "column": "vote", "categories": ["yes", "no"], "impossible": [{"a": "x", "b": "y"}]},
    ]
    for more in wrong:
        with pytest.raises(InvalidInput):
            dc.release(survey(), **ASKED | more)


@pytest.mark.soak
def test_a_million_cells_fit_into_twenty_megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a hundred thousand here: a cell takes as much room, and a twentieth of the time."""
    from discreet.privacy_loss import certificate_by_theorem
    from discreet.receipts.documents import Part, ReceiptRequest

    k, n = 50 * 40 * 50, 10**6
    geometric = dc.Geometric(dc.PosteriorSpace(prior=[1] * k, n=n), epsilon=1)
    output = np.random.default_rng(0).multinomial(n, np.full(k, 1 / k)) + np.random.default_rng(1).integers(-9, 10, k)
    output[0] += n - output.sum()
    released = dc.Released(geometric.posterior(tuple(output.tolist())), tuple(output.tolist()), geometric)
    axes = {name: [f"{name}{i}" for i in range(size)] for name, size in (("a", 50), ("b", 40), ("c", 50))}
    about = ReceiptRequest(released_at="2030-01-01T00:00:00+00:00")
    receipt = write_table(
        Part(geometric.space.prior, geometric, certificate_by_theorem(geometric)), axes, [], released, request=about
    )
    text = receipt.to_json()
    assert len(text) * 10 < 20e6
    assert receipt.document["interval_kind"].startswith("plug-in")
    assert dc.Receipt.from_json(text).verify().bound == 1
