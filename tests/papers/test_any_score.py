"""Any score in the exponential mechanism: the bounded-score theorem, enumerated sensitivities, and what is refused."""

import math

import numpy as np
import pytest

import discreet as dc
from discreet_papers.questions.any_score import MARGIN, SCORES, ScoreMechanism

LINE = dc.PosteriorSpace(prior=[1, 1], n=12)
UNEVEN = dc.PosteriorSpace(prior=["0.5", 3], n=9)
SPACES = (LINE, UNEVEN, dc.PosteriorSpace(prior=[1, 1, 1], n=4))
FINITE = [name for name in SCORES if name != "chi-squared"]
RATES = [0.0, 0.3, math.inf]


def test_hellinger_as_a_score_is_the_mechanism_of_this_package() -> None:
    scored = ScoreMechanism.of("hellinger", LINE)
    assert scored.local.tolist() == pytest.approx([dc.local_sensitivity(LINE, c) for c in LINE.candidates()], rel=1e-9)
    for gamma in (0.1, 1.0):
        expected = [1 / dc.reciprocal_sensitivity(LINE, c, gamma) for c in LINE.candidates()]
        assert scored.inverse(gamma).tolist() == pytest.approx(expected, rel=1e-9)
        audited = dc.audit(dc.ExponentialReciprocal(LINE, scale="1/2", gamma=str(gamma)))
        assert scored.loss(0.5, scored.inverse(gamma)) == pytest.approx(float(audited.lower), abs=MARGIN)


@pytest.mark.parametrize(
    ("name", "distance"),
    [
        ("hellinger", dc.hellinger),
        ("total-variation", dc.total_variation),
        ("kl", dc.kl),
        ("renyi-1/2", lambda p, q: dc.renyi(p, q, "1/2")),
        ("l1", dc.l1),
    ],
)
def test_a_score_is_the_distance_from_the_truth_to_the_output(name: str, distance: object) -> None:
    scored = ScoreMechanism.of(name, UNEVEN)
    laws = [UNEVEN.posterior(c) for c in UNEVEN.candidates()]
    for i, j in ((0, 9), (3, 4), (9, 0), (5, 5)):
        assert scored.score[i, j] == pytest.approx(distance(laws[i], laws[j]), abs=MARGIN)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("name", "space"),
    # Total variation of three categories is integrated one pair at a time: too long for a test.
    [(name, space) for name in FINITE for space in SPACES if space.k == 2 or name != "total-variation"],
)
@pytest.mark.parametrize("rate", RATES)
def test_no_loss_exceeds_the_theorem(name: str, space: dc.PosteriorSpace, rate: float) -> None:
    scored = ScoreMechanism.of(name, space)
    inverse = scored.inverse(rate / scored.diameter)
    assert (inverse <= 1 / scored.local + MARGIN).all()
    for scale in (0.05, 0.5, 2.0):
        assert scored.loss(scale, inverse) <= scored.guarantee(scale, inverse) + MARGIN


@pytest.mark.parametrize("name", ["kl", "renyi-1/2", "l1"])
def test_without_the_greatest_score_the_theorem_would_be_false(name: str) -> None:
    """A planted fault: 2s(1+Γ), which is right for scores up to 1, claimed for scores beyond."""
    space = dc.PosteriorSpace(prior=["0.1", "0.1"], n=40)
    scored = ScoreMechanism.of(name, space)
    claims = []
    for rate in (1.0, 3.0, 10.0, math.inf):
        inverse = scored.inverse(rate / scored.diameter)
        change = float(np.abs(np.diff(inverse)).max())
        claims.append(scored.loss(0.5, inverse) <= 2 * 0.5 * (1 + change))
    assert all(claims) == (name == "l1")  # L1 has the same sensitivity everywhere, so Γ is 0


@pytest.mark.parametrize("name", FINITE)
def test_the_largest_scale_has_the_loss_asked_for_and_a_larger_one_exceeds_it(name: str) -> None:
    scored = ScoreMechanism.of(name, UNEVEN)
    inverse = scored.inverse(1.0 / scored.diameter)
    scale = scored.largest_scale(1.0, inverse)
    assert scored.guarantee(scale, inverse) > 1
    assert scored.loss(scale, inverse) == pytest.approx(1, abs=1e-6)
    assert scored.loss(1.01 * scale, inverse) > 1


def test_a_score_that_is_infinite_between_candidates_is_refused_and_accepted_where_it_is_finite() -> None:
    with pytest.raises(dc.NotPrivate, match="infinite"):
        ScoreMechanism.of("chi-squared", LINE)
    scored = ScoreMechanism.of("chi-squared", dc.PosteriorSpace(prior=[20, 20], n=6))
    inverse = scored.inverse(0.0)
    assert scored.loss(0.5, inverse) <= scored.guarantee(0.5, inverse)


def test_an_unknown_score_and_a_large_space_are_refused() -> None:
    with pytest.raises(dc.InvalidInput, match="score must be one of"):
        ScoreMechanism.of("taste", LINE)
    with pytest.raises(dc.TooLarge):
        ScoreMechanism.of("l1", dc.PosteriorSpace(prior=[1, 1], n=10**6))


def test_a_study_cannot_release() -> None:
    assert not [name for name in dir(ScoreMechanism) if "release" in name or "draw" in name]
