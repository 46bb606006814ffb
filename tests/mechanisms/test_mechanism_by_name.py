"""Every mechanism has one name, and a wrong name is met with the right one."""

import pytest

from discreet import InvalidInput, PosteriorSpace, mechanism, mechanisms
from discreet.mechanisms import BY_NAME, FAMILIES, PURE, RELEASABLE, Mechanism
from tests.support.mechanisms import build

pytestmark = pytest.mark.every

SPACE = PosteriorSpace([1, 1], 20)
NAMES = [*(f"exponential-{kind}" for kind in ("global", "local", "smooth", "reciprocal"))]
NAMES += ["laplace", "laplace-improved", "geometric", "tight", "gaussian", "snapping", "optimal"]


def test_the_names_are_those_of_the_interface() -> None:
    assert list(BY_NAME) == NAMES
    assert len(FAMILIES) == len(NAMES)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_name_builds_what_its_class_builds(family: type[Mechanism]) -> None:
    made = build(family.name, SPACE, epsilon="0.5")
    assert type(made) is family
    assert made.space == SPACE


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("exponential-reciprocal", {"gamma": "0.3"}),
        ("exponential-smooth", {"gamma": "0.02"}),
        ("laplace", {"rounding": "floor"}),
        ("geometric", {"postprocess": "bayes", "weighting": "uniform"}),
        ("tight", {"postprocess": "bayes"}),
        ("optimal", {"objective": "worst"}),
    ],
)
def test_options_are_passed_on(name: str, options: dict[str, str]) -> None:
    found = mechanism(name, SPACE, epsilon=1, **options)
    assert found != mechanism(name, SPACE, epsilon=1)
    assert found == BY_NAME[name](SPACE, epsilon=1, **options)  # type: ignore[call-arg, arg-type]


@pytest.mark.parametrize(
    ("wrong", "right"), [("geometrc", "geometric"), ("Laplace", "laplace"), ("optimum", "optimal")]
)
def test_a_misspelt_name_is_met_with_the_right_one(wrong: str, right: str) -> None:
    with pytest.raises(InvalidInput, match=f"did you mean {right}"):
        mechanism(wrong, SPACE, epsilon=1)


@pytest.mark.parametrize("wrong", ["", "zzzzz", "__class__"])
def test_an_unknown_name_is_met_with_all_of_them(wrong: str) -> None:
    with pytest.raises(InvalidInput, match=r"choose from exponential-global, .*, optimal"):
        mechanism(wrong, SPACE, epsilon=1)


@pytest.mark.parametrize("name", NAMES)
def test_an_option_that_a_mechanism_does_not_have_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match=f"{name} has no option salt"):
        mechanism(name, SPACE, epsilon=1, salt=2)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("geometric", {"postprocess": "far"}),
        ("geometric", {"postprocess": None}),
        ("tight", {"postprocess": "free"}),
        ("geometric", {"way": "far"}),
        ("geometric", {"way": None}),
        ("geometric", {"weighting": "mine"}),
        ("laplace", {"rounding": "up"}),
        ("optimal", {"objective": "median"}),
        ("optimal", {"weighting": "mine"}),
    ],
)
def test_an_option_that_is_no_choice_is_refused(name: str, options: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match=f"^{next(iter(options))} must be .*; leave it out for "):
        mechanism(name, SPACE, epsilon=1, **options)


@pytest.mark.parametrize("name", ["geometric", "tight"])
def test_the_former_name_of_an_option_goes_on_working_and_is_not_offered(name: str) -> None:
    now, then = (mechanism(name, SPACE, epsilon=1, **{option: "bayes"}) for option in ("postprocess", "way"))
    assert now == then
    assert now.parameters() == {"way": "bayes", "weighting": "predictive"}
    with pytest.raises(InvalidInput, match=r"its options: postprocess, weighting(, outputs)?$"):
        mechanism(name, SPACE, epsilon=1, salt=2)


@pytest.mark.parametrize("name", ["geometric", "optimal", "snapping"])
def test_what_no_paper_has_is_published_in_its_default_form(name: str) -> None:
    assert BY_NAME[name].as_published(SPACE, epsilon=1) == mechanism(name, SPACE, epsilon=1)


def test_all_but_the_yardstick_are_released_and_all_but_gaussian_need_no_delta() -> None:
    assert list(RELEASABLE) == NAMES[:-1]
    assert list(PURE) == [name for name in NAMES if name not in ("gaussian", "optimal")]
    assert all(hasattr(mechanisms, name) for name in mechanisms.__all__)


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ("expo", " or ".join(NAMES[:4])),
        ("lap", "laplace or laplace-improved"),
        ("laplase", "laplace"),
        ("exponential_local", "exponential-local"),
    ],
)
def test_the_beginning_of_names_is_met_with_all_of_them_and_a_slip_with_the_closest(wrong: str, hint: str) -> None:
    with pytest.raises(InvalidInput, match=rf"did you mean {hint}\?$"):
        mechanism(wrong, SPACE, epsilon=1)
