"""Snapping: a number, or counts, released through binary64 floats that leak nothing; with its exact law and proof."""
