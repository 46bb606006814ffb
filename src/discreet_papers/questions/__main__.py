"""Write the page of open questions and its pictures: `python -m discreet_papers.questions docs`."""

from __future__ import annotations

import sys
from pathlib import Path

from discreet_papers.questions.page import write

if __name__ == "__main__":
    write(Path(sys.argv[1]))
