"""What a receipt says about accuracy: public, the same for all data, and quick."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from discreet.errors import DiscreetError
from discreet.mechanisms import Mechanism
from discreet.utility.measure import accuracy

WHAT = "Hellinger distance between the true and the released posterior, for data that the prior expects"


def accuracy_statement(mechanism: Mechanism) -> dict[str, Any]:
    """The expected error and its 95 % quantile under the prior predictive, and the worst expectation of any data set.

    >>> from discreet import Geometric, PosteriorSpace
    >>> said = accuracy_statement(Geometric(PosteriorSpace(prior=[1, 1], n=50), epsilon=1))
    >>> round(said["mean"], 3), round(said["quantile_95"], 3), round(said["worst_mean"], 3)
    (0.108, 0.378, 0.185)
    """
    return dict(_stated(mechanism))


@lru_cache(maxsize=64)
def _stated(mechanism: Mechanism) -> dict[str, Any]:
    """The same, once for each mechanism: a table of groups, or a receipt that is written and verified, asks again."""
    if mechanism.kernel.postprocess == "free":
        return {"what": WHAT, "mean": None, "method": "not stated for the free way back: it would take minutes"}
    try:
        found = accuracy(mechanism)
        return {
            "what": WHAT,
            "mean": found.mean,
            "error": found.error,
            "quantile_95": found.quantile(0.95),
            "worst_mean": found.worst_mean,
            "method": found.method,
        }
    except DiscreetError as refusal:  # too large to say exactly: the release does not depend on it
        return {"what": WHAT, "mean": None, "method": refusal.message}
