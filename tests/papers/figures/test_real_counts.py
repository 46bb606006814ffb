"""Real counts: sums against the library's accuracy, the limit against geometric, and what is too large said so."""

import pytest

import discreet as dc
from discreet_papers.figures import real_counts
from discreet_papers.figures.readings import PRINTED, RIGHT

COUNTS = real_counts.DATA["immunotherapy"]


def test_every_mechanism_is_measured_and_geometric_meets_the_limit() -> None:
    errors = {error.mechanism: error for error in real_counts._put_right("immunotherapy", COUNTS)}
    space = dc.PosteriorSpace(prior=[1, 1], n=sum(COUNTS))
    for name in ("exponential-global", "exponential-local", "exponential-reciprocal", "laplace", "geometric"):
        mechanism = dc.mechanism(name, space, epsilon=1)
        assert errors[name].mean == pytest.approx(dc.accuracy(mechanism, COUNTS).mean, rel=1e-9)
        assert errors[name].reading == RIGHT
    assert errors["limit"].method == "linear programme"
    assert errors["geometric"].mean == pytest.approx(errors["limit"].mean, abs=5e-6)
    assert set(errors) == {name for name in real_counts.LOOK if name != "optimal"}


def test_beyond_the_linear_programme_the_limit_is_geometric_with_bayesian_post_processing() -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=294)
    assert (real_counts._limit(space, (84, 210)) or ())[2:] == ("geometric, bayes",)
    assert real_counts._limit(dc.PosteriorSpace(prior=[1, 1, 1], n=90), (54, 9, 27)) is None


def test_what_is_drawn_or_left_out_is_said() -> None:
    error = real_counts.Error(RIGHT, "large", (1, 2), "geometric", 0.5, 0.01, "8000 exact draws")
    sentences = real_counts.sentences([error])
    assert "Too many candidates to sum: large" in sentences[-1]
    assert len(real_counts.sentences([real_counts.Error(PRINTED, "a", (1, 2), "M_H", 0.5, 0.0, "sum")])) == 2
