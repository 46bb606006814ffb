"""What a reader holds likely of the number of records before a release, where n is private."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.arithmetic.numbers import exact, whole
from discreet.errors import InvalidInput
from discreet.posteriors.neighbours import MAX_N


@dataclass(frozen=True, slots=True)
class Flat:
    """Every n ≥ 0 is as likely as any other. The posterior is proper, because the noise has an end on either side."""

    def __str__(self) -> str:
        return "every n alike"


@dataclass(frozen=True, slots=True)
class Between:
    """Every n from low to high is as likely as any other, and no other n is possible."""

    low: int
    high: int

    def __post_init__(self) -> None:
        for size in (self.low, self.high):
            whole(size, "the number of records")
        if not 0 <= self.low <= self.high <= MAX_N:
            raise InvalidInput(
                "records are a least and a greatest number", hint="like 800 and 1200", parameter="records"
            )

    def __str__(self) -> str:
        return f"every n from {self.low:,} to {self.high:,} alike"


@dataclass(frozen=True, slots=True, init=False)
class NegativeBinomial:
    """n is negative binomial with this mean, and the sum of the prior's parameters as its shape.

    It is how many records there are if each category has a Poisson number of them whose rate is Gamma. Then what is
    released of one category tells nothing of another.

    >>> NegativeBinomial(500).mean
    Fraction(500, 1)
    """

    mean: Fraction

    def __init__(self, mean: object) -> None:
        object.__setattr__(self, "mean", exact(mean, "the mean number of records", above=0))

    def __str__(self) -> str:
        return f"n negative binomial with mean {float(self.mean):g}"


Records = Flat | Between | NegativeBinomial


def as_records(records: object) -> Records:
    """What a reader holds likely of n, as people give it: nothing, a least and a greatest number, or a mean.

    >>> as_records(None), as_records((800, 1200)), as_records("800, 1200"), as_records("mean=500")
    (Flat(), Between(low=800, high=1200), Between(low=800, high=1200), NegativeBinomial(mean=Fraction(500, 1)))
    """
    if records is None:
        return Flat()
    if isinstance(records, Flat | Between | NegativeBinomial):
        return records
    if isinstance(records, str):
        if records.startswith("mean="):
            return NegativeBinomial(records.removeprefix("mean="))
        records = [part.strip() for part in records.split(",")]
    if isinstance(records, Sequence) and len(records) == 2:
        return Between(*(whole(size, "the number of records") for size in records))
    raise InvalidInput(
        "records are a least and a greatest number, or a mean",
        hint="like 800,1200 or mean=1000",
        parameter="records",
    )
