"""What a claim is: a statement of a paper that can be checked, and the check that gives its verdict.

A check holds one test and two readings of the statement: as it is printed, and put right. The test takes a reading
(a formula, a number, a rule) and says whether the statement is true under it. So no verdict is typed: *holds* if the
printed reading passes, *holds with a correction* if only the reading put right does, *fails* if neither does.

    claim = CLAIMS["001-size"]
    claim.check().verdict                                       # computed now
    replace(claim, printed=claim.corrected).check().verdict        # another reading, another verdict
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

Reading = TypeVar("Reading")


class Verdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    CORRECTED = "holds with a correction"
    FAILS = "fails"


class Evidence(NamedTuple):
    """The outcome of a test under one reading: whether the statement is true, the number that decides it, a line."""

    true: bool
    number: float
    line: str

    @classmethod
    def unless(cls, wrong: Iterable[str], number: float, line: str) -> Evidence:
        """True, with the line given, unless there is a counterexample: then the first one is the line.

        >>> Evidence.unless((f"{n} is odd" for n in (2, 4, 5, 7) if n % 2), 4, "all are even")
        Evidence(true=False, number=4, line='5 is odd')
        """
        first = next(iter(wrong), None)
        return cls(first is None, number, line if first is None else first)

    @classmethod
    def at_most(
        cls, bound: float, cases: Iterable[tuple[float, str]], form: str = "{}", tolerance: float = 1e-12
    ) -> Evidence:
        """True if no number exceeds the bound; the line is that of the greatest, the first of those equal to it.

        >>> Evidence.at_most(3, [(1.0, "a"), (2.0, "b"), (2.0 + 1e-15, "c")], form="greatest {number} at {}")
        Evidence(true=True, number=2.0, line='greatest 2.0 at b')
        """
        worst, where = float("-inf"), ""
        for number, line in cases:
            if number > worst + tolerance:
                worst, where = number, line
        return cls(worst <= bound, worst, form.format(where, number=worst))


class Check(NamedTuple, Generic[Reading]):
    """The half of a claim that is code; `corrected` is None where nothing like the statement is true."""

    test: Callable[[Reading], Evidence]
    printed: Reading
    corrected: Reading | None = None


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
    """A statement of a paper, such as "001 §4.2", with its test and its two readings.

    >>> half = Claim(
    ...     id="half", subject="", source="nowhere", says="1/3 is a half", settings="one number", right="0.5 is",
    ...     test=lambda x: Evidence(2 * x == 1, x, f"2·{x:.3g} = {2 * x:.3g}"), printed=1 / 3, corrected=0.5)
    >>> half.check().verdict.value, half.check().counterexample
    ('holds with a correction', '2·0.333 = 0.667')
    """

    id: str
    subject: str
    source: str
    says: str
    settings: str
    right: str
    test: Callable[[Reading], Evidence]
    printed: Reading
    corrected: Reading | None = None

    def check(self) -> Finding:
        """Test the statement as printed and, if it is false, put right."""
        printed = self.test(self.printed)
        if printed.true:
            return Finding(Verdict.HOLDS, printed.number, self.settings, "", printed.line)
        if self.corrected is None:
            return Finding(Verdict.FAILS, printed.number, self.settings, printed.line, self.right)
        corrected = self.test(self.corrected)
        verdict = Verdict.CORRECTED if corrected.true else Verdict.FAILS
        return Finding(verdict, corrected.number, self.settings, printed.line, f"{self.right}: {corrected.line}")
