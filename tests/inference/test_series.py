"""Releases of the same people are multiplied, those of different people are put side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.inference.series import waves
from discreet.posteriors.predictive import log_predictive
from discreet.receipts import Receipt
from discreet.requests.run import release_counts

SPACE = dc.PosteriorSpace(prior=[1, 2, "1/2"], n=9)
LABELS = ["yes", "no", "unsure"]


def receipts(size: int, **options: Any) -> list[Receipt]:
    return [release_counts([40, 60], epsilon=1, categories=["yes", "no"], **options) for _ in range(size)]


def released(mechanism: dc.Mechanism, output: tuple[int, ...]) -> dc.Released:
    return dc.Released(mechanism.posterior(output), output, mechanism)


def test_outputs_of_several_mechanisms_about_the_same_people_multiply() -> None:
    receipts = [
        released(dc.Geometric(SPACE, epsilon=1), (2, 5, 2)),
        released(dc.Gaussian(SPACE, sigma=2, delta="1e-3"), (4, 6, -1)),
        released(dc.Gaussian(SPACE, sigma="5/2", delta="1e-3"), (12, -3, 0)),
    ]
    rows = SPACE.candidates().array()
    logs = log_predictive(SPACE.prior, rows)
    for one in receipts:
        laws = (one.mechanism.law(row) for row in rows.tolist())
        logs = logs + np.array([float(law.log_probability(one.output)) for law in laws])
    weight = np.exp(logs - logs.max())
    weight /= weight.sum()
    mean = weight @ ((SPACE.prior.alpha + rows) / (SPACE.prior.alpha.sum() + SPACE.n))
    both = dc.combine(receipts)
    assert both.mean == pytest.approx(mean, rel=1e-9)
    count, chance = both.counts.marginal(1)
    for value, probability in zip(count.tolist(), chance.tolist(), strict=True):
        assert probability == pytest.approx(weight[rows[:, 1] == value].sum(), abs=1e-12)


def test_receipts_say_as_much_as_the_releases_they_are_of() -> None:
    drawn = [dc.Geometric(SPACE, epsilon=1).release([3, 4, 2]) for _ in range(3)]
    read = [Receipt.from_json(one.receipt(LABELS).to_json()) for one in drawn]
    assert dc.combine(read).mean == pytest.approx(dc.combine(drawn).mean, rel=1e-12)


def test_a_release_that_is_given_twice_is_refused() -> None:
    one = dc.Geometric(SPACE, epsilon=1).release([3, 4, 2])
    with pytest.raises(dc.InvalidInput, match="twice"):
        dc.combine([one, one])
    charged = {**one.receipt(LABELS).document, "request_id": "r", "dataset": "d", "charge": "0" * 64}
    with pytest.raises(dc.InvalidInput, match="twice"):
        dc.combine([Receipt(charged), Receipt(dict(charged))])


def test_receipts_of_other_categories_are_not_combined() -> None:
    one, other = (dc.Geometric(SPACE, epsilon=1).release([3, 4, 2]).receipt(names) for names in (LABELS, LABELS[::-1]))
    with pytest.raises(dc.InvalidInput, match="different categories"):
        dc.combine([one, other])


def test_changes_between_waves_are_differences_of_independent_shares() -> None:
    series = waves(receipts(3), "yes")
    assert series.names == ("wave 1", "wave 2", "wave 3")  # three of one day
    first, second, third = series.shares.values()
    change = series.changes["wave 1", "wave 2"]
    assert change.mean == pytest.approx(second.mean - first.mean, abs=1e-9)
    assert change.sd == pytest.approx(np.hypot(first.sd, second.sd), rel=1e-6)
    drawn = second.sample(40_000, seed=1) - first.sample(40_000, seed=2)
    assert change.interval(0.95) == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.005)
    whole = series.change("wave 1", "wave 3")
    assert whole.difference.mean == pytest.approx(third.mean - first.mean, abs=1e-9)


def test_a_wave_has_its_title_its_day_or_its_number() -> None:
    titled = [release_counts([40, 60], epsilon=1, categories=["yes", "no"], title=title) for title in ("May", "June")]
    assert waves(titled, "yes").names == ("May", "June")
    assert waves({"a": titled[0], "b": titled[1].belief["yes"]}, "yes").names == ("a", "b")
    assert list(waves([one.belief for one in titled], "yes").plug_in) == []


@pytest.mark.every
@pytest.mark.parametrize(
    ("given", "words"),
    [
        (lambda: (receipts(1), "yes"), "two waves"),
        (lambda: (receipts(2), None), "name the category"),
        (lambda: ([1, 2], "yes"), "a wave is"),
        (lambda: (receipts(2), "maybe"), "maybe|no category|label"),
    ],
)
def test_what_is_no_series_is_refused(given: Any, words: str) -> None:
    with pytest.raises(dc.InvalidInput, match=words):
        waves(*given())


def test_releases_of_one_dataset_are_no_waves_unless_said_so() -> None:
    charged = []
    for number, one in enumerate(receipts(2)):
        charge = {"request_id": f"r{number}", "dataset": "panel", "charge": f"{number}" * 64}
        charged.append(Receipt({**one.document, **charge}))
    with pytest.raises(dc.InvalidInput, match="of the same people"):
        _ = waves(charged, "yes").changes
    assert len(waves(charged, "yes", different_people=True).changes) == 1


def test_the_picture_has_a_band_with_the_noise_and_one_without() -> None:
    series = waves(receipts(3), "yes")
    [axes] = series.plot().axes
    labels = axes.get_legend_handles_labels()[1]
    assert [("not included" in label) for label in labels] == [False, True]
    aware, low, high = axes.lines[0], axes.lines[2], axes.lines[3]
    ends = axes.collections[0].get_paths()[0].get_extents()
    assert ends.y0 < low.get_ydata().min() < aware.get_ydata().min()  # type: ignore[union-attr]
    assert ends.y1 > high.get_ydata().max()  # type: ignore[union-attr]
    [alone] = waves([one.belief for one in receipts(2)], "yes").plot().axes
    assert len(alone.lines) == 1


def test_a_change_is_called_by_its_waves() -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=40), epsilon=1)
    counts = {"May": (21, 19), "June": (26, 14)}
    beliefs = {name: dc.Belief.of(dc.noise_aware(mechanism, z), {"vote": ("yes", "no")}) for name, z in counts.items()}
    assert waves(beliefs, "yes").changes["May", "June"].name == "difference of yes in June and yes in May"
