"""How the command fails: one line on stderr, an exit code, and with `--json` the same for programs.

Texts after data was read are templates over public values, so an unexpected exception is named by its type alone:
its own text could quote a count.
"""

from __future__ import annotations

import json
import os
import re
import sys
import traceback
from collections.abc import Mapping

import typer

from discreet.arithmetic.texts import visible_text
from discreet.errors import DiscreetError

_NAMED = re.compile(r"^\w+(?= (?:is not a number|is out of range|must be|must exceed|has more than|divides by zero)\b)")
_ADVISED = re.compile(r"\w+_\w+|(?<=\b(?:with|give) )\w+|(?<=\b(?:leave|raise|lower) )\w+|(?<=\band )\w+")
"""Where a text names a parameter: at the start of what is wrong, and in the advice, where nobody's text is quoted."""


def report(failure: Exception, *, as_json: bool, options: Mapping[str, str] | None = None) -> int:
    """Say what went wrong and how to mend it, by the names of the command's options; the exit code is the answer."""
    if os.environ.get("DISCREET_DEBUG") == "1":
        traceback.print_exception(failure)
    kind, message, hint, code = explain(failure)
    message, hint = as_typed(message, hint, options or {})
    if as_json:
        print(json.dumps({"error": {"kind": kind, "message": message, "hint": hint, "mend": hint}}))
    print(visible_text(f"error: {message}; {hint}" if hint else f"error: {message}"), file=sys.stderr)
    return code


def explain(failure: Exception) -> tuple[str, str, str, int]:
    """The kind, the message, how to mend it, and the exit code.

    >>> from discreet.errors import InvalidInput
    >>> explain(InvalidInput("n must be at least 1", hint="give a larger number"))
    ('InvalidInput', 'n must be at least 1', 'give a larger number', 2)
    >>> explain(KeyError("a secret"))[1]
    'an unexpected KeyError stopped the command'
    """
    if isinstance(failure, DiscreetError):
        return failure.kind, failure.message, failure.hint, failure.exit_code
    if isinstance(failure, typer.TyperException):
        return _explain_usage(failure)
    message = f"an unexpected {type(failure).__name__} stopped the command"
    return "Unexpected", message, "set DISCREET_DEBUG=1 to see where, and please report it", 1


def as_typed(message: str, hint: str, options: Mapping[str, str]) -> tuple[str, str]:
    """What the library says of its parameters, said of the options that stand for them.

    >>> options = {"target_error": "--target-error", "confidence": "--confidence", "n": "--n"}
    >>> as_typed("n must be a whole number", "give target_error and confidence", options)
    ('--n must be a whole number', 'give --target-error and --confidence')
    """

    def typed(found: re.Match[str]) -> str:
        return options.get(found[0], found[0])

    return _NAMED.sub(typed, message), _ADVISED.sub(typed, hint)


def _explain_usage(failure: typer.TyperException) -> tuple[str, str, str, int]:
    """Typer's sentence in our shape: no capital at the start, no full stop at the end, its advice as the hint."""
    message, _, meant = failure.format_message().rstrip(".").partition(". Did you mean ")
    nearest = getattr(failure, "possibilities", None)
    if nearest:
        message, meant = str(failure.message), f"{' or '.join(sorted(nearest))}?"
    where = getattr(getattr(failure, "ctx", None), "command_path", "discreet")
    hint = f"did you mean {meant} See {where} --help" if meant else f"see {where} --help"
    return "Usage", message[:1].lower() + message[1:], hint, failure.exit_code
