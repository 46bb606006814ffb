"""Tables that somebody else published with noise: the same beliefs from noise as its publisher states it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from discreet.arithmetic.numbers import Range, as_items, exact, whole
from discreet.errors import InvalidInput
from discreet.inference.beliefs import Belief
from discreet.inference.factor_posteriors import Contradiction, contradict, factor_posterior
from discreet.inference.noise import StatedNoise
from discreet.inference.posterior import NoiseAware
from discreet.inference.records import Between, as_records
from discreet.posteriors import Dirichlet, as_prior
from discreet.posteriors.space import PosteriorSpace

STATED = "noise as stated by the publisher"

COUNT_RANGE = Range("-1e15", "1e15")
"""As many records as a space may have."""

MAX_ERROR = 1e-3
"""Where floats cannot tell probabilities apart by more than this, nothing is said."""


def read_noisy(
    counts: object,
    *,
    noise: StatedNoise | Sequence[StatedNoise],
    prior: object = "uniform",
    total: object = None,
    categories: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    clamped: bool = False,
    records: object = None,
) -> Belief:
    """What may be believed of a table of noisy counts that somebody else published.

    `noise` is one for all cells, or one for each. `clamped` says that negative counts were published as 0. `categories`
    are the names of the cells, or of a cross table the labels of each axis, the last running fastest. `total` is the
    number of records, if it is known; if not, every number is as likely as any other, unless `records` says a least and
    a greatest one. Where the counts contradict `total` or `records`, there is a warning, and these are believed.
    Nothing about how the noise was drawn is checked: it is as stated by the publisher.

    >>> import discreet as dc
    >>> noise = dc.noise.DiscreteLaplace(scale=2)
    >>> belief = dc.read_noisy([61, -2, 44], noise=noise, total=100, categories=["yes", "no", "unsure"])
    >>> round(belief["yes"].mean, 3), [round(end, 3) for end in belief["yes"].interval()]
    (0.574, [0.466, 0.679])
    >>> dc.read_noisy([61, -2, 44], noise=noise).total.interval()
    (97.0, 115.0)
    """
    values = [exact(value, "a noisy count", between=COUNT_RANGE) for value in as_items(counts, "counts")]
    noises = [noise] * len(values) if isinstance(noise, StatedNoise) else list(noise)
    if len(noises) != len(values) or not all(isinstance(each, StatedNoise) for each in noises):
        raise InvalidInput(
            "the noise is one for all cells, or one for each",
            hint="such as dc.noise.DiscreteLaplace(scale=2)",
            parameter="noise",
        )
    _require_published(values, noises, clamped)
    reader = as_prior(prior, len(values))
    if reader.k != len(values):
        raise InvalidInput(f"the prior must have {len(values)} parameters", hint="give one for each cell")
    n = None if total is None else whole(total, "total", minimum=1)
    if n is not None and records is not None:
        raise InvalidInput("the total is known", hint="leave out records", parameter="records")
    space = PosteriorSpace(prior=reader, n=n)  # refuses a prior that no space may have
    pairs = list(zip(noises, values, strict=True))
    by_pair = {(each, value): each.factor(value, n, clamped=clamped) for each, value in dict.fromkeys(pairs)}
    factors = [by_pair[pair] for pair in pairs]  # like cells have one factor, and are weighed once
    held = as_records(records)
    posterior = NoiseAware(space.prior, n, factor_posterior(factors, space.prior.alpha, n, held))
    if posterior.error > MAX_ERROR:
        raise InvalidInput(
            "the counts contradict their total, or the noise is larger than stated", hint="check total and noise"
        )
    known = held if n is None else Between(n, n)
    if isinstance(known, Between):
        unclamped = {pair: pair[0].factor(pair[1], None) for pair in by_pair}
        if contradict([unclamped[pair] for pair in pairs], known.low, known.high, clamped=clamped):
            warnings.warn(Contradiction("records" if n is None else "total"), stacklevel=2)
    names = [str(i) for i in range(1, len(values) + 1)] if categories is None else categories
    axes = names if isinstance(names, Mapping) else {"category": names}
    return replace(Belief.of(posterior, axes), noise=STATED)


def face_value(counts: object, prior: Dirichlet) -> Dirichlet:
    """The posterior of noisy counts at face value, negative ones as 0: privacy noise not included."""
    return Dirichlet(
        [
            parameter + max(exact(value, "a noisy count"), Fraction(0))
            for parameter, value in zip(prior.parameters, as_items(counts, "counts"), strict=True)
        ]
    )


def _require_published(values: Sequence[Fraction], noises: Sequence[StatedNoise], clamped: bool) -> None:
    """What the stated noise could have led to."""
    if any(each.is_whole and value.denominator != 1 for each, value in zip(noises, values, strict=True)):
        raise InvalidInput(
            "this noise leads to whole numbers", hint="state laplace or gaussian noise that was not rounded"
        )
    if clamped and min(values) < 0:
        raise InvalidInput("clamped counts are not negative", hint="leave `clamped` out")
