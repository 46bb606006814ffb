"""Frames, ArviZ and SciPy, each by the real library."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
import xarray
from scipy import stats

import discreet as dc
from discreet.bridges import arviz as arviz_bridge
from discreet.bridges.arviz import to_arviz
from discreet.bridges.frames import to_pandas, to_polars
from discreet.bridges.scipy import to_scipy
from discreet.inference import draws
from discreet.testing import HashedBits

NAMES = ["a", "b", "c"]


@pytest.fixture
def released() -> dc.Released:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 1, 1], n=150), epsilon="1/2")
    return dc.Released(mechanism.posterior((70, 52, 28)), (70, 52, 28), mechanism)


def test_a_release_is_a_pandas_frame_of_its_categories(released: dc.Released) -> None:
    frame = to_pandas(released, NAMES)
    belief = released.noise_aware()
    assert frame.index.tolist() == NAMES
    assert frame["output"].tolist() == [70, 52, 28]
    assert frame["parameter"].tolist() == [71.0, 53.0, 29.0]
    assert frame["mean"].to_numpy() == pytest.approx(belief.mean)
    assert frame["low"].to_numpy() == pytest.approx(belief.interval(0.95)[0])


def test_what_is_believed_is_a_polars_frame(released: dc.Released) -> None:
    frame = to_polars(released.noise_aware(), NAMES, level=0.5)
    assert frame.columns == ["category", "mean", "sd", "low", "high"]
    assert frame.schema["mean"] == pl.Float64
    assert ((frame["low"] < frame["mean"]) & (frame["mean"] < frame["high"])).all()


def test_rates_are_walked_through_and_framed_as_shares_are() -> None:
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=None), epsilon=1)
    rates = dc.rates(mechanism, (31, 12), {"south": 120_000, "north": 88_000}, per=100_000)
    assert (list(rates), len(rates), "north" in rates, "east" in rates) == (["south", "north"], 2, True, False)
    frame = rates.to_pandas(level=0.5)
    assert (frame.index.name, frame.index.tolist()) == ("group", ["south", "north"])
    assert frame.loc["north"].tolist() == [rates["north"].mean, rates["north"].sd, *rates["north"].interval(0.5)]
    assert rates.to_polars()["group"].to_list() == ["south", "north"]


def test_names_must_fit(released: dc.Released) -> None:
    for bridge in (to_pandas, to_polars):
        with pytest.raises(dc.InvalidInput, match="3 names"):
            bridge(released, ["a"])


def test_arviz_summarises_independent_draws(released: dc.Released, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "SYSTEM", HashedBits("arviz"))
    belief = released.noise_aware()
    data = belief.to_arviz(4000, categories=NAMES)
    theta = data.posterior["theta"]
    assert theta.dims == ("chain", "draw", "category")
    assert theta.coords["category"].values.tolist() == NAMES
    assert theta.mean(("chain", "draw")).values == pytest.approx(belief.mean, abs=8 * belief.sd.max() / 4000**0.5)
    import arviz

    summaries: list[Any] = [arviz.ess, arviz.rhat]
    ess, rhat = (summary(data)["theta"].values for summary in summaries)
    assert (ess > 1500).all()
    assert (rhat < 1.02).all()
    with pytest.raises(dc.InvalidInput):
        to_arviz(belief, 4000, categories=["a"])


def test_a_table_s_draws_are_a_tree_of_xarray_where_arviz_reads_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What ArviZ 1.x reads, made with xarray alone: dimensions are the columns of the table, coordinates the labels."""
    monkeypatch.setattr(arviz_bridge, "_arviz", SimpleNamespace)
    axes = {"sex": ["f", "m"], "vote": ["yes", "no", "unsure"]}
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * 6, n=60), epsilon=1)
    belief = dc.Belief.of(dc.noise_aware(mechanism, (20, 10, 5, 12, 9, 4)), axes)
    tree = belief.to_arviz(400, seed=1)
    assert isinstance(tree, xarray.DataTree)
    theta = tree["posterior"]["theta"]
    assert dict(theta.sizes) == {"chain": 4, "draw": 100, "sex": 2, "vote": 3}
    assert theta.coords["vote"].values.tolist() == axes["vote"]
    assert np.allclose(theta.sum(("sex", "vote")), 1)
    apart = 6 * belief.sd.reshape(2, 3) / 20
    assert (np.abs(theta.mean(("chain", "draw")) - belief.mean.reshape(2, 3)) < apart).all()
    assert tree["posterior"].attrs["error"] == belief.error
    share = belief.margin("vote")["yes"].to_arviz(400, seed=1)["posterior"]["yes"]
    assert share.dims == ("chain", "draw")


def test_a_cross_table_is_a_frame_with_its_columns_by_name() -> None:
    axes = {"sex": ["f", "m"], "vote": ["yes", "no"], "region": ["north", "south"]}
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * 8, n=60), epsilon=1)
    belief = dc.Belief.of(dc.noise_aware(mechanism, (10, 10, 5, 12, 9, 4, 6, 4)), axes)
    margin = belief.margin("region", "sex")
    frame = margin.to_pandas()
    assert frame.index.names == ["region", "sex"]
    assert frame.loc[("north", "m"), "mean"] == pytest.approx(margin["north", "m"].mean)
    assert frame["mean"].unstack("sex").loc["south", "f"] == pytest.approx(margin["south", "f"].mean)
    table = margin.to_polars()
    assert table.columns == ["region", "sex", "mean", "sd", "low", "high"]
    row = table.filter((pl.col("region") == "south") & (pl.col("sex") == "m")).row(0, named=True)
    assert (row["low"], row["high"]) == pytest.approx(margin["south", "m"].interval())


def test_scipy_agrees_with_the_mixture(released: dc.Released) -> None:
    belief = released.noise_aware()
    share = to_scipy(belief, 1)
    x = np.linspace(0.2, 0.5, 7)
    assert share.cdf(x) == pytest.approx(belief.cdf(x, 1))
    assert share.pdf(x) == pytest.approx(belief.pdf(x, 1))
    assert share.interval(0.95) == pytest.approx([end[1] for end in belief.interval(0.95)], rel=1e-9)
    assert share.std() == pytest.approx(belief.sd[1])
    assert (share.ppf([0, 1]) == [0, 1]).all()


def test_a_released_posterior_is_scipy_s(released: dc.Released) -> None:
    assert released.posterior.to_scipy().mean() == pytest.approx(released.posterior.mean)
    assert dc.Beta(3, 4).to_scipy().cdf(0.4) == pytest.approx(stats.beta(3, 4).cdf(0.4))
