"""Releases and what may be believed of them as pandas or Polars frames: a row for each category, cell or group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from discreet.errors import InvalidInput
from discreet.inference import Belief, NoiseAware
from discreet.inference.quantities import QuantityTable
from discreet.mechanisms import Released

if TYPE_CHECKING:
    Frameable: TypeAlias = QuantityTable | NoiseAware | Released


def columns(shown: Frameable, categories: Sequence[str] | None = None, *, level: float = 0.95) -> dict[str, list[Any]]:
    """The columns of a frame. Those of a release carry what was emitted, and the interval with the noise in it.

    >>> from discreet import Geometric, PosteriorSpace
    >>> released = Geometric(PosteriorSpace(prior=[1, 1], n=90), epsilon=1).release([42, 48])
    >>> list(columns(released, ["cured", "not cured"]))
    ['category', 'output', 'parameter', 'mean', 'sd', 'low', 'high']
    """
    belief = _as_table(shown, categories)
    low, high = belief.interval(level)
    table: dict[str, list[Any]]
    if isinstance(belief, Belief):
        table = {name: [key[i] for key in belief.cells] for i, name in enumerate(belief.axes)}
    else:
        table = {"group": list(belief)}
    if isinstance(shown, Released):
        table |= {"output": list(shown.output), "parameter": shown.posterior.alpha.tolist()}
    return table | {
        "mean": belief.mean.tolist(),
        "sd": belief.sd.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
    }


def _as_table(shown: Frameable, categories: Sequence[str] | None) -> QuantityTable:
    if isinstance(shown, QuantityTable):
        if categories is not None:
            raise InvalidInput("a belief has its own labels", hint="leave categories out", parameter="categories")
        return shown
    posterior = shown if isinstance(shown, NoiseAware) else shown.noise_aware()
    names = [str(i) for i in range(1, posterior.k + 1)] if categories is None else list(categories)
    return Belief.of(posterior, {"category": names})


def to_pandas(shown: Frameable, categories: Sequence[str] | None = None, *, level: float = 0.95) -> Any:
    """A pandas frame, indexed by category, by group, or by the labels of each axis."""
    try:
        import pandas
    except ImportError:
        raise InvalidInput("this needs pandas", hint="pip install pandas") from None
    axes = (
        list(shown.axes) if isinstance(shown, Belief) else ["group" if isinstance(shown, QuantityTable) else "category"]
    )
    return pandas.DataFrame(columns(shown, categories, level=level)).set_index(axes)


def to_polars(shown: Frameable, categories: Sequence[str] | None = None, *, level: float = 0.95) -> Any:
    """A Polars frame."""
    try:
        import polars
    except ImportError:
        raise InvalidInput("this needs Polars", hint="pip install polars") from None
    return polars.DataFrame(columns(shown, categories, level=level))
