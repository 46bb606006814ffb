"""The picture of one quantity: its axis is in the quantity's own unit."""

import pytest

import discreet as dc
from discreet.figures.style import one_panel
from discreet.figures.tables import plot_table
from discreet.inference.quantities import Quantity


def quantities() -> dict[str, Quantity]:
    table = dc.Geometric(dc.PosteriorSpace(prior=[1] * 4, n=200), epsilon=1)
    axes = {"ratio": ["ratio of new", "old"], "answer": ["log yes", "no"]}
    belief = dc.Belief.of(dc.noise_aware(table, (60, 40, 45, 55)), axes)
    both = dc.compare(belief.group("ratio of new")["log yes"], belief.group("old")["log yes"])
    ratios = {"ratio": both.ratio, "odds ratio": both.odds_ratio, "logarithm of the ratio": both.log_odds_ratio}
    hidden = dc.noise_aware(dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=None), epsilon=1), (60, 38))
    total = dc.Belief.of(hidden, {"answer": ["yes", "no"]}).total
    events = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=None), epsilon=1)
    north = dc.rates(events, (31, 12), {"north": 120_000, "south": 88_000}, per=100_000)["north"]
    ratios["rate per 100000"] = north
    return ratios | {"percentage points": both.difference, "score": belief.group("old").score(), "records": total}


@pytest.mark.few(1)
@pytest.mark.parametrize("unit", quantities())
def test_the_axis_has_the_unit_of_the_quantity(unit: str) -> None:
    quantity = quantities()[unit]
    [axes] = quantity.plot().axes
    assert axes.get_xlabel() == unit
    assert axes.get_xscale() == ("log" if unit in ("ratio", "odds ratio") else "linear")
    low, high = axes.get_xlim()
    factor = 100 if unit == "percentage points" else 1
    assert low < factor * quantity.median < high


def test_a_share_is_in_percentage_points_whatever_its_label() -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=40), epsilon=1)
    belief = dc.Belief.of(dc.noise_aware(mechanism, (30, 10)), {"answer": ["odds ratio", "mean score"]})
    assert {belief[label].plot().axes[0].get_xlabel() for label in belief.labels} == {"percentage points"}


def test_a_difference_of_rates_has_their_unit() -> None:
    events = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=None), epsilon=1)
    rates = dc.rates(events, (31, 12), {"north": 120_000, "south": 88_000}, per=100_000)
    difference = dc.compare(rates["north"], rates["south"]).difference
    [axes] = difference.plot().axes
    assert axes.get_xlabel() == "difference of rates per 100000"
    assert axes.get_xlim()[0] < difference.median < axes.get_xlim()[1]


def test_long_titles_and_labels_are_broken_into_lines_and_not_cut() -> None:
    _, axes = one_panel(8.0, 3.0, "a title " * 20)
    assert axes.get_title(loc="left").split() == ["a", "title"] * 20
    assert max(map(len, axes.get_title(loc="left").splitlines())) <= 88
    cells = dc.Geometric(dc.PosteriorSpace(prior=[1] * 4, n=40), epsilon=1)
    labels = {"vote": ["yes", "no"], "party": ["leaning Republican", "independent"]}
    axes = plot_table(dc.Belief.of(dc.noise_aware(cells, (20, 5, 10, 5)), labels)).axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["leaning\nRepublican", "independent"]
