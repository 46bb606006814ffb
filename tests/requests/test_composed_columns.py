"""Several columns of one request, with a δ: one charge for their exact composition, which the receipt proves again."""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import discreet as dc
from discreet.errors import BudgetExceeded, InvalidInput, NotPrivate
from discreet.ledger import Ledger
from discreet.mechanisms.loss_pairs import GeometricPair
from discreet.privacy_loss import Price, compose
from discreet.privacy_loss.renyi_bounds import rho_of_pair
from discreet.receipts import Bundle, read_sealed
from discreet.requests import prepare
from discreet.requests.request import ReleaseRequest
from discreet.utility.measure import accuracy_statement
from tests.cli.command import discreet

pytestmark = pytest.mark.usefixtures("quick")

TABLE = pd.DataFrame({f"c{i}": ["a", "b", "c"] * 10 for i in range(12)})
QUESTIONS = [dc.Question(column, ["a", "b", "c"]) for column in TABLE]
ASKED: dict[str, Any] = {"epsilon": 1, "delta": "1e-6", "ledger": None}


def released(**changes: Any) -> Bundle:
    return dc.release_columns(TABLE, QUESTIONS, **ASKED | changes)


def test_every_column_gets_more_and_all_together_cost_what_is_said() -> None:
    bundle = released()
    share = Fraction(bundle.parts[0].document["epsilon_exact"])
    assert share > Fraction(1, 12)
    assert (bundle.document["epsilon_exact"], bundle.document["delta"]) == ("1", 1e-6)
    geometric = dc.Geometric(dc.PosteriorSpace(prior=[1, 1, 1], n=30), epsilon=share)
    assert compose([geometric] * 12).delta(1).exact <= Fraction(1e-6)
    more = dc.Geometric(geometric.space, epsilon=share + Fraction(1, 10**4))
    assert compose([more] * 12).delta(1).exact > Fraction(1, 10**6), "and no more would fit"
    bundle.verify()


def test_one_charge_pays_for_all_of_it_and_repeats_for_free(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=2, delta="1.5e-6")
    first = released(ledger=ledger, dataset="d", request_id="r")
    charge = ledger.find("r")
    assert charge is not None
    assert (charge.epsilon, charge.delta) == (Fraction(1), Fraction(1, 10**6))
    assert ledger.spent("d") == (Fraction(1), Fraction(1, 10**6))
    assert released(ledger=ledger, dataset="d", request_id="r").document == first.document
    with pytest.raises(BudgetExceeded, match="delta = 1/1000000 does not fit"):
        released(ledger=ledger, dataset="d", again=True)
    with pytest.raises(InvalidInput, match="other parameters"):
        released(ledger=ledger, dataset="d", request_id="r", delta="1e-7")
    assert ledger.verify().rows == 3
    share = Fraction(first.parts[0].document["epsilon_exact"])
    assert ledger.history()[1].loss.rho == 12 * rho_of_pair(GeometricPair(share, 3)), "the columns' own, which add up"


@pytest.mark.parametrize("delta", ["0", "1e-6"])
def test_a_request_without_delta_has_the_digest_that_it_had(tmp_path: Path, delta: str) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=2, delta="1e-6")
    released(ledger=ledger, dataset="d", request_id="r", delta=delta, epsilon=1)
    charge = ledger.find("r")
    assert charge is not None
    plain = ReleaseRequest(TABLE, QUESTIONS, epsilon=1, dataset="d", is_bundle=True)
    assert (plain.together is None, plain.epsilons[0]) == (True, Fraction(1, 12))
    digest = "301a9de546299828"
    assert (charge.digest[:16] == digest) == (delta == "0")


def test_another_delta_is_another_request_even_if_every_column_gets_the_same() -> None:
    requests = [ReleaseRequest(TABLE, QUESTIONS, epsilon=1, delta=delta) for delta in ("1e-6", "1.0000001e-6")]
    assert requests[0].epsilons == requests[1].epsilons
    first, second = (prepare.prepare_request(request, [30] * 12) for request in requests)
    assert [column.digest for column in first.columns] == [column.digest for column in second.columns]
    assert first.digest != second.digest


def test_a_gain_is_told_in_numbers_that_are_those_of_the_two_mechanisms() -> None:
    questions = [dc.Question("c0", ["a", "b", "c"], other="rest"), *QUESTIONS[1:]]
    prepared = prepare.prepare_request(ReleaseRequest(TABLE, questions, epsilon=1, delta="1e-6"), [1000] * 12)
    [with_delta] = prepared.columns[0].mechanisms
    equal = dc.Geometric(with_delta.space, epsilon="1/12")
    width, wide = (accuracy_statement(each)["interval_width"] for each in (with_delta, equal))
    assert 0 < width < wide
    said = [float(word) for word in re.findall(r"[\d.]+(?= points| %|,)", prepared.gain.partition("intervals")[2])]
    assert said == [round(100 * width, 1), round(100 * wide, 1), round(100 - 100 * width / wide)]


def test_a_receipt_that_says_less_than_it_costs_is_refused() -> None:
    document = json.loads(released().to_json())
    for changed in ({"epsilon": 0.9, "epsilon_exact": "9/10"}, {"delta": 1e-9}):
        receipt = read_sealed(json.dumps(document | changed))
        with pytest.raises(NotPrivate, match="all columns together cost more"):
            receipt.verify()
    for changed in ({"epsilon": 2.0, "epsilon_exact": "2"}, {"delta": 0.5}):
        with pytest.raises(NotPrivate, match="contradict"):
            read_sealed(json.dumps(document | changed)).verify()


def test_columns_that_are_drawn_in_different_seconds_share_one_date(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(60))
    monkeypatch.setattr(prepare, "utc_now", lambda: f"2030-01-01T00:00:{next(clock):02}+00:00")
    bundle = released()
    bundle.verify()
    assert {part.document["released_at"] for part in bundle.parts} == {bundle.document["released_at"]}


def test_where_delta_buys_nothing_none_is_spent() -> None:
    bundle = dc.release_columns(TABLE, QUESTIONS[:2], **ASKED)
    assert (bundle.document["delta"], bundle.parts[0].document["epsilon_exact"]) == (0.0, "1/2")


def test_a_delta_needs_several_columns_and_one_epsilon() -> None:
    with pytest.raises(InvalidInput, match="a delta is for one epsilon of several columns"):
        dc.release_columns(TABLE, QUESTIONS[:1], **ASKED)
    questions = [dc.Question(column, ["a", "b", "c"], epsilon="1/12") for column in TABLE]
    with pytest.raises(InvalidInput, match="a delta is for one epsilon of several columns"):
        dc.release_columns(TABLE, questions, **ASKED | {"epsilon": None})
    with pytest.raises(InvalidInput, match="delta must be less than 1"):
        released(delta=1)
    for questions in (QUESTIONS, QUESTIONS[:1]):
        with pytest.raises(InvalidInput, match=r"^delta must be at least 0"):
            dc.release_columns(TABLE, questions, **ASKED | {"delta": "-1e-6"})


def test_a_price_that_is_less_than_its_composition_is_refused() -> None:
    geometric = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=30), epsilon="1/10")
    assert Price(((geometric,),) * 40, (Fraction(3), Fraction(1, 10**6))).delta == Fraction(1, 10**6)
    with pytest.raises(InvalidInput, match="all columns together cost more"):
        Price(((geometric,),) * 40, (Fraction(2), Fraction(1, 10**6)))
    other = dc.Geometric(dc.PosteriorSpace(prior=[1, 1, 1], n=30), epsilon="1/20")
    groups = Price(((geometric, other),) * 40, (Fraction(3), Fraction(1, 10**6)))  # a record is in one of both
    assert groups.epsilon == 3


@pytest.mark.soak
def test_mechanisms_of_which_less_is_known_and_public_groups_are_composed_too() -> None:
    table = TABLE.assign(g=["x", "y"] * 15)
    shares = set()
    kinds: list[dict[str, Any]] = [
        {"mechanism": "laplace-improved"},
        {"mechanism": "exponential-global"},
        {"adjacency": "add-remove"},
    ]
    for options in kinds:
        questions = [dc.Question(column, ["a", "b", "c"], **options) for column in TABLE]
        bundle = dc.release_columns(table, questions, epsilon=1, delta="1e-3", ledger=None)
        shares.add(bundle.parts[0].document["epsilon_exact"])
    assert shares == {"2353/20000"}, "by its ε alone, and where one cell tells, neighbours differ as for two categories"
    questions = [dc.Question(c, ["a", "b", "c"], by="g", groups=["x", "y"], group_public=True) for c in TABLE]
    bundle = dc.release_columns(table, questions, epsilon=1, delta="1e-6", ledger=None)
    assert bundle.parts[0].document["epsilon_exact"] == released().parts[0].document["epsilon_exact"]


def test_the_command_says_how_much_narrower_the_intervals_are(tmp_path: Path) -> None:
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    columns = [word for column in TABLE for word in ("--column", column, "--categories", "a,b,c")]
    command = ["release", "t.csv", *columns, "--epsilon", "1", "--delta", "1e-6", "--no-ledger"]
    answer = discreet(*command, "--yes", cwd=tmp_path)
    assert answer.code == 0
    assert "in place of 1/12 by equal shares: 95 % intervals for 'c0' are" in " ".join(answer.out.split())
    assert "% narrower" in answer.out
    assert "δ = 1e-06" in answer.out
    dry = discreet(*command, "--n", "30", "--dry-run", cwd=tmp_path)
    assert "% narrower" in dry.out
