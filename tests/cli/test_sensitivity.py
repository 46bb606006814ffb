"""`discreet sensitivity`: the numbers of the papers, for people and for programs."""

import pytest

from tests.cli.command import told, typed


def test_the_sensitivities_of_a_million_million_records_are_in_order() -> None:
    counts = "333333333333,333333333333,333333333334"
    document = told(f"sensitivity --prior 7,4,5 --n 1e12 --counts {counts}")
    assert document["global"] == pytest.approx(0.233629480708875, rel=1e-12)
    for kind in ("smooth", "reciprocal"):
        assert document["local"] <= document[kind] <= document["global"] * (1 + 1e-15)


def test_what_speaks_of_the_true_data_says_so() -> None:
    answer = typed("sensitivity --prior 1,1 --counts 50,50")
    assert answer.code == 0
    assert "not publishable: speaks of the true data" in answer.out


def test_without_counts_only_the_global_sensitivity_is_given_and_it_is_public() -> None:
    document = told("sensitivity --prior 1,1 --n 100")
    assert document["global"] == pytest.approx(0.33893976, rel=1e-8)
    assert document["local"] is document["smooth"] is document["reciprocal"] is None
    assert document["publishable"] is True
    assert "not publishable" not in typed("sensitivity --prior 1,1 --n 100").out


def test_one_gamma_sets_both_smooth_sensitivities() -> None:
    line = "sensitivity --prior 1,1 --n 100 --counts 50,50"
    flat, default = told(f"{line} --gamma 0"), told(line)
    assert flat["smooth"] == pytest.approx(flat["global"], rel=1e-14)
    assert flat["reciprocal"] == pytest.approx(flat["global"], rel=1e-14)
    assert default["gamma"]["reciprocal"] == 1
    assert default["smooth"] < default["global"]
