"""Posteriors, the space of those that n records can lead to, who is adjacent to whom, and distances between them."""

from __future__ import annotations

from discreet.posteriors.dirichlet import Beta, Dirichlet, as_prior
from discreet.posteriors.gamma import Gamma

__all__ = ["Beta", "Dirichlet", "Gamma", "as_prior"]
