"""Posteriors, the space of those that n records can lead to, who is adjacent to whom, and distances between them."""

from __future__ import annotations

from discreet.posteriors.dirichlet import Beta, Dirichlet, as_prior

__all__ = ["Beta", "Dirichlet", "as_prior"]
