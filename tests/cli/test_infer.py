"""`discreet infer`: the same numbers as the live objects, from the receipt alone, and no word on a forged one."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import discreet as dc
from discreet.figures.releases import picture
from discreet.receipts import Receipt, labelled_plug_in, read_beliefs
from discreet.requests.run import release_counts
from tests.cli.command import assert_painted, assert_refused, discreet, told, typed

pytestmark = pytest.mark.usefixtures("place")


def written(**options: Any) -> Receipt:
    """A receipt, which is also in the file `r.json`."""
    receipt = release_counts([31, 19], epsilon="1/3", categories=["yes", "no"], prior=["1/2", 3], **options)
    Path("r.json").write_text(receipt.to_json(), encoding="utf-8")
    return receipt


def two_columns() -> dc.Bundle:
    """The receipts of two columns, which are also in the file `b.json`."""
    rows = {"vote": ["yes"] * 31 + ["no"] * 19, "sex": ["f", "m"] * 25}
    questions = [dc.Question(column, sorted(set(held)), epsilon="1/3") for column, held in rows.items()]
    bundle = dc.release_columns(pandas.DataFrame(rows), questions, ledger=None)
    Path("b.json").write_text(bundle.to_json(), encoding="utf-8")
    return bundle


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (dc.mechanism, "geometric"),
        (dc.mechanism, "laplace-improved"),
        (dc.mechanism, "exponential-reciprocal"),
        (dc.calibrate, "exponential-global"),
    ],
)
def test_the_receipt_says_as_much_as_the_live_objects(make: Any, name: str) -> None:
    receipt = written(mechanism=name, calibrated=make is dc.calibrate)
    belief = dc.noise_aware(make(name, dc.PosteriorSpace(prior=["1/2", 3], n=50), epsilon="1/3"), receipt.output)
    low, high = belief.interval(0.95)
    for i, (category, row) in enumerate(told("infer r.json")["noise_aware"].items()):
        assert row["mean"] == pytest.approx(belief.mean[i], rel=1e-12)
        assert row["sd"] == pytest.approx(belief.sd[i], rel=1e-12)
        assert row["interval"] == pytest.approx([low[i], high[i]], rel=1e-12)
        assert receipt.document["interval"][category] == pytest.approx(row["interval"], rel=1e-12)
    assert receipt.document["interval_kind"] == "noise-aware, privacy noise included"


def test_the_reader_may_bring_a_prior_and_paint(place: Path) -> None:
    receipt = written()
    answer = typed("infer r.json --prior 4,1/3 --plot b.png")
    assert (answer.code, answer.err) == (0, "")
    assert "noise included" in answer.out
    assert "at face value" in answer.out
    assert_painted(place / "b.png")
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=["1/2", 3], n=50), epsilon="1/3")
    belief = dc.noise_aware(mechanism, receipt.output, prior=[4, "1/3"])
    assert f"{100 * belief.mean[0]:.2f} %" in answer.out


@pytest.mark.parametrize("postprocess", ["nearest", "free"])
def test_the_face_value_has_the_reader_s_prior_wherever_it_stands(postprocess: str) -> None:
    receipt = written(postprocess=postprocess)
    priors = Fraction(1, 2), Fraction(3)
    counts = [max(a - b, Fraction(0)) for a, b in zip(receipt.posterior.parameters, priors, strict=True)]
    expected = dc.Dirichlet([40 + counts[0], 10 + counts[1]])
    ends = list(zip(*expected.interval(0.95), strict=True))
    rows = told("infer r.json --prior 40,10")["noise_aware"].values()
    assert [row["interval_plug_in"] for row in rows] == [pytest.approx(pair) for pair in ends]
    assert labelled_plug_in(receipt, prior=[40, 10])["yes"].interval() == pytest.approx(ends[0])
    _, dashed = picture(receipt, read_beliefs(receipt, [40, 10])).axes[0].get_lines()
    share, height = map(np.asarray, dashed.get_data())
    assert share[height.argmax()] / 100 == pytest.approx((40 + counts[0] - 1) / (expected.total - 2), abs=0.005)


def test_a_reader_s_prior_is_one_for_all_columns_or_one_for_each(place: Path) -> None:
    bundle = two_columns()

    def beliefs(*priors: str) -> list[Any]:
        words = [word for prior in priors for word in ("--prior", prior)]
        return [(part["prior"], part["noise_aware"]) for part in told("infer b.json --plot b.png", *words)["columns"]]

    released, both, first = beliefs(), beliefs("4,1/3"), beliefs("4,1/3", "")
    assert [prior for prior, _ in released] == [[1, 1], [1, 1]]
    assert [prior for prior, _ in both] == [[4, 1 / 3], [4, 1 / 3]]
    assert first == [both[0], released[1]]
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=50), epsilon="1/3")
    mean = dc.noise_aware(mechanism, bundle.parts[0].output, prior=[4, "1/3"]).mean
    assert [row["mean"] for row in both[0][1].values()] == pytest.approx(mean.tolist(), rel=1e-12)
    assert_painted(place / "b.png")


def test_what_cannot_be_meant_is_refused_in_one_line() -> None:
    two_columns()
    for priors in (["1,1"] * 3, ["1,1,1"], ["1,1", "1,x"]):
        assert_refused(discreet("infer", "b.json", *(word for prior in priors for word in ("--prior", prior))))
    written()
    for words in ("--prior 1,1 --prior 1,1", "--prior 1,1,1", "--prior x,1", "--plot b.gif"):
        assert_refused(typed(f"infer r.json {words}"))


@pytest.mark.parametrize(
    ("field", "value"),
    [("epsilon_exact", "1/2"), ("n", 49), ("output", [31, 18]), ("prior", [1, 3]), ("mechanism", {})],
)
def test_a_receipt_that_contradicts_its_certificate_is_refused(field: str, value: object, place: Path) -> None:
    document = {**written().document, field: value}
    (place / "r.json").write_text(json.dumps(document), encoding="utf-8")
    answer = typed("infer r.json --json")
    assert answer.code in (2, 4)
    assert "noise_aware" not in answer.out


def test_ordered_categories_have_a_score_a_median_and_cumulative_shares(place: Path) -> None:
    counts = typed("release --counts 30,20,10 --categories agree,neither,disagree --epsilon 1 --no-ledger --out o.json")
    assert counts.code == 0
    asked = json.loads(typed("infer o.json --ordinal --json").out)["ordinal"]
    belief = dc.Receipt.read(place / "o.json").belief
    assert asked["score"]["mean"] == pytest.approx(belief.mean @ [1, 2, 3], abs=1e-9)
    assert asked["score"]["interval"] == pytest.approx(belief.score().interval(), abs=1e-12)
    assert sum(asked["median"].values()) == pytest.approx(1)
    assert asked["cumulative"]["neither"]["mean"] == pytest.approx(1 - belief["disagree"].mean, abs=1e-9)
    said = typed("infer o.json --ordinal").out
    assert "mean score" in said
    assert "median category" in said


def test_an_order_is_refused_where_there_is_no_column_of_shares(place: Path) -> None:
    table = {"vote": ["a", "b"] * 9, "sex": ["f", "m", "m"] * 6}
    crossed = {"cross": {"vote": ["a", "b"], "sex": ["f", "m"]}}
    rates = {"column": "sex", "categories": ["f", "m"], "exposure": {"f": 9, "m": 9}, "adjacency": "add-remove"}
    for asked in (crossed, rates):
        receipt = dc.release(pandas.DataFrame(table), **asked, epsilon=1, ledger=None)
        (place / "t.json").write_text(receipt.to_json(), encoding="utf-8")
        assert_refused(typed("infer t.json --ordinal"))
    (place / "noisy.csv").write_text("vote,count\na,9\nb,9\n")
    assert_refused(typed("infer --noisy noisy.csv --noise 'laplace scale=1' --total 18 --ordinal"))
