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
    from discreet.distances import chi_squared, hellinger, kl, l1, renyi
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
    from discreet.inference import NoiseAware, combine, noise_aware
    from discreet.ledger import Ledger
    from discreet.loss import Audit, Certificate, audit, calibrate
    from discreet.mechanisms import (
        ExponentialGlobal,
        ExponentialLocal,
        ExponentialReciprocal,
        ExponentialSmooth,
        Geometric,
        Laplace,
        LaplaceImproved,
        Mechanism,
        Optimal,
        Released,
        mechanism,
    )
    from discreet.mechanisms.snapping import Snapping
    from discreet.posteriors import Beta, Dirichlet
    from discreet.questions import Question
    from discreet.receipts import Bundle, Receipt
    from discreet.sensitivity import (
        global_sensitivity,
        local_sensitivity,
        reciprocal_sensitivity,
        seeds_gamma,
        smooth_sensitivity,
    )
    from discreet.space import PosteriorSpace
    from discreet.utility import Accuracy, Plan, accuracy, plan
    from discreet.variation import total_variation
    from discreet.verification import dilation, lifting
    from discreet.workflow import release, release_columns


__all__ = [
    "Accuracy",
    "Audit",
    "Beta",
    "BudgetExceeded",
    "Bundle",
    "Certificate",
    "Dirichlet",
    "DiscreetError",
    "ExponentialGlobal",
    "ExponentialLocal",
    "ExponentialReciprocal",
    "ExponentialSmooth",
    "Geometric",
    "InvalidInput",
    "Laplace",
    "LaplaceImproved",
    "Ledger",
    "LedgerError",
    "Mechanism",
    "NoiseAware",
    "NotPrivate",
    "Optimal",
    "Plan",
    "PosteriorSpace",
    "Question",
    "Receipt",
    "Released",
    "Snapping",
    "SourceError",
    "TooLarge",
    "Undecided",
    "accuracy",
    "audit",
    "calibrate",
    "chi_squared",
    "combine",
    "dilation",
    "global_sensitivity",
    "hellinger",
    "kl",
    "l1",
    "lifting",
    "local_sensitivity",
    "mechanism",
    "noise_aware",
    "plan",
    "reciprocal_sensitivity",
    "release",
    "release_columns",
    "renyi",
    "seeds_gamma",
    "smooth_sensitivity",
    "total_variation",
]

_ROOMS = {
    "distances": ["chi_squared", "hellinger", "kl", "l1", "renyi"],
    "errors": [
        "BudgetExceeded",
        "DiscreetError",
        "InvalidInput",
        "LedgerError",
        "NotPrivate",
        "SourceError",
        "TooLarge",
        "Undecided",
    ],
    "inference": ["NoiseAware", "combine", "noise_aware"],
    "ledger": ["Ledger"],
    "loss": ["Audit", "Certificate", "audit", "calibrate"],
    "mechanisms": [
        "ExponentialGlobal",
        "ExponentialLocal",
        "ExponentialReciprocal",
        "ExponentialSmooth",
        "Geometric",
        "Laplace",
        "LaplaceImproved",
        "Mechanism",
        "Optimal",
        "Released",
        "mechanism",
    ],
    "mechanisms.snapping": ["Snapping"],
    "posteriors": ["Beta", "Dirichlet"],
    "questions": ["Question"],
    "receipts": ["Bundle", "Receipt"],
    "sensitivity": [
        "global_sensitivity",
        "local_sensitivity",
        "reciprocal_sensitivity",
        "seeds_gamma",
        "smooth_sensitivity",
    ],
    "space": ["PosteriorSpace"],
    "utility": ["Accuracy", "Plan", "accuracy", "plan"],
    "variation": ["total_variation"],
    "workflow": ["release", "release_columns"],
    "verification": ["dilation", "lifting"],
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}


if not TYPE_CHECKING:  # a type checker that saw this would believe that every name exists

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module 'discreet' has no attribute {name!r}")
        value = getattr(import_module(f"discreet.{_HOME[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
