"""A release as an OpenDP measurement, so that it composes with others inside an OpenDP context.

The measurement's input is the vector of all n records, its metric the number of changed records, its measure pure
differential privacy. Its map is the certified loss, times the number of changes, rounded up. The records are counted
and the law draws once, with the same exact sampler as `Mechanism.release`. OpenDP has to be told that callbacks are
trusted: `dp.enable_features("contrib", "honest-but-curious")`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from discreet.arithmetic.numbers import exact, float_upper, whole
from discreet.errors import InvalidInput, NotPrivate, require_packages
from discreet.mechanisms import Mechanism


def make_release(
    mechanism: Mechanism,
    categories: Sequence[str],
    *,
    other: str | None = None,
    distance: Literal["changes", "contributions"] = "changes",
) -> Any:
    """The measurement from a list of n texts to the law's output, a list of whole numbers.

    A text that is not a category counts as `other`, which is one of them (by default the last): every vector of n
    texts has a release, and nothing that is raised depends on them. Most of OpenDP's own transformations measure the
    `contributions` (the symmetric distance) instead: among vectors of n, two of them are one changed record.

    >>> import opendp.prelude as dp
    >>> dp.enable_features("contrib", "honest-but-curious")
    >>> from discreet import Geometric, PosteriorSpace
    >>> measurement = make_release(Geometric(PosteriorSpace(prior=[1, 1], n=5), epsilon="1/2"), ["no", "yes"])
    >>> sum(measurement(["yes", "no", "no", "yes", "no"])), measurement.map(1), measurement.map(2)
    (5, 0.5, 1.0)
    """
    dp = _opendp()
    mechanism.require_guarantee()
    loss, names = exact(mechanism.guarantee, "guarantee"), list(categories)
    if mechanism.delta != 0:
        raise NotPrivate("only pure guarantees become OpenDP measurements", hint="use another mechanism")
    if len(names) != mechanism.space.k or len(set(names)) != len(names):
        raise InvalidInput(
            f"categories must be {mechanism.space.k} different names", hint="give one for each", parameter="categories"
        )
    rest = names[-1] if other is None else other
    if rest not in names:
        raise InvalidInput("other must be one of the categories", hint="add it to them", parameter="other")
    if distance not in ("changes", "contributions"):
        raise InvalidInput(
            "distance must be changes or contributions", hint="leave it out for changes", parameter="distance"
        )
    place = {name: i for i, name in enumerate(names)}

    def release_records(records: Sequence[str]) -> list[int]:
        counts = [0] * len(names)
        for record in records:
            counts[place.get(record, place[rest])] += 1
        return list(mechanism.release(counts).output)

    def privacy_map(far: int) -> float:
        return float_upper(loss * (whole(far, "the distance") // (1 if distance == "changes" else 2)))

    return dp.m.make_user_measurement(
        dp.vector_domain(dp.atom_domain(T=dp.String), size=mechanism.space.n),
        dp.change_one_distance() if distance == "changes" else dp.symmetric_distance(),
        dp.max_divergence(),
        function=release_records,
        privacy_map=privacy_map,
        TO=dp.Vec[dp.i64],
    )


def _opendp() -> Any:
    require_packages("this", "opendp", "opendp")
    import opendp.prelude

    return opendp.prelude
