"""Losses beyond enumeration: the rows near the ends, and bounds on everything between them."""

import math
import random
from fractions import Fraction
from itertools import product
from typing import Any

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
from discreet.privacy_loss.interior_bounds import InteriorBounds
from discreet.privacy_loss.scan import MARGIN, margin
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
        assert end in (0, n) or (is_far(end, rate) and reach & (reach - 1) == 0)
        assert reach <= 64 or not is_far(c + sign * (reach // 2), rate)


def test_a_short_window_is_not_cut_where_weights_are_negligible() -> None:
    side = Side(dc.PosteriorSpace([1, 1], 1 << 16))
    assert side.window(1 << 15, 1000.0) == side.window(1 << 15) != (0, 1 << 16)
    wide = Side(dc.PosteriorSpace([10**9, 10**9], 1 << 16))
    assert wide.window(1 << 15) == (0, 1 << 16) == wide.window(1 << 15, 1000.0)
    wider = Side(dc.PosteriorSpace([10**9, 10**9], (1 << 16) + 2))
    assert wider.window(1 << 15) == (0, (1 << 16) + 2) != wider.window(1 << 15, 1e5)


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


def test_a_pair_in_the_middle_of_a_long_line_is_summed_where_weights_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_rows, "_SHORT", 64)
    n, c = 4000, 1900
    mechanism = dc.ExponentialLocal(dc.PosteriorSpace([1, 2], n), scale=5)
    scan = edge_rows._Scan(mechanism, Side(mechanism.space))
    slow = scan.between.rates(np.array([c, c + 1])).min()
    width = scan.side.window(c + 1, slow)[1] - scan.side.window(c, slow)[0]
    assert width < min(reach(scan.side, c, 1), reach(scan.side, c, -1))  # a window that is not cut is wider
    monkeypatch.setattr(edge_rows, "_WIDEST", width)
    one, other = log_pmf_of(mechanism, c)
    assert (worst := scan.pair(c)).loss == pytest.approx(np.abs(one - other).max(), rel=1e-9)
    assert worst.loss + worst.error <= worst.bound < 1.03 * worst.loss
    monkeypatch.setattr(edge_rows, "_WIDEST", width - 1)
    assert scan.pair(c) == WorstCase(bound=math.inf, error=worst.error)


def reach(side: Side, c: int, sign: int) -> int:
    """How far the window of a row reaches where nothing is negligible."""
    return abs(side.window(c)[max(sign, 0)] - c)


def test_what_is_beyond_a_window_is_bounded_unless_there_is_nothing_or_it_is_like_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    n, c, asked = 600, 280, list[tuple[int, int, int, float, float]]()

    def beyond(_: object, *arguments: Any) -> float:
        asked.append(arguments)
        return 0.0

    monkeypatch.setattr(InteriorBounds, "beyond", beyond)
    mechanism = dc.ExponentialLocal(dc.PosteriorSpace([1, 2], n), scale="1/2")
    scan, table = edge_rows._Scan(mechanism, Side(mechanism.space)), grid(mechanism.space)
    rates, far = scan.between.rates(np.array([c, c + 1])), [table.distances(c + i) == 1 for i in (0, 1)]
    ends = [at for at in range(1, n) if len({bool(row[at + i]) for row in far for i in (-1, 0, 1)}) == 2]
    starts, stops = ([at for at in ends if (at > c) == above] for above in (False, True))
    assert min(len(starts), len(stops)) > 2  # where one row's outputs begin to be as far as can be, and not the other's
    for start, stop in [(0, n), (0, 500), (100, n), *product(starts, stops)]:
        monkeypatch.setattr(Side, "window", lambda *_, ends=(start, stop): ends)
        scan.pair(c)
        flat = [far[0][at] and far[1][at] for at in (start, stop)]
        below = n if start == 0 or flat[0] else c - start
        above = n if stop == n or flat[1] else stop - c - 1
        weights = [np.exp(-rate * table.distances(c + i)[start : stop + 1]) for i, rate in enumerate(rates)]
        totals = [math.log(row.sum() + start * row[0] + (n - stop) * row[-1]) for row in weights]
        assert asked[-1][:3] == (c, below, above)
        assert asked[-1][3:] == pytest.approx((rates[1] - rates[0], totals[1] - totals[0]), abs=1e-12)


def test_the_rows_at_an_end_are_scanned_to_the_last_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = dc.ExponentialReciprocal(dc.PosteriorSpace([1, 1], 100), scale=20_000)
    truth, found = losses_of_pairs(mechanism), list[float]()
    for number in (1, 2, 3):
        monkeypatch.setattr(edge_rows, "MIN_END_ROWS", number)
        monkeypatch.setattr(edge_rows, "MAX_END_ROWS", number)
        scan = edge_rows._Scan(mechanism, Side(mechanism.space))
        worst = scan.rows()
        assert worst.error == margin(float(scan.between.rates(np.arange(number + 1)).max())) > MARGIN
        assert worst.loss == pytest.approx(truth[:number].max(), rel=1e-9)
        found.append(worst.loss)
    assert sorted(set(found)) == found


def test_a_block_whose_bound_is_not_close_is_halved_though_that_helps_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_rows, "MIN_END_ROWS", 2)
    monkeypatch.setattr(edge_rows, "MAX_END_ROWS", 2)
    worst = scan_ends(dc.ExponentialSmooth(dc.PosteriorSpace([69_000, 260], 129), scale="0.68", gamma="0.023"))
    assert worst.bound == worst.loss == pytest.approx(0.9036885489875, rel=1e-9)


def test_a_line_is_as_far_off_as_that_end_whose_rates_are_greater(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("MIN_END_ROWS", 2), ("MAX_END_ROWS", 2), ("MAX_HALVINGS", 5)):
        monkeypatch.setattr(edge_rows, name, value)
    mechanism = dc.ExponentialLocal(dc.PosteriorSpace([1, 3], 40), scale=30_000)
    ends = [edge_rows._Scan(mechanism, side).rows() for side in Side.both(mechanism.space)]
    assert (ends[0].loss > ends[1].loss) != (ends[0].error > ends[1].error)
    assert scan_ends(mechanism).error == max(end.error for end in ends)


@pytest.mark.parametrize("gamma", ["0.01", "0.1", "0.2"])
def test_as_many_rows_are_scanned_as_smoothing_reaches_and_a_fifth_more(gamma: str) -> None:
    mechanism = dc.ExponentialReciprocal(dc.PosteriorSpace([1, 1], 10**5), scale=1, gamma=gamma)
    scan = edge_rows._Scan(mechanism, Side(mechanism.space))
    steps = scan.between.steps(np.arange(scan.last))
    smoothed = int(np.flatnonzero(steps.inverse(dc.ExponentialReciprocal, float(gamma)) < steps.local).max(initial=0))
    assert scan._smoothed() == smoothed
    assert scan.number == min(max(300, int(1.2 * smoothed) + 50), 2000)
    local = dc.ExponentialLocal(mechanism.space, scale=1)
    assert edge_rows._Scan(local, Side(mechanism.space))._smoothed() == 0


@pytest.mark.parametrize(
    ("counts", "neighbour"),
    [((550, 550), (551, 549)), ((551, 549), (550, 550)), ((1097, 3), (1096, 4)), ((3, 1097), (4, 1096))],
)
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


@pytest.mark.every
@pytest.mark.parametrize(("spare", "number"), [(1 << 20, 300), (0, 300), (-1, 0), (-(1 << 30), 0)])
def test_every_pair_of_a_half_is_scanned_or_in_a_block(
    spare: int, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    mechanism = dc.ExponentialLocal(dc.PosteriorSpace(["1/2", 3], 2000), scale=1)
    for side, balanced in zip(Side.both(mechanism.space), (1001.25, 998.75), strict=True):
        width = side.window(300)[1] + 1
        monkeypatch.setattr(edge_rows, "MAX_END_CELLS", 301 * width + spare)
        scan = edge_rows._Scan(mechanism, side)
        blocks = scan.blocks()
        assert scan.width == width
        assert scan.number == blocks[0][0] == number
        assert [high for _, high in blocks[:-1]] == [low for low, _ in blocks[1:]]
        assert balanced <= blocks[-1][1] == scan.last <= balanced + 3
