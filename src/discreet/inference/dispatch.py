"""From a release to what its reader may believe."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import combinations
from typing import Protocol, TypeAlias, runtime_checkable

from discreet.arithmetic.numbers import as_items
from discreet.errors import InvalidInput, TooLarge
from discreet.inference.boxes import first_reach, joint_factors
from discreet.inference.counts import CountPosterior, Enumeration
from discreet.inference.factor_posteriors import Contradiction, contradict, factor_posterior
from discreet.inference.line import line_posterior
from discreet.inference.posterior import NoiseAware
from discreet.inference.products import Product
from discreet.inference.records import Between, Records, as_records
from discreet.inference.weighted_draws import drawn_posterior
from discreet.kernels.base import LISTED, Factor
from discreet.kernels.exponential import LONGEST
from discreet.mechanisms import Mechanism
from discreet.mechanisms.base import require_mechanism
from discreet.posteriors import Dirichlet
from discreet.posteriors.predictive import log_predictive
from discreet.posteriors.space import PosteriorSpace, exceeds
from discreet.typing import Outcome

Outputs: TypeAlias = Sequence[tuple[Mechanism, Outcome]]
"""Outputs about the same records, each with its mechanism."""

WIDE = 1 << 13
"""Noise over more counts than this is weighed in blocks, if there are two categories."""


def noise_aware(mechanism: Mechanism, output: object, *, prior: object = None, records: object = None) -> NoiseAware:
    """The exact posterior given an output of a mechanism, under the release's prior or the reader's own.

    Where n is private, `records` is what the reader holds likely of it: a least and a greatest number, or a
    `NegativeBinomial`; by default every n alike. Where the output contradicts them, there is a warning.

    >>> from discreet import Geometric
    >>> mechanism = Geometric(PosteriorSpace(prior=[1, 1, 1], n=50), epsilon=1)
    >>> belief = noise_aware(mechanism, (30, 22, -2))
    >>> [round(float(x), 3) for x in belief.mean]
    [0.559, 0.408, 0.034]
    >>> [round(float(x), 3) for x in noise_aware(mechanism, (30, 22, -2), prior=[5, 5, 5]).mean]
    [0.498, 0.383, 0.119]
    """
    require_mechanism(mechanism)
    return _posterior([(mechanism, _as_output(mechanism, output))], prior, records)


@runtime_checkable
class Emission(Protocol):
    """What a release or its receipt tells: the mechanism, and what its law emitted."""

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism."""

    @property
    def output(self) -> Outcome:
        """What its law emitted."""


def combine(releases: Sequence[Emission], *, prior: object = None, records: object = None) -> NoiseAware:
    """The posterior given several releases about the same counts of the same people, or their receipts.

    Each output has a likelihood of the counts, and they are multiplied: the noise averages out, and what the people
    themselves leave uncertain stays. Releases of different people are compared instead, or put side by side by `waves`.

    >>> from discreet import Geometric
    >>> mechanism = Geometric(PosteriorSpace(prior=[1, 1], n=50), epsilon=1)
    >>> twice = [mechanism.release([20, 30]) for _ in range(2)]
    >>> both = combine(twice)
    >>> bool(both.sd[0] < 0.12)
    True
    """
    if not all(isinstance(released, Emission) for released in releases):
        raise InvalidInput("only releases and receipts are combined", hint="give what `release` returned")
    outputs = [(released.mechanism, _as_output(released.mechanism, released.output)) for released in releases]
    if not outputs:
        raise InvalidInput("there is no release to combine", hint="give at least one")
    spaces = [mechanism.space for mechanism, _ in outputs]
    if len({getattr(released, "categories", None) for released in releases}) > 1:
        raise InvalidInput("the receipts have different categories", hint="combine releases of one column")
    if any(one is other or _is_copy(one, other) for one, other in combinations(releases, 2)):
        raise InvalidInput("one release is given twice", hint="give every release once: it says nothing new")
    if len({(tuple(space.adjacency.sizes.items()), space.k) for space in spaces}) > 1:
        raise InvalidInput("releases about the same records have the same n and k", hint="combine only those")
    if prior is None and len({space.prior for space in spaces}) > 1:
        raise InvalidInput("the releases have different priors", hint="say which to believe with `prior`")
    return _posterior(outputs, prior, records)


def _is_copy(one: Emission, other: Emission) -> bool:
    """Whether two receipts are of one charge."""
    documents = (getattr(receipt, "document", {}) for receipt in (one, other))
    first, second = (document.get("charge") for document in documents)
    return first is not None and first == second


def _posterior(outputs: Outputs, prior: object, records: object) -> NoiseAware:
    space = outputs[0][0].space
    reader = space.prior if prior is None else prior if isinstance(prior, Dirichlet) else Dirichlet(prior)
    if reader.k != space.k:
        raise InvalidInput(f"the prior must have {space.k} parameters", hint="give one for each category")
    if not space.adjacency.keeps_total:
        reader_space = PosteriorSpace(prior=reader, n=None)  # refuses a prior that no space may have
        return NoiseAware(reader_space.prior, None, _private_n_counts(outputs, reader_space, as_records(records)))
    if records is not None:
        raise InvalidInput("n is public here", hint="leave out records", parameter="records")
    reader_space = PosteriorSpace(prior=reader, n=space.n)
    return NoiseAware(reader_space.prior, reader_space.n, _counts(outputs, reader_space))


def _factors(outputs: Outputs) -> list[Factor] | None:
    """The likelihoods of each count, where every mechanism has noise on single counts."""
    known = [factors for mechanism, output in outputs if (factors := mechanism.kernel.factors(output)) is not None]
    return joint_factors(known) if len(known) == len(outputs) else None


def _private_n_counts(outputs: Outputs, space: PosteriorSpace, records: Records) -> CountPosterior:
    """Where n is private: every mechanism has noise of its own on every count."""
    factors = _factors(outputs)
    if factors is None:
        raise InvalidInput("only noise on single counts is read where n is private", hint="use geometric")
    if isinstance(records, Between) and contradict(factors, records.low, records.high):
        warnings.warn(Contradiction("records"), stacklevel=4)
    return factor_posterior(factors, space.prior.alpha, None, records)


def _counts(outputs: Outputs, space: PosteriorSpace) -> CountPosterior:
    factors = _factors(outputs)
    if space.k == 2:
        return _two_counts(outputs, space, factors)
    if factors is not None:
        try:
            return Product(factors, space.prior.alpha, space.n)
        except TooLarge:
            pass
    draws = drawn_posterior(outputs, space) if factors is not None or exceeds(space, LISTED) else None
    return _enumerate(outputs, space) if draws is None else draws


def _two_counts(outputs: Outputs, space: PosteriorSpace, factors: list[Factor] | None) -> CountPosterior:
    """Two categories: windows about the outputs, blocks where these are wide, or every data set."""
    if factors is not None and min(map(sum, first_reach(factors, [1, 1], space.n))) <= WIDE:
        try:
            return Product(factors, space.prior.alpha, space.n, 4 * WIDE)
        except TooLarge:  # the prior contradicts the outputs, and draws the counts far away from them
            pass
    blocks = line_posterior(outputs, space) if factors is not None or space.n >= LONGEST else None
    if blocks is not None:
        return blocks
    return _enumerate(outputs, space) if factors is None else Product(factors, space.prior.alpha, space.n)


def _enumerate(outputs: Outputs, space: PosteriorSpace) -> Enumeration:
    """Every data set, one by one."""
    logs = sum(mechanism.kernel.column(output).values for mechanism, output in outputs)
    rows = space.candidates().array()
    method = f"enumeration of all {len(rows):,} data sets"
    return Enumeration(rows, logs + log_predictive(space.prior, rows), error=0.0, method=method)


def _as_output(mechanism: Mechanism, output: object) -> Outcome:
    """An output that the mechanism could have emitted, as whole numbers."""
    items = as_items(output, "the output")
    counts = tuple(int(item) for item in items if isinstance(item, int) or hasattr(item, "__index__"))
    adjacency = mechanism.space.adjacency
    is_possible = len(counts) == len(items) == mechanism.space.k
    is_possible = is_possible and (not adjacency.keeps_total or adjacency.allows(sum(counts)))
    if not is_possible or (min(counts) < 0 and not mechanism.kernel.signed):
        raise InvalidInput("this is no output of the mechanism", hint="give it as released")
    return counts
