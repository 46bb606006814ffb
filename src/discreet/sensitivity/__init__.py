"""How far one record moves a posterior: local, global, smooth and reciprocal sensitivity, and how fast 1/S changes."""
