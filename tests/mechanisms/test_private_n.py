"""Geometric where n is private: independent noise on every count, a loss of exactly ε, and nothing that tells n."""

import json
import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from discreet import Dirichlet, Geometric, PosteriorSpace, audit, loss_distribution, mechanism
from discreet.arithmetic.numbers import precision
from discreet.errors import InvalidInput, TooLarge
from discreet.mechanisms import BY_NAME
from discreet.privacy_loss.certificates import Certificate, certificate_by_theorem
from discreet.testing import HashedBits
from discreet.typing import Epsilon, Outcome
from tests.support.statistics import fits


def build(k: int, epsilon: Epsilon = 1, cap: int | None = None) -> Geometric:
    return Geometric(PosteriorSpace(prior=[1] * k, n=None, cap=cap), epsilon=epsilon)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("epsilon", [0.1, 1, 3])
def test_the_law_is_that_of_independent_two_sided_geometric_noise(k: int, epsilon: float) -> None:
    q = math.exp(-epsilon)
    counts, output = (5, 0, 2)[:k], (3, -4, 2)[:k]
    truth = math.prod((1 - q) / (1 + q) * q ** abs(z - c) for z, c in zip(output, counts, strict=True))
    law = build(k, epsilon).law(counts)
    with precision(64):
        assert float(law.log_probability(output).exp()) == pytest.approx(truth, rel=1e-14)
    assert math.exp(build(k, epsilon).kernel.row(counts, np.array([output])).values[0]) == pytest.approx(truth)


def test_draws_have_the_law_and_no_other_rate() -> None:
    drawn = build(2).law([3, 0])._draw_many(HashedBits("private n"), 20_000)
    seen = Counter(tuple(row) for row in drawn.tolist())

    def meant(rate: float) -> dict[Outcome, float]:
        q = math.exp(-rate)
        each = {t: (1 - q) / (1 + q) * q ** abs(t) for t in range(-40, 41)}
        return {(3 + a, b): each[a] * each[b] for a, b in product(each, repeat=2)}

    assert fits(seen, meant(1))
    assert not fits(seen, meant(1.3))
    assert not fits(seen, meant(0.7))


def test_a_release_publishes_noisy_counts_and_the_posterior_of_what_is_not_negative() -> None:
    small = build(3)
    assert small.posterior((70, -2, 82)) == Dirichlet([71, 1, 83])
    assert build(3, cap=150).posterior((70, -2, 82)) == Dirichlet([70, 1, 82])
    released = small.release([0, 0, 0])
    assert released.posterior == Dirichlet([1 + max(z, 0) for z in released.output])
    assert small.simulate([4, 0, 9], 3).shape == (3, 3)
    with pytest.raises(InvalidInput, match="no noisy count"):
        small.law([1, 2, 3]).log_weight((1, 2))


@pytest.mark.few(1)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_loss_is_epsilon_by_brute_force_and_by_audit(k: int) -> None:
    one = build(k, "3/10")
    result = audit(one)
    assert result.epsilon == result.lower == Fraction(3, 10)
    assert result.worst is not None
    with precision(128):
        laws = {c: one.law(c) for c in product(range(3), repeat=k)}
        losses = [
            float(law.log_probability(z) - laws[near].log_probability(z))
            for c, law in laws.items()
            for near in one.space.adjacency.neighbours(c)
            if near in laws
            for z in product(range(-3, 6), repeat=k)
        ]
        assert max(losses) == pytest.approx(0.3, abs=1e-15)
        worst = result.worst
        reached = one.law(worst.counts).log_probability(worst.output)
        reached -= one.law(worst.neighbour).log_probability(worst.output)
        assert float(reached) == pytest.approx(0.3, abs=1e-15)


def test_what_needs_a_public_n_says_so_and_cards_of_one_count_are_drawn() -> None:
    for sizes in ({"n": None}, {"cap": 5}):
        with pytest.raises(InvalidInput, match="public n"):
            Geometric(PosteriorSpace(prior=[1, 1], **sizes), epsilon=1).log_pmf([1, 1])
    for k in (1, 3):
        assert "n private" in build(k).release([2] * k)._repr_html_()


def test_delta_and_composition_are_those_of_one_count_for_any_k() -> None:
    two, many = (audit(build(k)) for k in (1, 7))
    assert many.delta("1/2") == two.delta("1/2") == pytest.approx(0.287649, abs=1e-6)
    assert loss_distribution(build(7)).epsilon("1e-3") == loss_distribution(build(1)).epsilon("1e-3")


def test_the_certificate_names_the_adjacency_and_no_n_and_is_read_back() -> None:
    one = build(2)
    certificate = certificate_by_theorem(one)
    assert certificate.facts["adjacency"] == "add-remove"
    assert not {"n", "cap"} & set(certificate.facts)
    assert certificate_by_theorem(build(2, cap=9)).facts["cap"] == 9
    again = Certificate.from_json(json.loads(json.dumps(certificate.to_json())))
    again.check(mechanism("geometric", PosteriorSpace(prior=[1, 1], n=None), epsilon=1))
    assert "n=" not in repr(one).replace("epsilon=", "")
    assert "Adding or removing one record" in audit(one)._repr_html_()


@pytest.mark.every
@pytest.mark.parametrize("name", sorted(name for name, family in BY_NAME.items() if not family.of_private_n))
def test_mechanisms_whose_theorem_needs_a_public_n_refuse_a_private_one(name: str) -> None:
    needed = {"delta": "1e-6"} if name == "gaussian" else {}
    with pytest.raises((InvalidInput, TooLarge), match=r"private"):
        mechanism(name, PosteriorSpace(prior=[1, 1], n=None), epsilon=1, **needed)


def test_the_yardstick_of_a_private_n_needs_a_cap() -> None:
    with pytest.raises(TooLarge, match="without end"):
        mechanism("optimal", PosteriorSpace(prior=[1, 1], n=None), epsilon=1)
