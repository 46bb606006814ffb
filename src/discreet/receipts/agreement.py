"""Whether two documents say the same, where floats were computed by two machines."""

from __future__ import annotations

CLOSE, SHARE, LEAST = 1e-7, 1e-4, 1e-15
"""How far floats of a receipt may be from the ones that are computed anew: in all, as a share of the width of their
interval or of the largest beside them, and where that is nothing."""

EXACT = frozenset({"epsilon", "delta", "parameter", "prior"})
"""Floats that are the same on every machine."""


def agree(one: object, other: object) -> bool:
    """Whether two documents say the same; floats may differ as much as two machines' libraries make them differ.

    >>> agree({"a": [1, 0.1]}, {"a": [1, 0.1 + 1e-12]}), agree([1], [True]), agree(1, 1.0), agree(0.1, 0.1001)
    (True, False, False, False)
    >>> agree({"mean": 1e-9}, {"mean": 2e-9}), agree([0.5, 0.5 + 1e-8], [0.5, 0.5 + 2e-8])
    (False, False)
    >>> agree({"delta": 0.0}, {"delta": 1e-20}), agree({"epsilon": 1.0}, {"epsilon": 1.0})
    (False, True)
    """
    return _agree(one, other, CLOSE)


def _agree(one: object, other: object, most: float) -> bool:
    """The same, where floats may differ by this much at most."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        floats = [abs(value) for key, value in one.items() if isinstance(value, float) and key not in EXACT]
        own = _slack(most, max(floats, default=0.0))
        return one.keys() == other.keys() and all(
            _agree(one[key], other[key], 0.0 if key in EXACT else own if isinstance(one[key], float) else most)
            for key in one
        )
    if isinstance(one, list) and isinstance(other, list):
        floats = [value for value in one if isinstance(value, float)]
        own = _slack(most, max(floats) - (min(floats) if len(floats) > 1 else 0.0)) if floats else most
        return len(one) == len(other) and all(
            _agree(a, b, own if isinstance(a, float) else most) for a, b in zip(one, other, strict=True)
        )
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= most
    return one == other


def _slack(most: float, size: float) -> float:
    return min(most, max(LEAST, SHARE * size))
