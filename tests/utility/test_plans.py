"""`plan`: every mechanism beside the others, a recommendation with its reason, and nothing left out in silence."""

import json
from typing import Any

import pytest

import discreet as dc
from discreet.utility.plans import FAMILIES

KEYS = {
    *("name", "setting", "epsilon", "exact_epsilon", "mean_error", "worst_mean_error"),
    *("error_95", "shift_points", "interval_width", "interval_width_within"),
}


@pytest.fixture(scope="module")
def small() -> dc.Plan:
    return dc.plan(dc.PosteriorSpace(prior=[1, 1], n=50), epsilon=1, compare=True)


def test_every_mechanism_is_there_at_both_settings_and_the_limit_beside_them(small: dc.Plan) -> None:
    assert small.omitted == ()
    settings = {(row.name, row.setting) for row in small.mechanisms}
    assert settings == {
        *((name, setting) for name in FAMILIES for setting in ("theorem", "calibrated")),
        ("geometric", "bayes"),
        ("snapping", "theorem"),
        ("optimal", "limit"),
    }


def test_no_mechanism_exceeds_the_epsilon_or_beats_the_limit(small: dc.Plan) -> None:
    limit = small.row("optimal", "limit").mean_error
    for row in small.mechanisms:
        assert row.mean_error >= limit - 1e-6
        if row.setting != "limit":
            assert row["exact_epsilon"] <= 1


def test_calibration_never_makes_the_error_worse(small: dc.Plan) -> None:
    for name in FAMILIES:
        assert small.row(name, "calibrated").mean_error <= small.row(name).mean_error + 1e-12
    assert small.row("exponential-reciprocal", "calibrated").mean_error <= 0.2075


def test_the_numbers_of_a_row_are_those_of_accuracy(small: dc.Plan) -> None:
    mechanism, row = dc.LaplaceImproved(small.space, epsilon=1), small.row("laplace-improved")
    error, moved = dc.accuracy(mechanism), dc.accuracy(mechanism, metric="l1")
    assert row.mean_error == error.mean
    assert row.worst_mean_error == error.worst_mean
    assert row.error_95 == error.quantile(0.95)
    # Half the L1 distance of the means, in percentage points.
    assert row.shift_points == pytest.approx(100 * moved.mean / 2 / 52)
    assert row["interval_width"] > small.interval_width_without_privacy


def test_geometric_is_recommended_and_the_reason_says_why(small: dc.Plan) -> None:
    assert (small.recommended, small.setting) == ("geometric", "theorem")
    assert "0.108" in small.reason
    assert "least that any mechanism could reach" in small.reason


def test_where_another_way_back_is_clearly_better_it_is_recommended() -> None:
    answer = dc.plan(dc.PosteriorSpace(prior=[1, 1], n=20), epsilon="0.1", compare=True)
    assert (
        answer.recommended == min((row.mean_error, row.name) for row in answer.mechanisms if row.setting != "limit")[1]
    )
    assert "is the least" in answer.reason
    best, default = answer.row("geometric", "bayes"), answer.row("geometric")
    assert best["worst_mean_error"] > default["worst_mean_error"]
    assert f"for the worst data set it has {best['worst_mean_error']:.4g}" in answer.reason


def test_the_document_is_strict_json(small: dc.Plan) -> None:
    document = json.loads(json.dumps(small.to_json(), allow_nan=False))
    assert (document["recommended"], document["setting"], document["epsilon"]) == ("geometric", "theorem", 1)
    assert all(row.keys() >= KEYS for row in document["mechanisms"])


def test_the_earlier_name_of_a_setting_finds_its_row(small: dc.Plan) -> None:
    assert small.row("laplace", "nominal") == small.row("laplace", "theorem") == small.row("laplace")


def test_what_is_left_out_of_a_large_space_is_said_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.utility.studies.MAX_DRAWS", 4000)
    monkeypatch.setattr("discreet.utility.studies._SLOWLY", 100)
    monkeypatch.setattr("discreet.utility.studies._PREPARED", 30)
    answer = dc.plan(dc.PosteriorSpace(prior=[1, 1, 1], n=4000), epsilon=1, compare=True)
    left_out = {(row.name, row.setting): row.reason for row in answer.omitted}
    assert "linear programme" in left_out["optimal", "limit"]
    assert "calibrating" in left_out["exponential-local", "calibrated"]
    row = answer.row("exponential-local")
    assert row.method.startswith("64 exact draws for each of 30 drawn data sets")
    assert 0 < row.mean_error_within < 0.2 < row.mean_error < 1
    rows = {(row.name, row.setting) for row in answer.mechanisms}
    assert ("geometric", "theorem") in rows
    assert not rows & set(left_out)
    assert answer.row("laplace").missing.keys() == {"interval_width", "worst_mean_error"}
    assert answer.row("geometric").mean_error_within > 0
    assert 0 < answer.row("geometric")["interval_width_within"] < 1e-3 * answer.row("geometric")["interval_width"]


def test_calibration_that_takes_minutes_is_left_to_those_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.utility.plans.MAX_CALIBRATED", 20)
    space = dc.PosteriorSpace(prior=[1, 1], n=24)
    assert dc.plan(space, epsilon=1, compare=True, thorough=True).omitted == ()
    answer = dc.plan(space, epsilon=1, compare=True)
    reasons = [row.reason for row in answer.omitted if row.setting == "calibrated"]
    assert len(reasons) == 4
    assert all("thorough" in reason for reason in reasons)


@pytest.mark.every
@pytest.mark.parametrize(
    "question",
    [
        {},
        {"epsilon": 1, "target_width": "0.1"},
        {"target_error": "0.1"},
        {"confidence": "0.9"},
        {"epsilon": 1, "worst_case": True},
        {"target_width": "0.3", "worst_case": True},
        {"epsilon": 0},
        {"target_error": "0.1", "confidence": 1},
        {"target_width": "0.01"},
    ],
    ids=str,
)
def test_a_question_that_is_none_or_two_is_refused(question: dict[str, Any]) -> None:
    with pytest.raises(dc.InvalidInput):
        dc.plan(dc.PosteriorSpace(prior=[1, 1], n=50), **question)


def test_progress_is_told() -> None:
    reports: list[tuple[str, int]] = []

    def tell(what: str, number: int, total: int) -> None:
        reports.append((what, number))

    dc.plan(dc.PosteriorSpace(prior=[1, 1], n=6), epsilon=1, compare=True, progress=tell)
    assert [number for _, number in reports] == list(range(len(reports)))
    assert reports[0][0] == "geometric (theorem)"
