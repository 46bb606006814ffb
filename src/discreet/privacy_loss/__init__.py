"""How private it really is: audits, certificates, calibration."""

from __future__ import annotations

from discreet.privacy_loss.audits import Audit, audit
from discreet.privacy_loss.calibration import calibrate
from discreet.privacy_loss.certificates import Certificate, certificate_by_theorem
from discreet.privacy_loss.loss_distributions import LossDistribution
from discreet.privacy_loss.prices import Price, compose, loss_distribution, loss_range, rho_upper

__all__ = [
    "Audit",
    "Certificate",
    "LossDistribution",
    "Price",
    "audit",
    "calibrate",
    "certificate_by_theorem",
    "compose",
    "loss_distribution",
    "loss_range",
    "rho_upper",
]
