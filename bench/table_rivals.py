"""Everybody's way to publish a table of crossed columns at one ε under replace-one, each with the readers it can have.

A release is a function of counts, ε and a seed. It answers with readings by the reader's name: "noise-aware" has the
exact posterior of the shares given what was published, "face value" what its users do today. A reading gives the mean
and the 95 % interval of every cell of a margin, or nothing where the release has nothing to say of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import opendp.mod
import opendp.prelude as dp
import polars as pl
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv, gammaln

import discreet as dc
from discreet.inference import NoiseAware
from discreet.inference.products import Product
from discreet.kernels.base import Factor
from discreet.testing import HashedBits, draw_with

dp.enable_features("contrib")

Floats = NDArray[np.float64]
Wholes = NDArray[np.int64]
Margin = tuple[int, ...]
Shares = tuple[Floats, Floats, Floats]
"""The mean, the low end and the high end of every cell of a margin."""

Reading = Callable[[Margin], Shares | None]
LEVEL = 0.95
AWARE, FACE = "noise-aware", "face value"


@dataclass(frozen=True)
class Table:
    """The columns that are crossed, by the number of their labels; n is public."""

    sizes: tuple[int, ...]
    n: int

    @property
    def cells(self) -> int:
        """How many there are."""
        return math.prod(self.sizes)

    @property
    def prior(self) -> Fraction:
        """The parameter of every cell, for every reader: one over the labels of the longest column.

        Larger ones on very many cells speak loudly of margins, smaller ones deny cells that no record was in.
        """
        return Fraction(1, max(self.sizes))

    @property
    def names(self) -> list[str]:
        """A name for each column."""
        return [f"c{i}" for i in range(len(self.sizes))]

    def axes(self, margin: Margin) -> dict[str, list[str]]:
        """The labels of some columns."""
        return {self.names[i]: [str(j) for j in range(self.sizes[i])] for i in margin}

    @property
    def every(self) -> Margin:
        """All columns."""
        return tuple(range(len(self.sizes)))

    def margin_sums(self, values: Floats | Wholes, margin: Margin) -> Any:
        """The cells of a margin, from those of the table."""
        shaped = np.asarray(values).reshape(self.sizes)
        return shaped.sum(axis=tuple(i for i in self.every if i not in margin)).ravel()


def face_value_reader(table: Table, counts: Floats | Wholes) -> Reading:
    """Noisy counts taken for counts: a Beta for every cell, negative ones as 0."""

    def read(margin: Margin) -> Shares:
        alpha = table.margin_sums(float(table.prior) + np.maximum(counts, 0.0), margin)
        rest = alpha.sum() - alpha
        low, high = (betaincinv(alpha, rest, tail) for tail in ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
        return alpha / alpha.sum(), low, high

    return read


def belief_reader(table: Table, belief: dc.Belief) -> Reading:
    """The margins of a belief that has the columns' names."""

    def read(margin: Margin) -> Shares | None:
        names = [table.names[i] for i in margin]
        if not set(names) <= set(belief.axes):
            return None
        shares = belief.margin(*names)
        return shares.mean, *shares.interval(LEVEL)

    return read


def first_reader(readings: Sequence[Reading]) -> Reading:
    """The first that has something to say."""

    def read(margin: Margin) -> Shares | None:
        return next((shares for each in readings if (shares := each(margin)) is not None), None)

    return read


def product_belief(table: Table, logs: Sequence[Callable[[Any], Floats]]) -> dc.Belief:
    """The exact posterior where P(published | counts) is a product over cells, by the logarithm of each factor."""
    by_function: dict[int, Factor] = {}
    factors = [by_function.setdefault(id(log), Factor(0, table.n, 0.0, 0.0, log)) for log in logs]
    prior = dc.Dirichlet([table.prior] * table.cells)
    posterior = NoiseAware(prior, table.n, Product(factors, prior.alpha, table.n))
    return dc.Belief.of(posterior, table.axes(table.every))


def no_noise(table: Table, counts: Wholes, _: float, __: str) -> dict[str, Reading]:
    """The posterior of the data itself: what a reader would have without privacy."""
    return {FACE: face_value_reader(table, counts)}


def _geometric(table: Table, counts: Wholes, epsilon: Fraction, margin: Margin, seed: str) -> dc.Belief:
    cells = table.margin_sums(counts, margin)
    prior = [table.prior * (table.cells // len(cells))] * len(cells)
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=prior, n=table.n), epsilon=epsilon)
    output = draw_with(mechanism.law(tuple(cells.tolist())), HashedBits(f"{seed} {margin}"))
    return dc.Belief.of(dc.noise_aware(mechanism, output), table.axes(margin))


def discreet_cross(table: Table, counts: Wholes, epsilon: float, seed: str) -> dict[str, Reading]:
    """One draw for all cells."""
    return {AWARE: belief_reader(table, _geometric(table, counts, Fraction(str(epsilon)), table.every, seed))}


def discreet_pairs(table: Table, counts: Wholes, epsilon: float, seed: str) -> dict[str, Reading]:
    """Every two-way margin by itself, at an equal share of ε; a single column is read from the smallest of its own."""
    pairs = sorted(combinations(table.every, 2), key=lambda pair: math.prod(table.sizes[i] for i in pair))
    share = Fraction(str(epsilon)) / len(pairs)
    return {AWARE: first_reader([belief_reader(table, _geometric(table, counts, share, p, seed)) for p in pairs])}


def discrete_laplace(table: Table, counts: Wholes, epsilon: float, _: str) -> dict[str, Reading]:
    """OpenDP's on every cell, clamped at 0. A replaced record changes two counts by one: scale 2/ε."""
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    noisy = np.maximum(dp.m.make_laplace(*space, scale=2 / epsilon)(counts.tolist()), 0)
    belief = dc.read_noisy(
        noisy.tolist(),
        noise=dc.noise.DiscreteLaplace(2 / Fraction(str(epsilon))),
        prior=[table.prior] * table.cells,
        total=table.n,
        categories=table.axes(table.every),
        clamped=True,
    )
    return {AWARE: belief_reader(table, belief), FACE: face_value_reader(table, noisy)}


def _least_scale(predicate: Callable[[float], bool], bounds: Any = None, T: Any = None, **more: Any) -> Any:
    """OpenDP's search for the least scale, to a millionth: 40 steps, where its own takes 600 to the last bit."""
    if bounds is not None or T is not float:
        return _exact_search(predicate, bounds, T, **more)
    high = 1.0
    while not predicate(high):
        high *= 2
    low = high / 2
    while predicate(low):
        low, high = low / 2, low
    while high > low * (1 + 1e-6):
        middle = (low + high) / 2
        low, high = (low, middle) if predicate(middle) else (middle, high)
    return high


_exact_search = opendp.mod.binary_search
opendp.mod.binary_search = _least_scale


def _contingency(table: Table, counts: Wholes, epsilon: float, algorithm: Any) -> dict[str, Reading]:
    """OpenDP's contingency table. It counts records that are added or removed, so a replaced one is two of them.

    It adds a label for nulls to every column; that there are none is public here, so what it says of them is left out.
    The model speaks at face value. A noise-aware reader has the noisy counts that it was fitted to: of those that cover
    a margin, the ones with the least noise in it.
    """
    rows = np.repeat(np.indices(table.sizes).reshape(len(table.sizes), -1), counts, axis=1)
    frame = pl.DataFrame(dict(zip(table.names, rows, strict=True))).lazy()
    context = dp.Context.compositor(
        data=frame, privacy_unit=dp.unit_of(contributions=2), privacy_loss=dp.loss_of(epsilon=epsilon)
    )
    keys = {name: list(range(size)) for name, size in zip(table.names, table.sizes, strict=True)}
    release = context.query(epsilon=epsilon).contingency_table(keys=keys, algorithm=algorithm).release()
    inside = tuple(slice(0, size) for size in table.sizes)
    shares = np.asarray(release.project(tuple(table.names)))[inside].astype(np.float64)
    readings = [_noisy_margin(table, each) for each in release.marginals.flatten()]

    def read(margin: Margin) -> Shares | None:
        covering = [reading for reading in readings if set(margin) <= set(reading[1])]
        if not covering:
            return None
        variance = [sd**2 * math.prod(table.sizes[i] for i in of if i not in margin) for sd, of, _ in covering]
        return covering[int(np.argmin(variance))][2](margin)

    return {AWARE: read, FACE: face_value_reader(table, table.n * shares.ravel() / shares.sum())}


def _noisy_margin(table: Table, measurement: Any) -> tuple[float, Margin, Reading]:
    """The standard deviation, the columns and the reading of one noisy margin; its discrete Laplace scale is sd/√2."""
    columns = tuple(table.names.index(name) for name in measurement.clique)
    shape = [table.sizes[i] + 1 for i in columns]
    inside = tuple(slice(0, table.sizes[i]) for i in columns)
    noisy = np.asarray(measurement.noisy_measurement).reshape(shape)[inside].ravel()

    @cache
    def belief() -> dc.Belief:
        return dc.read_noisy(
            [round(value) for value in noisy.tolist()],
            noise=dc.noise.DiscreteLaplace(float(measurement.stddev) / math.sqrt(2)),
            prior=[table.prior * (table.cells // len(noisy))] * len(noisy),
            total=table.n,
            categories=table.axes(columns),
        )

    return float(measurement.stddev), columns, lambda margin: belief_reader(table, belief())(margin)


def mbi_fixed(table: Table, counts: Wholes, epsilon: float, _: str) -> dict[str, Reading]:
    """The fixed workload of all two-way margins."""
    queries = [dp.mbi.Count(tuple(table.names[i] for i in pair)) for pair in combinations(table.every, 2)]
    return _contingency(table, counts, epsilon, dp.mbi.Fixed(queries=queries))


def mbi_mst(table: Table, counts: Wholes, epsilon: float, _: str) -> dict[str, Reading]:
    """A spanning tree of two-way margins, chosen privately."""
    return _contingency(table, counts, epsilon, dp.mbi.MST())


def synthesiser_sizes(table: Table, epsilon: float) -> tuple[int, float]:
    """How many records the synthesiser draws, and its prior: its loss is ln(1 + m/α), for all data, exactly.

    With a = cells/(e^ε - 1), what m records tell of the data is as m/((n + am)(n + (a+1)m)): most at m = n/√(a(a+1)).
    """
    a = table.cells / math.expm1(epsilon)
    m = max(1, round(table.n / math.sqrt(a * (a + 1))))
    return m, m / math.expm1(epsilon)


def multinomial_dirichlet(table: Table, counts: Wholes, epsilon: float, seed: str) -> dict[str, Reading]:
    """The Multinomial–Dirichlet synthesiser: m records from one draw of the shares."""
    m, alpha = synthesiser_sizes(table, epsilon)
    rng = np.random.default_rng(_number(seed))
    synthetic = rng.multinomial(m, rng.dirichlet(alpha + counts))

    def factor(s: int) -> Callable[[Any], Floats]:
        return lambda x: gammaln(alpha + x + s) - gammaln(alpha + x)

    by_count = {s: factor(s) for s in set(synthetic.tolist())}
    belief = product_belief(table, [by_count[s] for s in synthetic.tolist()])
    return {AWARE: belief_reader(table, belief), FACE: face_value_reader(table, synthetic)}


def posterior_draw(table: Table, counts: Wholes, _: float, seed: str) -> dict[str, Reading]:
    """One draw from the posterior under a prior of ones, which no ε changes: it has a δ."""
    shares = np.random.default_rng(_number(seed)).dirichlet(1.0 + counts)

    def factor(share: float) -> Callable[[Any], Floats]:
        return lambda x: x * math.log(max(share, 1e-300)) - gammaln(1.0 + x)

    belief = product_belief(table, [factor(share) for share in shares.tolist()])
    return {AWARE: belief_reader(table, belief), FACE: face_value_reader(table, table.n * shares)}


def draw_delta(n: int, epsilon: float) -> float:
    """δ(ε) of a posterior draw under a prior of ones: the greatest over all pairs of neighbours, to float precision.

    A record that moves from cell i to cell j multiplies the density by a function of r = θ_i/(θ_i+θ_j) alone, which is
    Beta(a, b) before, a = 1 + c_i, b = 1 + c_j, and Beta(a-1, b+1) after: the ratio is (b/(a-1))·r/(1-r).
    """
    worst = 0.0
    for count in range(1, n + 1):
        a, b = 1.0 + count, 1.0 + np.arange(n - count + 1)
        odds = math.exp(epsilon) * (a - 1) / b
        edge = odds / (1 + odds)
        excess = betainc(b, a, 1 - edge) - math.exp(epsilon) * betainc(b + 1, a - 1, 1 - edge)
        worst = max(worst, float(excess.max()))
    return worst


def _number(seed: str) -> int:
    return HashedBits(seed).draw_bits(64)


Release = Callable[[Table, Wholes, float, str], Mapping[str, Reading]]

RIVALS: dict[str, Release] = {
    "no privacy": no_noise,
    "discreet, one cross table": discreet_cross,
    "discreet, two-way margins by themselves": discreet_pairs,
    "OpenDP discrete Laplace, clamped": discrete_laplace,
    "OpenDP mbi Fixed, two-way margins": mbi_fixed,
    "OpenDP mbi MST": mbi_mst,
    "Multinomial–Dirichlet synthesiser": multinomial_dirichlet,
    "one posterior draw": posterior_draw,
}
"""By name."""

SLOW = ("OpenDP mbi Fixed, two-way margins", "OpenDP mbi MST")
"""A release of these takes many seconds, so they have fewer repetitions."""
