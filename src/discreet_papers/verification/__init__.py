"""Verification, put right and made to compute: dilations, liftings, the ideal mechanism, and attacks on floats."""

from discreet_papers.verification.affine import Affine, Log
from discreet_papers.verification.dilations import Steps, dilation
from discreet_papers.verification.liftings import STAR, Lifting, lifting

__all__ = ["STAR", "Affine", "Lifting", "Log", "Steps", "dilation", "lifting"]
