"""Verification, put right and made to compute: dilations, liftings, the ideal mechanism, and attacks on floats."""

from discreet.verification.affine import Affine, Log
from discreet.verification.dilations import Steps, dilation
from discreet.verification.liftings import STAR, Lifting, lifting

__all__ = ["STAR", "Affine", "Lifting", "Log", "Steps", "dilation", "lifting"]
