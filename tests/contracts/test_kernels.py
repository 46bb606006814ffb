"""Every family's kernel is its law: rows, columns and normalisers, within the error that each of them states."""

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from discreet.arithmetic.numbers import precision
from discreet.kernels import Kernel, Logs, TableKernel
from discreet.kernels.base import closed_form_logs
from discreet.mechanisms import BY_NAME, ExponentialReciprocal, Geometric, Mechanism
from discreet.posteriors.space import PosteriorSpace
from discreet.typing import Outcome
from tests.support.enumeration import random_spaces, seeded
from tests.support.mechanisms import build

BITS = 128


def mechanisms(name: str, count: int) -> Iterator[Mechanism]:
    """Members of a family on random small spaces."""
    rng = seeded(f"kernels of {name}")
    for alpha, n in random_spaces(f"kernels of {name}", count):
        yield build(name, PosteriorSpace(alpha, n), epsilon=f"{10 ** rng.uniform(-2, 1.3):.4g}")


def some_outputs(rng: Random, mechanism: Mechanism) -> Outcome:
    """An output of the law; for geometric noise often one with negative counts."""
    space = mechanism.space
    output = list(space.candidates().unrank(rng.randrange(space.size)))
    if mechanism.kernel.signed:
        moved = rng.randrange(space.n + 1)
        output[0], output[-1] = output[0] - moved, output[-1] + moved
    return tuple(output)


def misses(kernel: Kernel, mechanism: Mechanism, rng: Random) -> list[str]:
    """What a kernel says of a data set and an output that the law's enclosures contradict."""
    space = mechanism.space
    counts, output = space.candidates().unrank(rng.randrange(space.size)), some_outputs(rng, mechanism)
    with precision(BITS):
        law = mechanism.law(counts)
        truth, total = float(law.log_probability(output)), float(law.log_total())
    rank, data, outputs = space.candidates().index(counts), np.array([counts]), np.array([output])
    answers = {
        "column": (kernel.column(output), rank, truth),
        "window of a column": (kernel.column(output, data), 0, truth),
        "window of a row": (kernel.row(counts, outputs), 0, truth),
        "normaliser": (kernel.log_normaliser(counts), (), total),
    }
    if min(output) >= 0:
        answers["row"] = (kernel.row(counts), space.candidates().index(output), truth)
    return [name for name, answer in answers.items() if not agrees(*answer)]


def agrees(logs: Logs, at: Any, truth: float) -> bool:
    value, error = float(logs.values[at]), float(logs.errors[at])
    return value == truth if math.isinf(truth) else abs(value - truth) <= error < 1e-7


@pytest.mark.parametrize("spaces", [2, pytest.param(6, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_a_kernel_is_its_law_on_random_spaces(name: str, spaces: int) -> None:
    rng = seeded(f"entries of {name}")
    for mechanism in mechanisms(name, spaces):
        for _ in range(4):
            assert misses(mechanism.kernel, mechanism, rng) == []


def test_a_closed_form_is_off_by_its_own_size_and_a_chance_of_zero_by_nothing_infinite() -> None:
    errors = closed_form_logs(np.array([0.0, -1e6, -np.inf])).errors
    assert errors == pytest.approx([1e-12, 1e-12 + 1e-8, 1e-12], rel=1e-9)


SAID = {
    "signed": {"gaussian", "geometric"},
    "noisy": {"gaussian", "geometric", "laplace", "laplace-improved"},
    "weighted": {name for name in BY_NAME if name.startswith("exponential")},
    "same_rates": {"exponential-global"},
    "closed": {"tight"},
    "reached": {"geometric"},
}


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_what_a_kernel_says_of_its_family_is_true(name: str) -> None:
    kernel = build(name, PosteriorSpace(["1/2", 1, 2], 5), epsilon=4).kernel
    assert {what: getattr(kernel, what) for what in SAID} == {what: name in names for what, names in SAID.items()}
    assert (kernel.pace in {"quick", "prepared", "slow"}, kernel.cost > 0, kernel.postprocess) == (
        True,
        True,
        "nearest",
    )
    noises = {"zero_sum": "geometric", "cell_noise": "gaussian", "laplace": "laplace"}
    assert [what for what in noises if getattr(kernel, what) is not None] == [
        what for what, family in noises.items() if name.startswith(family)
    ]
    some = kernel.candidates[3:5]
    assert kernel.column(some[0], some).values == pytest.approx(kernel.column(some[0]).values[3:5])
    for counts in kernel.candidates.tolist() if kernel.reached else ():
        own = kernel.column(counts).values
        apart = np.abs(kernel.candidates - counts).sum(axis=1)
        assert own[apart == 0] - own[apart == 2] == pytest.approx(4)


@pytest.mark.parametrize("name", ["gaussian", "geometric", "optimal", "snapping", "tight"])
def test_the_bends_of_a_column_are_where_noise_points_and_beside_it(name: str) -> None:
    kernel = build(name, PosteriorSpace([1, 1], 9), epsilon=1).kernel
    for z in (-2, 0, 4, 9, 11) if kernel.noisy else (0, 4, 9):
        about = {min(max(min(max(z, 0), 9) + side, 0), 9) for side in (-1, 0, 1)}
        assert kernel.kinks((z, 9 - z)) == (sorted(about) if kernel.noisy else None)


@pytest.mark.parametrize("part", ["_logs", "log_normaliser"])
@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_a_kernel_that_is_off_by_a_millionth_is_rejected(name: str, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = seeded(f"faults of {name}")
    mechanism = build(name, PosteriorSpace(["1/2", 1, 2], 5), epsilon=4)
    kernel, right = mechanism.kernel, getattr(type(mechanism.kernel), part)

    def shifted(self: Kernel, *entries: Any) -> Logs:
        values, errors = right(self, *entries)
        return Logs(values + 1e-6, errors)

    monkeypatch.setattr(type(kernel), part, shifted)
    wrong = {"_logs": "window of a column", "log_normaliser": "normaliser"}[part]
    assert any(wrong in misses(kernel, mechanism, rng) for _ in range(8))


@pytest.mark.parametrize(
    ("prior", "n", "scale"), [(["1e-3", 2], 400, 50), (["1e6", 3], 200, 1000), (["1/2", 1, 3], 12, 300)], ids=str
)
def test_strong_priors_and_steep_weights_keep_to_the_stated_error(prior: list[object], n: int, scale: object) -> None:
    mechanism, rng = ExponentialReciprocal(PosteriorSpace(prior, n), scale=scale), seeded(f"steep {n}")
    for _ in range(3):
        assert misses(mechanism.kernel, mechanism, rng) == []


def test_long_lines_state_what_their_normalisers_miss() -> None:
    line = ExponentialReciprocal(PosteriorSpace(["1/2", 3], 3000), epsilon=1)
    data = np.array([(0, 3000), (20, 2980), (500, 2500), (1499, 1501), (2999, 1)])
    whole = line.kernel.column((23, 2977), data)
    between = line.kernel.column((23, 2977), data.astype(np.float64))
    assert (np.abs(whole.values - between.values) <= whole.errors + between.errors).all()
    assert between.errors.max() < 1e-7


def test_large_simplices_state_what_their_normalisers_miss() -> None:
    simplex = ExponentialReciprocal(PosteriorSpace([1, 1, 2], 60), epsilon=1)
    data = np.array([(20, 30, 10), (0, 0, 60), (59, 1, 0), (7, 7, 46)])
    whole = simplex.kernel.column((20, 30, 10), data)
    nearby = simplex.kernel.near(data).column((20, 30, 10), data)
    assert (np.abs(whole.values - nearby.values) <= whole.errors + nearby.errors).all()
    assert nearby.errors.max() < 1e-3


def test_a_subclass_is_known_by_its_own_law() -> None:
    class Bolder(ExponentialReciprocal):
        pass

    kernel = Bolder(PosteriorSpace([1, 1], 9), epsilon=1).kernel
    assert isinstance(kernel, TableKernel)
    assert kernel.column((4, 5), kernel.candidates[:2]).values.tolist() == kernel.column((4, 5)).values[:2].tolist()


def test_equal_mechanisms_share_a_kernel() -> None:
    space = PosteriorSpace([1, 1], 9)
    assert Geometric(space, epsilon="1/2").kernel is Geometric(space, epsilon="0.5").kernel
