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

_QUOTED = re.compile(r"`(\w+)`")


def report(failure: Exception, *, as_json: bool, options: Mapping[str, str] | None = None) -> int:
    """Say what went wrong and how to mend it, by the names of the command's options; the exit code is the answer."""
    if os.environ.get("DISCREET_DEBUG") == "1":
        traceback.print_exception(failure)
    kind, message, hint, code = explain(failure)
    parameter = getattr(failure, "parameter", "")
    message, hint = as_typed(message, hint, parameter, options or {})
    if as_json:
        error = {"kind": kind, "message": message, "hint": hint, "parameter": parameter, "mend": hint}
        print(json.dumps({"error": error}))
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


def as_typed(message: str, hint: str, parameter: str, options: Mapping[str, str]) -> tuple[str, str]:
    """The library's texts, with the option of each argument that they name.

    >>> options = {"target_error": "--target-error", "confidence": "--confidence", "n": "--n"}
    >>> as_typed("n must be a whole number", "give `target_error` and `confidence`", "n", options)
    ('--n must be a whole number', 'give --target-error and --confidence')
    """
    if parameter and message.startswith(parameter):
        message = options.get(parameter, parameter) + message.removeprefix(parameter)
    return message, _QUOTED.sub(lambda name: options.get(name[1], name[1]), hint)


def _explain_usage(failure: typer.TyperException) -> tuple[str, str, str, int]:
    """Typer's sentence in our shape: no capital at the start, no full stop at the end, its advice as the hint."""
    message, _, meant = failure.format_message().rstrip(".").partition(". Did you mean ")
    nearest = getattr(failure, "possibilities", None)
    if nearest:
        message, meant = str(failure.message), f"{' or '.join(sorted(nearest))}?"
    where = getattr(getattr(failure, "ctx", None), "command_path", "discreet")
    hint = f"did you mean {meant} See {where} --help" if meant else f"see {where} --help"
    return "Usage", message[:1].lower() + message[1:], hint, failure.exit_code
