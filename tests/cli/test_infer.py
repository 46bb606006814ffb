"""`discreet infer`: the same numbers as the live objects, from the receipt alone, and no word on a forged one."""

import json
from pathlib import Path
from typing import Any

import pandas
import pytest

import discreet as dc
from discreet.receipts import Receipt
from discreet.requests.run import release_counts
from tests.cli.command import assert_refused, discreet

FORMS: dict[str, dict[str, Any]] = {
    "geometric": {"mechanism": "geometric"},
    "laplace-improved": {"mechanism": "laplace-improved"},
    "exponential-reciprocal": {"mechanism": "exponential-reciprocal"},
    "calibrated": {"mechanism": "exponential-global", "calibrated": True},
}


def written(place: Path, **options: Any) -> Receipt:
    receipt = release_counts([31, 19], epsilon="1/3", categories=["yes", "no"], prior=["1/2", 3], **options)
    place.write_text(receipt.to_json(), encoding="utf-8")
    return receipt


@pytest.mark.parametrize("form", FORMS)
def test_the_receipt_says_as_much_as_the_live_objects(form: str, tmp_path: Path) -> None:
    receipt = written(tmp_path / "r.json", **FORMS[form])
    space = dc.PosteriorSpace(prior=["1/2", 3], n=50)
    name = FORMS[form]["mechanism"]
    live: dc.Mechanism = dc.mechanism(name, space, epsilon="1/3")
    if form == "calibrated":
        live = dc.calibrate(name, space, epsilon="1/3")
    belief = dc.noise_aware(live, receipt.output)
    answer = discreet("infer", str(tmp_path / "r.json"), "--json")
    assert answer.code == 0
    low, high = belief.interval(0.95)
    for i, row in enumerate(answer.document["noise_aware"].values()):
        assert row["mean"] == pytest.approx(belief.mean[i], rel=1e-12)
        assert row["sd"] == pytest.approx(belief.sd[i], rel=1e-12)
        assert row["interval"] == pytest.approx([low[i], high[i]], rel=1e-12)
        assert receipt.document["interval"][("yes", "no")[i]] == pytest.approx(row["interval"], rel=1e-12)
    assert receipt.document["interval_kind"] == "noise-aware, privacy noise included"


def test_the_reader_may_bring_a_prior_and_paint(tmp_path: Path) -> None:
    receipt = written(tmp_path / "r.json")
    answer = discreet("infer", "r.json", "--prior", "4,1/3", "--plot", "b.png", cwd=tmp_path)
    assert (answer.code, answer.err) == (0, "")
    assert "noise included" in answer.out
    assert "noise not" in answer.out
    assert (tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=["1/2", 3], n=50), epsilon="1/3")
    own = dc.noise_aware(mechanism, receipt.output, prior=[4, "1/3"])
    assert f"{own.mean[0]:.4f}" in answer.out


def two_columns(place: Path) -> dc.Bundle:
    rows = {"vote": ["yes"] * 31 + ["no"] * 19, "sex": ["f", "m"] * 25}
    questions = [dc.Question(column, sorted(set(held)), epsilon="1/3") for column, held in rows.items()]
    bundle = dc.release_columns(pandas.DataFrame(rows), questions, ledger=None)
    place.write_text(bundle.to_json(), encoding="utf-8")
    return bundle


def test_a_reader_s_prior_is_one_for_all_columns_or_one_for_each(tmp_path: Path) -> None:
    bundle = two_columns(tmp_path / "b.json")

    def believed(*priors: str) -> list[Any]:
        words = [word for prior in priors for word in ("--prior", prior)]
        answer = discreet("infer", str(tmp_path / "b.json"), *words, "--json")
        assert answer.code == 0, answer
        return [(part["prior"], part["noise_aware"]) for part in answer.document["columns"]]

    own, both, first = believed(), believed("4,1/3"), believed("4,1/3", "")
    assert [prior for prior, _ in own] == [[1, 1], [1, 1]]
    assert [prior for prior, _ in both] == [[4, 1 / 3], [4, 1 / 3]]
    assert first == [both[0], own[1]]
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=50), epsilon="1/3")
    mean = dc.noise_aware(mechanism, bundle.parts[0].output, prior=[4, "1/3"]).mean
    assert [row["mean"] for row in both[0][1].values()] == pytest.approx(mean.tolist(), rel=1e-12)


def test_priors_of_several_columns_are_painted(tmp_path: Path) -> None:
    two_columns(tmp_path / "b.json")
    answer = discreet("infer", "b.json", "--prior", "4,1", "--prior", "", "--plot", "b.png", cwd=tmp_path)
    assert (answer.code, answer.err) == (0, "")
    assert (tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")


def test_priors_that_fit_no_column_are_refused(tmp_path: Path) -> None:
    two_columns(tmp_path / "b.json")
    for words in (["1,1"] * 3, ["1,1,1"], ["1,1", "1,x"]):
        given = [word for prior in words for word in ("--prior", prior)]
        assert_refused(discreet("infer", str(tmp_path / "b.json"), *given))
    written(tmp_path / "r.json")
    assert_refused(discreet("infer", str(tmp_path / "r.json"), "--prior", "1,1", "--prior", "1,1"))


@pytest.mark.parametrize(
    ("field", "value"),
    [("epsilon_exact", "1/2"), ("n", 49), ("output", [31, 18]), ("prior", [1, 3]), ("mechanism", {})],
)
def test_a_receipt_that_contradicts_its_certificate_is_refused(field: str, value: object, tmp_path: Path) -> None:
    document = {**written(tmp_path / "r.json").document, field: value}
    (tmp_path / "r.json").write_text(json.dumps(document), encoding="utf-8")
    answer = discreet("infer", str(tmp_path / "r.json"), "--json")
    assert answer.code in (2, 4)
    assert "noise_aware" not in answer.out


@pytest.mark.parametrize("words", [("--prior", "1,1,1"), ("--prior", "x,1"), ("--plot", "b.gif")])
def test_what_cannot_be_meant_is_refused_in_one_line(words: tuple[str, str], tmp_path: Path) -> None:
    written(tmp_path / "r.json")
    assert_refused(discreet("infer", "r.json", *words, cwd=tmp_path))
