"""The exact loss of every mechanism: the printed numbers, the definitions, and what is said beyond enumeration."""

import json
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from flint import arb

import discreet as dc
from discreet.mechanisms import SnappedCounts
from discreet.mechanisms.exponential_law import ExponentialLaw
from discreet.privacy_loss import audits, deltas, edge_rows, scan
from discreet.privacy_loss.audits import MAX_LAWS, _delta
from discreet.privacy_loss.certificates import WorstCase
from discreet.privacy_loss.scan import MARGIN
from tests.oracles import geometric as geometric_oracle
from tests.oracles import loss, mechanisms
from tests.oracles.loss import Worst
from tests.oracles.precision import Real, mp, real
from tests.privacy_loss.families import KINDS, Kind, build, oracle_kernel
from tests.support.enumeration import Floats, random_spaces, seeded

CONFIRMED = Fraction(1, 10**9)
"""How closely an exact loss is enclosed."""


def assert_exact(mechanism: dc.Mechanism, kernel: mechanisms.Kernel) -> Worst:
    """The audit encloses the loss of the definition, closely, and names a place where it is reached."""
    result, expected = dc.audit(mechanism), loss.exact_loss(kernel)
    assert result.epsilon - result.lower <= CONFIRMED
    assert float(result.lower) == pytest.approx(float(expected.epsilon), abs=1e-9)
    assert _real(result.lower) <= expected.epsilon + mp.mpf(10) ** -25
    assert expected.epsilon <= _real(result.epsilon) + mp.mpf(10) ** -25
    assert result.worst is not None
    there = mp.log(
        kernel[result.worst.counts][result.worst.output] / kernel[result.worst.neighbour][result.worst.output]
    )
    assert float(there) == pytest.approx(float(expected.epsilon), abs=1e-9)
    for share in (0.0, 0.25, 0.8):
        at = Fraction(share) * Fraction(str(round(float(expected.epsilon), 6)))
        assert result.delta(at) == pytest.approx(float(loss.exact_delta(kernel, at)), rel=1e-8, abs=1e-12)
    assert result.delta(result.epsilon) == 0
    assert result.delta(result.epsilon * 2) == 0
    return expected


def _real(number: Fraction | float) -> Real:
    assert isinstance(number, Fraction)
    return real(number)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("kind", "printed"),
    [
        (dc.ExponentialGlobal, 0.50356),
        (dc.ExponentialLocal, 0.90764),
        (dc.ExponentialReciprocal, 0.87673),
        (dc.ExponentialSmooth, 0.52810),
    ],
)
def test_the_printed_losses_of_a_thousand_records_are_met_and_enclosed(kind: Kind, printed: float) -> None:
    space = dc.PosteriorSpace([1, 1], 1000)
    gamma = dc.published_gamma(space, 1, "1e-8") if kind is dc.ExponentialSmooth else 1
    result = dc.audit(build(kind, space, gamma, scale="1/2"))
    assert float(result.epsilon) == pytest.approx(printed, abs=5e-6)
    assert 0 < result.epsilon - result.lower <= CONFIRMED
    assert result.holds
    assert result.delta(1) == 0
    assert result.delta("0.5") > 0
    assert result.certificate.method == "enumeration"
    assert result.certificate.bound == result.epsilon


HELD = """
import json, discreet as dc
from bench.probe import peak_bytes
shown = {}
for family in (dc.ExponentialReciprocal, dc.ExponentialLocal):
    found = dc.audit(family(dc.PosteriorSpace(prior=[1, 1], n=50_000), scale="1/2"))
    place = [found.worst.counts, found.worst.neighbour, found.worst.output]
    shown[family.name] = [float(found.epsilon), float(found.epsilon - found.lower), place, found.certificate.method]
print(json.dumps([peak_bytes(), shown]))
"""


@pytest.mark.soak
def test_fifty_thousand_records_are_audited_in_less_than_a_gibibyte() -> None:
    result = subprocess.run(
        [sys.executable, "-c", HELD], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
    )
    held, audits = json.loads(result.stdout)
    assert held <= 1 << 30
    for name, printed, place in (
        ("exponential-reciprocal", 0.897306306, [3, 2, 3]),
        ("exponential-local", 0.921502192, [2, 1, 2]),
    ):
        epsilon, width, worst, method = audits[name]
        assert epsilon == pytest.approx(printed, abs=1e-9)
        assert width <= 1e-9
        assert method == "enumeration"
        assert [min(pair) for pair in worst] == place


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", KINDS)
def test_the_audit_is_the_definition_on_random_small_spaces(kind: Kind) -> None:
    rng = seeded(f"audits of {kind.__name__}")
    for alpha, n in random_spaces(f"audits of {kind.__name__}", 15, sizes={2: 22, 3: 5, 4: 3}):
        scale, gamma = Fraction(rng.randint(1, 40), 10), Fraction(rng.randint(1, 30), 10)
        mechanism = build(kind, dc.PosteriorSpace(alpha, n), gamma, scale=scale)
        worst = assert_exact(mechanism, oracle_kernel(kind, alpha, n, scale, gamma))
        assert worst.epsilon <= _real(mechanism.guarantee)
        assert dc.audit(mechanism).holds


@pytest.mark.parametrize("family", [dc.Laplace, dc.LaplaceImproved])
@pytest.mark.parametrize("rounding", ["nearest", "floor"])
@pytest.mark.parametrize(("k", "n"), [(2, 15), (3, 5), (4, 3)])
def test_the_audit_of_a_laplace_mechanism_is_the_definition(
    family: type[dc.Laplace] | type[dc.LaplaceImproved], rounding: mechanisms.Rounding, k: int, n: int
) -> None:
    epsilon = Fraction(4, 5)
    scale = (mechanisms.laplace_scale if family is dc.Laplace else mechanisms.improved_scale)(k, epsilon)
    kernel = mechanisms.kernel(k, n, lambda c: mechanisms.laplace(c, scale, rounding))
    mechanism = family(dc.PosteriorSpace([1] * k, n), epsilon=epsilon, rounding=rounding)
    expected = assert_exact(mechanism, kernel)
    printed = epsilon if family is dc.LaplaceImproved else epsilon * Fraction(1 if k == 2 else 2, k)
    assert float(expected.epsilon) == pytest.approx(float(printed), abs=1e-12)
    result = dc.audit(mechanism)
    assert result.epsilon == printed  # the theorem is met with equality, so the scan's error need not be charged
    assert result.private


@pytest.mark.few(1)
@pytest.mark.parametrize(("k", "epsilon", "radius"), [(2, "1/2", 90), (2, "2", 25), (3, "1", 45), (4, "2", 16)])
def test_the_delta_of_geometric_is_brute_force_over_noise(k: int, epsilon: str, radius: int) -> None:
    result = dc.audit(dc.Geometric(dc.PosteriorSpace([1] * k, 12), epsilon=epsilon))
    c = (5,) * k
    other = (4, 6, *c[2:])
    row, beside = (geometric_oracle.law(at, Fraction(epsilon), radius + 1) for at in (c, other))
    outside = geometric_oracle.tail(k, Fraction(epsilon), radius)
    for share in (Fraction(0), Fraction(1, 3), Fraction(9, 10)):
        at = share * Fraction(epsilon)
        inner = {z: p for z, p in row.items() if sum(abs(a - b) for a, b in zip(z, c, strict=True)) <= 2 * radius}
        expected = float(loss.delta_between(inner, beside, at))
        assert result.delta(at) == pytest.approx(expected, rel=1e-9, abs=float(outside) + 1e-13)
        assert float(outside) < 1e-9
    assert result.delta(epsilon) == 0


def test_the_local_sensitivity_at_the_documents_scale_is_not_private() -> None:
    result = dc.audit(dc.ExponentialLocal.as_published(dc.PosteriorSpace(["0.01", "0.01"], 1000), epsilon=1))
    assert float(result.epsilon) == pytest.approx(1.113, abs=5e-4)
    assert not result.private
    assert result.holds  # the theorem with its Γ claims no more than is true
    assert result.delta(1) > 0


def test_a_loss_without_a_theorem_is_not_called_private_beyond_enumeration() -> None:
    result = dc.audit(dc.ExponentialReciprocal.as_published(dc.PosteriorSpace([1, 1, 1], 10**6), epsilon=1))
    assert result.epsilon == 2
    assert not result.private


def test_a_subclass_is_audited_by_the_laws_that_it_returns() -> None:
    class Same(dc.ExponentialLocal):
        pass

    space = dc.PosteriorSpace(["0.3", 2, 1], 9)
    right, same = dc.audit(dc.ExponentialLocal(space, scale=1)), dc.audit(Same(space, scale=1))
    assert float(same.lower) == pytest.approx(float(right.lower), abs=MARGIN)
    assert same.certificate.facts["law"] != right.certificate.facts["law"]
    assert same.delta("0.2") == pytest.approx(right.delta("0.2"), rel=1e-9)


def test_a_subclass_of_a_large_space_is_refused_rather_than_believed() -> None:
    class Bolder(dc.ExponentialLocal):
        pass

    with pytest.raises(dc.TooLarge, match="a law of its own"):
        dc.audit(Bolder(dc.PosteriorSpace([1, 1], MAX_LAWS), epsilon=1))


class _Drifted(ExponentialLaw):
    """Floats that are not those of the exact weights, everywhere but at the data itself."""

    def log_weights(self) -> Floats:
        return super().log_weights() * (1 + 1e-6)


class _Drifting(dc.ExponentialLocal):
    def law(self, counts: object) -> ExponentialLaw:
        right = super().law(counts)
        return _Drifted(right.space, right.counts, right._rate)


def test_a_scan_that_the_law_does_not_confirm_is_no_audit() -> None:
    with pytest.raises(dc.DiscreetError, match="disagree on a weight; trust neither"):
        dc.audit(_Drifting(dc.PosteriorSpace([1, 1], 30), epsilon=1))


@pytest.mark.parametrize("kind", KINDS)
def test_the_names_of_the_categories_do_not_change_the_loss(kind: Kind) -> None:
    spaces = [dc.PosteriorSpace(alpha, 7) for alpha in permutations(("0.2", "1", "9"))]
    losses = [float(dc.audit(build(kind, space, "1/3", scale=2)).lower) for space in spaces]
    assert losses == pytest.approx([losses[0]] * 6, abs=1e-12)


def test_delta_falls_as_epsilon_grows_and_is_a_probability() -> None:
    result = dc.audit(dc.ExponentialLocal(dc.PosteriorSpace([1, "0.1"], 80), scale=1))
    deltas = [result.delta(Fraction(i, 20) * Fraction(result.epsilon)) for i in range(21)]
    assert deltas == sorted(deltas, reverse=True)
    assert 0 < deltas[0] < 1
    assert deltas[-1] == 0


@pytest.mark.every
@pytest.mark.parametrize("epsilon", [-1, "nan", None, "1e400", "٣"])
def test_a_delta_at_no_epsilon_is_refused(epsilon: Any) -> None:
    with pytest.raises(dc.InvalidInput, match="epsilon"):
        dc.audit(dc.Geometric(dc.PosteriorSpace([1, 1], 10), epsilon=1)).delta(epsilon)


@pytest.mark.parametrize(
    ("prior", "n", "scale"),
    [(["1e12", "1e12"], 20, "1/2"), (["0.3", "1.7"], 300, "1e6")],
    ids=["the strongest prior", "the largest scale"],
)
def test_every_mechanism_of_the_package_that_can_be_built_can_be_audited(prior: list[str], n: int, scale: str) -> None:
    assert dc.audit(dc.ExponentialLocal(dc.PosteriorSpace(prior, n), scale=scale)).holds


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "mechanism",
    [
        dc.LaplaceImproved(dc.PosteriorSpace([1, 1], 20), epsilon=1000),
        dc.ExponentialLocal(dc.PosteriorSpace([1, 1], 3500), scale=1000),
    ],
    ids=lambda mechanism: mechanism.name,
)
def test_a_delta_at_a_huge_epsilon_is_a_probability(mechanism: dc.Mechanism) -> None:
    result = dc.audit(mechanism)
    assert 0 <= result.delta(800) <= 1
    assert result.worst is not None
    assert result.worst.error > 1.5 * MARGIN  # as large as the log-weights


def test_progress_is_told_while_long_lines_are_scanned() -> None:
    reports: list[tuple[int, int]] = []
    mechanism = dc.ExponentialGlobal(dc.PosteriorSpace([1, 1], 3500), scale="1/2")
    dc.audit(mechanism, progress=lambda number, total: reports.append((number, total)))
    assert (reports[0], reports[-1]) == ((0, 1751), (1751, 1751))
    assert reports == sorted(reports)


def test_a_law_of_its_own_is_enclosed_on_few_data_sets_and_refused_on_more() -> None:
    class Own(dc.ExponentialLocal):
        pass

    with pytest.raises(dc.TooLarge, match="a law of its own is audited on at most 512 data sets"):
        dc.audit(Own(dc.PosteriorSpace([1, 1], 512), scale=1))


def test_an_output_that_no_data_set_leads_to_loses_nothing() -> None:
    mechanism = SnappedCounts(dc.PosteriorSpace([1, 1], 12), epsilon="1/2")
    assert mechanism.law([5, 7]).log_pmf().min() == -float("inf")
    result = dc.audit(mechanism)
    assert Fraction(1, 4) < result.lower <= result.epsilon <= Fraction(1, 2)


def test_the_document_of_an_audit_says_where_and_rounds_outward(monkeypatch: pytest.MonkeyPatch) -> None:
    result = dc.audit(dc.ExponentialLocal(dc.PosteriorSpace([1, 1], 12), scale="1/3"))
    document = result.to_json(["1/8"])
    assert result.worst is not None
    assert document["worst"] == result.worst.to_json()
    assert 0 < document["reached_epsilon"] <= result.lower <= result.epsilon <= document["exact_epsilon"]
    assert document["exact_epsilon"] - document["reached_epsilon"] < 1e-9
    assert document["delta"] == [{"epsilon": 0.125, "delta": result.delta("1/8")}]
    with pytest.raises(dc.InvalidInput, match="at_epsilon"):
        result.to_json(["nothing"])
    by_theorem = dc.audit(dc.Laplace(dc.PosteriorSpace([1] * 5000, 10**6), epsilon=1)).to_json()
    assert (by_theorem["worst"], by_theorem["reached_epsilon"]) == (None, 0.0)
    nothing = dc.audit(dc.Optimal(dc.PosteriorSpace([7, 4], 30), epsilon=2)).to_json()
    assert [nothing[name] for name in ("exact_epsilon", "reached_epsilon", "guarantee")] == [None] * 3
    monkeypatch.setattr(deltas, "MAX_BALLS", 0)  # most pairs are then left to their floats and the scan's error
    assert result.delta("1/8") == pytest.approx(document["delta"][0]["delta"], rel=1e-6)


def test_pairs_that_are_not_scanned_are_in_the_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = dc.audit(dc.ExponentialLocal(dc.PosteriorSpace([1, 2, 3], 10), scale="1/2"))
    monkeypatch.setattr(scan, "MAX_DENSE_CANDIDATES", 10)
    monkeypatch.setattr(scan, "MAX_PAIR_CELLS", 1)
    result = dc.audit(exact.mechanism)
    assert result.worst is not None
    assert exact.lower < result.worst.bound <= result.epsilon
    assert result.certificate.method == "bounds"
    assert "the extreme enclosed, plus 2e-10; the others below that bound" in result.certificate.statement
    with pytest.raises(dc.TooLarge):
        result.delta("1/4")


def test_rows_between_the_ends_are_in_the_certificate_and_no_delta_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = dc.ExponentialGlobal(dc.PosteriorSpace([1, 1], 60), scale="1/2")
    monkeypatch.setattr(edge_rows, "MIN_END_ROWS", 5)
    monkeypatch.setattr(edge_rows, "MAX_END_ROWS", 5)
    exact, result = dc.audit(mechanism), audits._by_ends(mechanism)
    assert exact.lower <= result.epsilon <= mechanism.guarantee
    assert result.certificate.method == "bounds"
    text = result.certificate.statement
    assert text.startswith("rows near the ends scanned and the extreme enclosed, plus ")
    assert text.endswith("; all others bounded in blocks")
    with pytest.raises(dc.TooLarge):
        result.delta("1/100")


def test_a_delta_is_asked_at_the_nearest_float_with_what_that_is_off() -> None:
    asked: list[tuple[float, float]] = []

    def pairs(at: float, off: float) -> Iterator[deltas.Pair]:
        asked.append((at, off))
        return iter(())

    third = Fraction(10**9, 3)
    assert _delta(dc.ExponentialLocal(dc.PosteriorSpace([1, 1], 3), scale=1), pairs, 1e-9)(third) == 0
    assert asked == [(float(third), 1e-9 + float(abs(third - Fraction(float(third)))))]


def test_a_theorem_is_believed_where_it_is_sharper_than_the_scan_but_not_that_of_a_subclass() -> None:
    class Own(dc.ExponentialGlobal):
        pass

    family, own = (dc.audit(kind(dc.PosteriorSpace([1, 1], 3), scale="1e-11")) for kind in (dc.ExponentialGlobal, Own))
    assert family.epsilon == family.mechanism.guarantee
    assert own.epsilon > own.mechanism.guarantee


def test_a_family_is_audited_by_more_laws_than_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    assert dc.audit(dc.Laplace(dc.PosteriorSpace([1, 1], 520), epsilon=1)).certificate.method == "enumeration"
    scanned: list[int] = []
    monkeypatch.setattr(audits, "_by_laws", lambda mechanism, _: scanned.append(mechanism.space.size))
    for n in (2999, 3000):
        dc.audit(dc.Laplace(dc.PosteriorSpace([1, 1], n), epsilon=1))
    assert scanned == [3000]


@pytest.mark.every
@pytest.mark.parametrize("error", [0.0, 2.0**-30])
def test_a_theorem_whose_bound_is_reached_exactly_is_believed_and_no_disagreement(error: float) -> None:
    mechanism = dc.ExponentialGlobal(dc.PosteriorSpace([1, 1], 3), epsilon=1)
    result = audits._confirm(mechanism, WorstCase(1.0, (3, 0), (2, 1), (3, 0), error=error), arb(1), audits._no_delta)
    assert result.epsilon == result.lower == 1
