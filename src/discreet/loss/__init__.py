"""How private it really is: audits, certificates, calibration."""

from __future__ import annotations

from discreet.loss.auditing import Audit, audit
from discreet.loss.calibration import calibrate
from discreet.loss.certificates import Certificate, certificate_by_theorem
from discreet.loss.prices import Price
from discreet.loss.ranges import loss_range, rho_upper

__all__ = ["Audit", "Certificate", "Price", "audit", "calibrate", "certificate_by_theorem", "loss_range", "rho_upper"]
