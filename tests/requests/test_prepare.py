"""The prior of a request: one number, a name or one parameter for every cell of a cross table."""

from fractions import Fraction

import pytest

import discreet as dc
from discreet.requests.prepare import check_counts, prepare_request, whole_prior
from discreet.requests.request import ReleaseRequest, Terms


@pytest.mark.parametrize("prior", [0.5, "0.5", Fraction(1, 2), "jeffreys", ["1/2"] * 6, "0.5,0.5,0.5,0.5,0.5,0.5"])
def test_a_cross_table_has_a_prior_for_each_cell(prior: object) -> None:
    declaration = dc.Question(cross={"sex": ["f", "m"], "vote": ["a", "b", "c"]}, epsilon=1).declaration(None)
    assert whole_prior(declaration, prior).parameters == (Fraction(1, 2),) * 6


def test_counts_in_hand_that_are_not_n_are_refused() -> None:
    terms = Terms("geometric", False, None, {})
    prepared, counts = check_counts([7, 5], terms, epsilon=1, n=12)
    assert (counts, prepared.mechanisms[0].space.n) == ((7, 5), 12)
    with pytest.raises(dc.InvalidInput, match="sum to n = 13"):
        check_counts([7, 5], terms, epsilon=1, n=13)


def test_a_count_in_hand_that_is_no_number_is_named() -> None:
    with pytest.raises(dc.InvalidInput, match=r"^a count must be a whole number"):
        check_counts([7, "few"], Terms("geometric", False, None, {}), epsilon=1)


def test_a_named_prior_has_a_parameter_for_each_category() -> None:
    declaration = dc.Question("vote", ["a", "b", "c"], epsilon=1).declaration(None)
    assert whole_prior(declaration, "jeffreys").parameters == (Fraction(1, 2),) * 3


def test_counts_in_hand_have_the_digest_that_they_had() -> None:
    """A ledger knows a request by it, so it is the same in every version."""
    prepared, _ = check_counts([7, 5], Terms("geometric", False, None, {}), epsilon=1)
    assert prepared.digest[:16] == "818f89bddca3c068"


def test_a_question_keeps_what_is_said_of_its_groups_and_of_missing_values() -> None:
    question = dc.Question("vote", ["a", "b"], by="region", groups=["n", "s"], other_group="abroad", missing="unknown")
    assert (question.by, question.groups, question.other_group) == ("region", ("n", "s"), "abroad")
    assert question.missing == "unknown"


@pytest.mark.parametrize("n", [None, 7, (7,), (3, 4, 5), (0, 0)])
def test_public_groups_have_one_n_each_and_not_all_are_0(n: object) -> None:
    question = dc.Question("vote", ["a", "b"], by="sex", groups=["f", "m"], group_public=True, epsilon=1)
    request = ReleaseRequest("table.csv", [question])
    with pytest.raises(dc.InvalidInput, match="public groups have one n each, and not all are 0"):
        prepare_request(request, [n])  # type: ignore[list-item]
    assert [part.sizes for part in prepare_request(request, [(0, 4)]).columns[0].parts] == [{"n": 0}, {"n": 4}]


def test_a_wrong_n_is_named() -> None:
    question = dc.Question("vote", ["a", "b"], epsilon=1)
    for n in ("few", [3, "few"]):
        with pytest.raises(dc.InvalidInput, match=r"^n must be a whole number"):
            ReleaseRequest("table.csv", [question], n=n)
    private = dc.Question("vote", ["a", "b"], epsilon=1, adjacency="add-remove")
    with pytest.raises(dc.InvalidInput, match="the number of records is private") as refusal:
        ReleaseRequest("table.csv", [private], n=7)
    assert refusal.value.parameter == "n"


def test_a_rate_is_of_one_unit_of_exposure_unless_a_question_says_more() -> None:
    asked = dc.Question("region", ["n", "s"], exposure={"n": 10, "s": 20}, adjacency="add-remove", epsilon=1)
    assert asked.terms.rates is not None
    assert asked.terms.rates.per == 1


def test_the_price_of_columns_that_are_composed_is_what_all_together_cost() -> None:
    questions = [dc.Question(column, ["a", "b"]) for column in "abcdefghijkl"]
    request = ReleaseRequest("table.csv", questions, epsilon=1, delta="1e-6", is_bundle=True)
    price = prepare_request(request, [30] * 12).price
    assert (price.epsilon, price.delta) == (Fraction(1), Fraction(1, 10**6))
