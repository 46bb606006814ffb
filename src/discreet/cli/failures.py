"""How the command fails: one line on stderr, an exit code, and with `--json` the same for programs."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress

import typer

from discreet.arithmetic.texts import visible_text
from discreet.errors import DiscreetError, Unexpected

_QUOTED = re.compile(r"`(\w+)`")
_PASSWORD = re.compile(r"(?<=://)([^:/@]*):.*@|(?<=[?&])(\w*pass\w*=)[^&]*")
"""In an address: behind the user, or among the options."""


class Usage(DiscreetError):
    """A command line that is not understood."""

    exit_code = 2


class ChargedRequest(BaseException):
    """What a command raises, from whatever stopped it, once a request may have been charged."""

    def __init__(self, request_id: str) -> None:
        super().__init__(request_id)
        self.request_id = request_id


def tell_free_way(request_id: str, arguments: Sequence[str]) -> None:
    """The id of a charged request, and the command that finishes it; passwords in addresses are left out of it."""
    words = [
        _PASSWORD.sub(lambda match: f"{match[1]}@" if match[1] is not None else match[2], word) for word in arguments
    ]
    omission = "" if words == list(arguments) else ", with the password that is left out here"
    if "--request-id" not in words:
        words += ["--request-id", request_id]
    command = shlex.join(["discreet", *words])
    for line in (f"request id: {request_id}", f"this finishes it{omission}, and charges nothing more:", command):
        print(visible_text(line), file=sys.stderr)


def report(failure: Exception, *, as_json: bool, options: Mapping[str, str]) -> int:
    """Say what went wrong and what to do about it; the exit code is the answer."""
    if os.environ.get("DISCREET_DEBUG") == "1":
        traceback.print_exception(failure)
    if isinstance(failure, DiscreetError):
        error = failure
    elif isinstance(failure, typer.TyperException):
        error = _usage(failure)
    else:
        error = Unexpected(failure, "the command", hint="set DISCREET_DEBUG=1 to see where, and please report it")
    message, hint = in_typed_words(error, options)
    if as_json:
        with suppress(BrokenPipeError):  # a reader who left
            print(json.dumps({"error": error.to_json() | {"message": message, "hint": hint, "mend": hint}}))
    print(visible_text(f"error: {message}; {hint}" if hint else f"error: {message}"), file=sys.stderr)
    return error.exit_code


def in_typed_words(error: DiscreetError, options: Mapping[str, str]) -> tuple[str, str]:
    """The message and the hint of an error, with the options of the arguments that they name."""
    message, parameter = error.message, error.parameter
    if parameter:
        message = re.sub(rf"^{re.escape(parameter)}\b", options.get(parameter, parameter), message)
    return message, _QUOTED.sub(lambda name: options.get(name[1], name[1]), error.hint)


def _usage(failure: typer.TyperException) -> Usage:
    """Typer's sentence in our shape: no capital at the start, no full stop at the end, its advice as the hint."""
    message, _, meant = failure.format_message().rstrip(".").partition(". Did you mean ")
    message = message.replace(": Value error, ", ": ")
    if nearest := getattr(failure, "possibilities", None):
        message, meant = str(failure.message), f"{' or '.join(sorted(nearest))}?"
    path = getattr(getattr(failure, "ctx", None), "command_path", "discreet")
    hint = f"did you mean {meant} See {path} --help" if meant else f"see {path} --help"
    return Usage(message[:1].lower() + message[1:], hint=hint)
