"""P(output | counts) in floats with a stated error: rows, columns and normalisers of every family, in one place."""

from __future__ import annotations

from functools import lru_cache

from discreet.kernels.additive import GeometricKernel, LaplaceKernel, SnappedKernel
from discreet.kernels.base import Factor, Kernel, Logs
from discreet.kernels.exponential import HellingerKernel
from discreet.kernels.gaussian import GaussianKernel
from discreet.kernels.table import TableKernel
from discreet.kernels.tight import TightKernel
from discreet.mechanisms import (
    BY_NAME,
    Gaussian,
    Geometric,
    Laplace,
    LaplaceImproved,
    Mechanism,
    SnappedCounts,
    TightConstraints,
)
from discreet.mechanisms.exponential import KINDS

__all__ = ["Factor", "HellingerKernel", "Kernel", "Logs", "TableKernel", "family_kernel", "kernel_of"]

_KERNELS: dict[type[Mechanism], type[Kernel]] = {
    Geometric: GeometricKernel,
    Gaussian: GaussianKernel,
    Laplace: LaplaceKernel,
    LaplaceImproved: LaplaceKernel,
    SnappedCounts: SnappedKernel,
    TightConstraints: TightKernel,
    **dict.fromkeys(KINDS, HellingerKernel),
}


def family_kernel(name: str) -> type[Kernel]:
    """The kind of kernel that the family of this name has: what its laws are like, before there is a space."""
    return _KERNELS.get(BY_NAME[name], TableKernel)


@lru_cache(maxsize=8)
def kernel_of(mechanism: Mechanism) -> Kernel:
    """The kernel of a mechanism, kept with its tables for the next reader: a mechanism holds public facts only.

    A subclass may have another law than its family. Like any mechanism from elsewhere it is known by its laws.
    """
    return _KERNELS.get(type(mechanism), TableKernel)(mechanism)
