"""Losses beyond enumeration: the rows near the ends, and bounds on everything between them."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.arithmetic.numbers import fraction_upper, precision
from discreet.mechanisms.exponential import Exponential
from discreet.posteriors.distances import log_affinity_floats
from discreet.posteriors.grid import grid
from discreet.privacy_loss import edge_rows
from discreet.privacy_loss.certificates import WorstCase
from discreet.privacy_loss.edge_rows import Side, enclose_ends, scan_ends
from discreet.privacy_loss.scan import MARGIN
from tests.privacy_loss.families import losses_of_pairs, members
from tests.support.enumeration import Floats


@pytest.mark.few(1)
@pytest.mark.parametrize(("n", "loss"), [(10**6, 0.897720576), (10**12, 0.897742396)])
def test_the_documents_own_mechanism_is_certified_at_a_million_and_a_million_million_records(
    n: int, loss: float
) -> None:
    result = dc.audit(dc.ExponentialReciprocal.as_published(dc.PosteriorSpace([1, 1], n), epsilon=1))
    assert float(result.lower) == pytest.approx(loss, abs=1e-9)
    assert float(result.epsilon) == pytest.approx(loss, abs=1e-8)
    assert result.worst is not None
    assert (result.worst.counts[0], result.worst.neighbour[0], result.worst.output[0]) == (3, 2, 3)
    assert result.private
    assert result.certificate.method == "bounds"
    assert "plus 2e-10; all others bounded" in result.certificate.statement
    result.certificate.check(result.mechanism)
    with pytest.raises(dc.TooLarge, match="too large for an exact δ"):
        result.delta("1/2")


def test_the_local_sensitivity_at_a_million_records_loses_what_is_printed() -> None:
    result = dc.audit(dc.ExponentialLocal(dc.PosteriorSpace([1, 1], 10**6), scale="1/2"))
    assert float(result.epsilon) == pytest.approx(0.921777, abs=1e-6)


@pytest.mark.soak
@pytest.mark.parametrize("n", [10**6, 10**12])
def test_the_textbook_mechanism_hardly_loses_more_than_its_scale(n: int) -> None:
    result = dc.audit(dc.ExponentialGlobal(dc.PosteriorSpace([1, 1], n), scale="1/2"))
    assert Fraction(1, 2) < result.epsilon < Fraction(50001, 100000)


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(4))
def test_it_agrees_with_enumeration_within_its_own_bound(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a fixed sample of spaces
    space = dc.PosteriorSpace([f"{10 ** chance.uniform(-1.3, 1):.3g}" for _ in range(2)], chance.randint(300, 600))
    for mechanism in members(space):
        truth, worst = losses_of_pairs(mechanism).max(), scan_ends(mechanism)
        assert worst.loss - MARGIN <= truth <= worst.bound + MARGIN, mechanism
        if not isinstance(mechanism, dc.ExponentialSmooth):
            assert worst.loss == pytest.approx(truth, abs=MARGIN), mechanism


@pytest.mark.soak
@pytest.mark.parametrize("seed", [8, 1, 3, 5, 6, 7, 9, 12])
def test_what_is_certified_is_within_a_few_per_cent_of_what_is_reached(seed: int) -> None:
    """Weak and strong priors, equal and far from equal, of all four families: 3 % is promised, 1 % is aimed at."""
    chance = random.Random(seed)  # noqa: S311 - a fixed sample of spaces
    prior = [f"{10 ** chance.uniform(-4, 9):.3g}" for _ in range(2)]
    space = dc.PosteriorSpace(prior, int(10 ** chance.uniform(4.9, 12)))
    mechanisms: list[Exponential] = [
        dc.ExponentialSmooth(space, scale="0.7", gamma=f"{10 ** chance.uniform(-3, 0.3):.3g}"),
        dc.ExponentialReciprocal(space, scale="0.7", gamma=f"{10 ** chance.uniform(-2, 0.3):.3g}"),
        dc.ExponentialLocal(space, scale="3"),
        dc.ExponentialGlobal(space, scale="0.1"),
    ]
    worst = scan_ends(mechanisms[seed % 4])
    assert worst.loss <= worst.bound < 1.03 * worst.loss


@pytest.mark.soak
def test_one_record_beyond_enumeration_a_strong_and_unequal_prior_is_certified_as_sharply() -> None:
    spaces = (dc.PosteriorSpace([10**6, "1/50"], n) for n in (65_535, 65_536))
    exact, bounded = (dc.audit(dc.ExponentialSmooth(space, scale=2, gamma="1/3")) for space in spaces)
    assert (exact.certificate.method, bounded.certificate.method) == ("enumeration", "bounds")
    assert float(exact.epsilon) == pytest.approx(3.437675, abs=1e-6)
    assert bounded.epsilon - bounded.lower < Fraction(1, 10**6)
    assert float(bounded.epsilon) == pytest.approx(float(exact.epsilon), abs=1e-5)


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(4))
def test_a_pair_loses_no_more_than_its_bound_and_no_less_than_is_reached(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows are cut short, as they are on lines of millions of records; the pairs are those of a line in full."""
    monkeypatch.setattr(edge_rows, "_SHORT", 64)
    chance = random.Random(seed)  # noqa: S311 - a fixed sample of spaces
    space = dc.PosteriorSpace([f"{10 ** chance.uniform(-2, 6):.3g}" for _ in range(2)], chance.randint(400, 900))
    for mechanism in members(space):
        truth = losses_of_pairs(mechanism)
        for side in Side.both(space):
            scan = edge_rows._Scan(mechanism, side)
            for c in (0, 1, 7, space.n // 5, space.n // 2, space.n - 1):
                worst, at = scan.pair(c), space.n - 1 - c if side.mirrored else c
                assert worst.loss - MARGIN <= truth[at] <= worst.bound, (mechanism, c)
                assert worst.bound <= 1.03 * worst.loss, (mechanism, c)


def test_an_extreme_between_the_ends_is_reached_there_and_enclosed(monkeypatch: pytest.MonkeyPatch) -> None:
    """With hardly a row scanned at the ends, the blocks lead to the pair that a full scan finds."""
    monkeypatch.setattr(edge_rows, "MIN_END_ROWS", 2)
    monkeypatch.setattr(edge_rows, "MAX_END_ROWS", 2)
    mechanism = dc.ExponentialSmooth(dc.PosteriorSpace([1, 1], 1000), scale="1/2", gamma="0.0190318210294643")
    exact = dc.audit(mechanism)
    worst = scan_ends(mechanism)
    assert worst.loss == pytest.approx(float(exact.lower), abs=MARGIN)
    assert 100 < worst.counts[0] < 900
    with precision(96):
        assert exact.lower <= fraction_upper(enclose_ends(mechanism, worst)) <= exact.epsilon


def test_a_halved_sensitivity_is_still_rejected_beyond_enumeration() -> None:
    space = dc.PosteriorSpace([1, 1], 10**6)
    honest = dc.ExponentialReciprocal(space, epsilon=1)
    fault = dc.ExponentialReciprocal(space, scale=8 * honest.scale).certified(
        Fraction(1), Fraction(1), "somebody said so"
    )
    result = dc.audit(fault)
    assert not result.holds
    assert not result.private


@pytest.mark.few(1)
@pytest.mark.parametrize("scale", ["1000", "1e6"])
def test_a_large_scale_is_audited_with_a_margin_as_large(scale: str) -> None:
    for kind in (dc.ExponentialLocal, dc.ExponentialReciprocal):
        result = dc.audit(kind(dc.PosteriorSpace([1, 1], 10**5), scale=scale))
        assert result.certificate.method == "bounds"
        assert Fraction(scale) < result.lower <= result.epsilon <= result.mechanism.guarantee


@pytest.mark.every
@pytest.mark.parametrize("rate", [0.0, 500.0])
@pytest.mark.parametrize("c", [10, 3000, 5 * 10**5, 999_000])
def test_a_window_ends_where_distances_are_one_or_weights_negligible_and_at_most_twice_as_far(
    c: int, rate: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edge_rows, "_SHORT", 1 << 16 if not rate else 64)
    side, n = Side(dc.PosteriorSpace(["1/2", 3], 10**6)), 10**6

    def is_far(output: int, rate: float) -> bool:
        loss = -float(log_affinity_floats(side.space.prior, (c, n - c), [(output, n - output)])[0])
        return loss >= 80 or n * math.exp(-rate * math.sqrt(-math.expm1(-loss))) < math.exp(-42)

    for sign, end in zip((-1, 1), side.window(c, rate), strict=True):
        reach = abs(end - c)
        assert end in (0, n) or is_far(end, rate)
        assert reach <= 64 or (not rate and c <= 1 << 16 > reach) or not is_far(c + sign * (reach // 2), rate)


@pytest.mark.every
@pytest.mark.parametrize(("scale", "gamma", "c"), [("1/500", 1, 550), ("3", 1, 1099), ("1/2", "1/10", 22)])
def test_what_is_beyond_a_window_on_either_side_counts(
    scale: str, gamma: object, c: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a small scale much weight is beyond it; at a large one it is short; the third loses most there."""
    monkeypatch.setattr(edge_rows, "_SHORT", 64)
    monkeypatch.setattr(edge_rows, "_WIDEST", 1100)
    mechanism = dc.ExponentialSmooth(dc.PosteriorSpace([1, 2], 1100), scale=scale, gamma=gamma)
    one, other = log_pmf_of(mechanism, c)
    for side in Side.both(mechanism.space):
        worst = edge_rows._Scan(mechanism, side).pair(1099 - c if side.mirrored else c)
        at = worst.output[0]
        there = one[at] - other[at] if worst.counts[0] == c else other[at] - one[at]
        assert (there, worst.loss) == pytest.approx([np.abs(one - other).max()] * 2, rel=1e-10)
        assert worst.loss + worst.error == pytest.approx(worst.bound, rel=1e-12)
        assert sorted([worst.counts[0], worst.neighbour[0]]) == [c, c + 1]


def log_pmf_of(mechanism: Exponential, c: int) -> list[Floats]:
    """Of the rows c and c+1 of a line, all outputs."""
    n = mechanism.space.n
    rates = mechanism.rates(np.array([[c, n - c], [c + 1, n - c - 1]]))
    rows = [-rate * grid(mechanism.space).distances(c + i) for i, rate in enumerate(rates)]
    return [row - math.log(np.exp(row).sum()) for row in rows]


@pytest.mark.parametrize(("counts", "neighbour"), [((550, 550), (551, 549)), ((551, 549), (550, 550))])
def test_an_enclosure_has_all_outputs_though_few_are_summed(
    counts: tuple[int, int], neighbour: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edge_rows, "_SHORT", 64)
    mechanism = dc.ExponentialLocal(dc.PosteriorSpace([1, 2], 1100), scale="1/500")
    with precision(96):
        loss = enclose_ends(mechanism, WorstCase(counts=counts, neighbour=neighbour, output=counts))
        one, other = (mechanism.law(c).log_probability(counts) for c in (counts, neighbour))
        assert loss.overlaps(one - other)
        assert 0 < loss.rad() < 1e-24


@pytest.mark.every
@pytest.mark.parametrize(
    ("limits", "bounds"),
    [
        ({"MAX_HALVINGS": 3}, [0.579423417833, 0.6173483258937, 0.6560790476116, 0.8535563921065]),
        ({"MAX_HALVINGS": 14}, [0.579423417833, 0.579423417833, 0.6560790476116, 0.6560790476116]),
        ({"MAX_HALVINGS": 10, "MAX_END_CELLS": 0}, [0.579423417833, 0.5795464689393, 0.6560790476116, 0.7574018415479]),
        ({"MAX_HALVINGS": 6, "MAX_END_CELLS": 0, "_WIDEST": 0}, [0, 0.7242375007213, 0, 1.930470941697]),
        (
            {"MAX_HALVINGS": 14, "_CLOSE": 0.3, "_WORTH": 0.9},
            [0.579423417833, 0.7147592346375, 0.6560790476116, 0.8479823450456],
        ),
    ],
    ids=str,
)
def test_what_is_left_when_halving_ends_is_bounded_as_sharply_as_it_was(
    limits: dict[str, float], bounds: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, limit in ({"MIN_END_ROWS": 2, "MAX_END_ROWS": 2} | limits).items():
        monkeypatch.setattr(edge_rows, name, limit)
    found = []
    for mechanism in (
        dc.ExponentialSmooth(dc.PosteriorSpace([1, 1], 30), scale="1/2", gamma="0.05"),
        dc.ExponentialLocal(dc.PosteriorSpace(["1/2", 3], 12), scale="1/2"),
    ):
        truth, worst = losses_of_pairs(mechanism).max(), scan_ends(mechanism)
        assert worst.loss - MARGIN <= truth <= worst.bound + MARGIN
        assert worst.error == MARGIN
        found += [max(worst.loss, 0.0), worst.bound]
    assert found == pytest.approx(bounds, rel=1e-9)


@pytest.mark.parametrize("cells", [0, edge_rows.MAX_END_CELLS])
def test_every_pair_of_a_half_is_scanned_or_in_a_block(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_rows, "MAX_END_CELLS", cells)
    mechanism = dc.ExponentialLocal(dc.PosteriorSpace(["1/2", 3], 2000), scale=1)
    for side, balanced in zip(Side.both(mechanism.space), (1001.25, 998.75), strict=True):
        scan = edge_rows._Scan(mechanism, side)
        blocks = scan.blocks()
        assert scan.number == blocks[0][0] == (edge_rows.MIN_END_ROWS if cells else 0)
        assert [high for _, high in blocks[:-1]] == [low for low, _ in blocks[1:]]
        assert balanced <= blocks[-1][1] <= balanced + 3
