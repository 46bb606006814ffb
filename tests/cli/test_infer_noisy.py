"""`discreet infer --noisy`: the same numbers as in Python, and what cannot be read is refused in one line."""

import warnings
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.cli import noisy_tables
from discreet.inference.noisy import read_noisy
from tests.cli.command import assert_painted, assert_refused, told, typed

pytestmark = pytest.mark.usefixtures("place")

TABLE = "region,vote,count,s\nnorth,yes,31,2\nnorth,no,12,2\nsouth,yes,0,2\nsouth,no,22,3\n"
ONE = "vote,count\nyes,31\nno,12\nunsure,0\n"


@pytest.fixture(autouse=True)
def _tables(place: Path) -> None:
    Path("t.csv").write_text(TABLE, encoding="utf-8")
    Path("u.csv").write_text(ONE, encoding="utf-8")


def belief() -> dc.Belief:
    noise = [dc.noise.DiscreteGaussian(sigma) for sigma in (2, 2, 2, 3)]
    axes = {"region": ["north", "south"], "vote": ["yes", "no"]}
    return dc.read_noisy([31, 12, 0, 22], noise=noise, total=66, categories=axes, clamped=True)


def rows(margin: dict[str, Any]) -> dict[tuple[str, ...], tuple[float, list[float]]]:
    return {tuple(row["labels"].values()): (row["mean"], row["interval"]) for row in margin["cells"]}


def test_margins_and_conditionals_are_those_of_python() -> None:
    asked = "infer --noisy t.csv --noise discrete-gaussian --scale-column s --total 66 --clamped"
    answer, own = told(asked), belief()
    assert [margin["of"] for margin in answer["margins"]] == [["region"], ["vote"]]
    assert answer["noise"] == "noise as stated by the publisher: discrete-gaussian, of column 's'"
    for line, expected in (
        (f"{asked} --margin vote", own.margin("vote")),
        (f"{asked} --margin vote,region", own.margin("vote", "region")),
        (f"{asked} --given region=north", own.given(region="north")),
    ):
        [margin] = told(line)["margins"]
        for key, share in expected.shares().items():
            mean, interval = rows(margin)[key]
            assert mean == pytest.approx(share.mean, abs=1e-12)
            assert interval == pytest.approx(share.interval(), abs=1e-12)


def test_without_a_total_the_number_of_records_is_told() -> None:
    total = told("infer --noisy u.csv --noise 'discrete-laplace scale=2'")["total"]
    noise = dc.noise.DiscreteLaplace(2)
    assert total["mean"] == pytest.approx(dc.read_noisy([31, 12, 0], noise=noise).total.mean)
    assert "number of records: 4" in typed("infer --noisy u.csv --noise 'discrete-laplace scale=2'").out


def test_a_total_that_the_noisy_counts_contradict_is_believed_with_a_warning() -> None:
    asked = "infer --noisy u.csv --noise 'laplace scale=2 rounded' --clamped --json --total"
    for total, contradicted in (("43", False), ("60", False), ("1000", True), ("1", True)):
        answer = typed(asked, total)
        assert answer.code == 0
        assert answer.document["total"] == int(total)
        assert answer.err.startswith("warning: the noisy counts contradict --total") == contradicted
        assert answer.err.count("\n") == contradicted
    assert typed("infer --noisy u.csv --noise 'laplace scale=1e14' --total 1000").err == ""  # too many numbers to list


def test_a_warning_of_another_library_is_not_taken_for_a_contradiction(monkeypatch: pytest.MonkeyPatch) -> None:
    def noisy(*arguments: Any, **options: Any) -> dc.Belief:
        warnings.warn("something of its own", stacklevel=1)
        return read_noisy(*arguments, **options)

    monkeypatch.setattr(noisy_tables, "read_noisy", noisy)
    assert typed("infer --noisy u.csv --noise 'laplace scale=2 rounded' --clamped --total 43").err == ""


def test_noise_that_leaves_too_many_counts_open_is_refused_unless_it_may_take_long_or_the_total_is_known() -> None:
    asked = "infer --noisy u.csv --noise 'discrete-laplace scale=500'"
    assert_refused(typed(asked))
    assert told(f"{asked} --total 43")["total"] == 43


def test_one_column_is_told_beside_its_face_value_and_painted(place: Path) -> None:
    answer = typed("infer --noisy u.csv --noise 'laplace scale=2 rounded' --total 43 --clamped --plot u.png")
    assert (answer.code, answer.err) == (0, "")
    assert "noise as stated by the publisher: laplace scale=2 rounded" in answer.out
    assert "at face value" in answer.out
    assert (
        typed("infer --noisy t.csv --noise laplace --scale-column s --total 66 --margin region,vote --plot t.svg").code
        == 0
    )
    assert typed("infer --noisy t.csv --noise laplace --scale-column s --total 66 --plot f.png").code == 0
    assert_painted(place / "u.png", place / "t.svg", place / "f.png")


@pytest.mark.parametrize(
    "line",
    [
        "infer",
        "infer --noisy t.csv --total 66",
        "infer r.json --noisy t.csv --noise 'laplace scale=2' --total 66",
        "infer --noisy t.csv --noise 'laplace scale=2' --total none",
        "infer --noisy t.csv --noise 'laplac scale=2' --total 66",
        "infer --noisy t.csv --noise 'discrete-laplace scale=2' --total 66 --count-column n",
        "infer --noisy t.csv --noise laplace --scale-column scale --total 66",
        "infer --noisy none.csv --noise 'laplace scale=2' --total 66",
        "infer --noisy u.csv --noise 'laplace scale=2' --total 66 --margin sex",
        "infer --noisy t.csv --noise laplace --scale-column s --total 66 --given region",
        "infer --noisy t.csv --noise laplace --scale-column s --total 66 --given region=east",
        "infer --noisy t.csv --noise laplace --scale-column s --total 66 --given region=north,region=south",
        "infer --noisy t.csv --noise 'laplace scale=2' --total 66 --plot t.csv",
    ],
)
def test_what_cannot_be_read_is_refused(line: str) -> None:
    assert_refused(typed(line))


@pytest.mark.parametrize(
    "text",
    ["", "vote,count\n", "vote,count\nyes,1\n", "vote,count\nyes,1\nyes,2\n", "vote,count\nyes,1\nno,2,3\n",
     "count\n1\n2\n", "vote,count\nyes,1\nno,many\n", "a,b,count\nx,x,1\ny,y,2\n", "vote,count\n\x1b[1m,1\nno,2\n"],
)  # fmt: skip
def test_a_file_that_is_no_table_is_refused(text: str) -> None:
    Path("bad.csv").write_text(text, encoding="utf-8")
    assert_refused(typed("infer --noisy bad.csv --noise 'discrete-laplace scale=2' --total 66"))
