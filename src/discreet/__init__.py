"""Publish a Bayesian posterior with differential privacy.

>>> import discreet as dc
>>> space = dc.PosteriorSpace(prior=dc.Dirichlet([1, 1, 1]), n=150)  # all that is public
>>> released = dc.Geometric(space, epsilon=0.5).release([70, 50, 30])  # one exact draw: this may be published
>>> sum(released.output)
150

Names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from discreet.version import __version__ as __version__

if TYPE_CHECKING:
    from discreet.counting import check
    from discreet.errors import (
        BudgetExceeded,
        DiscreetError,
        InvalidInput,
        LedgerError,
        NotPrivate,
        SourceError,
        TooLarge,
        Undecided,
    )
    from discreet.inference import (
        Belief,
        Comparison,
        NegativeBinomial,
        NoiseAware,
        Rate,
        Rates,
        Share,
        Total,
        Waves,
        combine,
        combine_synthetic,
        compare,
        noise,
        noise_aware,
        rates,
        read_noisy,
        waves,
    )
    from discreet.ledger import Ledger
    from discreet.mechanisms import (
        ExponentialGlobal,
        ExponentialLocal,
        ExponentialReciprocal,
        ExponentialSmooth,
        Gaussian,
        Geometric,
        Laplace,
        LaplaceImproved,
        Mechanism,
        Optimal,
        Released,
        TightConstraints,
        mechanism,
    )
    from discreet.mechanisms.snapping.number import Snapping
    from discreet.posteriors import Beta, Dirichlet, Gamma
    from discreet.posteriors.distances import chi_squared, hellinger, kl, l1, renyi
    from discreet.posteriors.space import PosteriorSpace
    from discreet.posteriors.variation import total_variation
    from discreet.privacy_loss import (
        Audit,
        Certificate,
        LossDistribution,
        audit,
        calibrate,
        compose,
        loss_distribution,
    )
    from discreet.receipts import Bundle, Receipt
    from discreet.requests.request import Question
    from discreet.requests.run import release, release_columns
    from discreet.sensitivity.exact import (
        global_sensitivity,
        local_sensitivity,
        published_gamma,
        reciprocal_sensitivity,
        smooth_sensitivity,
    )
    from discreet.utility.measure import Accuracy, accuracy
    from discreet.utility.plans import Plan
    from discreet.utility.targets import plan
    from discreet_papers.verification import dilation, lifting


__all__ = [
    "Accuracy",
    "Audit",
    "Belief",
    "Beta",
    "BudgetExceeded",
    "Bundle",
    "Certificate",
    "Comparison",
    "Dirichlet",
    "DiscreetError",
    "ExponentialGlobal",
    "ExponentialLocal",
    "ExponentialReciprocal",
    "ExponentialSmooth",
    "Gamma",
    "Gaussian",
    "Geometric",
    "InvalidInput",
    "Laplace",
    "LaplaceImproved",
    "Ledger",
    "LedgerError",
    "LossDistribution",
    "Mechanism",
    "NegativeBinomial",
    "NoiseAware",
    "NotPrivate",
    "Optimal",
    "Plan",
    "PosteriorSpace",
    "Question",
    "Rate",
    "Rates",
    "Receipt",
    "Released",
    "Share",
    "Snapping",
    "SourceError",
    "TightConstraints",
    "TooLarge",
    "Total",
    "Undecided",
    "Waves",
    "accuracy",
    "audit",
    "calibrate",
    "check",
    "chi_squared",
    "combine",
    "combine_synthetic",
    "compare",
    "compose",
    "dilation",
    "global_sensitivity",
    "hellinger",
    "kl",
    "l1",
    "lifting",
    "local_sensitivity",
    "loss_distribution",
    "mechanism",
    "noise",
    "noise_aware",
    "plan",
    "published_gamma",
    "rates",
    "read_noisy",
    "reciprocal_sensitivity",
    "release",
    "release_columns",
    "renyi",
    "smooth_sensitivity",
    "total_variation",
    "waves",
]

_ROOMS = {
    "discreet.counting": "check",
    "discreet.errors": "BudgetExceeded DiscreetError InvalidInput LedgerError NotPrivate SourceError TooLarge "
    "Undecided",
    "discreet.inference": "Belief Comparison NegativeBinomial NoiseAware Rate Rates Share Total Waves combine "
    "combine_synthetic compare noise noise_aware rates read_noisy waves",
    "discreet.ledger": "Ledger",
    "discreet.mechanisms": "ExponentialGlobal ExponentialLocal ExponentialReciprocal ExponentialSmooth Gaussian "
    "Geometric Laplace LaplaceImproved Mechanism Optimal Released TightConstraints "
    "mechanism",
    "discreet.mechanisms.snapping.number": "Snapping",
    "discreet.posteriors": "Beta Dirichlet Gamma",
    "discreet.posteriors.distances": "chi_squared hellinger kl l1 renyi",
    "discreet.posteriors.space": "PosteriorSpace",
    "discreet.posteriors.variation": "total_variation",
    "discreet.privacy_loss": "Audit Certificate LossDistribution audit calibrate compose loss_distribution",
    "discreet.receipts": "Bundle Receipt",
    "discreet.requests.request": "Question",
    "discreet.requests.run": "release release_columns",
    "discreet.sensitivity.exact": "global_sensitivity local_sensitivity published_gamma reciprocal_sensitivity "
    "smooth_sensitivity",
    "discreet.utility.measure": "Accuracy accuracy",
    "discreet.utility.plans": "Plan",
    "discreet.utility.targets": "plan",
    "discreet_papers.verification": "dilation lifting",
}
"""The modules that are loaded when one of their names is first used."""

_HOME = {name: room for room, names in _ROOMS.items() for name in names.split()}

_OLD = {"seeds_gamma": "published_gamma"}
"""Names that were public once, and what they are called now."""


if not TYPE_CHECKING:  # a type checker that saw this would believe that every name exists

    def __getattr__(name: str) -> object:
        name = _OLD.get(name, name)
        if name not in _HOME:
            raise AttributeError(f"module 'discreet' has no attribute {name!r}")
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
