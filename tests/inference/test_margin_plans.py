"""The plan of margins: widths are those of the beliefs, and the better way is the one with the narrower intervals."""

import pytest

import discreet as dc
from discreet.errors import InvalidInput, TooLarge
from discreet.inference.margin_plans import plan_margins, recommended
from tests.cli.command import assert_refused, told, typed

AXES = {"sex": ["f", "m"], "region": ["n", "s", "e", "w"], "vote": ["yes", "no"]}


def test_one_margin_is_better_released_by_itself_and_many_by_one_table() -> None:
    [alone] = plan_margins(AXES, [["vote"]], n=400, epsilon="1/2", draws=6)
    assert alone.alone < alone.cross
    assert recommended([alone]) == "each by itself"
    names = [["sex"], ["region"], ["vote"], ["sex", "region"], ["sex", "vote"], ["region", "vote"], ["vote", "sex"]]
    many = plan_margins(AXES, names, n=400, epsilon="1/2", draws=6)
    assert recommended(many) == "one cross table"
    assert many[4].cross == pytest.approx(many[6].cross), "the order of the columns says nothing"
    assert many[4].cross_error < many[4].cross / 5


def test_a_width_is_that_of_the_belief_of_typical_data() -> None:
    [row] = plan_margins(AXES, [["vote"]], n=10**6, epsilon=1, draws=8, prior=4)
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[4] * 16, n=10**6), epsilon=1)
    belief = dc.Belief.of(dc.noise_aware(mechanism, [10**6 // 16] * 16), AXES)
    low, high = belief.margin("vote").interval()
    assert row.cross == pytest.approx(float((high - low).mean()), rel=0.05)


def test_the_command_says_both_and_what_it_recommends() -> None:
    command = "plan --cross sex=f,m --cross vote=yes,no --margins 'sex; vote,sex' --n 300 --epsilon 1"
    document = told(command)
    assert [row["margin"] for row in document["margins"]] == [["sex"], ["vote", "sex"]]
    assert document["recommended"] in typed(command).out
    for wrong in (
        "plan --cross sex=f,m --cross vote=yes,no --n 300 --epsilon 1",
        "plan --cross sex=f,m --cross vote=yes,no --margins age --n 300 --epsilon 1",
        "plan --cross sex --cross vote=yes,no --margins sex --n 300 --epsilon 1",
        "plan --margins sex --n 300 --epsilon 1",
    ):
        assert_refused(typed(wrong))


def test_what_cannot_be_planned_is_refused() -> None:
    with pytest.raises(InvalidInput):
        plan_margins(AXES, [], n=9, epsilon=1)
    with pytest.raises(TooLarge):
        plan_margins({name: [str(i) for i in range(20)] for name in "abc"}, [["a"]], n=9, epsilon=1)
