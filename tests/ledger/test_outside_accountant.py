"""Every composition of the ledger, filled to its end, checked by an accountant that is not ours: dp_accounting.

A ledger is charged until it refuses. What it accepted is composed by Google's accountant from the laws of the noise,
with all roundings in our favour, and must not cost more than the budget promised. A ledger with a fault accepts too
much, and the same check says so. The last test holds the table of checks to the ledger: a composition without one
fails it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import discreet as dc
from discreet.errors import BudgetExceeded
from discreet.ledger import Ledger, budgets, schedules
from discreet.ledger.budgets import ADJACENCIES, COMPOSITIONS, Budget, losses_of_one
from discreet.ledger.entries import Amount
from discreet.mechanisms import RELEASABLE
from discreet.privacy_loss import Price, compose, prices
from discreet.privacy_loss.loss_distributions import compose_pairs, share_together

google = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution", reason="dp_accounting is not installed")

pytestmark = pytest.mark.usefixtures("quick")

DELTA = "1e-6"
PUBLIC, PRIVATE = dc.PosteriorSpace(prior=[1, 1], n=100), dc.PosteriorSpace(prior=[1, 1], n=None)


class Case(NamedTuple):
    """A budget, the release that it is asked to pay for, and what dp_accounting knows of that release.

    `outside` are the losses between neighbours under the budget's adjacency.
    """

    budget: dict[str, Any]
    release: dc.Mechanism
    outside: Callable[[], Any]

    def fill(self, place: Path) -> tuple[int, Ledger]:
        """How many releases the ledger accepts, and the ledger."""
        ledger = Ledger.create(place / "l.db", dataset="d", **self.budget)
        times = 0
        try:
            while True:
                ledger.charge("d", Price(((self.release,),)), request_id=str(times), digest=str(times))
                times += 1
        except BudgetExceeded:
            return times, ledger

    def is_kept(self, place: Path) -> bool:
        """Whether all that is accepted costs no more than is promised, by dp_accounting."""
        times, ledger = self.fill(place)
        epsilon, delta = map(float, ledger.account("d").budget)
        return float(self.outside().self_compose(times).get_delta_for_epsilon(epsilon)) <= delta + 1e-12


def noise(epsilon: str, *, records: int = 1) -> Any:
    """Two-sided geometric noise of rate ε on so many counts that change by one."""
    one = google.from_discrete_laplace_mechanism(float(Fraction(epsilon)), pessimistic_estimate=False)
    return one.self_compose(records)


@cache
def zero_sum_noise() -> Any:
    """Noise on three counts that sums to zero, P(v) ∝ e^(-‖v‖₁/8), where one record moves from one to another."""
    points = list(product(range(-80, 81), repeat=2))
    logs = [[-(abs(a + d) + abs(b - d) + abs(a + b)) / 8 for a, b in points] for d in (1, 0)]
    total = math.log(math.fsum(map(math.exp, logs[1])))
    lower, upper = (dict(zip(points, (log - total for log in each), strict=True)) for each in logs)
    return google.from_two_probability_mass_functions(lower, upper, pessimistic_estimate=False)


def gaussian_noise(sigma: Fraction) -> Any:
    """Noise on two counts that sums to zero is noise of half the variance on one of them."""
    return google.from_discrete_gaussian_mechanism(float(sigma) / math.sqrt(2), pessimistic_estimate=False)


BASIC, ZCDP = {"epsilon": 1}, {"epsilon": "3/2", "delta": DELTA, "composition": "zcdp"}
EXACT = {"delta": DELTA, "composition": "exact", "schedule": "30 x 1/10"}
TENTH, TWENTIETH = dc.Geometric(PUBLIC, epsilon="1/10"), dc.Geometric(PRIVATE, epsilon="1/20")
THREE = dc.Geometric(dc.PosteriorSpace(prior=[1, 1, 1], n=100), epsilon="1/4")
GAUSS = dc.Gaussian(PUBLIC, epsilon="1/4", delta="1e-8")

CASES: dict[tuple[str, int, str], Case] = {
    ("basic", 1, "geometric"): Case(BASIC, TENTH, lambda: noise("1/10")),
    ("basic", 1, "gaussian"): Case({**BASIC, "delta": "1e-7"}, GAUSS, lambda: gaussian_noise(GAUSS.sigma)),
    ("basic", 2, "private n"): Case(BASIC, TWENTIETH, lambda: noise("1/20", records=2)),
    ("zcdp", 1, "geometric"): Case(ZCDP, TENTH, lambda: noise("1/10")),
    ("zcdp", 1, "three categories"): Case({**ZCDP, "epsilon": 10}, THREE, zero_sum_noise),
    ("zcdp", 1, "gaussian"): Case(ZCDP, GAUSS, lambda: gaussian_noise(GAUSS.sigma)),
    ("zcdp", 2, "private n"): Case(ZCDP, TWENTIETH, lambda: noise("1/20", records=2)),
    ("exact", 1, "geometric"): Case(EXACT, TENTH, lambda: noise("1/10")),
    ("exact", 1, "three categories"): Case(
        {**EXACT, "schedule": "12 x 1/4", "categories_at_least": 3}, THREE, zero_sum_noise
    ),
    ("exact", 2, "private n"): Case(
        {**EXACT, "schedule": "40 x 1/20, 5 x 1/10"}, TWENTIETH, lambda: noise("1/20", records=2)
    ),
}
"""By the composition, by how many losses a charge is under the budget's adjacency, and by what is released."""

ids = [" ".join(map(str, key)) for key in CASES]


@pytest.mark.parametrize("case", CASES.values(), ids=ids)
def test_what_a_full_ledger_accepted_keeps_its_promise(case: Case, tmp_path: Path) -> None:
    assert case.is_kept(tmp_path)


def planted(composition: str, factor: int, patch: pytest.MonkeyPatch) -> None:
    """A ledger that accepts too much, by what its own composition rests on."""
    if factor == 2:
        patch.setattr(budgets, "losses_of_one", lambda charged, budgeted: 1)
    elif composition == "zcdp":
        right = prices.rho_upper
        patch.setattr(prices, "rho_upper", lambda mechanism: right(mechanism) / 2)
    elif composition == "exact":
        half = lambda pairs: compose_pairs({pair: times // 2 for pair, times in pairs.items()})  # noqa: E731
        patch.setattr(schedules, "compose_pairs", half)
    else:
        fits = Budget._fits
        patch.setattr(Budget, "_fits", lambda self, spent: fits(self, spent._replace(amount=_eighth(spent.amount))))


def _eighth(amount: Amount) -> Amount:
    return Amount(amount.epsilon / 8, amount.delta / 8)


@pytest.mark.few(4)
@pytest.mark.parametrize("key", CASES, ids=ids)
def test_a_ledger_that_accepts_too_much_is_found_out(
    key: tuple[str, int, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(*key[:2], monkeypatch)
    assert not CASES[key].is_kept(tmp_path)


def test_columns_that_are_composed_together_keep_what_they_were_shared_for() -> None:
    share = share_together([2] * 20, Fraction(1), Fraction(DELTA))
    kept, beyond = (noise(str(epsilon)).self_compose(20).get_delta_for_epsilon(1) for epsilon in (share, share * 2))
    assert kept <= float(DELTA) < beyond
    assert share > Fraction(1, 20)


def laws(mechanism: dc.Mechanism) -> Iterator[tuple[dict[int, float], dict[int, float]]]:
    """The released laws of all neighbours, both ways round."""
    for counts in mechanism.space.candidates():
        for other in mechanism.space.neighbours(counts):
            yield tuple(dict(enumerate(mechanism.log_pmf(each).tolist())) for each in (counts, other))  # type: ignore[misc]


@pytest.mark.parametrize("name", RELEASABLE)
def test_no_mechanism_is_composed_for_less_than_its_laws_cost(name: str) -> None:
    options = {"delta": DELTA} if name == "gaussian" else {}
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=[1, "1/2"], n=3), epsilon="1/2", **options)
    ours = compose([mechanism] * 8)
    for lower, upper in laws(mechanism):
        one = google.from_two_probability_mass_functions(lower, upper, pessimistic_estimate=False)
        for at in (0.5, 1.5):
            assert one.self_compose(8).get_delta_for_epsilon(at) <= ours.delta(at) + 1e-9


def test_every_composition_of_the_ledger_is_checked() -> None:
    """Whoever adds a composition or an adjacency adds its check here."""
    steps = {losses_of_one(charged, budgeted) for charged, budgeted in product(ADJACENCIES, repeat=2)} - {None}
    assert {key[:2] for key in CASES} == set(product(COMPOSITIONS, steps))
