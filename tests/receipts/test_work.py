"""Estimates of work: what a receipt would take to check, from its sizes alone. They decide what is refused."""

from pathlib import Path

import pytest

from discreet.errors import TooLarge
from discreet.receipts import Receipt
from discreet.receipts.tables import QUICK_CELLS
from discreet.receipts.work import Sizes, reading_steps, require_modest, sizes_of, table_steps, verifying_steps

WRITTEN = Path(__file__).parent / "written"

CASES = [
    (Sizes("geometric", 1000000, 3, 1.0, "nearest", "theorem", 3), 2226000.0225, 156921.0204),
    (Sizes("geometric", 1000000, 12, 0.01, "nearest", "theorem", 300), 9237025, 2377064.9153),
    (Sizes("geometric", 1000000, 2, 0.25, "nearest", "theorem", 3), 1112800.0225, 112800.0225),
    (Sizes("geometric", 1000000000, 2, 1e-06, "nearest", "theorem", 3), 1300000.0225, 300000.0225),
    (Sizes("geometric", 4, 2, 1e-06, "nearest", "theorem", 3), 100260.0225, 100080.0225),
    (Sizes("geometric", 1000000000, 2, 1e-07, "nearest", "theorem", 3), 1100000.0225, 300000.0225),
    (Sizes("geometric", 2000, 3, 1.0, "free", "theorem", 3), 2148679648.0225, 156921.0204),
    (Sizes("geometric", 20, 3, 1.0, "bayes", "theorem", 3), 2538888.0225, 120124.6343),
    (Sizes("geometric", 0, 5, 0.5, "nearest", "theorem", 40, rates=5), 211104, 211004),
    (Sizes("gaussian", 5000, 4, 1.0, "nearest", "theorem", 9, sigma=30.0), 3216000.2025, 260997.0969),
    (Sizes("laplace", 40, 3, 0.1, "", "enumeration", 4), 1688826.46, 128460.5389),
    (Sizes("laplace", 40, 2, 2.0, "", "enumeration", 4), 102613.3733, 100800.04),
    (Sizes("exponential-reciprocal", 1000, 2, 1.0, "", "enumeration", 4), 153333.3733, 102000.04),
    (Sizes("exponential-reciprocal", 65536, 2, 1.0, "", "enumeration", 4), 6600000.04, 108063.5347),
    (Sizes("exponential-reciprocal", 1000000000, 2, 1.0, "", "bounds", 4), 10100000.04, 300000.04),
    (Sizes("exponential-reciprocal", 20, 3, 1.0, "", "enumeration", 4), 126407.51, 6750000.04),
    (Sizes("exponential-reciprocal", 100, 3, 1.0, "", "enumeration", 4), 7323856.31, 6750000.04),
    (Sizes("exponential-reciprocal", 1000, 3, 1.0, "", "theorem", 4), 3556000.04, 6750000.04),
    (Sizes("snapping", 70, 2, 1.0, "", "enumeration", 4), 1108200.04, 101400.04),
    (Sizes("optimal", 30, 2, 1.0, "", "enumeration", 4), 292200.04, 100600.04),
    (Sizes("optimal", 70, 3, 1.0, "", "theorem", 4), 1142000.04, 137649.7412),
    (Sizes("optimal", 131072, 2, 1.0, "", "theorem", 4), 1100000.04, 103200.04),
    (Sizes("tight", 12, 3, 1.0, "nearest", "enumeration", 4), 6944325.04, 115588.4973),
    (Sizes("tight", 12, 3, 1.0, "bayes", "enumeration", 4), 7010573.04, 115588.4973),
    (Sizes("tight", 12, 3, 1.0, "noisy", "theorem", 4), 6182473.04, 115588.4973),
    (Sizes("exponential-reciprocal", 1000000000, 2, 1.0, "", "theorem", 4), 5100000.04, 300000.04),
    (Sizes("laplace", 100000, 3, 0.5, "", "theorem", 4), 1632309.0387, 180498.4872),
    (Sizes("gaussian", 100000, 2, 1.0, "nearest", "theorem", 9, sigma=1000000000.0), 1109283.3802, 109283.3802),
    (Sizes("geometric", 8192, 2, 0.001, "nearest", "theorem", 4), 632480.04, 263840.04),
    (Sizes("geometric", 1000000, 2, 0.016, "nearest", "theorem", 4), 1120000.04, 120000.04),
    (Sizes("geometric", 268435456, 2, 1e-09, "nearest", "theorem", 4), 1229015.9555, 229015.9555),
    (Sizes("exponential-reciprocal", 110, 3, 1.0, "", "theorem", 4), 7166000.04, 6750000.04),
    (Sizes("optimal", 1, 2048, 1.0, "", "theorem", 4), 419940000.04, 3172000.04),
    (Sizes("optimal", 1, 2049, 1.0, "", "theorem", 4), 1509800.04, 3173500.04),
]


@pytest.mark.parametrize(("sizes", "verifying", "reading"), CASES, ids=str)
def test_a_mechanism_takes_so_many_steps_to_verify_and_to_read(sizes: Sizes, verifying: float, reading: float) -> None:
    assert verifying_steps(sizes) == pytest.approx(verifying, abs=1e-3)
    assert reading_steps(sizes) == pytest.approx(reading, abs=1e-3)


def test_a_table_takes_steps_for_its_margins_where_it_is_small_or_read() -> None:
    assert (table_steps(100, reading=False), table_steps(100, reading=True)) == (2_011_000, 2_011_000)
    assert (table_steps(10**6, reading=False), table_steps(10**6, reading=True)) == (10_000_000, 112_000_000)
    assert [table_steps(QUICK_CELLS + more, reading=False) for more in (0, 1)] == [3_802_240, 163_850]


def test_a_table_of_the_most_steps_is_modest_and_one_that_is_larger_or_read_is_not() -> None:
    require_modest([large_table(3_000_000)], reading=False)
    for cells, reading in ((3_000_001, False), (1_000_000, True)):
        with pytest.raises(TooLarge):
            require_modest([large_table(cells)], reading=reading)


def large_table(cells: int) -> Receipt:
    return Receipt({"axes": [], "output": range(cells)})


def test_sizes_are_those_that_a_receipt_tells() -> None:
    [sizes] = sizes_of(Receipt.read(WRITTEN / "geometric.json"))
    assert sizes == Sizes("geometric", 12, 2, 0.3333333333333333, "nearest", "theorem", 4)
    [sizes] = sizes_of(Receipt.read(WRITTEN / "gaussian-three.json"))
    assert sizes == Sizes("gaussian", 12, 3, 2.0, "", "theorem", 1, sigma=3.152332305908203)


def test_a_public_n_is_never_taken_for_a_private_one_and_groups_without_records_take_no_steps() -> None:
    document = Receipt.read(WRITTEN / "geometric.json").document
    for n, counted in ((0, 1), (1, 1), (2, 2), (10**15, 10**15), (10**30, 10**15)):
        [sizes] = sizes_of(Receipt(document | {"n": n}))
        assert (sizes.n, sizes.has_private_n) == (counted, False)
    document = Receipt.read(WRITTEN / "public-groups.json").document
    one = Sizes("geometric", 100, 3, 1.0, "nearest", "theorem", 1)
    assert [*sizes_of(Receipt(document | {"groups": ["x", "f", "m"]}))] == [one, one]  # x has no records
