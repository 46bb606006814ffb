"""Releases and their noise-aware posteriors as pandas or Polars frames: one row for each category, or for each cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from discreet.errors import InvalidInput
from discreet.inference import Belief, NoiseAware
from discreet.mechanisms import Released

if TYPE_CHECKING:
    Frameable: TypeAlias = Belief | NoiseAware | Released


def columns(shown: Frameable, categories: Sequence[str] | None = None, *, level: float = 0.95) -> dict[str, list[Any]]:
    """The columns of a frame. Those of a release carry what was emitted, and the interval with the noise in it.

    >>> from discreet import Geometric, PosteriorSpace
    >>> released = Geometric(PosteriorSpace(prior=[1, 1], n=90), epsilon=1).release([42, 48])
    >>> list(columns(released, ["cured", "not cured"]))
    ['category', 'output', 'parameter', 'mean', 'sd', 'low', 'high']
    """
    belief = _as_belief(shown, categories)
    low, high = belief.interval(level)
    table: dict[str, list[Any]] = {name: [key[i] for key in belief.cells] for i, name in enumerate(belief.axes)}
    if isinstance(shown, Released):
        table |= {"output": list(shown.output), "parameter": shown.posterior.alpha.tolist()}
    return table | {
        "mean": belief.mean.tolist(),
        "sd": belief.sd.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
    }


def _as_belief(shown: Frameable, categories: Sequence[str] | None) -> Belief:
    if isinstance(shown, Belief):
        if categories is not None:
            raise InvalidInput("a belief has its own labels", hint="leave categories out", parameter="categories")
        return shown
    posterior = shown if isinstance(shown, NoiseAware) else shown.noise_aware()
    names = [str(i) for i in range(1, posterior.k + 1)] if categories is None else list(categories)
    return Belief.of(posterior, {"category": names})


def to_pandas(shown: Frameable, categories: Sequence[str] | None = None, *, level: float = 0.95) -> Any:
    """A pandas frame, indexed by category, or by the labels of each axis."""
    try:
        import pandas
    except ImportError:
        raise InvalidInput("this needs pandas", hint="pip install pandas") from None
    axes = list(shown.axes) if isinstance(shown, Belief) else ["category"]
    return pandas.DataFrame(columns(shown, categories, level=level)).set_index(axes)


def to_polars(shown: Frameable, categories: Sequence[str] | None = None, *, level: float = 0.95) -> Any:
    """A Polars frame."""
    try:
        import polars
    except ImportError:
        raise InvalidInput("this needs Polars", hint="pip install polars") from None
    return polars.DataFrame(columns(shown, categories, level=level))
