"""The version, for whatever must name it."""

__version__ = "0.1.0"
