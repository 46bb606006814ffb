"""Margins and conditionals of tables of several columns: equal to sums over all data sets, with the coverage stated."""

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import special

import discreet as dc
from discreet.posteriors.predictive import log_predictive

Table = tuple[dc.Belief, Any, Any, np.ndarray[Any, Any]]

X = np.array([0.02, 0.2, 0.5, 0.9])


def random_table(seed: int) -> Table:
    """A belief of a table of 2 to 4 columns, and all data sets with their weights by brute force."""
    rng = np.random.default_rng(seed)
    columns = int(rng.integers(2, 5))
    sizes = [2] * columns if columns > 2 else rng.integers(2, 4, 2).tolist()
    n = int(rng.integers(2, 9 if math.prod(sizes) < 9 else 4))
    axes = {f"c{i}": [f"{i}{j}" for j in range(size)] for i, size in enumerate(sizes)}
    k = math.prod(sizes)
    prior = dc.Dirichlet([str(x) for x in rng.choice(["1", "1/2", "2", "0.1"], k)])
    rate = float(rng.choice([0.2, 1.0, 3.0]))
    output = rng.multinomial(n, rng.dirichlet(np.ones(k))) + rng.integers(-2, 3, k)
    output[-1] += n - output.sum()
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=prior, n=n), epsilon=str(rate))
    rows = mechanism.space.candidates().array()
    logs = log_predictive(prior, rows) - rate / 2 * np.abs(rows - output).sum(axis=1)
    weight = np.exp(logs - logs.max())
    posterior = dc.noise_aware(mechanism, tuple(output.tolist()))
    return dc.Belief.of(posterior, axes), rows, weight / weight.sum(), prior.alpha


def check(share: dc.Share, table: Table) -> None:
    """Mean and distribution function within the stated error."""
    _, rows, weight, alpha = table
    own, whole = (list(cells) for cells in (share.own, share.among))
    a = alpha[own].sum() + rows[:, own].sum(axis=1)
    total = alpha[whole].sum() + rows[:, whole].sum(axis=1)
    assert share.mean == pytest.approx(float(weight @ (a / total)), abs=share.error + 1e-12)
    exact = [float(weight @ special.betainc(a, total - a, x)) for x in X]
    assert share.cdf(X) == pytest.approx(exact, abs=share.error + 1e-12)


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(100))
def test_every_margin_and_conditional_of_a_table_is_that_of_a_sum_over_all_data_sets(seed: int) -> None:
    table = random_table(seed)
    belief = table[0]
    names = list(belief.axes)
    for size in range(1, len(names) + 1):
        for chosen in itertools.combinations(names, size):
            for share in belief.margin(*chosen).shares().values():
                check(share, table)
    for name in names:
        for label in belief.axes[name]:
            belief_given = belief.given(**{name: label})
            for other in belief_given.axes:
                for share in belief_given.margin(other).shares().values():
                    check(share, table)


def test_margins_that_are_compared_are_those_of_a_sum_over_all_data_sets() -> None:
    table = random_table(4)
    belief, rows, weight, alpha = table
    first, second = belief.margin("c0").shares().values()
    both = dc.compare(first, second)
    cells = list(first.own)
    a = alpha[cells].sum() + rows[:, cells].sum(axis=1)
    b = alpha.sum() + rows.sum(axis=1) - a
    greater = float(weight @ special.betainc(b, a, 0.5))
    assert both.probability_greater == pytest.approx(greater, abs=1e-9)


def coverage(output_laws: Any, prior: dc.Dirichlet, rows: Any, intervals: Any, cells: list[int]) -> float:
    """Σ_c P(c) Σ_o P(o | c) P(low(o) ≤ θ ≤ high(o) | c), for the share of some cells."""
    a = prior.alpha[cells].sum() + rows[:, cells].sum(axis=1)
    b = prior.alpha.sum() + rows.sum(axis=1) - a
    low, high = intervals
    inside = special.betainc(a[:, None], b[:, None], high) - special.betainc(a[:, None], b[:, None], low)
    return float(np.exp(log_predictive(prior, rows)) @ (output_laws * inside).sum(axis=1))


def test_a_two_way_margin_covers_95_percent_by_an_exact_sum_and_at_face_value_it_does_not() -> None:
    """Noise on each cell, n known. Counts beyond 0 and n tell a reader what the ends tell, so they are one outcome."""
    n, prior, q = 2, dc.Dirichlet([1] * 8), math.exp(-1.5)
    axes = {name: [f"{name}0", f"{name}1"] for name in "abc"}
    rows = dc.PosteriorSpace(prior=prior, n=n).candidates().array()
    outcomes = np.array(list(itertools.product(range(n + 1), repeat=8)))
    cell = np.array([[q ** abs(z - c) for z in range(n + 1)] for c in range(n + 1)])
    cell[:, [0, n]] /= 1 - q  # the tails
    cell *= (1 - q) / (1 + q)
    laws = np.multiply.reduce([cell[rows[:, i]][:, outcomes[:, i]] for i in range(8)])
    assert laws.sum(axis=1) == pytest.approx(np.ones(len(rows)))
    intervals: dict[tuple[Any, ...], tuple[float, float]] = {}
    aware, plug_in = np.empty((2, len(outcomes))), np.empty((2, len(outcomes)))
    for i, z in enumerate(outcomes.tolist()):
        key = (tuple(sorted(z[:2])), tuple(sorted(z[2:])))  # the margin's cell, and the others in any order
        if key not in intervals:
            noise = dc.noise.DiscreteLaplace("2/3")
            belief = dc.read_noisy(z, noise=noise, prior=prior, total=n, categories=axes)
            intervals[key] = belief.margin("a", "b")["a0", "b0"].interval()
        own = 2 + sum(z[:2])
        aware[:, i], plug_in[:, i] = intervals[key], special.betaincinv(own, 8 + sum(z) - own, [0.025, 0.975])
    assert coverage(laws, prior, rows, aware, [0, 1]) == pytest.approx(0.95, abs=1e-5)
    assert coverage(laws, prior, rows, plug_in, [0, 1]) < 0.94


def zero_sum_laws(rows: Any, outcomes: Any, n: int, q: float) -> Any:
    """P(outcome | c) of P(z) ∝ q^‖z-c‖₁ over Σz = n, where all counts up to 0 are one outcome, and all from n on.

    With A cells at 0 and B at n, those beyond sum to what the outcome lacks: Σ (s+A-1 over A-1)(t+B-1 over B-1)·q^(s+t)
    over s - t = Σw - n.
    """

    def beyond(low: int, high: int, more: int) -> float:
        ways = [[math.comb(s + size - 1, s) if size else int(s == 0) for s in range(400)] for size in (low, high)]
        return math.fsum(
            ways[0][s] * ways[1][s - more] * q ** (2 * s - more) for s in range(max(0, more), 400 + min(0, more))
        )

    ends = [(int((w == 0).sum()), int((w == n).sum()), int(w.sum()) - n) for w in outcomes]
    chances = {key: beyond(*key) for key in set(ends)}
    distance = np.abs(rows[:, None, :] - outcomes[None, :, :]).sum(axis=2)
    laws = q**distance * np.array([chances[key] for key in ends])
    assert laws.sum(axis=1) == pytest.approx(
        np.full(len(rows), laws[0].sum()), rel=1e-12
    )  # as noise has, whatever c is
    return laws / laws[0].sum()


def reaching(outcome: list[int], n: int) -> tuple[int, ...]:
    """An output of this outcome: what its sum lacks is beyond one of its ends."""
    counts, more = list(outcome), sum(outcome) - n
    if more:
        counts[outcome.index(0 if more > 0 else n)] -= more
    return tuple(counts)


@pytest.mark.soak
@pytest.mark.parametrize("n", [2, pytest.param(3, marks=pytest.mark.soak)])
def test_a_two_way_margin_of_a_release_covers_95_percent_by_an_exact_sum_and_at_face_value_it_does_not(n: int) -> None:
    """The zero-sum noise of the release itself: every table of n records, every outcome, none drawn."""
    prior, epsilon = dc.Dirichlet([1] * 8), 3
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=prior, n=n), epsilon=epsilon)
    axes = {name: [f"{name}0", f"{name}1"] for name in "abc"}
    rows = mechanism.space.candidates().array()
    outcomes = np.array(list(itertools.product(range(n + 1), repeat=8)))
    laws = zero_sum_laws(rows, outcomes, n, math.exp(-epsilon / 2))
    possible = laws[0] > 0
    outcomes, laws = outcomes[possible], laws[:, possible]
    alone = next(i for i, w in enumerate(outcomes.tolist()) if sum(w) == n > max(w))  # no other output is like it
    exact = mechanism.law(rows[0].tolist()).log_probability(tuple(outcomes[alone].tolist()))
    assert laws[0, alone] == pytest.approx(math.exp(float(exact)), rel=1e-12)
    intervals: dict[tuple[Any, ...], tuple[float, float]] = {}
    aware, plug_in = np.empty((2, len(outcomes))), np.empty((2, len(outcomes)))
    for i, w in enumerate(outcomes.tolist()):
        key = (tuple(sorted(w[:2])), tuple(sorted(w[2:])))  # the margin's cell, and the others in any order
        if key not in intervals:
            belief = dc.Belief.of(dc.noise_aware(mechanism, reaching(w, n)), axes)
            intervals[key] = belief.margin("a", "b")["a0", "b0"].interval()
        own = 2 + sum(w[:2])
        aware[:, i], plug_in[:, i] = intervals[key], special.betaincinv(own, 8 + sum(w) - own, [0.025, 0.975])
    assert coverage(laws, prior, rows, aware, [0, 1]) == pytest.approx(0.95, abs=1e-5)
    assert coverage(laws, prior, rows, plug_in, [0, 1]) < 0.94


def test_a_table_with_impossible_cells_goes_to_arviz_and_pandas_with_its_labels() -> None:
    columns = {"sex": ["f", "m"], "pregnant": ["yes", "no"]}
    rows = pd.DataFrame({"sex": ["f"] * 30 + ["m"] * 20, "pregnant": ["yes"] * 5 + ["no"] * 45})
    impossible = [{"sex": "m", "pregnant": "yes"}]
    belief = dc.release(rows, cross=columns, impossible=impossible, epsilon=2, ledger=None).belief
    theta = belief.to_arviz(400, seed=1).posterior["theta"]
    assert theta.dims == ("chain", "draw", "sex", "pregnant")
    assert float(theta.sel(sex="m", pregnant="yes").max()) == 0.0
    assert float(theta.sel(sex="f", pregnant="no").mean()) == pytest.approx(belief["f", "no"].mean, abs=0.02)
    assert belief.to_pandas().index.names == ["sex", "pregnant"]
    assert belief.to_polars().columns[:2] == ["sex", "pregnant"]
    assert len(belief.to_pandas()) == 3
    with pytest.raises(dc.InvalidInput, match="impossible cells"):
        belief.independence()
