"""Exact numbers at the door, enclosures, bounds on lnΓ, and binary64. Nothing here knows of privacy."""
