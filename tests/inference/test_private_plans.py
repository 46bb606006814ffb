"""Plans where n is private: they take a guess and say so, and tell what privacy of n costs."""

import numpy as np
import pytest

import discreet as dc
from discreet.errors import InvalidInput
from discreet.inference.private_plans import _hellinger
from tests.cli.command import discreet, told

SPACE = dc.PosteriorSpace(prior=[1, 1], n=None)


@pytest.mark.few(1)
@pytest.mark.parametrize(("epsilon", "grown"), [(1, 0.7), (0.5, 2.3), (0.1, 29.0)])
def test_privacy_of_n_widens_a_belief_by_what_the_specification_says(epsilon: float, grown: float) -> None:
    """Add-remove at ε/2 beside replace-one at ε, n = 1000, a share of 30 %: in per cent of the standard deviation."""
    private = dc.noise_aware(dc.Geometric(SPACE, epsilon=epsilon / 2), (300, 700))
    public = dc.noise_aware(dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=1000), epsilon=epsilon), (300, 700))
    assert 100 * (private.sd[0] / public.sd[0] - 1) == pytest.approx(grown, rel=0.1)


def test_a_plan_says_that_n_is_a_guess_and_what_its_privacy_costs() -> None:
    plan = dc.plan(SPACE, epsilon="1/10", guess=1000)
    row, said = plan.answer, " ".join(plan.sentences())
    assert row.exact_epsilon == 0.1
    assert row.interval_width is not None
    assert row.interval_width > plan.question["width_at_equal_protection"] > plan.interval_width_without_privacy
    assert "1,000 records is a guess" in said
    assert "replace-one at ε = 0.2" in said
    assert "adding or removing one record" in said
    document = plan.to_json()
    assert document["adjacency"] == "add-remove"
    assert "n" not in document
    assert "n private" in repr(plan)
    assert "n private" in plan._repr_html_()


def test_errors_are_distances_of_posteriors_of_different_totals() -> None:
    data, released = np.array([[3, 4], [10, 0], [5, 5]]), np.array([[5, 4], [7, 2], [5, 5]])
    distances = _hellinger(np.array([1.0, 0.5]), data, released)
    for row, other, distance in zip(data.tolist(), released.tolist(), distances, strict=True):
        one, two = (dc.Dirichlet([1 + a, b + 0.5]) for a, b in (row, other))
        assert dc.hellinger(one, two) == pytest.approx(float(distance), rel=1e-9)


@pytest.mark.parametrize(
    "wrong", [{"epsilon": 1}, {"target_width": "0.1", "guess": 5}, {"epsilon": 1, "guess": 0}, {"guess": 5}]
)
def test_a_plan_of_a_private_n_needs_an_epsilon_and_a_guess(wrong: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        dc.plan(SPACE, **wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="no guess"):
        dc.plan(dc.PosteriorSpace(prior=[1, 1], n=9), epsilon=1, guess=9)


def test_the_command_plans_and_audits_under_add_remove() -> None:
    assert told("plan --adjacency add-remove --n 1000 --epsilon 1")["question"]["guess"] == 1000
    document = told("audit geometric --adjacency add-remove --prior 1,1,1 --epsilon 0.3")
    assert document["exact_epsilon"] == pytest.approx(0.3)
    assert document["certificate"]["facts"]["adjacency"] == "add-remove"
    assert "n" not in document["certificate"]["facts"]
    printed = discreet("plan", "--adjacency", "add-remove", "--n", "1000", "--epsilon", "1")
    assert "is a guess" in printed.out


@pytest.mark.parametrize(
    "wrong",
    [
        "audit geometric --epsilon 1",
        "audit geometric --adjacency add-remove --n 5 --epsilon 1",
        "audit laplace --adjacency add-remove --epsilon 1",
        "plan --adjacency add-remove --n 5 --target-width 0.1",
        "plan --adjacency add-two --n 5 --epsilon 1",
    ],
)
def test_what_makes_no_sense_under_add_remove_is_one_line_and_exit_code_two(wrong: str) -> None:
    refused = discreet(*wrong.split())
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.count("\n") <= 2
