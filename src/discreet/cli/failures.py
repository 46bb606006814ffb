"""How the command fails: one line on stderr, an exit code, and with `--json` the same for programs.

Texts after data was read are templates over public values, so an unexpected exception is named by its type alone:
its own text could quote a count.
"""

from __future__ import annotations

import json
import os
import sys
import traceback

import typer

from discreet.errors import DiscreetError


def report(failure: Exception, *, as_json: bool) -> int:
    """Say what went wrong and how to mend it; the exit code is the answer."""
    if os.environ.get("DISCREET_DEBUG") == "1":
        traceback.print_exception(failure)
    kind, message, mend, code = explain(failure)
    if as_json:
        print(json.dumps({"error": {"kind": kind, "message": message, "mend": mend}}))
    print(one_line(f"error: {message}; {mend}" if mend else f"error: {message}"), file=sys.stderr)
    return code


def explain(failure: Exception) -> tuple[str, str, str, int]:
    """The kind, the message, how to mend it, and the exit code.

    >>> from discreet.errors import InvalidInput
    >>> explain(InvalidInput("n must be at least 1", mend="give a larger number"))
    ('InvalidInput', 'n must be at least 1', 'give a larger number', 2)
    >>> explain(KeyError("a secret"))[1]
    'an unexpected KeyError stopped the command'
    """
    if isinstance(failure, DiscreetError):
        return failure.kind, failure.message, failure.mend, failure.exit_code
    if isinstance(failure, typer.TyperException):
        return _explain_usage(failure)
    message = f"an unexpected {type(failure).__name__} stopped the command"
    return "Unexpected", message, "set DISCREET_DEBUG=1 to see where, and please report it", 1


def one_line(text: str) -> str:
    r"""The text as one line that cannot steer a terminal, whatever the user's input held.

    >>> print(one_line("error: no such command 'a\nb\x1b[31m'"))
    error: no such command 'a\nb\x1b[31m'
    """
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def _explain_usage(failure: typer.TyperException) -> tuple[str, str, str, int]:
    """Typer's sentence in our shape: no capital at the start, no full stop at the end, its advice under mend."""
    message, _, meant = failure.format_message().rstrip(".").partition(". Did you mean ")
    where = getattr(getattr(failure, "ctx", None), "command_path", "discreet")
    mend = f"did you mean {meant} See {where} --help" if meant else f"see {where} --help"
    return "Usage", message[:1].lower() + message[1:], mend, failure.exit_code
