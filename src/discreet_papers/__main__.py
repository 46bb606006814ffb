"""Write the pages that are computed: `python -m discreet_papers docs`, with `claims` or `questions` for one of them."""

from __future__ import annotations

import sys
from pathlib import Path

from discreet_papers.pages import write_claims, write_questions

if __name__ == "__main__":
    folder, names = Path(sys.argv[1]), sys.argv[2:] or ["claims", "questions"]
    for name in names:
        {"claims": write_claims, "questions": write_questions}[name](folder)
