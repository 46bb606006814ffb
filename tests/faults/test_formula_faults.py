"""A factor, a branch, a neighbour or a rounding that is wrong is rejected by a check that the right one passes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.arithmetic.numbers import fraction_lower, precision
from discreet.ledger import Amount, budgets
from discreet.privacy_loss import audits, certificates, composition, edge_rows
from discreet.privacy_loss.certificates import certificate_by_theorem
from discreet.privacy_loss.interior_bounds import InteriorBounds
from discreet.privacy_loss.scan import MARGIN
from discreet.receipts import Part, Receipt, documents
from discreet.sensitivity import lipschitz
from discreet.sensitivity.exact import Balls, local_by
from discreet.sensitivity.lipschitz import local_smoothness, smooth_smoothness
from discreet_papers.cli import snap_documents
from tests.faults import formulas as faults
from tests.faults.planting import Fault, forgotten
from tests.oracles import loss
from tests.oracles.precision import real
from tests.privacy_loss.families import Kind, build, losses_of_pairs, oracle_kernel
from tests.support.enumeration import enumerate_space

SPACES = [((Fraction(1), Fraction(1, 20)), 12), ((Fraction(3), Fraction(1, 5), Fraction(1, 2)), 5)]
GAMMA = Fraction(1, 5)


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    """Γ is remembered by space: not from one test to the next."""
    yield from forgotten(local_smoothness, smooth_smoothness)


def sensitivities_hold() -> bool:
    """Every sensitivity of some small spaces is that of its definition, over all data sets and outputs."""
    for alpha, n in SPACES:
        space, every = dc.PosteriorSpace(alpha, n), enumerate_space(alpha, n)
        local, rate = every.local(), float(GAMMA)
        smooth, reciprocal = every.smooth(local, rate), every.reciprocal(local, rate)
        off = [dc.global_sensitivity(space) / local.max() - 1]
        for i, c in enumerate(every.rows):
            off.append(dc.local_sensitivity(space, c) / local[i] - 1)
            off.append(dc.smooth_sensitivity(space, c, GAMMA) / smooth[i] - 1)
            off.append(dc.reciprocal_sensitivity(space, c, GAMMA) / reciprocal[i] - 1)
        if np.abs(off).max() > 1e-11:
            return False
    return True


def growths_hold() -> bool:
    """Γ is never below the largest step of 1/S between neighbours, told by Balls and not by floats."""
    for alpha, n in SPACES:
        space, every = dc.PosteriorSpace(alpha, n), enumerate_space(alpha, n)
        with precision(160):
            inverse = [1 / local_by(Balls(space), c) for c in every.rows]
            steps = [inverse[i] - inverse[j] for i, j in zip(every.one.tolist(), every.other.tolist(), strict=True)]
            if local_smoothness(space) < max(fraction_lower(step) for step in steps):
                return False
        step = every.largest_step(1 / every.reciprocal(every.local(), float(GAMMA)))
        if float(lipschitz.reciprocal_smoothness(space, GAMMA)) < step - 1e-9:
            return False
    return True


def audits_hold() -> bool:
    """The loss that is certified is at least that of the definition, for each family on small spaces."""
    kinds: list[Kind] = [dc.ExponentialGlobal, dc.ExponentialLocal, dc.ExponentialSmooth, dc.ExponentialReciprocal]
    for alpha, n in [*SPACES, ((Fraction(1), Fraction(1)), 9)]:
        for kind in kinds:
            made = build(kind, dc.PosteriorSpace(alpha, n), GAMMA, scale=2)
            truth = loss.exact_loss(oracle_kernel(kind, alpha, n, Fraction(2), GAMMA)).epsilon
            if real(Fraction(dc.audit(made).epsilon)) < truth:
                return False
    return True


LINES: list[tuple[Kind, list[object], int, str, str]] = [
    (dc.ExponentialSmooth, [1, 1], 1000, "1/2", "0.0190318210294643"),
    (dc.ExponentialReciprocal, [1, 1], 700, "1/2", "1"),
    (dc.ExponentialGlobal, ["0.5", 30], 700, "3", "1"),
]


def blocks_hold() -> bool:
    """No pair of rows loses more than the bound on its block, on lines that can be enumerated."""
    for kind, prior, n, scale, gamma in LINES:
        made = build(kind, dc.PosteriorSpace(prior, n), gamma, scale=scale)
        bounds, truth = InteriorBounds(made.space, kind, float(made.scale), made.smoothing), losses_of_pairs(made)
        for low, high in ((2, 3), (5, 8), (40, 41), (100, 140), (250, 252)):
            if truth[low:high].max() > bounds.bound(low, min(high, bounds.last)):
                return False
    return True


def ends_hold() -> bool:
    """What is certified beyond enumeration, with few rows scanned, is not below what enumeration finds."""
    for kind, prior, n, scale, gamma in LINES:
        made = build(kind, dc.PosteriorSpace(prior, n), gamma, scale=scale)
        truth = float(losses_of_pairs(made).max())
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(edge_rows, "MIN_END_ROWS", 5)
            patch.setattr(edge_rows, "MAX_END_ROWS", 5)
            try:
                found = audits._by_ends(made)
            except dc.DiscreetError:  # the law itself denies what was scanned
                return False
        if not float(found.lower) - MARGIN <= truth <= float(found.epsilon) + MARGIN:
            return False
    return True


FORMULAS: list[tuple[Fault, Callable[[], bool]]] = [
    (faults.smooth_rate_too_large, sensitivities_hold),
    (faults.reciprocal_rate_doubled, sensitivities_hold),
    (faults.first_way_forgotten, sensitivities_hold),
    (faults.one_end_only, sensitivities_hold),
    (faults.emptied_targets_forgotten, sensitivities_hold),
    (faults.growth_halved, growths_hold),
    (faults.growth_rounded_down, growths_hold),
    (faults.corners_skipped, audits_hold),
    (faults.last_records_skipped, audits_hold),
    (faults.one_direction_only, audits_hold),
    (faults.normalisers_forgotten, blocks_hold),
    (faults.far_outputs_forgotten, blocks_hold),
    (faults.middle_skipped, ends_hold),
    (faults.windows_too_short, ends_hold),
]


@pytest.mark.parametrize(("fault", "holds"), FORMULAS, ids=[fault.__name__ for fault, _ in FORMULAS])
def test_a_fault_in_a_formula_is_rejected_by_the_check_that_the_right_one_passes(
    fault: Fault, holds: Callable[[], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert holds()
    local_smoothness.cache_clear()
    fault(monkeypatch)
    assert not holds()


MADE = dc.ExponentialReciprocal(dc.PosteriorSpace([1, "0.7"], 12), epsilon=1)
CHANGED: dict[str, Any] = {
    "facts": {**dc.audit(MADE).certificate.facts, "epsilon": "100"},
    "loss": "1/1000",
    "method": "theorem",
    "statement": "trust me",
    "worst": None,
}


def _refused(error: type[dc.DiscreetError], call: Callable[[Any], object], given: object) -> bool:
    try:
        call(given)
    except error:
        return True
    return False


def changed_fields_are_noticed() -> bool:
    """A certificate of which one field was changed is refused when it is read."""
    document = json.loads(json.dumps(dc.audit(MADE).certificate.to_json()))
    document.pop("epsilon")
    return all(
        _refused(dc.InvalidInput, dc.Certificate.from_json, {**document, field: value})
        for field, value in CHANGED.items()
    )


@pytest.mark.parametrize("field", CHANGED)
def test_a_digest_without_a_field_would_let_it_be_changed(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert changed_fields_are_noticed()
    faults.digest_without(field)(monkeypatch)
    assert not changed_fields_are_noticed()


OTHERS: dict[str, dc.Mechanism] = {
    "n": dc.ExponentialReciprocal(dc.PosteriorSpace([1, "0.7"], 13), epsilon=1),
    "prior": dc.ExponentialReciprocal(dc.PosteriorSpace([1, "0.8"], 12), epsilon=1),
    "parameters": dc.ExponentialReciprocal(MADE.space, epsilon=1, gamma="1/3"),
    "adjacency": dc.ExponentialReciprocal(dc.PosteriorSpace([1, "0.7"], 12, adjacency="replace-answer"), epsilon=1),
    "law": type("Other", (dc.ExponentialReciprocal,), {})(MADE.space, epsilon=1),
}


def others_are_not_covered() -> bool:
    """A certificate covers no mechanism that differs from its own in any one fact."""
    proof = certificate_by_theorem(MADE)
    return all(_refused(dc.DiscreetError, proof.check, other) for other in OTHERS.values())


@pytest.mark.parametrize("fact", OTHERS)
def test_a_certificate_that_leaves_out_a_fact_would_cover_another_mechanism(
    fact: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert others_are_not_covered()
    faults.facts_without(fact)(monkeypatch)
    assert not others_are_not_covered()


THIRD = Fraction(1, 3)
"""The nearest float is below it."""

NOISE = dc.Geometric(dc.PosteriorSpace([1, 1], 5), epsilon=THIRD)


def _receipt() -> Receipt:
    return documents.write_receipt([Part(NOISE.space.prior, NOISE, certificate_by_theorem(NOISE))], ["a", "b"], None)


def _account() -> float:
    spent = Amount(THIRD, Fraction(1, 10**6))
    account = budgets.Account("d", "replace-one", None, (), "zcdp", spent, spent, spent, spent, 1, 0, ())
    return float(account.to_json()["concentrated"]["epsilon"])


SHOWN: dict[str, tuple[ModuleType, Callable[[], float]]] = {
    "certificates": (certificates, lambda: certificate_by_theorem(NOISE).to_json()["epsilon"]),
    "audits": (audits, lambda: dc.audit(NOISE).to_json()["exact_epsilon"]),
    "receipts": (documents, lambda: _receipt().document["epsilon"]),
    "bundles": (documents, lambda: documents.write_bundle(["a"], [_receipt()]).document["epsilon"]),
    "accounts": (budgets, _account),
    "snapping": (snap_documents, lambda: snap_documents.parameters(dc.Snapping(epsilon=THIRD, bound=10))["epsilon"]),
}


@pytest.mark.parametrize("place", SHOWN)
def test_an_epsilon_that_is_shown_rounded_to_the_nearest_float_is_below_the_truth(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, show = SHOWN[place]
    assert THIRD <= show() <= THIRD * (1 + Fraction(1, 10**15))
    faults.rounded_to_nearest(module)(monkeypatch)
    assert show() < THIRD


def test_a_rho_that_is_rounded_down_is_below_the_truth() -> None:
    long = Fraction(1, 3**100)
    assert faults.rho_rounded_down(long) < long <= composition.rounded_up(long)
    assert faults.rho_rounded_down(Fraction(1, 3)) < Fraction(1, 3) == composition.rounded_up(Fraction(1, 3))
