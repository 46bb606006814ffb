"""`python -m tests.web.picture docs/images/page.png`: the page as docs/page.md shows it."""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.support.browser import found_browser, serving


def main(target: Path) -> None:
    """Plan for the voters of the bundled survey, and keep what the browser shows."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(folder=Path(folder)) as served,
        sync_playwright() as driver,
        driver.chromium.launch(executable_path=found_browser(), args=["--no-sandbox", "--disable-gpu"]) as browser,
    ):
        page = browser.new_page(viewport={"width": 1000, "height": 1330})
        page.set_default_timeout(300_000)
        page.goto(served.address)
        page.wait_for_selector("body[data-ready]")
        page.fill("#plan [name=n]", "944")
        page.click("#plan button")
        page.wait_for_selector("#plan svg")
        page.screenshot(path=target)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
