"""Write what the executed pages print, and the pictures that they draw: `python -m tests.pages.write [page.md ...]`."""

import shutil
import sys
import tempfile
from pathlib import Path

from tests.pages.run import DOCS, EXECUTED, run_page


def main(names: list[str]) -> None:
    """Run the pages, write their outputs into them, and their pictures into docs/images."""
    for name in names:
        with tempfile.TemporaryDirectory() as place:
            page = run_page(name, Path(place))
            (DOCS / name).write_text(page.text, encoding="utf-8")
            for picture in [*Path(place).glob("*.png"), *Path(place).glob("*.svg")]:
                shutil.copy(picture, DOCS / "images" / picture.name)
            print(f"{name}: {len(page.steps)} steps")


if __name__ == "__main__":
    main(sys.argv[1:] or EXECUTED)
