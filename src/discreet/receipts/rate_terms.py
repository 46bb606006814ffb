"""A release read as rates: events in groups of public exposure. What is public of it, and what a receipt says.

The law that is drawn from, its price and its certificate are those of the counts. Exposures, the unit and the prior of
the rates are public, and only say how the noisy counts are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.arithmetic.numbers import exact
from discreet.arithmetic.texts import join_names
from discreet.errors import InvalidInput
from discreet.inference import Rate, Rates, rates
from discreet.inference.event_rates import JEFFREYS
from discreet.mechanisms import Mechanism
from discreet.posteriors.gamma import Gamma, as_gamma
from discreet.receipts.receipt import canonical
from discreet.receipts.words import plain
from discreet.typing import Outcome


@dataclass(frozen=True, slots=True)
class RateTerms:
    """What is declared of rates.

    >>> terms = RateTerms.read({"south": 88_000, "north": "120000"}, ["north", "south"], per=100_000)
    >>> terms.to_json()
    {'exposure': {'north': 120000, 'south': 88000}, 'per': 100000, 'prior': [0.5, 0]}
    """

    exposure: tuple[tuple[str, Fraction], ...]
    """Person-years, inhabitants or the like, by group, in the groups' order."""
    per: Fraction
    """How many units of exposure a rate is told for."""
    prior: Gamma

    @classmethod
    def read(cls, exposure: object, groups: Sequence[str], *, per: object = 1, prior: object = None) -> RateTerms:
        """From what people give: an exposure for each group."""
        if not isinstance(exposure, Mapping) or set(exposure) != set(groups):
            raise InvalidInput(
                "exposures are one for each group",
                hint=f"give one for each of {join_names(groups)}",
                parameter="exposure",
            )
        return cls(
            tuple((group, exact(exposure[group], "an exposure", above=0)) for group in groups),
            exact(per, "per", above=0),
            JEFFREYS if prior is None else as_gamma(prior),
        )

    def to_json(self) -> dict[str, Any]:
        """As a receipt has it, and the digest of a request."""
        return {
            "exposure": {group: plain(during) for group, during in self.exposure},
            "per": plain(self.per),
            "prior": [plain(self.prior.shape), plain(self.prior.rate)],
        }

    def belief(
        self, mechanism: Mechanism, output: Outcome, *, prior: object = None, people: str | None = None
    ) -> Rates:
        """What a reader may believe, under the release's prior or their own."""
        reader_prior = self.prior if prior is None else prior
        return rates(mechanism, output, dict(self.exposure), prior=reader_prior, per=self.per, people=people)

    def document(self, drawn: tuple[Mechanism, Outcome] | None, level: float) -> dict[str, Any]:
        """What a receipt says: the terms, and once there is a draw the posteriors at face value and the belief.

        Under a prior that contradicts what was drawn there may be too many counts to list: then there is no belief.
        """
        document: dict[str, Any] = {**self.to_json(), "posterior": None, "belief": None}
        if drawn is None:
            return document
        pairs = zip(self.exposure, drawn[1], strict=True)
        posteriors = {group: self.prior.update(max(noisy, 0), during) for (group, during), noisy in pairs}
        document["posterior"] = {
            group: {"shape": plain(posterior.shape), "rate": plain(posterior.rate)}
            for group, posterior in posteriors.items()
        }
        with suppress(Exception):  # what was drawn is drawn: it must be shown
            belief = {
                group: {"mean": rate.mean, "interval": list(rate.interval(level))}
                for group, rate in self.belief(*drawn).by_group.items()
            }
            canonical(belief)  # which refuses a rate beyond floats: JSON cannot say it
            document["belief"] = belief
        return document


def at_face_value(rate: Rate, posterior: Gamma) -> Rate:
    """The released Gamma as if no noise were in it."""
    return replace(rate, first=int(posterior.shape - rate.prior.shape), chances=np.ones(1))
