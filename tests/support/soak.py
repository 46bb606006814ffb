"""Repetitions: a few in every run of the tests, all of them in `make soak`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def few(values: Sequence[object], most: int) -> list[Any]:
    """Parameters of a test: the first so many for everyone, the others only for `make soak`.

    >>> [len(parameter.marks) for parameter in few(range(4), 2)]
    [0, 0, 1, 1]
    """
    return [pytest.param(value, marks=[pytest.mark.soak] if i >= most else []) for i, value in enumerate(values)]
