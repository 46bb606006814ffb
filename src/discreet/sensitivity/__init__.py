"""How far one record moves a posterior: local, global, smooth and reciprocal sensitivity, and how fast 1/S changes."""

from __future__ import annotations

from discreet.sensitivity.exact import (
    global_sensitivity,
    local_sensitivity,
    published_gamma,
    reciprocal_sensitivity,
    smooth_sensitivity,
)

__all__ = [
    "global_sensitivity",
    "local_sensitivity",
    "published_gamma",
    "reciprocal_sensitivity",
    "smooth_sensitivity",
]
