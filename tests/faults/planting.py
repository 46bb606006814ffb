"""How a fault is planted: with pytest's `monkeypatch`, so that it is gone when its test ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import pytest

Fault = Callable[[pytest.MonkeyPatch], None]


def plant(name: str, *owners: Any) -> Callable[[Callable[..., Any]], Fault]:
    """A fault: `name` of its owners becomes the decorated function, which is given the right one before the rest."""

    def make(wrong: Callable[..., Any]) -> Fault:
        @wraps(wrong)
        def fault(patch: pytest.MonkeyPatch) -> None:
            right = getattr(owners[0], name)
            for owner in owners:
                patch.setattr(owner, name, lambda *given, **named: wrong(right, *given, **named))

        return fault

    return make


def forgotten(*remembered: Any) -> Iterator[None]:
    """What these functions remember is forgotten before a test and after it, with its fault or without."""
    for function in remembered:
        function.cache_clear()
    yield
    for function in remembered:
        function.cache_clear()
