"""The shares of one of many categories where n is private: as from tables of two counts, within the stated error."""

import numpy as np
import pytest

import discreet as dc
from discreet.inference import private_total
from discreet.inference.many_cells import law_rule, sum_law
from discreet.testing import HashedBits


def release_of(k: int, epsilon: float) -> tuple[dc.Geometric, tuple[int, ...]]:
    counts = np.random.default_rng(k).negative_binomial(0.5, 0.5 / 20.5, size=k)
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, "1/2"] * (k // 2), n=None), epsilon=epsilon)
    return mechanism, mechanism.law(counts.tolist())._draw(HashedBits(f"many {k}"))


@pytest.mark.parametrize(
    ("k", "epsilon"),
    [(50, 1.5), pytest.param(50, 0.3, marks=pytest.mark.soak), pytest.param(90, 3, marks=pytest.mark.soak)],
)
def test_shares_and_total_are_those_of_the_tables(k: int, epsilon: float, monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, output = release_of(k, epsilon)
    monkeypatch.setattr(private_total, "CLOSE", 1.0)  # whatever is stated
    quick = dc.noise_aware(mechanism, output)
    monkeypatch.setattr(private_total, "MANY", k)
    tables = dc.noise_aware(mechanism, output)
    every = range(k)
    for i in (0, 1, int(np.argmax(output)), int(np.argmin(output))):
        assert tables.counts.lone_share(i) is None
        law, truth, error = quick.marginal(i), tables.marginal(i), quick.share_error([i], every)
        assert error < 1e-2
        for p in (0.01, 0.3, 0.975):
            assert float(law.cdf(truth.quantile(np.array([p])))[0]) == pytest.approx(p, abs=error + 1e-9)
    (count, chance), (again, other) = (belief.counts.total(every) for belief in (quick, tables))
    both = {int(c): p for c, p in zip(again, other, strict=True)}
    assert [both.get(int(c), 0.0) for c in count] == pytest.approx(chance.tolist(), abs=1e-12)


def test_where_too_much_is_left_out_tables_are_used() -> None:
    mechanism, output = release_of(50, 0.3)
    assert dc.noise_aware(mechanism, output).counts.lone_share(int(np.argmax(output))) is None


@pytest.mark.few(1)
@pytest.mark.parametrize(("prior", "z", "epsilon"), [([1, 1], (300, 700), "0.06"), ([1, "1/2"], (3, -5), "0.05")])
def test_a_few_counts_stand_for_many_where_the_noise_is_wide(
    prior: list[object], z: tuple[int, int], epsilon: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=prior, n=None), epsilon=epsilon)
    coarse = dc.noise_aware(mechanism, z)
    assert coarse.counts.coarse_share([0], [1]) is not None
    monkeypatch.setattr(private_total, "LARGE_TABLE", 1 << 30)
    table = dc.noise_aware(mechanism, z)
    assert table.counts.coarse_share([0], [1]) is None
    error = coarse.share_error([0], [0, 1])
    assert error < 1e-7
    places = np.linspace(0.01, 0.99, 25)
    assert coarse.marginal(0).cdf(places) == pytest.approx(table.marginal(0).cdf(places), abs=error + 1e-9)


def test_hundreds_of_cells_have_shares_that_sum_to_one() -> None:
    mechanism, output = release_of(400, 2)
    belief = dc.noise_aware(mechanism, output)
    assert belief.mean.sum() == pytest.approx(1, abs=1e-9)
    low, high = belief.interval()
    assert ((low < belief.mean) & (belief.mean < high)).all()
    assert max(belief.share_error([i], range(400)) for i in range(400)) < 1e-8


def test_a_rule_has_the_moments_of_its_law() -> None:
    mass = np.array([0.5, 0.25, 0.2, 0.05])
    law = sum_law([mass, mass[::-1]], np.array([3, 7]), np.array([4, 2]))
    assert law.masses.sum() == pytest.approx(1)
    at, weight, cumulants = law_rule(law, 5)
    chances = np.where(law.masses > 1e-14, law.masses, 0.0)
    for power in range(9):
        truth = float(chances @ (law.places - cumulants[0]) ** power)
        assert float(weight @ (at - cumulants[0]) ** power) == pytest.approx(truth, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("k", [64, pytest.param(216, marks=pytest.mark.soak)])
def test_margins_by_transforms_are_those_by_plain_products(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A margin's cell is a sum of many: the law of it, and so every share, is the same within the stated error."""
    mechanism, output = release_of(k, 1)
    quick = dc.noise_aware(mechanism, output)
    monkeypatch.setattr(private_total, "MANY", k)
    plain = dc.noise_aware(mechanism, output)
    every, members = range(k), range(0, k, 4)
    laws = [belief.share(members, every) for belief in (quick, plain)]
    for p in (1e-6, 0.025, 0.5, 0.975):
        at = laws[1].quantile(np.array([p]))
        assert float(laws[0].cdf(at)[0]) == pytest.approx(p, abs=quick.share_error(members, every))
    (count, chance), (again, other) = (belief.counts.total(members) for belief in (quick, plain))
    both = dict(zip(again.tolist(), other.tolist(), strict=True))
    off = [abs(p - both.pop(c, 0.0)) for c, p in zip(count.tolist(), chance.tolist(), strict=True)]
    assert sum(off) + sum(both.values()) < quick.error
