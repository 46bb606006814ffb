"""`discreet compare`: the numbers of the live objects, from receipts alone, and a sentence for the results."""

from pathlib import Path
from typing import Any

import pandas
import pytest

import discreet as dc
from discreet.requests.run import release_counts
from tests.cli.command import assert_painted, assert_refused, told, typed

pytestmark = pytest.mark.usefixtures("place")

ARMS = {"new": (90, 70, 40), "old": (60, 100, 46), "none": (20, 20, 10)}
OUTCOMES = ("yes", "no", "unseen")


def trial(**options: Any) -> dc.Receipt:
    """A receipt of three arms, which is also in the file `t.json`."""
    rows = [
        (arm, outcome)
        for arm, counts in ARMS.items()
        for outcome, m in zip(OUTCOMES, counts, strict=True)
        for _ in range(m)
    ]
    frame = pandas.DataFrame(rows, columns=["arm", "outcome"])
    receipt = dc.release(
        frame,
        column="outcome",
        categories=OUTCOMES,
        by="arm",
        groups=list(ARMS),
        epsilon=1,
        **{"ledger": None, **options},
    )
    Path("t.json").write_text(receipt.to_json(), encoding="utf-8")
    return receipt


def test_the_receipt_of_a_joint_table_says_as_much_as_the_live_objects() -> None:
    receipt = trial()
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * 9, n=456), epsilon=1)
    belief = dc.Belief.of(dc.noise_aware(mechanism, receipt.output), {"arm": tuple(ARMS), "outcome": OUTCOMES})
    both = dc.compare(*(belief.group(arm).among(["yes", "no"])["yes"] for arm in ("new", "old")))
    measures: list[Any] = ["difference", "ratio", "odds-ratio"]
    for measure in measures:
        line = f"compare t.json --groups new,old --category yes --among yes,no --measure {measure} --level 0.9"
        document, quantity = told(line), both.measure(measure)
        assert document["interval"] == pytest.approx(quantity.interval("0.9"), rel=1e-9)
        assert document["median"] == pytest.approx(quantity.median, rel=1e-9)
        assert document["mean"] == (pytest.approx(quantity.mean, rel=1e-9) if measure == "difference" else None)
        assert document["probability_greater"] == pytest.approx(both.probability_greater, rel=1e-9)
        assert (document["measure"], document["level"]) == (measure, 0.9)
        assert document["error"] < 1e-7
        assert "yes among yes or no" in document["sentence"]
        assert "90 % interval" in document["sentence"]
    assert told(line) == document


def test_all_pairs_of_public_groups_are_in_one_table_and_one_picture(place: Path) -> None:
    receipt = trial(group_public=True)
    answer = typed("compare t.json --category yes --plot p.png")
    assert (answer.code, answer.err) == (0, "")
    assert_painted(place / "p.png")
    pairs = told("compare t.json --category yes")["pairs"]
    assert [row["groups"] for row in pairs] == [["new", "old"], ["new", "none"], ["old", "none"]]
    shares = [
        dc.noise_aware(dc.Geometric(dc.PosteriorSpace(prior=[1] * 3, n=sum(ARMS[arm])), epsilon=1), output)
        for arm, output in receipt.document["output"].items()
    ]
    assert pairs[1]["interval"] == pytest.approx(shares[0].difference(shares[2]).interval(), abs=1e-9)
    for row in pairs:
        assert f"{100 * row['mean']:.1f}" in answer.out


def test_two_receipts_are_compared_unless_they_are_about_the_same_people(place: Path) -> None:
    for name, counts in {"a": [31, 19], "b": [22, 28]}.items():
        receipt = release_counts(counts, epsilon="1/3", categories=["yes", "no"])
        (place / f"{name}.json").write_text(receipt.to_json(), encoding="utf-8")
    sentence = told("compare a.json b.json --groups new,old --category yes --plot p.svg")["sentence"]
    assert " in new than in old (" in sentence
    assert_painted(place / "p.svg")
    assert_refused(typed("compare a.json a.json --category yes"))
    for name in ("c", "d"):
        line = "release v.csv --column vote --categories a,b --epsilon 1/4 --ledger l.db --dataset d --yes --again"
        done = typed(f"{line} --out {name}.json")
        assert done.code == 0, done
    refused = typed("compare c.json d.json --category a")
    assert_refused(refused)
    assert "; say --different-people if they are not; in Python, combine" in refused.err
    assert told("compare c.json d.json --category a --different-people")["groups"] == ["c", "d"]


def test_that_two_receipts_are_of_different_people_is_said_to_be_assumed_unless_it_is_told(place: Path) -> None:
    for name, counts in {"a": [31, 19], "b": [22, 28]}.items():
        receipt = release_counts(counts, epsilon=1, categories=["yes", "no"])
        (place / f"{name}.json").write_text(receipt.to_json(), encoding="utf-8")
    assumed = "the two receipts are assumed to be of different people"
    assert assumed in typed("compare a.json b.json --category yes").out
    assert assumed not in typed("compare a.json b.json --category yes --different-people").out


def test_public_groups_of_one_dataset_are_different_people() -> None:
    rows = pandas.DataFrame({"vote": ["a", "b"] * 20, "sex": ["f"] * 20 + ["m"] * 20})
    receipt = dc.release(
        rows, column="vote", categories=["a", "b"], by="sex", groups=["f", "m"], group_public=True, epsilon=1,
        ledger="l.db", dataset="answers",
    )  # fmt: skip
    Path("g.json").write_text(receipt.to_json(), encoding="utf-8")
    assert told("compare g.json --category a")["groups"] == ["f", "m"]
    assert "assumed" not in typed("compare g.json --category a").out


def test_a_column_of_several_is_named(place: Path) -> None:
    rows = pandas.DataFrame({"vote": ["a", "b"] * 20, "like": ["u", "v"] * 20, "sex": ["f"] * 20 + ["m"] * 20})
    questions = [
        dc.Question(column, sorted(set(rows[column])), by="sex", groups=["f", "m"], epsilon=1)
        for column in ("vote", "like")
    ]
    bundle = dc.release_columns(rows, questions, ledger=None)
    (place / "b.json").write_text(bundle.to_json(), encoding="utf-8")
    assert told("compare b.json --column like --groups m,f --category v")["groups"] == ["m", "f"]
    for words in ("", "--column sex"):
        refused = typed(f"compare b.json --category v {words}")
        assert_refused(refused)
        assert "vote, like" in refused.err


def test_the_interval_of_how_much_lower_a_share_is_has_the_sign_of_that() -> None:
    trial()
    old, new = (told(f"compare t.json --category yes --groups {pair}") for pair in ("old,new", "new,old"))
    assert old["mean"] < 0 < new["mean"]
    higher, lower = "higher in new than in old", "lower in old than in new"
    said = new["sentence"].partition(". The probability")[0]
    assert said.replace(higher, lower) == old["sentence"].partition(". The probability")[0]


def test_what_cannot_be_compared_is_refused_in_one_line(place: Path) -> None:
    trial()
    assert_refused(typed("compare t.json --category maybe"))
    for words in (
        "--groups new", "--groups new,new", "--groups new,x", "--among yes", "--among no,unseen", "--level 1",
        "--measure risk", "--column vote", "--plot p.gif", "--plot t.json",
    ):  # fmt: skip
        assert_refused(typed(f"compare t.json --category yes {words}"))
    assert "'--measure': 'risk' is not one of" in typed("compare t.json --category yes --measure risk").err
    assert "difference, ratio or odds-ratio" in typed("compare --help").out
    receipt = release_counts([31, 19], epsilon="1/3", categories=["yes", "no"])
    (place / "r.json").write_text(receipt.to_json(), encoding="utf-8")
    assert_refused(typed("compare r.json --category yes"))
    assert_refused(typed("compare r.json t.json --category yes --groups a,b,c"))


def table(name: str) -> dc.Receipt:
    """A receipt of three crossed columns, which is also in a file."""
    rows = {"vote": ["yes", "no", "yes"] * 80, "region": ["north"] * 90 + ["south"] * 150, "paid": ["no", "yes"] * 120}
    columns = {column: list(dict.fromkeys(values)) for column, values in rows.items()}
    receipt = dc.release(pandas.DataFrame(rows), cross=columns, epsilon=1, ledger=None)
    Path(name).write_text(receipt.to_json(), encoding="utf-8")
    return receipt


def test_groups_of_a_cross_table_are_labels_of_the_column_that_has_them() -> None:
    belief = table("x.json").belief
    both = dc.compare(*(belief.given(region=region).margin("vote")["yes"] for region in ("south", "north")))
    document = told("compare x.json --groups south,north --category yes --column vote")
    assert document["interval"] == pytest.approx(both.difference.interval(), rel=1e-9)
    paid = dc.compare(*(belief.given(vote=vote).margin("paid")["yes"] for vote in ("yes", "no")))
    document = told("compare x.json --category yes --measure ratio")  # the last column that has the label, by the first
    assert document["groups"] == ["yes", "no"]
    assert document["interval"] == pytest.approx(paid.ratio.interval(), rel=1e-9)
    assert_refused(typed("compare x.json --groups south,north --category yes --column age"))


def test_two_cross_tables_of_different_people_are_compared_by_a_column() -> None:
    one, other = (table(name).belief.margin("vote")["no"] for name in ("x.json", "y.json"))
    document = told("compare x.json y.json --category no --column vote --different-people")
    assert document["groups"] == ["x", "y"]
    both = dc.compare(one, other, different_people=True)
    assert document["interval"] == pytest.approx(both.difference.interval(), rel=1e-9)


def test_groups_of_a_table_that_somebody_else_published_are_compared() -> None:
    Path("n.csv").write_text("vote,region,count\nyes,a,61\nno,a,20\nyes,b,33\nno,b,52\n", encoding="utf-8")
    noise = dc.noise.DiscreteLaplace(scale=2)
    axes = {"vote": ["yes", "no"], "region": ["a", "b"]}
    belief = dc.read_noisy([61, 33, 20, 52], noise=noise, total=166, categories=axes)
    both = dc.compare(*(belief.given(region=region)["yes"] for region in ("a", "b")))
    line = "compare --noisy n.csv --noise 'discrete-laplace scale=2' --total 166 --groups a,b --category yes"
    document = told(line)
    assert document["interval"] == pytest.approx(both.difference.interval(), rel=1e-9)
    assert "noise as stated by the publisher" in document["sentence"]
    assert "noise as stated by the publisher" in typed(f"{line} --plot n.png").out
    assert_painted(Path("n.png"))
    Path("n.csv").write_text("vote,region,count\nyes,a,61\nno,a,20\nyes,b,61\nno,b,20\n", encoding="utf-8")
    same = told(line.replace("166", "162"))["sentence"]
    assert same.startswith("The share of yes was about the same in a as in b (95 % interval -"), (
        "and not 0.0 points higher"
    )
    assert_refused(typed("compare --noisy n.csv --groups a,b --category yes"))
    assert_refused(typed("compare --groups a,b --category yes"))
    table("x.json")
    assert_refused(typed("compare x.json --total 5 --category yes"))
