"""Whether a receipt says what is derived anew.

What is claimed is compared exactly: texts, whole numbers, names, the price, the prior, the parameters of the posterior,
the output, the certificate. Floats that are shown beside them are compared to as many digits as two machines agree on:

- A mean is a ratio of exact numbers. It is derived as the nearest float; earlier receipts have it from float sums,
  which are off by a few in the 16th digit. It is held to 14 digits.
- The end of an interval, the mean of a belief and an expected error come from special functions, whose last digits
  (from the 13th on, as measured) differ between processors and between versions of NumPy and SciPy. They are held to 9
  digits: of themselves, an end also of what it leaves of 1 and to a millionth of its interval's width, and an error's
  error of the error.

`tests/receipts/test_written_receipts.py` changes every digit that is compared, one at a time, and each is noticed.
"""

from __future__ import annotations

import math
from typing import Any

from discreet.receipts.schemas import FIRST_SCHEMA

RATIO, COMPUTED, WIDTH = 5e-15, 5e-10, 1e-6
"""How far a float may be from the one that is derived: half a unit of the 14th digit, of the 9th, and of the width."""

LEAST = 1e-300
"""Ends of intervals below this are 0."""

FLOAT_FIELDS = {
    "posterior": RATIO,
    **dict.fromkeys(("belief", "interval", "group_shares", "total", "rates", "accuracy"), COMPUTED),
}
"""The fields with floats that are shown, and how near their means are; all others are exact."""


def agree(derived: dict[str, Any], claimed: dict[str, Any]) -> bool:
    """Whether a receipt says what is derived anew.

    >>> agree({"n": 1, "epsilon": 0.1}, {"n": 1, "epsilon": 0.1 + 1e-16}), agree({"n": 1}, {"n": True})
    (False, False)
    >>> derived = {"interval": {"rare": [1e-9, 2e-9]}}
    >>> [agree(derived, {"interval": {"rare": [1e-9, end]}}) for end in (2e-9 + 1e-19, 2e-9 + 1e-17)]
    [True, False]
    >>> derived = {"interval": {"nearly all": [0.9, 1 - 1e-12]}}
    >>> [agree(derived, {"interval": {"nearly all": [0.9, 1 - 1e-12 + j * math.ulp(0.9)]}}) for j in (4, 5)]
    [True, False]
    """
    near = FLOAT_FIELDS if derived.get("schema") != FIRST_SCHEMA else FLOAT_FIELDS | {"group_shares": RATIO}
    return derived.keys() == claimed.keys() and all(_same(derived[key], claimed[key], near.get(key)) for key in derived)


def _same(derived: Any, claimed: Any, near: float | None) -> bool:
    if type(derived) is not type(claimed):
        return False
    if isinstance(derived, dict):
        return derived.keys() == claimed.keys() and all(_near(derived, claimed, key, near) for key in derived)
    if isinstance(derived, list):
        if {*map(type, derived)} <= {int, str}:  # there may be a million of them
            return derived == claimed and [*map(type, derived)] == [*map(type, claimed)]
        return len(derived) == len(claimed) and all(_near(derived, claimed, i, near) for i in range(len(derived)))
    return bool(derived == claimed)


def _near(derived: Any, claimed: Any, at: Any, near: float | None) -> bool:
    """Whether one entry agrees: a float as its neighbours tell what it is."""
    ours, theirs = derived[at], claimed[at]
    if near is None or type(ours) is not float or type(theirs) is not float:
        return _same(ours, theirs, near)
    return ours == theirs or abs(ours - theirs) <= _slack(derived, at, near)


def _slack(derived: Any, at: Any, mean: float) -> float:
    value: float = derived[at]
    if isinstance(derived, list):  # the two ends of an interval
        width = max(derived) - min(derived)
        rest = 1 - value if value <= 1 else value  # of a share what it leaves of 1; a rate or a total may be larger
        near = min(COMPUTED * value, COMPUTED * rest, WIDTH * float(width))
        return max(near, 4 * math.ulp(value), LEAST)
    if "what" in derived:  # a statement of accuracy
        return COMPUTED * float(derived["mean" if at == "error" else at])
    return mean * float(value) if at == "mean" else 0.0
