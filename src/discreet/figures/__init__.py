"""Figures: one file each, `numbers()` for what is shown and `paint()` for how."""
