"""Exact draws from fair bits: inversion, integer noise, and rejection on a line and on a simplex."""
