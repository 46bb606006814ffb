"""The command `discreet`: a thin face on the library, one file for each group of commands."""

import sys

INTERRUPTED = 130
"""The exit code that shells give to a command stopped by Ctrl-C."""


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        from discreet.cli.app import run  # Ctrl-C may come while this loads, and is nothing to be told of then either

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED
    sys.exit(code)


__all__ = ["INTERRUPTED", "main"]
