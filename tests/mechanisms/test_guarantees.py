"""What a mechanism guarantees is never exceeded: brute force over all adjacent data sets and all outputs."""

import random
from collections.abc import Iterator
from fractions import Fraction

import pytest

from discreet import NotPrivate, PosteriorSpace
from discreet.mechanisms import (
    FAMILIES,
    ExponentialGlobal,
    ExponentialLocal,
    ExponentialReciprocal,
    ExponentialSmooth,
    Gaussian,
    Geometric,
    Laplace,
    LaplaceImproved,
    Mechanism,
    Optimal,
    SnappedCounts,
    TightConstraints,
)
from discreet.mechanisms import mechanism as mechanism_by_name
from discreet.mechanisms.exponential import KINDS, Exponential
from tests.support.checker import TOLERANCE, check
from tests.support.enumeration import enumerate_space, random_spaces, seeded
from tests.support.mechanisms import NEEDED, build

RELEASED = [family for family in FAMILIES if family is not Optimal]
"""All but the yardstick, which claims nothing."""

PURE = [family for family in RELEASED if family is not Gaussian]
"""Those whose losses have a largest; `test_gaussian.py` has the other."""

EVERYWHERE = [family for family in PURE if family is not TightConstraints]
"""Those that have a law at any ε; `test_tight.py` asks the other on spaces where it has one."""

EPSILONS = ["0.1", "0.5", "1", "2", "5"]


def forms(space: PosteriorSpace, epsilon: str, rng: random.Random, *, published: bool) -> Iterator[Mechanism]:
    """Every family as it is by default or in the papers, if they have it; smoothed ones with another γ too."""
    gamma = Fraction(str(round(10 ** rng.uniform(-2, 1), 4)))
    for family in EVERYWHERE:
        smoothed = family in (ExponentialSmooth, ExponentialReciprocal)
        for options in ({}, {"gamma": gamma}) if smoothed else ({},):
            if not published:
                yield mechanism_by_name(family.name, space, epsilon=epsilon, **options)
            elif family not in (Geometric, SnappedCounts):
                yield family.as_published(space, epsilon=epsilon, **options)


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(216))
def test_no_mechanism_loses_more_than_it_guarantees_on_a_random_space(seed: int) -> None:
    rng = seeded(f"guarantees {seed}")
    [(alpha, n)] = random_spaces(f"guarantees {seed}", 1, sizes={2: 25, 3: 5, 4: 2})
    space, epsilon = PosteriorSpace(alpha, n), rng.choice(EPSILONS)
    for published in (False, True):
        for mechanism in forms(space, epsilon, rng, published=published):
            assert mechanism.epsilon == Fraction(epsilon)
            assert published or mechanism.guarantee <= mechanism.epsilon
            assert not check(mechanism).exceeds, mechanism


@pytest.mark.soak
@pytest.mark.parametrize("n", [80, 150])
@pytest.mark.parametrize("prior", [["1", "1"], ["0.01", "0.01"], ["0.05", "50"]])
def test_no_mechanism_loses_more_than_it_guarantees_on_longer_lines(prior: list[str], n: int) -> None:
    space, rng = PosteriorSpace(prior, n), seeded(f"long {prior}")
    for mechanism in (made for published in (False, True) for made in forms(space, "1", rng, published=published)):
        if not isinstance(mechanism, SnappedCounts):  # it has proofs of its own, and needs its time for each output
            assert not check(mechanism).exceeds, mechanism


@pytest.mark.parametrize("family", [Geometric, LaplaceImproved])
@pytest.mark.parametrize(("prior", "n"), [(["1", "1"], 12), (["0.3", "2", "1"], 5), (["1", "1", "1", "1"], 3)])
def test_additive_mechanisms_spend_all_of_their_guarantee(
    family: type[Geometric | LaplaceImproved], prior: list[str], n: int
) -> None:
    mechanism = family(PosteriorSpace(prior, n), epsilon="0.7")
    assert check(mechanism).loss == pytest.approx(0.7, abs=TOLERANCE)
    assert mechanism.guarantee == Fraction("0.7")


@pytest.mark.parametrize(("k", "share"), [(2, Fraction(1, 2)), (3, Fraction(2, 3)), (4, Fraction(1, 2))])
def test_the_baseline_laplace_spends_less_than_it_was_given(k: int, share: Fraction) -> None:
    mechanism = Laplace(PosteriorSpace([1] * k, 4), epsilon="0.9")
    assert mechanism.guarantee == share * Fraction("0.9")
    assert check(mechanism).loss == pytest.approx(float(mechanism.guarantee), abs=TOLERANCE)


@pytest.mark.few(1)
@pytest.mark.parametrize("way", ["nearest", "bayes"])
@pytest.mark.parametrize(("prior", "n"), [(["1", "1"], 12), (["0.5", "3"], 9), (["1", "1", "1"], 5)])
def test_no_post_processing_costs_privacy(way: str, prior: list[str], n: int) -> None:
    for epsilon in ("0.2", "1", "3"):
        assert not check(Geometric(PosteriorSpace(prior, n), epsilon=epsilon, postprocess=way)).exceeds  # type: ignore[arg-type]


@pytest.mark.soak
@pytest.mark.parametrize(("family", "printed"), [*zip(KINDS, (0.50356, 0.90764, 0.52810, 0.87673), strict=True)])
def test_printed_losses_of_a_thousand_records_are_met(family: type[Exponential], printed: float) -> None:
    verdict = check(family(PosteriorSpace([1, 1], 1000), scale="1/2"))
    assert verdict.loss == pytest.approx(printed, abs=5e-6)
    assert not verdict.exceeds


@pytest.mark.soak
def test_local_sensitivity_at_the_seeds_scale_is_not_private_and_does_not_say_that_it_is() -> None:
    mechanism = ExponentialLocal.as_published(PosteriorSpace(["0.01", "0.01"], 1000), epsilon=1)
    verdict = check(mechanism)
    assert verdict.loss == pytest.approx(1.113, abs=5e-4)
    assert verdict.loss > mechanism.epsilon
    assert mechanism.guarantee > verdict.loss


# What is not guaranteed is not released

SPACE = PosteriorSpace([1, 1], 20)


@pytest.mark.parametrize("family", KINDS[1:])
def test_the_seeds_scale_is_refused_where_it_leaves_no_guarantee_unless_told_otherwise(
    family: type[Exponential],
) -> None:
    mechanism = family.as_published(SPACE, epsilon=1)
    assert mechanism.guarantee > mechanism.epsilon == 1
    assert mechanism.scale == Fraction(1, 2)
    with pytest.raises(NotPrivate, match=mechanism.name):
        mechanism.release([7, 13])
    assert sum(mechanism.release([7, 13], accept_no_guarantee=True).output) == 20


@pytest.mark.parametrize("family", [ExponentialGlobal, Laplace, LaplaceImproved, Geometric])
def test_as_published_is_released_where_it_is_private(family: type[Mechanism]) -> None:
    mechanism = family.as_published(SPACE, epsilon=1)
    assert mechanism.guarantee <= 1
    assert sum(mechanism.release([7, 13]).output) == 20


@pytest.mark.every
@pytest.mark.parametrize("family", RELEASED)
def test_default_forms_release_at_once(family: type[Mechanism]) -> None:
    mechanism = build(family.name, SPACE, epsilon=1)
    released, drawn = mechanism.release([7, 13]), mechanism.simulate([7, 13], 50)
    assert sum(released.output) == 20
    assert released.posterior == mechanism.posterior(released.output)
    assert released.mechanism is mechanism
    assert drawn.shape == (50, 2)
    assert (drawn.sum(axis=1) == 20).all()


@pytest.mark.every
@pytest.mark.parametrize("family", FAMILIES)
def test_every_mechanism_says_what_it_is_and_for_whom(family: type[Mechanism]) -> None:
    mechanism, again, other = (build(family.name, SPACE, epsilon=e) for e in ("0.1", "1/10", "1/9"))
    assert mechanism.adjacency == "replace-one"
    assert mechanism.delta == Fraction(NEEDED.get(family.name, {}).get("delta", 0))
    assert mechanism.epsilon == Fraction(1, 10)
    assert mechanism.guaranteed_by
    assert type(mechanism).__name__ in repr(mechanism)
    assert "1/10" in repr(mechanism)
    assert all(isinstance(value, str) for value in mechanism.parameters().values())
    assert mechanism == again != other


@pytest.mark.parametrize("family", RELEASED[:4])
def test_the_scale_is_solved_from_the_theorem_with_the_exact_growth_of_small_spaces(family: type[Mechanism]) -> None:
    for alpha, n in random_spaces(f"scale {family.name}", 12, sizes={2: 15, 3: 5}):
        every = enumerate_space(alpha, n)
        local = every.local()
        mechanism = mechanism_by_name(family.name, PosteriorSpace(alpha, n), epsilon="0.8")
        if isinstance(mechanism, ExponentialSmooth):
            growth = every.largest_step(1 / every.smooth(local, float(mechanism.gamma)))
        else:
            growth = every.largest_step(1 / local) if isinstance(mechanism, ExponentialLocal) else 0.0
        scale = getattr(mechanism, "scale", Fraction(0))
        assert mechanism.guarantee == Fraction("0.8")
        if isinstance(mechanism, ExponentialReciprocal):
            growth = float(Fraction("0.8") / (2 * scale)) - 1
            assert every.largest_step(1 / every.reciprocal(local, 1.0)) - 1e-11 <= growth <= 1
        assert float(scale) == pytest.approx(0.4 / (1 + growth), rel=1e-10)
