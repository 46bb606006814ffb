"""The inverse questions: the ε found meets its target, and 0.99 of it does not."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import gammaln

import discreet as dc
from discreet.utility.targets import least_epsilon_for_error, least_epsilon_for_width, meets_error
from discreet.utility.widths import expected_width
from tests.oracles import widths as oracle

LESS = Fraction(99, 100)


@pytest.mark.few(1)
@pytest.mark.parametrize("worst_case", [False, True])
@pytest.mark.parametrize(
    ("prior", "n", "error", "confidence"),
    [
        ([1, 1], 1000, "0.05", "0.95"),
        ([1, 1], 30, "0.2", "0.9"),
        ([7, 4], 200, "0.05", "0.99"),
        (["1/2", "1/2"], 5000, "0.1", "0.5"),
        ([1, 1, 1], 12, "0.3", "0.9"),
        ([1, 1], 10**9, "0.001", "0.9"),
    ],
)
def test_the_least_epsilon_for_an_error(
    prior: list[int], n: int, error: str, confidence: str, worst_case: bool
) -> None:
    space, target = dc.PosteriorSpace(prior=prior, n=n), (Fraction(error), Fraction(confidence))
    least = least_epsilon_for_error(space, *target, worst_case=worst_case)
    assert meets_error(space, least, *target, worst_case=worst_case)
    assert not meets_error(space, LESS * least, *target, worst_case=worst_case)


def test_what_meets_a_target_is_the_exact_law() -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=40)
    at = dc.accuracy(dc.Geometric(space, epsilon=1)).quantile("0.9")
    assert meets_error(space, 1, Fraction(at), Fraction("0.9"))
    assert not meets_error(space, 1, Fraction(at) * Fraction(999, 1000), Fraction("0.9"))


def test_every_data_set_asks_for_more_than_the_average() -> None:
    space, target = dc.PosteriorSpace(prior=[1, 1], n=1000), (Fraction("0.05"), Fraction("0.95"))
    average, worst = (least_epsilon_for_error(space, *target, worst_case=worst) for worst in (False, True))
    assert average < worst
    for c in (0, 1, 500):
        error = dc.accuracy(dc.Geometric(space, epsilon=worst), [c, 1000 - c])
        assert error.tail(Fraction("0.05") + Fraction(1, 10**12)) <= 0.05


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("prior", "n", "width", "epsilon"),
    [((1, 1), 60, "0.25", "0.5512"), ((1, 1), 128, "0.136", "2.182"), ((1, 1), 129, "0.136", "1.867")],
)
def test_the_least_epsilon_for_a_width_to_its_last_digit(
    prior: tuple[int, int], n: int, width: str, epsilon: str
) -> None:
    """At n = 128 a plan once said 3.789."""
    least = least_epsilon_for_width(dc.PosteriorSpace(prior=list(prior), n=n), Fraction(width))
    assert least == Fraction(epsilon)
    less = least - Fraction(1, 10 ** len(epsilon.partition(".")[2]))
    reached, missed = (oracle.expected_width(prior, n, oracle.geometric_kernel(n, e))[0] for e in (least, less))
    assert reached <= float(width) < missed


@pytest.mark.soak
@pytest.mark.parametrize(
    ("prior", "n", "width"),
    [([1, 2], 300, "0.1"), ([1, 1], 10**6, "0.01"), ([1, 1], 10**6, "0.00154"), ([1, 1], 10**9, "0.0001")],
)
def test_many_records_have_a_least_epsilon_too(prior: list[int], n: int, width: str) -> None:
    space = dc.PosteriorSpace(prior=prior, n=n)
    least = least_epsilon_for_width(space, Fraction(width))
    reached, missed = (expected_width(dc.Geometric(space, epsilon=e)) for e in (least, Fraction("0.999") * least))
    assert reached.value + reached.error <= float(width) < missed.value + missed.error


@pytest.mark.soak
def test_where_widths_are_drawn_epsilon_is_on_their_safe_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.utility.plans.SETTINGS", (("geometric", "theorem"),))
    monkeypatch.setattr("discreet.utility.studies.MAX_DRAWS", 8000)
    space, width = dc.PosteriorSpace(prior=[1, 1, 1], n=60), Fraction("0.26")
    answer = dc.plan(space, target_width=width)
    reached = expected_width(dc.Geometric(space, epsilon=answer.epsilon))
    assert "draws" in answer.question["by"]
    assert answer.question["at_most"] == reached.value + reached.error <= float(width)
    assert reached.error > 0


@pytest.mark.soak
def test_where_errors_are_drawn_epsilon_is_on_their_safe_side() -> None:
    """A plan once took 50,000 draws for the truth: its ε kept the error in 98.97 % of releases, not in 99 %."""
    space, target = dc.PosteriorSpace(prior=[2, 2, 2], n=700), (Fraction("0.15"), Fraction("0.99"))
    least = least_epsilon_for_error(space, *target)
    confidences = [kept_within(space, epsilon, 0.15) for epsilon in (least, Fraction("0.9") * least)]
    assert confidences[0] - 6 * (0.01 / DRAWS) ** 0.5 > 0.99 > confidences[1] + 6 * (0.01 / DRAWS) ** 0.5


DRAWS = 1_000_000


def kept_within(space: dc.PosteriorSpace, epsilon: Fraction, distance: float) -> float:
    """How often H is at most the distance, by draws of NumPy's that share nothing with the plan's."""
    rng, k = np.random.default_rng(99), space.k
    counts = rng.multinomial(space.n, rng.dirichlet(space.prior.alpha, DRAWS))
    q = np.exp(-float(epsilon) / 2)
    noise = np.zeros((0, k), dtype=np.int64)
    while len(noise) < DRAWS:  # independent noise on all but one, kept by the chance of what is left for it
        free = rng.geometric(1 - q, (DRAWS, k - 1)) - rng.geometric(1 - q, (DRAWS, k - 1))
        rest = -free.sum(axis=1, keepdims=True)
        kept = rng.random(DRAWS) < q ** np.abs(rest[:, 0])
        noise = np.concatenate([noise, np.concatenate([free, rest], axis=1)[kept]])
    released = dc.Geometric(space, epsilon=epsilon).postprocess(counts + noise[:DRAWS])
    here, there = space.prior.alpha + counts, space.prior.alpha + released
    log = gammaln((here + there) / 2) - gammaln(here) / 2 - gammaln(there) / 2
    return float((np.sqrt(-np.expm1(np.minimum(log.sum(axis=1), 0.0))) <= distance).mean())


def test_the_plan_is_made_for_the_epsilon_that_was_found() -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=30)
    answer = dc.plan(space, target_error="0.2", confidence="0.9")
    assert answer.epsilon == least_epsilon_for_error(space, Fraction("0.2"), Fraction("0.9"))
    question = {"target_error": "1/5", "confidence": "9/10", "worst_case": False, "by": "enumeration"}
    question |= {"interval": {"level": 0.95, "category": 1}}
    assert {**question, "at_least": answer.question["at_least"]} == answer.question
    assert 0.9 <= answer.question["at_least"] < 0.91
    assert {row.epsilon for row in answer.mechanisms} == {answer.to_json()["epsilon"]}


def test_a_target_that_no_epsilon_meets_is_refused_and_said() -> None:
    with pytest.raises(dc.InvalidInput, match="even without privacy"):
        least_epsilon_for_width(dc.PosteriorSpace(prior=[1, 1], n=60), Fraction("0.1"))
    with pytest.raises(dc.InvalidInput, match="no epsilon"):
        least_epsilon_for_error(dc.PosteriorSpace(prior=[1, 1], n=2), Fraction(1, 10**9), 1 - Fraction(1, 10**9000))
