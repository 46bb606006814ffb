"""Rates: every row is an event in a group of public exposure. The law and its price are those of the counts."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import discreet as dc
from discreet.errors import DiscreetError, InvalidInput
from discreet.ledger import Ledger
from discreet.receipts import Receipt
from tests.cli.command import assert_refused, discreet, told, typed
from tests.receipts.test_private_n_receipts import PUBLISHED
from tests.support.forgeries import every_forgery, verifies
from tests.support.schema import faults

pytestmark = pytest.mark.usefixtures("quick")

DEATHS = pd.DataFrame({"region": ["north"] * 40 + ["south"] * 22 + ["west"] * 3, "year": ["2023", "2024"] * 32 + ["?"]})
ASKED: dict[str, Any] = {
    "column": "region", "categories": ["north", "south"], "exposure": {"south": 88_000, "north": "120000"},
    "per": 100_000, "adjacency": "add-remove", "epsilon": 4,
}  # fmt: skip
LINE = (
    "release deaths.csv --adjacency add-remove --rates --by region --groups north,south "
    "--exposure north=120000,south=88000 --per 100000 --epsilon 4"
)


def released(**options: Any) -> Receipt:
    return dc.release(DEATHS, **{**ASKED, "ledger": None, **options})


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    DEATHS.to_csv(tmp_path / "deaths.csv", index=False)
    return tmp_path


def test_a_receipt_of_rates_obeys_its_schema_verifies_and_has_the_rates_of_its_output() -> None:
    receipt = released()
    assert faults(receipt.document, PUBLISHED, PUBLISHED) == []
    again = Receipt.from_json(receipt.to_json())
    assert again.verify().loss == "4"
    own = dc.rates(
        dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=None), epsilon=4), receipt.output,
        {"north": 120_000, "south": 88_000}, per=100_000,
    )  # fmt: skip
    for group in ("north", "south"):
        said = receipt.document["rates"]["belief"][group]
        assert said["mean"] == own[group].mean == again.rates[group].mean == again.belief.rate(group).mean
        assert said["interval"] == list(own[group].interval())
    first = receipt.document["rates"]["posterior"]["north"]
    assert first == {"shape": max(receipt.output[0], 0) + 0.5, "rate": 120_000}


def test_a_rate_is_told_for_one_unit_of_exposure_unless_another_number_is_asked_for() -> None:
    question = {name: value for name, value in ASKED.items() if name != "per"}
    assert dc.release(DEATHS, **question, ledger=None).document["rates"]["per"] == 1


def test_a_receipt_that_is_read_keeps_the_groups_in_the_order_they_were_declared_in() -> None:
    receipt = released(categories=["south", "north"])
    again = Receipt.from_json(receipt.to_json())
    for key in ("exposure", "posterior", "belief"):
        assert list(again.document["rates"][key]) == list(receipt.document["rates"][key]) == ["south", "north"]
    assert again.to_json() == receipt.to_json()


def test_any_field_of_rates_that_was_changed_is_noticed() -> None:
    document = json.loads(released().to_json())
    forgeries = [(at, forgery) for at, forgery in every_forgery(document) if at[0] in ("rates", "question", "citation")]
    assert len(forgeries) > 12
    assert [at for at, forgery in forgeries if verifies(forgery)] == []


def test_the_price_is_that_of_the_counts_whatever_the_exposure(ledger_place: str) -> None:
    ledger = Ledger.create(ledger_place, dataset="d", epsilon=10, adjacency="add-remove")
    dc.release(DEATHS, **ASKED, ledger=ledger, dataset="d")
    assert ledger.spent("d").epsilon == Fraction(4)
    with pytest.raises(InvalidInput, match="was charged for this question before"):
        dc.release(DEATHS, **ASKED, ledger=ledger, dataset="d")
    other = {**ASKED, "exposure": {"north": 1, "south": 2}}
    dc.release(DEATHS, **other, ledger=ledger, dataset="d")
    assert ledger.verify().rows == 5, "another exposure is another request"


def test_texts_speak_of_rates() -> None:
    receipt = released(filters={"year": ["2024"]}, title="Deaths")
    text = receipt.to_methods()
    assert text.startswith("The numbers of records per 100,000 of exposure in 2 groups of “region” (n private, Gamma")
    assert "Only records with “year” 2024 were counted." in text
    assert receipt.document["question"] == (
        "How many records with “year” 2024 are there per 100,000 of exposure, in each group of “region”?"
    )
    assert released().document["citation"].startswith("Rates by “region”. Differentially private release of ")
    assert receipt._repr_html_().count("(") >= 2
    [axes] = receipt.plot().axes
    assert axes.get_xlabel() == "records per 100,000 of exposure, mean and 95 % interval"
    assert [label.get_text() for label in axes.get_yticklabels()] == ["north", "south"]


def test_the_command_releases_reads_and_compares_rates(place: Path) -> None:
    answer = typed(f"{LINE} --no-ledger --out d.json")
    assert (answer.code, answer.err) == (0, "")
    for words in ("records per 100,000 of exposure, by region", "noisy count", "exposure of north, declared public"):
        assert words in answer.out
    assert "%" not in answer.out.split("about to release")[1].split("ε = 4:")[0].replace("95 %", "")
    document = told("infer d.json")
    receipt = Receipt.read(place / "d.json")
    assert document["rates"]["groups"]["north"]["mean"] == receipt.rates["north"].mean
    inferred = told("infer d.json --prior 2,100")
    assert inferred["rates"]["prior"] == [2, 100]
    assert inferred["rates"]["groups"]["south"]["mean"] != document["rates"]["groups"]["south"]["mean"]
    pair = dc.compare(receipt.rates["north"], receipt.rates["south"])
    for measure, quantity in (("difference", pair.difference), ("ratio", pair.ratio)):
        comparison = told(f"compare d.json --groups north,south --measure {measure}")
        assert comparison["interval"] == pytest.approx(quantity.interval())
        assert comparison["probability_greater"] == pytest.approx(pair.probability_greater)
    assert "The rate in north was" in comparison["sentence"]
    assert typed("compare d.json --plot c.png").code == typed("infer d.json --plot i.png").code == 0
    for form in ("methods", "jsonld", "registry"):
        assert typed(f"receipt export d.json --format {form}").code == 0


def test_what_a_reader_holds_likely_of_n_is_refused_where_rates_are_read(place: Path) -> None:
    (place / "d.json").write_text(released().to_json(), encoding="utf-8")
    assert_refused(typed("infer d.json --records 200,300"))


@pytest.mark.parametrize(
    "line",
    [
        LINE.replace("--adjacency add-remove ", ""),
        LINE.replace("--exposure north=120000,south=88000 ", ""),
        LINE.replace("south=88000", "east=88000"),
        LINE.replace("south=88000", "south=0"),
        LINE.replace("south=88000", "south=-1"),
        LINE.replace("south=88000", "south"),
        LINE.replace("south=88000", "north=88000"),
        LINE.replace("--per 100000", "--per 0"),
        LINE.replace("--rates ", ""),
        LINE.replace("--by region --groups north,south ", ""),
        LINE.replace("--epsilon 4", "--epsilon 1e-9"),
        f"{LINE} --column region --categories north,south",
        f"{LINE} --prior 1,1,1",
        f"{LINE} --prior 0,1",
        f"{LINE} --n 65",
        f"{LINE} --mechanism laplace",
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(line: str, place: Path) -> None:
    answer = discreet(*line.split(), "--no-ledger")
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)


def test_a_release_of_shares_has_no_rates_and_one_of_rates_no_odds(place: Path) -> None:
    shares = dc.release(DEATHS, column="region", categories=["north", "south"], adjacency="add-remove", epsilon=1,
                        ledger=None)  # fmt: skip
    for ask in (lambda: shares.rates, lambda: shares.belief.rate("north")):
        with pytest.raises(DiscreetError, match="this release is of shares"):
            ask()
    (place / "d.json").write_text(released().to_json(), encoding="utf-8")
    for wrong in ("--category north", "--measure odds-ratio", "--groups north", "--groups north,east"):
        answer = typed(f"compare d.json {wrong}")
        assert (answer.code, answer.err.count("\n")) == (2, 1)


def test_a_release_under_a_prior_that_contradicts_it_is_sealed_without_a_belief(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether there are too many counts to list depends on the draw: it must not be drawn again for that."""
    Ledger.create(place / "l.db", dataset="d", epsilon=4, adjacency="add-remove")
    monkeypatch.setattr("discreet.inference.tilted_windows.MAX_CELLS", 1)
    answer = typed(f"{LINE} --ledger l.db --dataset d --yes --out r.json").out
    assert "rate and interval: not known" in answer
    receipt = Receipt.read(place / "r.json")
    assert receipt.document["rates"]["belief"] is None
    assert receipt.document["rates"]["posterior"]["north"]["shape"] == max(receipt.output[0], 0) + 0.5
    assert faults(receipt.document, PUBLISHED, PUBLISHED) == []
    assert receipt.verify().loss == "4"
    assert [charge.outcome for charge in Ledger(place / "l.db").charges("d")] == [receipt.to_json()]
