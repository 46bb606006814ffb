"""Releases and their noise-aware posteriors as pandas or Polars frames: one row for each category."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from discreet.errors import InvalidInput
from discreet.inference import NoiseAware
from discreet.mechanisms import Released

if TYPE_CHECKING:
    Shown: TypeAlias = NoiseAware | Released


def columns(shown: Shown, categories: Sequence[str] | None = None, *, level: float = 0.95) -> dict[str, list[Any]]:
    """The columns of a frame. Those of a release carry what was emitted, and the interval with the noise in it.

    >>> from discreet import Geometric, PosteriorSpace
    >>> released = Geometric(PosteriorSpace(prior=[1, 1], n=90), epsilon=1).release([42, 48])
    >>> list(columns(released, ["cured", "not cured"]))
    ['category', 'output', 'parameter', 'mean', 'sd', 'low', 'high']
    """
    belief = shown if isinstance(shown, NoiseAware) else shown.noise_aware()
    names = [str(i) for i in range(1, belief.k + 1)] if categories is None else list(categories)
    if len(names) != belief.k:
        raise InvalidInput(f"categories must be {belief.k} names", hint="give one for each", parameter="categories")
    low, high = belief.interval(level)
    found: dict[str, list[Any]] = {"category": names}
    if isinstance(shown, Released):
        found |= {"output": list(shown.output), "parameter": shown.posterior.alpha.tolist()}
    return found | {
        "mean": belief.mean.tolist(),
        "sd": belief.sd.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
    }


def to_pandas(shown: Shown, categories: Sequence[str] | None = None, *, level: float = 0.95) -> Any:
    """A pandas frame, indexed by category."""
    try:
        import pandas
    except ImportError:
        raise InvalidInput("this needs pandas", hint="pip install pandas") from None
    return pandas.DataFrame(columns(shown, categories, level=level)).set_index("category")


def to_polars(shown: Shown, categories: Sequence[str] | None = None, *, level: float = 0.95) -> Any:
    """A Polars frame."""
    try:
        import polars
    except ImportError:
        raise InvalidInput("this needs Polars", hint="pip install polars") from None
    return polars.DataFrame(columns(shown, categories, level=level))
