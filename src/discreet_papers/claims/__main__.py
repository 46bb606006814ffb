"""Print the page of claims: `python -m discreet_papers.claims > docs/claims.md`."""

from __future__ import annotations

from discreet_papers.claims.page import page

if __name__ == "__main__":
    print(page(), end="")
