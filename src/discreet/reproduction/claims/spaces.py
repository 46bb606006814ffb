"""Claims about the space of posteriors: its size, its densities, what is adjacent, what truncation keeps inside."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any

from discreet.reproduction.claims.base import Claim, Evidence
from discreet.space import PosteriorSpace


def _size(formula: Callable[[int, int], int]) -> Evidence:
    wrong = ""
    for k in (2, 3, 4, 5):
        for n in range(1, 13):
            listed = sum(1 for _ in PosteriorSpace(prior=[1] * k, n=n).candidates())
            if formula(n, k) != listed:
                wrong = f"n = {n}, k = {k}: {formula(n, k)}, but {listed} are listed"
    return Evidence(not wrong, formula(10, 3), wrong or f"n = 10, k = 3: {formula(10, 3)}")


CLAIMS: tuple[Claim[Any], ...] = (
    Claim(
        id="001-size",
        source="001 §4.2",
        says="R has C(n+1, m-1) elements for m categories",
        settings="candidates listed one by one, k = 2 to 5, n = 1 to 12",
        right="C(n+k-1, k-1)",
        test=_size,
        printed=lambda n, k: comb(n + 1, k - 1),
        mended=lambda n, k: comb(n + k - 1, k - 1),
    ),
)
