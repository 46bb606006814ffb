"""Tables that somebody else published with noise: the same beliefs from noise as its publisher states it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from discreet.arithmetic.numbers import as_items, exact, whole
from discreet.errors import InvalidInput
from discreet.inference.beliefs import Belief
from discreet.inference.noise import StatedNoise
from discreet.inference.posterior import NoiseAware
from discreet.inference.products import Product
from discreet.kernels.base import Factor
from discreet.posteriors import Dirichlet, as_prior
from discreet.posteriors.space import PosteriorSpace

STATED = "noise as stated by the publisher"

MAX_ERROR = 1e-3
"""Where floats cannot tell probabilities apart by more than this, nothing is said."""


def read_noisy(
    counts: object,
    *,
    noise: StatedNoise | Sequence[StatedNoise],
    prior: object = "uniform",
    total: object,
    categories: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    clamped: bool = False,
) -> Belief:
    """What may be believed of a table of noisy counts that somebody else published.

    `noise` is one for all cells, or one for each. `clamped` says that negative counts were published as 0. `categories`
    are the names of the cells, or of a cross table the labels of each axis, the last running fastest. `total` is the
    number of records. Nothing about how the noise was drawn is checked: it is as stated by the publisher.

    >>> import discreet as dc
    >>> noise = dc.noise.DiscreteLaplace(scale=2)
    >>> belief = dc.read_noisy([61, -2, 44], noise=noise, total=100, categories=["yes", "no", "unsure"])
    >>> round(belief["yes"].mean, 3), [round(end, 3) for end in belief["yes"].interval()]
    (0.574, [0.466, 0.679])
    """
    values = [exact(value, "a noisy count") for value in as_items(counts, "counts")]
    noises = [noise] * len(values) if isinstance(noise, StatedNoise) else list(noise)
    if len(noises) != len(values) or not all(isinstance(each, StatedNoise) for each in noises):
        raise InvalidInput(
            "the noise is one for all cells, or one for each",
            hint="such as dc.noise.DiscreteLaplace(scale=2)",
            parameter="noise",
        )
    _require_published(values, noises, clamped)
    own = as_prior(prior, len(values))
    if own.k != len(values):
        raise InvalidInput(f"the prior must have {len(values)} parameters", hint="give one for each cell")
    space = PosteriorSpace(prior=own, n=whole(total, "total", minimum=1))  # refuses a prior that no space may have
    kept: dict[tuple[StatedNoise, Fraction], Factor] = {}  # like cells have one factor, and are weighed once
    for each, value in zip(noises, values, strict=True):
        if (each, value) not in kept:
            kept[each, value] = each.factor(value, space.n, clamped=clamped)
    factors = [kept[pair] for pair in zip(noises, values, strict=True)]
    posterior = NoiseAware(own, space.n, Product(factors, own.alpha, space.n))
    if posterior.error > MAX_ERROR:
        raise InvalidInput(
            "the counts contradict their total, or the noise is larger than stated", hint="check total and noise"
        )
    names = [str(i) for i in range(1, len(values) + 1)] if categories is None else categories
    axes = names if isinstance(names, Mapping) else {"category": names}
    return replace(Belief.of(posterior, axes), noise=STATED)


def face_value(counts: object, prior: Dirichlet) -> Dirichlet:
    """The posterior of noisy counts at face value, negative ones as 0: privacy noise not included."""
    return Dirichlet(
        [
            own + max(exact(value, "a noisy count"), Fraction(0))
            for own, value in zip(prior.parameters, as_items(counts, "counts"), strict=True)
        ]
    )


def _require_published(values: Sequence[Fraction], noises: Sequence[StatedNoise], clamped: bool) -> None:
    """What the stated noise could have led to."""
    if any(each.is_whole and value.denominator != 1 for each, value in zip(noises, values, strict=True)):
        raise InvalidInput(
            "this noise leads to whole numbers", hint="state laplace or gaussian noise that was not rounded"
        )
    if clamped and min(values) < 0:
        raise InvalidInput("clamped counts are not negative", hint="leave clamped out")
