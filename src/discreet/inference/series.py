"""Waves: the same share asked again and again, of different people each time.

Releases of different people are independent, so the share of each wave has its own belief, and the change from one wave
to another is a difference of independent shares (`discreet.inference.comparisons`), exact, with the noise of both in
it. Releases of the same people are no waves: their outputs speak of the same counts, and `combine` multiplies their
likelihoods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from discreet.errors import InvalidInput
from discreet.inference.beliefs import Belief
from discreet.inference.comparisons import Comparison, compare
from discreet.inference.posterior import NoiseAware
from discreet.inference.quantities import Quantity
from discreet.inference.share import Share
from discreet.posteriors import Dirichlet

if TYPE_CHECKING:
    from datetime import datetime

    from matplotlib.figure import Figure


class WaveReceipt(Protocol):
    """What a receipt tells of a wave."""

    @property
    def belief(self) -> Belief:
        """The noise-aware posterior with names."""

    @property
    def posterior(self) -> Dirichlet:
        """The released posterior at face value."""

    @property
    def title(self) -> str | None:
        """What it is called."""

    @property
    def released_at(self) -> datetime | None:
        """When it was released."""


@dataclass(frozen=True, eq=False, repr=False)
class Waves:
    """The share of each wave by its name, in their order, and how it changed.

    `plug_in` has the shares at face value, where the waves are receipts: what one would believe without the noise.
    """

    shares: Mapping[str, Share]
    plug_in: Mapping[str, Share]
    different_people: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the waves."""
        return tuple(self.shares)

    def change(self, first: str, last: str) -> Comparison:
        """The last wave compared with the first: `.difference`, `.ratio`, `.probability_greater`."""
        for name in (first, last):
            if name not in self.shares:
                raise InvalidInput("there is no wave of this name", hint=f"choose from {', '.join(self.names)}")
        pair = [(name, self.shares[name]) for name in (last, first)]
        late, early = (replace(share, label=f"{share.label} in {name}") for name, share in pair)
        return compare(late, early, different_people=self.different_people)

    @property
    def changes(self) -> dict[tuple[str, str], Quantity]:
        """From each wave to the next, the later share minus the earlier: with mean, interval and probabilities."""
        steps = zip(self.names, self.names[1:], strict=False)
        return {(one, other): self.change(one, other).difference for one, other in steps}

    def plot(self, *, level: float = 0.95) -> Figure:
        """The picture of the series: bands with and without the privacy noise (the extra `plot`)."""
        from discreet.figures.series import plot_waves

        return plot_waves(self, level=level)

    def __repr__(self) -> str:
        return f"<Waves: {', '.join(f'{name} {share.mean:.3f}' for name, share in self.shares.items())}>"


def waves(
    releases: Sequence[Share | Belief | WaveReceipt] | Mapping[str, Share | Belief | WaveReceipt],
    category: str | None = None,
    *,
    different_people: bool = False,
) -> Waves:
    """The share of a category in releases of different people, in their order: receipts, beliefs or shares.

    A mapping names the waves; receipts are otherwise named by their title or their day, others by their number.
    Releases of one dataset are refused, unless they are said to be of `different_people`.

    >>> from discreet import Geometric, PosteriorSpace, noise_aware
    >>> mechanism = Geometric(PosteriorSpace(prior=[1, 1], n=400), epsilon="1/2")
    >>> months = {"May": (210, 190), "June": (236, 164), "July": (231, 169)}
    >>> beliefs = {month: Belief.of(noise_aware(mechanism, z), {"vote": ("yes", "no")}) for month, z in months.items()}
    >>> series = waves(beliefs, "yes")
    >>> low, high = series.changes["May", "June"].interval()
    >>> round(low, 3), round(high, 3), round(series.change("May", "July").probability_greater, 3)
    (-0.007, 0.136, 0.924)
    """
    by_name = dict(releases) if isinstance(releases, Mapping) else _name_waves(releases)
    if len(by_name) < 2:
        raise InvalidInput("a series has two waves at least", hint="give one release for each wave")
    shares = {name: _share(release, category) for name, release in by_name.items()}
    plain = {name: _plug_in(release, category) for name, release in by_name.items()}
    return Waves(shares, {name: share for name, share in plain.items() if share is not None}, different_people)


def _name_waves(releases: Sequence[Any]) -> dict[str, Any]:
    names = [_name(release) or f"wave {i}" for i, release in enumerate(releases, 1)]
    if len(set(names)) < len(names):
        names = [f"wave {i}" for i in range(1, len(names) + 1)]
    return dict(zip(names, releases, strict=True))


def _name(release: Any) -> str | None:
    title, day = getattr(release, "title", None), getattr(release, "released_at", None)
    return title if title is not None else None if day is None else f"{day:%Y-%m-%d}"


def _share(release: Any, category: str | None) -> Share:
    if isinstance(release, Share):
        return release
    belief = release if isinstance(release, Belief) else getattr(release, "belief", None)
    if not isinstance(belief, Belief):
        raise InvalidInput("a wave is a receipt, a belief or a share", hint="give receipt.belief[category]")
    if category is None:
        raise InvalidInput("a wave has several shares", hint="name the category", parameter="category")
    return belief[category]


def _plug_in(release: Any, category: str | None) -> Share | None:
    """The share at face value, where the release has one posterior of one axis."""
    if isinstance(release, Share | Belief) or bool(getattr(release, "groups", None)):
        return None
    belief = release.belief
    return Belief.of(NoiseAware.at_face_value(release.posterior), belief.axes)[str(category)]
