"""Many releases at one price: both mechanisms spend all of it, and the one with less noise is recommended."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.mechanisms.gaussian_loss import GaussianLoss
from discreet.testing import HashedBits
from discreet.utility.releases import release_noises
from tests.cli.command import discreet

DELTA = Fraction(1, 10**6)
SPACE = dc.PosteriorSpace(prior=[1, 1], n=500)


@pytest.mark.few(1)
@pytest.mark.parametrize(("k", "releases"), [(2, 10), (3, 40)])
def test_both_spend_all_of_the_price_and_no_more(k: int, releases: int) -> None:
    space = dc.PosteriorSpace(prior=[1] * k, n=300)
    noises = release_noises(space, releases, Fraction(1), DELTA)
    for noise in noises.values():
        spent = dc.compose([noise.mechanism] * releases).epsilon(DELTA)
        assert Fraction("0.9995") < spent.exact <= 1
    geometric, gaussian = (noises[name].mechanism for name in ("geometric", "gaussian"))
    more = dc.Geometric(space, epsilon=geometric.epsilon * Fraction(1001, 1000))
    assert dc.compose([more] * releases).epsilon(DELTA).lower > 1
    assert isinstance(gaussian, dc.Gaussian)
    less = GaussianLoss((gaussian.sigma * Fraction(999, 1000)) ** 2, k, releases)
    assert less.delta_bounds(Fraction(1))[0] > DELTA


@pytest.mark.few(1)
@pytest.mark.parametrize("k", [2, 5])
def test_deviations_are_those_of_the_noise_that_is_drawn(k: int) -> None:
    space = dc.PosteriorSpace(prior=[1] * k, n=400)
    for noise in release_noises(space, 12, Fraction(2), DELTA).values():
        law = noise.mechanism.law([400, *(0,) * (k - 1)])
        drawn = law._draw_many(HashedBits(f"deviation {k}"), 40_000)
        assert float(np.std(drawn[:, -1])) == pytest.approx(noise.deviation, rel=0.03)


def test_ten_releases_of_two_categories_meet_the_number_of_the_mathematics() -> None:
    noises = release_noises(SPACE, 10, Fraction(1), DELTA)
    assert noises["geometric"].deviation / noises["gaussian"].deviation == pytest.approx(1.06, abs=0.005)


@pytest.mark.few(1)
@pytest.mark.parametrize(("releases", "better"), [(1, "geometric"), (9, "geometric"), (10, "gaussian")])
def test_gaussian_is_recommended_from_ten_releases_of_two_categories_on(releases: int, better: str) -> None:
    answer = dc.plan(SPACE, epsilon=1, releases=releases, delta="1e-6")
    assert answer.recommended == better
    assert answer.answer.name == better
    assert [row.name for row in answer.mechanisms] == ["geometric", "gaussian"]
    assert "δ = 1e-06" in " ".join(answer.sentences())


def test_the_command_plans_forty_releases() -> None:
    answer = discreet("plan", "--n", "500", "--releases", "40", "--epsilon", "1", "--delta", "1e-6", "--json")
    assert answer.code == 0
    document = json.loads(answer.out)
    assert document["recommended"] == "gaussian"
    assert document["question"]["noise_sd"] == pytest.approx({"geometric": 36.38, "gaussian": 26.72}, abs=0.005)


@pytest.mark.parametrize("words", ["--releases 40 --epsilon 1", "--releases 4 --target-width 0.1 --delta 1e-6"])
def test_what_is_no_whole_question_is_refused(words: str) -> None:
    answer = discreet("plan", "--n", "500", *words.split())
    assert answer.code == 2
    assert "delta" in answer.err
