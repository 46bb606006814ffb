"""The command `discreet`: a thin face on the library, one file for each group of commands."""

from discreet.cli.app import main

__all__ = ["main"]
