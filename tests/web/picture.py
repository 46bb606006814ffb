"""`python -m tests.web.picture docs/images`: the steps of the page as docs/page.md shows them."""

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.support.browser import Watched, found_browser, serving
from tests.support.journey import prepare, walk

COLOURS = 64
TALLEST = 1650


def main(target: Path) -> None:
    """Walk from the dropped file to the comparison, and keep what the browser shows at each step."""
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as driver,
        driver.chromium.launch(executable_path=found_browser(), args=["--no-sandbox", "--disable-gpu"]) as browser,
    ):
        prepare(Path(folder))
        page = browser.new_page(viewport={"width": 900, "height": 700})
        page.set_default_timeout(300_000)

        def keep(step: str) -> None:
            if step == "read":
                page.eval_on_selector("#compare-title", "(one) => one.scrollIntoView()")
                picture = Image.open(io.BytesIO(page.locator("#read .compare").screenshot()))
            else:
                picture = Image.open(io.BytesIO(page.screenshot(full_page=True)))
            shown = picture.convert("RGB").crop((0, 0, picture.width, min(picture.height, TALLEST)))
            shown.quantize(COLOURS).save(target / f"page-{step}.png", optimize=True)

        with serving("--ledger", "budgets.db", "--allow-release", folder=Path(folder)) as served:
            walk(Watched(page, []), served, keep)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
