"""What a claim is: a statement of a seed document that can be checked, and the check that gives its verdict.

A claim holds one test and two readings of the statement: as it is printed, and put right. The test takes a reading
(a formula, a number, a rule) and says whether the statement is true under it. So no verdict is typed: *holds* if the
printed reading passes, *holds with a correction* if only the reading put right does, *fails* if neither does.

    claim = CLAIMS["001-size"]
    claim.check().verdict                                       # computed now
    replace(claim, printed=claim.mended).check().verdict        # another reading, another verdict
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

Reading = TypeVar("Reading")


class Verdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    CORRECTED = "holds with a correction"
    FAILS = "fails"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a test found under one reading: whether the statement is true, the number that decides it, and a line."""

    true: bool
    number: float
    shown: str


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict on a claim.

    `number` is the value that is right, `settings` where it was computed, `counterexample` what refutes the statement
    as printed (empty if it holds), `is_` what is true instead, or what the check found.
    """

    verdict: Verdict
    number: float
    settings: str
    counterexample: str
    is_: str


@dataclass(frozen=True, slots=True)
class Claim(Generic[Reading]):
    """A statement of a seed document, such as "001 §4.2", with its test and its two readings.

    `mended` is None where nothing like the statement is true. `slow` ones take more than a few seconds.

    >>> half = Claim(
    ...     id="half", source="nowhere", says="1/3 is a half", settings="one number", right="0.5 is",
    ...     test=lambda x: Evidence(2 * x == 1, x, f"2·{x:.3g} = {2 * x:.3g}"), printed=1 / 3, mended=0.5)
    >>> half.check().verdict.value, half.check().counterexample
    ('holds with a correction', '2·0.333 = 0.667')
    """

    id: str
    source: str
    says: str
    settings: str
    right: str
    test: Callable[[Reading], Evidence]
    printed: Reading
    mended: Reading | None = None
    slow: bool = False

    def check(self) -> Finding:
        """Test the statement as printed and, if it is false, put right."""
        seen = self.test(self.printed)
        if seen.true:
            return Finding(Verdict.HOLDS, seen.number, self.settings, "", seen.shown)
        if self.mended is None:
            return Finding(Verdict.FAILS, seen.number, self.settings, seen.shown, self.right)
        better = self.test(self.mended)
        verdict = Verdict.CORRECTED if better.true else Verdict.FAILS
        return Finding(verdict, better.number, self.settings, seen.shown, f"{self.right}: {better.shown}")
