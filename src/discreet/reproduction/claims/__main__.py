"""Print the page of claims: `python -m discreet.reproduction.claims > docs/claims.md`."""

from __future__ import annotations

from discreet.reproduction.claims.page import page

if __name__ == "__main__":
    print(page(), end="")
