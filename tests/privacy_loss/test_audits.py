"""The exact loss of every mechanism: the printed numbers, the definitions, and what is said beyond enumeration."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations

import pytest

from discreet import (
    DiscreetError,
    ExponentialGlobal,
    ExponentialLocal,
    ExponentialReciprocal,
    ExponentialSmooth,
    Geometric,
    InvalidInput,
    Laplace,
    LaplaceImproved,
    Mechanism,
    Optimal,
    PosteriorSpace,
    TooLarge,
    audit,
    published_gamma,
)
from discreet.arithmetic.numbers import ball, precision
from discreet.mechanisms.exponential_law import ExponentialLaw
from discreet.privacy_loss.audits import BY_LAWS
from discreet.privacy_loss.scan import MARGIN
from tests.oracles import geometric as geometric_oracle
from tests.oracles import loss, mechanisms
from tests.oracles.loss import Worst
from tests.oracles.precision import Real, mp, real
from tests.privacy_loss.families import KINDS, Kind, build, oracle_kernel
from tests.support.enumeration import Floats, random_spaces, seeded

CONFIRMED = Fraction(1, 10**9)
"""How closely an exact loss is enclosed."""


def assert_exact(mechanism: Mechanism, kernel: mechanisms.Kernel) -> Worst:
    """The audit encloses the loss of the definition, closely, and names a place where it is reached."""
    found, expected = audit(mechanism), loss.exact_loss(kernel)
    assert found.epsilon - found.lower <= CONFIRMED
    assert float(found.lower) == pytest.approx(float(expected.epsilon), abs=1e-9)
    assert _real(found.lower) <= expected.epsilon + mp.mpf(10) ** -25
    assert expected.epsilon <= _real(found.epsilon) + mp.mpf(10) ** -25
    assert found.worst is not None
    there = mp.log(kernel[found.worst.counts][found.worst.output] / kernel[found.worst.neighbour][found.worst.output])
    assert float(there) == pytest.approx(float(expected.epsilon), abs=1e-9)
    for share in (0.0, 0.25, 0.8):
        at = Fraction(share) * Fraction(str(round(float(expected.epsilon), 6)))
        assert found.delta(at) == pytest.approx(float(loss.exact_delta(kernel, at)), rel=1e-8, abs=1e-12)
    assert found.delta(found.epsilon) == 0
    assert found.delta(found.epsilon * 2) == 0
    return expected


def _real(number: Fraction | float) -> Real:
    assert isinstance(number, Fraction)
    return real(number)


@pytest.mark.parametrize(
    ("kind", "printed"),
    [
        (ExponentialGlobal, 0.50356),
        (ExponentialLocal, 0.90764),
        (ExponentialReciprocal, 0.87673),
        (ExponentialSmooth, 0.52810),
    ],
)
def test_the_printed_losses_of_a_thousand_records_are_met_and_enclosed(kind: Kind, printed: float) -> None:
    space = PosteriorSpace([1, 1], 1000)
    gamma = published_gamma(space, 1, "1e-8") if kind is ExponentialSmooth else 1
    found = audit(build(kind, space, gamma, scale="1/2"))
    assert float(found.epsilon) == pytest.approx(printed, abs=5e-6)
    assert 0 < found.epsilon - found.lower <= CONFIRMED
    assert found.holds
    assert found.delta(1) == 0
    assert found.delta("0.5") > 0
    assert found.certificate.method == "enumeration"
    assert found.certificate.bound == found.epsilon


@pytest.mark.soak
def test_fifty_thousand_records_are_audited_in_less_than_a_gibibyte() -> None:
    program = """
import json, resource, sys
from pathlib import Path
import discreet as dc
space = dc.PosteriorSpace(prior=[1, 1], n=50_000)
shown = {}
for family in (dc.ExponentialReciprocal, dc.ExponentialLocal):
    found = dc.audit(family(space, scale="1/2"))
    place = [found.worst.counts, found.worst.neighbour, found.worst.output]
    shown[family.name] = [float(found.epsilon), float(found.epsilon - found.lower), place, found.certificate.method]
status = Path("/proc/self/status")  # Linux's ru_maxrss would start from what the process before the exec held
if status.exists():
    held = 1024 * int(next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:")).split()[1])
else:
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
shown["held"] = held
print(json.dumps(shown))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    shown = json.loads(done.stdout)
    assert shown["held"] <= 1 << 30
    n = 50_000
    for name, printed, place in (
        ("exponential-reciprocal", 0.897306306, [3, 2, 3]),
        ("exponential-local", 0.921502192, [2, 1, 2]),
    ):
        epsilon, width, worst, method = shown[name]
        assert epsilon == pytest.approx(printed, abs=1e-9)
        assert width <= 1e-9
        assert method == "enumeration"
        mirrored = [[b, a] for a, b in worst]
        assert [[x, n - x] for x in place] in (worst, mirrored)


@pytest.mark.few(2)
@pytest.mark.parametrize("kind", KINDS)
def test_the_audit_is_the_definition_on_random_small_spaces(kind: Kind) -> None:
    rng = seeded(f"audits of {kind.__name__}")
    for alpha, n in random_spaces(f"audits of {kind.__name__}", 15, sizes={2: 22, 3: 5, 4: 3}):
        scale, gamma = Fraction(rng.randint(1, 40), 10), Fraction(rng.randint(1, 30), 10)
        mechanism = build(kind, PosteriorSpace(alpha, n), gamma, scale=scale)
        worst = assert_exact(mechanism, oracle_kernel(kind, alpha, n, scale, gamma))
        assert worst.epsilon <= _real(mechanism.guarantee)
        assert audit(mechanism).holds


@pytest.mark.few(4)
@pytest.mark.parametrize("family", [Laplace, LaplaceImproved])
@pytest.mark.parametrize("rounding", ["nearest", "floor"])
@pytest.mark.parametrize(("k", "n"), [(2, 15), (3, 5), (4, 3)])
def test_the_audit_of_a_laplace_mechanism_is_the_definition(
    family: type[Laplace] | type[LaplaceImproved], rounding: mechanisms.Rounding, k: int, n: int
) -> None:
    epsilon = Fraction(4, 5)
    scale = (mechanisms.laplace_scale if family is Laplace else mechanisms.improved_scale)(k, epsilon)
    kernel = mechanisms.kernel(k, n, lambda c: mechanisms.laplace(c, scale, rounding))
    mechanism = family(PosteriorSpace([1] * k, n), epsilon=epsilon, rounding=rounding)
    expected = assert_exact(mechanism, kernel)
    printed = epsilon if family is LaplaceImproved else epsilon * Fraction(1 if k == 2 else 2, k)
    assert float(expected.epsilon) == pytest.approx(float(printed), abs=1e-12)
    found = audit(mechanism)
    assert found.epsilon == printed  # the theorem is met with equality, so the scan's error need not be charged
    assert found.private


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("epsilon", ["1/2", "2"])
def test_the_loss_of_geometric_is_exactly_epsilon_and_is_reached(k: int, epsilon: str) -> None:
    mechanism = Geometric(PosteriorSpace([1] * k, 12), epsilon=epsilon)
    found = audit(mechanism)
    assert found.epsilon == found.lower == Fraction(epsilon)
    assert found.holds
    assert found.private
    assert found.worst is not None
    assert found.worst.neighbour in list(mechanism.space.adjacency.neighbours(found.worst.counts))
    with precision(128):
        here, there = (
            mechanism.law(c).log_probability(found.worst.output) for c in (found.worst.counts, found.worst.neighbour)
        )
        assert (here - there).overlaps(ball(Fraction(epsilon)))
        assert (here - there).rad() < 1e-25


@pytest.mark.parametrize(("k", "epsilon", "radius"), [(2, "1/2", 90), (2, "2", 25), (3, "1", 45), (4, "2", 16)])
def test_the_delta_of_geometric_is_brute_force_over_noise(k: int, epsilon: str, radius: int) -> None:
    found = audit(Geometric(PosteriorSpace([1] * k, 12), epsilon=epsilon))
    c = (5,) * k
    other = (4, 6, *c[2:])
    row, beside = (geometric_oracle.law(at, Fraction(epsilon), radius + 1) for at in (c, other))
    outside = geometric_oracle.tail(k, Fraction(epsilon), radius)
    for share in (Fraction(0), Fraction(1, 3), Fraction(9, 10)):
        at = share * Fraction(epsilon)
        inner = {z: p for z, p in row.items() if sum(abs(a - b) for a, b in zip(z, c, strict=True)) <= 2 * radius}
        expected = float(loss.delta_between(inner, beside, at))
        assert found.delta(at) == pytest.approx(expected, rel=1e-9, abs=float(outside) + 1e-13)
        assert float(outside) < 1e-9
    assert found.delta(epsilon) == 0


def test_the_delta_of_geometric_needs_no_data_and_no_n() -> None:
    small, large = (audit(Geometric(PosteriorSpace([1, 2, 3], n), epsilon=1)) for n in (3, 10**12))
    assert small.delta("0.3") == large.delta("0.3")
    # As ε falls to 0, v_i ≥ 0 ≥ v_j has the chance C(2k-4, k-2)/C(2k-2, k-1).
    for k, chance in ((2, 1 / 2), (3, 1 / 3), (4, 3 / 10)):
        tiny = audit(Geometric(PosteriorSpace([1] * k, 10), epsilon="1e-9"))
        assert tiny.delta(0) == pytest.approx(chance * 1e-9, rel=1e-6)


def test_the_optimal_kernel_claims_nothing_and_is_not_private() -> None:
    found = audit(Optimal(PosteriorSpace([1, 1], 12), epsilon="1/2"))
    assert found.holds
    assert not found.private
    assert float(found.epsilon) == pytest.approx(0.5, abs=1e-6)


def test_the_local_sensitivity_at_the_documents_scale_is_not_private() -> None:
    found = audit(ExponentialLocal.as_published(PosteriorSpace(["0.01", "0.01"], 1000), epsilon=1))
    assert float(found.epsilon) == pytest.approx(1.113, abs=5e-4)
    assert not found.private
    assert found.holds  # the theorem with its Γ claims no more than is true
    assert found.delta(1) > 0


def test_the_documents_own_scale_is_found_private_where_no_theorem_says_so() -> None:
    mechanism = ExponentialReciprocal.as_published(PosteriorSpace([1, 1], 200), epsilon=1)
    assert mechanism.guarantee > mechanism.epsilon
    found = audit(mechanism)
    assert found.private
    found.certificate.check(mechanism)


@pytest.mark.parametrize(
    "mechanism",
    [
        ExponentialSmooth(PosteriorSpace([1, 2, 3], 10**12), epsilon=1),
        ExponentialLocal(PosteriorSpace([1, 1, 1], 1000), epsilon=1),
        LaplaceImproved(PosteriorSpace([1, 1], 10**12), epsilon=1),
        Laplace(PosteriorSpace([1] * 5000, 10**6), epsilon=1),
    ],
)
def test_beyond_what_can_be_scanned_the_theorem_stands_and_the_certificate_says_so(mechanism: Mechanism) -> None:
    found = audit(mechanism)
    assert found.certificate.method == "theorem"
    assert found.certificate.statement == mechanism.guaranteed_by
    assert found.epsilon == mechanism.guarantee
    assert found.lower == 0
    assert found.worst is None
    assert found.holds
    assert found.private
    assert found.delta(1) == 0
    with pytest.raises(TooLarge):
        found.delta(mechanism.guarantee / 2)


def test_a_loss_without_a_theorem_is_not_called_private_beyond_enumeration() -> None:
    found = audit(ExponentialReciprocal.as_published(PosteriorSpace([1, 1, 1], 10**6), epsilon=1))
    assert found.epsilon == 2
    assert not found.private


def test_a_subclass_is_audited_by_the_laws_that_it_returns() -> None:
    class Same(ExponentialLocal):
        pass

    space = PosteriorSpace(["0.3", 2, 1], 9)
    right, same = audit(ExponentialLocal(space, scale=1)), audit(Same(space, scale=1))
    assert float(same.lower) == pytest.approx(float(right.lower), abs=MARGIN)
    assert same.certificate.facts["law"] != right.certificate.facts["law"]
    assert same.delta("0.2") == pytest.approx(right.delta("0.2"), rel=1e-9)


def test_a_subclass_of_a_large_space_is_refused_rather_than_believed() -> None:
    class Bolder(ExponentialLocal):
        pass

    with pytest.raises(TooLarge, match="a law of its own"):
        audit(Bolder(PosteriorSpace([1, 1], BY_LAWS), epsilon=1))


class _Drifted(ExponentialLaw):
    """Floats that are not those of the exact weights, everywhere but at the data itself."""

    def log_weights(self) -> Floats:
        return super().log_weights() * (1 + 1e-6)


class _Drifting(ExponentialLocal):
    def law(self, counts: object) -> ExponentialLaw:
        right = super().law(counts)
        return _Drifted(right.space, right.counts, right._rate)


def test_a_scan_that_the_law_does_not_confirm_is_no_audit() -> None:
    with pytest.raises(DiscreetError, match="disagree"):
        audit(_Drifting(PosteriorSpace([1, 1], 30), epsilon=1))


def _relabelled(alpha: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return iter(sorted(set(permutations(alpha))))


@pytest.mark.parametrize("kind", KINDS)
def test_the_names_of_the_categories_do_not_change_the_loss(kind: Kind) -> None:
    found = [
        audit(build(kind, PosteriorSpace(alpha, 7), "1/3", scale=2)).lower for alpha in _relabelled(("0.2", "1", "9"))
    ]
    assert [float(one) for one in found] == pytest.approx([float(found[0])] * 6, abs=1e-12)


def test_delta_falls_as_epsilon_grows_and_is_a_probability() -> None:
    found = audit(ExponentialLocal(PosteriorSpace([1, "0.1"], 80), scale=1))
    shown = [found.delta(Fraction(i, 20) * Fraction(found.epsilon)) for i in range(21)]
    assert shown == sorted(shown, reverse=True)
    assert 0 < shown[0] < 1
    assert shown[-1] == 0


@pytest.mark.parametrize("epsilon", [-1, "nan", None, "1e400", "٣"])
def test_a_delta_at_no_epsilon_is_refused(epsilon: object) -> None:
    with pytest.raises(InvalidInput):
        audit(Geometric(PosteriorSpace([1, 1], 10), epsilon=1)).delta(epsilon)


@pytest.mark.parametrize(
    "build_it",
    [
        lambda: ExponentialLocal(PosteriorSpace(["1e12", "1e12"], 20), scale="1/2"),
        lambda: ExponentialLocal(PosteriorSpace(["0.3", "1.7"], 300), scale="1e6"),
    ],
    ids=["the strongest prior", "the largest scale"],
)
def test_every_mechanism_of_the_package_that_can_be_built_can_be_audited(build_it: Callable[[], Mechanism]) -> None:
    assert audit(build_it()).holds


@pytest.mark.parametrize(
    "mechanism",
    [
        LaplaceImproved(PosteriorSpace([1, 1], 20), epsilon=1000),
        ExponentialLocal(PosteriorSpace([1, 1], 3500), scale=1000),
    ],
    ids=lambda mechanism: mechanism.name,
)
def test_a_delta_at_a_huge_epsilon_is_a_probability(mechanism: Mechanism) -> None:
    assert 0 <= audit(mechanism).delta(800) <= 1


def test_progress_is_told_while_long_lines_are_scanned() -> None:
    told: list[tuple[int, int]] = []
    audit(
        ExponentialReciprocal(PosteriorSpace([1, 1], 4000), scale="1/2"),
        progress=lambda done, total: told.append((done, total)),
    )
    assert told[-1][0] == told[-1][1] > 0
