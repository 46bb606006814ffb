"""The exceptions of discreet.

    DiscreetError
    ├── InvalidInput    (ValueError)   an argument does not mean what it should; nothing was touched
    ├── BudgetExceeded  (ValueError)   the charge would not fit the dataset's budget
    ├── NotPrivate      (ValueError)   the mechanism has no guarantee for the epsilon asked of it
    ├── TooLarge        (ValueError)   the exact answer would not fit; says how large, and what to do
    ├── Undecided       (ArithmeticError)  enclosures reached the precision cap without an answer
    ├── SourceError     (OSError)      a table cannot be read
    ├── LedgerError     (OSError)      the ledger is missing, locked or broken
    └── Unexpected                     how a face tells of any other exception

A message is one line, a template over public values: no error raised after data was read may have a
text that a count could change. `hint` says what to do about it, and `parameter` which argument the message is about.
A hint quotes the names of arguments in backticks. The command puts its options in their place.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path


class DiscreetError(Exception):
    """The root of all errors that discreet raises on purpose.

    >>> raise InvalidInput("n must be at least 1", hint="give the number of records", parameter="n")
    Traceback (most recent call last):
    discreet.errors.InvalidInput: n must be at least 1; give the number of records
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "", parameter: str = "") -> None:
        super().__init__(f"{message}; {hint}" if hint else message)
        self.message = message
        self.hint = hint
        self.parameter = parameter

    @property
    def mend(self) -> str:
        """`hint`, by its former name."""
        return self.hint

    @property
    def kind(self) -> str:
        """The name of its class."""
        return type(self).__name__

    def to_json(self) -> dict[str, str]:
        """What programs see under `error`; `mend` is the former name of `hint`."""
        texts = {"message": self.message, "hint": self.hint, "parameter": self.parameter, "mend": self.hint}
        return {"kind": self.kind, **texts}


class InvalidInput(DiscreetError, ValueError):
    """An argument does not mean what it should."""

    exit_code = 2


class BudgetExceeded(DiscreetError, ValueError):
    """The charge would not fit the dataset's budget."""

    exit_code = 3


class NotPrivate(DiscreetError, ValueError):
    """The mechanism has no guarantee for the epsilon asked of it."""

    exit_code = 4


class TooLarge(DiscreetError, ValueError):
    """The exact answer would not fit in memory or in a lifetime."""

    exit_code = 2


class Undecided(DiscreetError, ArithmeticError):
    """Enclosures reached the precision cap without deciding the question."""


class SourceError(DiscreetError, OSError):
    """A table cannot be read."""

    exit_code = 2


class LedgerError(DiscreetError, OSError):
    """The ledger is missing, locked or broken."""

    exit_code = 5


class Unexpected(DiscreetError):
    """Any other exception, named by its type alone: its own text could quote a count."""

    def __init__(self, failure: Exception, work: str, *, hint: str) -> None:
        super().__init__(f"an unexpected {type(failure).__name__} stopped {work}", hint=hint)


def require_kind(value: object, kind: type, parameter: str, *, hint: str) -> None:
    """Refuse an argument of another type by its name, where a later line would stop with an AttributeError.

    >>> require_kind("geometric", int, "n", hint="give the number of records")
    Traceback (most recent call last):
    discreet.errors.InvalidInput: n must be an int, not a str; give the number of records
    """
    if not isinstance(value, kind):
        expected, given = (_with_article(one.__name__) for one in (kind, type(value)))
        raise InvalidInput(f"{parameter} must be {expected}, not {given}", hint=hint, parameter=parameter)


def _with_article(name: str) -> str:
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def require_packages(what: str, extra: str, *packages: str, error: type[DiscreetError] = InvalidInput) -> None:
    """Refuse what needs a package that is missing, and say how to install the extra that has it."""
    for package in packages:
        if find_spec(package) is None:
            raise error(f"{what} needs {package}", hint=install_hint(extra))


def install_hint(extra: str) -> str:
    """How to add an extra to discreet. It is on no index, so it is installed from its source.

    >>> print(install_hint("plot"))
    pip install '.[plot]' in discreet's source directory
    """
    has_pipx = (Path(sys.prefix) / "pipx_metadata.json").exists()
    return f"{'pipx install --force' if has_pipx else 'pip install'} '.[{extra}]' in discreet's source directory"
